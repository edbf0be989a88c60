//! Writes the titles of the panes: whether all is saved, what Enter does and what it will cost.

use ratatui::style::Style;

use super::composer::send_key;
use super::conversation::OpenConversation;
use super::empty_state::LOAD_EXAMPLE;
use super::layout::KEYS;
use super::params;
use super::state::{ChatPane, State};
use crate::component::{AnswerCost, Session, money};
use crate::tabs::generation::context_limit;
use crate::tokens::Fit;
use crate::ui::key_table::named_key;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;

/// Columns of the name of a tool.
const TOOL: usize = 30;

/// Returns `saving…`, `saved ✓` or `✕ not saved: …`.
pub(super) fn saved(state: &State, session: &Session, theme: &Theme) -> (String, Style) {
    let conversation = state.conversation();
    match conversation.saves.refusal().or(session.unsaved.as_ref()) {
        Some(refusal) => (format!("✕ not saved: {}", refusal.line()), theme.bad),
        // Text that arrived or was typed after the last record is not saved either.
        None if state.composer.save_due.is_some() || !is_stored(conversation) => ("saving…".to_owned(), theme.muted),
        None if !conversation.is_begun() => (String::new(), theme.muted),
        None if conversation.record.trashed_ms.is_some() => ("in the trash".to_owned(), theme.warn),
        None => ("saved ✓".to_owned(), theme.good),
    }
}

fn is_stored(conversation: &OpenConversation) -> bool {
    conversation.saves.is_saved()
        && !conversation.answer.as_ref().is_some_and(|answer| answer.has_unsaved(&conversation.tree))
}

/// What the frame of the message box says.
pub(super) struct BoxWords {
    /// What is written there.
    pub(super) name: String,
    /// The keys, and what they do.
    pub(super) keys: Vec<String>,
    /// How much the request has, and its cost.
    pub(super) cost: Option<String>,
    /// Whether what is written is too long to be sent.
    pub(super) over: bool,
}

/// Returns what the frame of the message box says at a width.
pub(super) fn box_words(state: &State, session: &Session, narrow: bool, width: u16) -> BoxWords {
    let next =
        (!state.composer.editor.is_empty() && !narrow).then(|| state.composer.next_fit(state.conversation(), session));
    let conversation = state.conversation();
    let result = state.composer.result_of.as_ref().map(|call| format!("Result of {}", cut(&call.name.line(), TOOL)));
    let mut name = match (state.composer.editing, state.composer.role) {
        (Some(_), _) => "Message · editing".to_owned(),
        (None, _) if result.is_some() => result.unwrap_or_default(),
        (None, "user") => "Message".to_owned(),
        (None, role) => format!("Message · as {role}"),
    };
    if !conversation.record.system.is_empty() && width >= 60 {
        name.push_str(" · system prompt");
    }
    let set = params::summary(&conversation.record.params);
    if !set.is_empty() && width >= 80 {
        name = format!("{name} · {set}");
    }
    let newline = match (session.enter.inserts_newline, session.enter.reports_shift) {
        (true, _) => "⏎",
        (false, true) => "shift+⏎",
        (false, false) => "^J",
    };
    let item = |action, default, does| format!("{} {does}", named_key("chat.composer", action, default));
    let (newline, short_newline) = (item("newline", newline, "newline"), item("newline", "^J", "nl"));
    let key = send_key(session);
    // While an answer is under way nothing is sent.
    let send = match &conversation.answer {
        Some(answer) if answer.run.is_retrying() => format!("{key} try now"),
        _ if conversation.is_busy() => "esc stop".to_owned(),
        _ if state.offers_examples() => format!("{key} {LOAD_EXAMPLE}"),
        _ => format!("{key} send"),
    };
    if let Some(comparison) = state.comparisons.get(state.conversations.open).filter(|_| !narrow) {
        name = format!("{name} · to {}", comparison.names());
    }
    // On a narrow screen it replaces what Enter does, which the footer says, too.
    let more = match () {
        () if !conversation.drafts.is_empty() => item("next-draft", "F3", "other draft"),
        () if state.composer.has_paste => item("expand-paste", "^G", "show paste"),
        () => item("external", "F4", "$EDITOR"),
    };
    let keys = match (narrow, width >= KEYS) {
        _ if state.composer.waits_for_model(session, state.conversations.open) => {
            vec!["waiting for the model list".to_owned()]
        }
        // Elsewhere Enter does something else.
        _ if state.focus != ChatPane::Composer || state.is_covered() => Vec::new(),
        (true, _) | (_, false) if !conversation.drafts.is_empty() => vec![more],
        (true, _) => vec![send, short_newline],
        (false, true) => vec![send, newline, more],
        (false, false) => Vec::new(),
    };
    // Earlier turns are sent again, and billed again.
    let price = session.price(&session.profile, &session.model);
    let priced = |(fit, tokens, exact)| {
        let count = context_limit::count_label(fit, tokens, exact, width >= 60);
        money::priced(&count, AnswerCost::of_prompt(tokens, price).nano())
    };
    BoxWords { name, keys, cost: next.map(priced), over: matches!(next, Some((Fit::Over { .. }, ..))) }
}
