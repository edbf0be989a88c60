//! A conversation: its turns, each with what the service says of it.

use std::sync::LazyLock;
use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::action::{self, PageEvent, on_pages};
use super::bench_runs::{RunScope, RunStatus};
use super::category;
use super::check_results::CheckResults;
use super::mask::masked;
use super::model_ref::ModelRef;
use super::page_data::{self, PageData};
use super::sign::Sign;
use super::thresholds::ThresholdProfile;
use crate::component::{Bindings, Component, Cx, Handled, Hint, Motion, RenderContext, Session, bind, bind_all};
use crate::record::{Check, TextKey};
use crate::text::Untrusted;
use crate::ui::bar::number;
use crate::ui::key_table::ListedKeys;
use crate::ui::list::Cursor;
use crate::ui::meter::spinner;
use crate::ui::pane;
use crate::ui::rule::{cut, cut_middle};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Another turn.
    Go(Motion),
    /// Put the turn on the bench.
    Put,
    Close,
    /// What the bench does.
    Bench(action::Action),
}

use Action as A;

/// Actions in the footer.
const FOOTER: [A; 4] =
    [A::Bench(action::Action::Run), A::Put, A::Bench(action::Action::Again), A::Bench(action::Action::Thresholds)];

/// Keys of the page.
pub(super) static KEYS: LazyLock<Bindings<Action, ConversationCheck>> = LazyLock::new(|| {
    let run = "check new texts; if there are none, all again";
    let mut list = on_pages(A::Bench, [run, "this turn again"], None, |_| None);
    let pair = |(one, to), (other, back), label, help| bind_all([(one, A::Go(to)), (other, A::Go(back))], label, help);
    list.extend([
        bind("enter", A::Put, "add to texts", "add the turn to the texts side by side").named(&["add-to-texts"]),
        pair(("j down", Motion::Down), ("k up", Motion::Up), "turn", "down, up")
            .named(&["move-down", "move-up"])
            .does(&["down", "up"]),
        pair(("pagedown", Motion::PageDown), ("pageup", Motion::PageUp), "page", "page down, up")
            .named(&["move-page-down", "move-page-up"])
            .does(&["page down", "page up"]),
        pair(("home", Motion::First), ("G end", Motion::Last), "first, last", "first, last turn")
            .named(&["move-first", "move-last"])
            .does(&["first turn", "last turn"]),
        bind("esc v", A::Close, "back", "back"),
    ]);
    Bindings::new("moderate.conversation", list)
});

/// A turn of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CheckedTurn {
    role: Untrusted,
    text: Untrusted,
    key: TextKey,
}

/// What is known of a turn.
#[derive(Clone, Debug)]
enum TurnResult {
    /// The turn has no text.
    NoText,
    Waiting,
    Failed,
    NotChecked,
    Checked(Sign, String),
}

impl TurnResult {
    /// Returns its sign, its words and their style.
    fn words(&self, run: RunStatus, context: RenderContext) -> (&'static str, &str, Style) {
        let theme = context.theme;
        match self {
            Self::NoText => (" ", "no text", theme.faint),
            Self::Waiting => {
                let since = if let RunStatus::Since(since) = run { since } else { context.now };
                let elapsed = context.now.saturating_duration_since(since);
                (spinner(elapsed, context.session.motion), "", theme.busy)
            }
            Self::Failed => ("✕", "failed", theme.bad),
            Self::NotChecked => (" ", "not checked", theme.faint),
            Self::Checked(sign, words) => {
                (sign.glyph(), words, if *sign == Sign::Clear { theme.muted } else { sign.style(theme) })
            }
        }
    }
}

/// A turn that is in view: its text as it may be shown, and what is known of it.
#[derive(Debug)]
struct TurnRow {
    text: String,
    result: TurnResult,
}

/// The conversation that was sent here last; no turns: none was.
#[derive(Debug, Default)]
pub(super) struct ConversationCheck {
    title: Untrusted,
    turns: Vec<CheckedTurn>,
    cursor: Cursor,
    /// Rows that there is room for.
    page: usize,
    /// The turns in view.
    rows: Vec<TurnRow>,
    /// How many turns are flagged.
    flagged: usize,
    data: PageData,
}

impl ConversationCheck {
    /// Creates a page of a conversation's title and turns, each with its role.
    pub(super) fn new(title: Untrusted, turns: Vec<(Untrusted, Untrusted)>) -> Self {
        let turn = |(role, text): (Untrusted, Untrusted)| CheckedTurn { key: TextKey::of(&text), role, text };
        Self { title, turns: turns.into_iter().map(turn).collect(), ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    pub(super) fn keys(&self) -> Vec<TextKey> {
        self.turns.iter().map(|turn| turn.key).collect()
    }

    /// Returns the texts a run is about.
    pub(super) fn texts(&self, scope: RunScope) -> Vec<(TextKey, Untrusted)> {
        let here = |at: usize| scope == RunScope::New || at == self.cursor.selected;
        let turns = self.turns.iter().enumerate().filter(|(at, _)| here(*at));
        turns.map(|(_, turn)| (turn.key, turn.text.clone())).collect()
    }

    /// Returns the text under the cursor.
    pub(super) fn text(&self) -> Option<(TextKey, Untrusted)> {
        self.turns.get(self.cursor.selected).map(|turn| (turn.key, turn.text.clone()))
    }

    /// Takes what is known of the turns in view; `awaits`: whether a text is being checked.
    pub(super) fn sync(
        &mut self,
        results: &CheckResults,
        model: &ModelRef,
        awaits: impl Fn(&TextKey) -> bool,
        data: PageData,
    ) {
        self.data = data;
        let flagged = |turn: &&CheckedTurn| results.last(&turn.key, model).is_some_and(|check| check.flagged);
        self.flagged = self.turns.iter().filter(flagged).count();
        let result = |turn: &CheckedTurn| match results.last(&turn.key, model) {
            _ if turn.text.line().trim().is_empty() => TurnResult::NoText,
            _ if awaits(&turn.key) => TurnResult::Waiting,
            _ if results.failure(&turn.key, model).is_some() => TurnResult::Failed,
            None => TurnResult::NotChecked,
            Some(check) => {
                let words = match category::telling(check) {
                    Some((name, score)) => format!("{} {}", number(score), name.line()),
                    None => category::leading(check).into_owned(),
                };
                TurnResult::Checked(worst(check, &self.data.profile), words)
            }
        };
        let row = |turn: &CheckedTurn| {
            let text = turn.text.screen();
            let masks = self.data.mask && results.is_flagged(&turn.key);
            let text = if masks { masked(&text) } else { text.into_owned() };
            TurnRow { text: text.replace('\n', " "), result: result(turn) }
        };
        let window = self.cursor.window(self.page, self.turns.len());
        self.rows = self.turns[window].iter().map(row).collect();
    }
}

/// Returns the gravest sign of a check.
fn worst(check: &Check, profile: &ThresholdProfile) -> Sign {
    if check.flagged {
        return Sign::Flagged;
    }
    let cells = check.categories.iter().zip(check.scores.iter().zip(&check.flags));
    let signs =
        cells.map(|(name, (score, flag))| Sign::of(*score, *flag, profile.of(&category::CategoryKey::of(name))));
    let grave = |sign: &Sign| match sign {
        Sign::Flagged => 3,
        Sign::Over => 2,
        Sign::Near => 1,
        Sign::Clear => 0,
    };
    signs.max_by_key(grave).unwrap_or(Sign::Clear)
}

impl Component<PageEvent> for ConversationCheck {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<PageEvent> {
        match KEYS.find(&key) {
            None => return Handled::Ignored,
            Some(A::Close) => return Handled::Emit(PageEvent::Close),
            Some(A::Bench(action)) => return Handled::Emit(PageEvent::Act(action)),
            Some(A::Go(motion)) => self.cursor.move_by(motion.rows(self.page), self.turns.len()),
            Some(A::Put) => {
                let Some(turn) = self.turns.get(self.cursor.selected) else { return Handled::Consumed };
                let name = format!("{} {}", turn.role.line(), self.cursor.selected + 1);
                return Handled::Emit(PageEvent::Put { name: name.into(), text: turn.text.clone() });
            }
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        KEYS.footer(&self.data.run.footer_actions(&FOOTER, A::Bench(action::Action::Run)), self)
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.page = usize::from(session.spacing().body(area).height);
        self.cursor.window(self.page, self.turns.len());
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let (count, flagged) = (self.turns.len(), self.flagged);
        let run = self.data.run.words(context);
        let right = match run.as_str() {
            "" => format!("{count} turn{} · {flagged} flagged", if count == 1 { "" } else { "s" }),
            run => format!("{count} turns · {run}"),
        };
        let title = if self.title.is_empty() { "Conversation".into() } else { self.title.line() };
        page_data::title(frame, area, &title, &right, !run.is_empty(), context);
        let body = context.session.spacing().body(area);
        let wide = body.width >= 60;
        let name = if body.width >= 90 { 24 } else { 16 };
        // Role, excerpt, then sign, score and category.
        let role: usize = if wide { 10 } else { 5 };
        let tail = if wide { 2 + 5 + name } else { 2 + 5 };
        let room = usize::from(body.width).saturating_sub(role + tail + 4);
        let rows = self.turns.iter().enumerate().skip(self.cursor.top).zip(&self.rows);
        for (((at, turn), row), y) in rows.zip(body.y..body.bottom()) {
            let is_selected = at == self.cursor.selected;
            let select = |style: Style| if is_selected { style.patch(theme.select) } else { style };
            if is_selected {
                pane::highlight(frame.buffer_mut(), Rect { y, height: 1, ..area }, theme, true);
                frame.set_cursor_position(Position::new(area.x, y));
            }
            let tint = match turn.role.line().as_ref() {
                "user" => theme.user,
                "assistant" => theme.model,
                "system" => theme.system,
                _ => theme.tool,
            };
            frame.buffer_mut().set_stringn(body.x + 1, y, cut(&turn.role.line(), role - 1), role, select(tint));
            let x = body.x + 1 + role as u16;
            frame.buffer_mut().set_stringn(x, y, cut(&row.text, room), room, select(theme.text));
            let x = x + room as u16 + 1;
            let (sign, words, style) = row.result.words(self.data.run, context);
            frame.buffer_mut().set_stringn(x, y, sign, 2, select(style));
            let width = usize::from(body.width).saturating_sub(role + room + 5);
            frame.buffer_mut().set_stringn(x + 2, y, cut_middle(words, width), width, select(style));
        }
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
