//! The settings pane: every request field with its bounds, and warnings about their values together.

mod buffer_settings;
pub(super) mod fields;
pub(super) mod keys;
mod rules;
#[cfg(test)]
mod tests;

use std::time::Instant;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;

use self::keys::{Action, KEYS};
use crate::api::call::Failure;
use crate::component::{Component, Cx, Handled, Hint, RenderContext, Session};
use crate::record::CompletionParams;
use crate::tabs::generation::params as common;
use crate::tabs::generation::refusal;
use crate::text::Untrusted;
use crate::ui::form::{self, Form, FormKey};

pub(super) use buffer_settings::BufferSettings;
pub(super) use fields::{MAX_TOKENS, set};
pub(super) use rules::rules;

/// Columns of the fields at most.
const COLUMNS: u16 = 48;

/// What a key in the settings pane asks of its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Set a field from this text with [`SettingsPane::set`], and keep the settings that it changes.
    Set(&'static str, String),
    /// Choose a model.
    Model,
    /// Work with the session's model again.
    SessionModel,
    /// Open the list of biases.
    Biases,
    /// The cursor continues below the last field.
    Below,
    /// Keep the settings as the defaults of the model.
    Keep,
    /// The pane is done with.
    Close,
}

/// The pane in which the settings of a prompt are shown and changed; its owner has the settings.
#[derive(Clone, Debug)]
pub(super) struct SettingsPane {
    form: Form,
    /// Whether there is text after the caret.
    insert: bool,
    /// Whether runs cost nothing.
    free: bool,
    /// Whether it has the keys.
    focus: bool,
}

impl SettingsPane {
    /// Returns the pane over these settings.
    pub(super) fn new(params: &CompletionParams) -> Self {
        let mut pane = Self { form: fields::form(params), insert: false, free: false, focus: false };
        pane.show_rules(params);
        pane
    }

    /// Shows other settings; the cursor, the model and what stands after the caret stay.
    pub(super) fn show(&mut self, params: &CompletionParams) {
        for (name, _) in fields::values(params) {
            self.form.set(name, fields::shown(params, name));
        }
        self.show_rules(params);
    }

    /// Sets a field from its text. Returns whether the settings take it; where they do not, the field says why.
    pub(super) fn set(&mut self, params: &mut CompletionParams, name: &'static str, text: &str) -> bool {
        if let Err(reason) = set(params, name, text) {
            self.form.refuse_value(name, &reason);
            return false;
        }
        // The field shows the value as it was understood: `1e2` is 100.
        self.form.set(name, fields::shown(params, name));
        self.form.show("stream", fields::shown(params, "stream"));
        self.show_rules(params);
        true
    }

    /// Shows other biases.
    pub(super) fn show_biases(&mut self, params: &CompletionParams) {
        self.form.show("logit_bias", fields::value(params, "logit_bias"));
        self.show_rules(params);
    }

    /// Shows the model in use.
    pub(super) fn show_model(&mut self, model: &Untrusted) {
        self.form.show("model", model.line().into_owned());
    }

    /// Shows what follows the caret: how many tokens, whether their number is an estimate, and the first words of it (a
    /// line's worth, no more). No tokens: nothing follows.
    pub(super) fn show_suffix(&mut self, params: &CompletionParams, tokens: u64, estimated: bool, words: &Untrusted) {
        let insert = tokens > 0;
        self.form.show("mode", fields::continuation_mode(tokens, estimated));
        self.form.show("suffix", if insert { words.line().into_owned() } else { String::new() });
        if self.insert != insert {
            self.insert = insert;
            self.show_rules(params);
        }
    }

    /// Says of the settings what they cost, unless runs cost nothing.
    pub(super) fn set_free(&mut self, params: &CompletionParams, free: bool) {
        if self.free != free {
            self.free = free;
            self.show_rules(params);
        }
    }

    /// Locks the fields while a run is under way.
    pub(super) fn lock(&mut self, running: bool) {
        self.form.lock(running.then_some("a run is under way with these settings; stop it (esc) to change them"));
    }

    /// Sets whether it has the keys.
    pub(super) fn set_focus(&mut self, focus: bool) {
        self.focus = focus;
    }

    /// Puts the cursor on a field.
    #[cfg(test)]
    pub(super) fn select(&mut self, name: &str) {
        self.form.select(name);
    }

    /// Returns whether a request may be made with the settings. If not, the cursor moves to the first field at fault,
    /// and the error is the sentence shown there.
    pub(super) fn check(&mut self, params: &CompletionParams) -> Result<(), String> {
        let Some(rule) = rules(params, self.insert, self.free).into_iter().find(|rule| rule.stops) else {
            return Ok(());
        };
        self.form.refuse(rule.field, rule.why.as_str());
        Err(rule.why)
    }

    /// Shows a server's refusal at the field it names. Returns whether it names one.
    pub(super) fn refused(&mut self, params: &CompletionParams, failure: &Failure) -> bool {
        let Some((name, reason)) = refusal::refused_field(failure, fields::values(params)) else { return false };
        self.form.refuse(name, reason);
        true
    }

    /// Takes a refusal off the screen: another request is made, or of another text.
    pub(super) fn clear_refusal(&mut self) {
        self.form.clear_refusal();
    }

    /// Handles a key.
    pub(super) fn handle(&mut self, key: KeyEvent) -> Handled<Event> {
        let down = KEYS.find(&key) == Some(Action::Form(FormKey::Next));
        let last = self.form.fields.last().map(|field| field.name);
        if down && !self.form.typing() && self.form.selected() == last {
            return Handled::Emit(Event::Below);
        }
        match self.form.key(key) {
            form::Event::Change("model", _) => Handled::Emit(Event::SessionModel),
            form::Event::Change(name, text) => Handled::Emit(Event::Set(name, text)),
            form::Event::Ask("model") => Handled::Emit(Event::Model),
            form::Event::Ask(_) => Handled::Emit(Event::Biases),
            form::Event::Close => Handled::Emit(Event::Close),
            form::Event::None => Handled::Consumed,
            form::Event::Ignored if KEYS.find(&key) == Some(Action::Keep) => Handled::Emit(Event::Keep),
            form::Event::Ignored => Handled::Ignored,
        }
    }

    /// Returns how many rows it fills, with those of the words below the fields.
    pub(super) fn rows(&self) -> u16 {
        self.form.fields.len() as u16 + 2
    }

    /// Says of the fields that the server refuses for a model that they are left out.
    pub(super) fn mark_left_out(&mut self, session: &Session, model: &Untrusted) {
        let names: Vec<_> = self.form.fields.iter().map(|field| field.name).collect();
        self.form.set_left_out(session.facts.left_out(&session.profile.0, ("/completions", &model.line()), names));
    }

    /// Shows what the rules say of the fields together.
    fn show_rules(&mut self, params: &CompletionParams) {
        let rules = rules(params, self.insert, self.free);
        self.form.set_notes(rules.into_iter().map(|rule| (rule.field, rule.why)).collect());
    }
}

impl Component<Event> for SettingsPane {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Event> {
        self.handle(key)
    }

    fn paste(&mut self, text: &str, _cx: &mut Cx) -> Handled<Event> {
        if self.form.paste(text) { Handled::Consumed } else { Handled::Ignored }
    }

    fn typing(&self) -> bool {
        self.form.typing()
    }

    fn escape(&self) -> Option<&'static str> {
        Some("back")
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        self.form.arrange(column(area), session.spacing(), self.focus);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.form.render(frame, column(area), context.theme, self.focus);
    }

    fn hints(&self) -> Vec<Hint> {
        let field = [FormKey::Next, FormKey::Less, FormKey::Enter, FormKey::Reset].map(Action::Form);
        KEYS.footer(&[&field[..], &[Action::Keep]].concat(), self)
    }
}

/// Returns the columns of the fields: values are at the right of their labels at every width of the screen.
fn column(area: Rect) -> Rect {
    Rect { width: area.width.min(COLUMNS), ..area }
}

/// Returns all keys of the settings, for the help page.
pub(super) fn help() -> Vec<Hint> {
    KEYS.help()
}

/// Returns the model and what is set on one line, for narrow places.
pub(super) fn summary(model: &Untrusted, params: &CompletionParams) -> String {
    let mut parts = Vec::new();
    if !model.is_empty() {
        parts.push(model.line().into_owned());
    }
    let set = brief(params);
    parts.push(if set.is_empty() { "server defaults".to_owned() } else { set });
    let stops = &params.common.stop;
    if !stops.is_empty() {
        parts.push(format!("stop {}", stops.iter().map(|stop| quoted(stop)).collect::<Vec<_>>().join(" ")));
    }
    parts.join(" · ")
}

/// Returns what is set, in a few words; empty: nothing.
pub(super) fn brief(params: &CompletionParams) -> String {
    let set = common::summary(&params.common);
    let parts = Some(set).filter(|set| !set.is_empty()).into_iter().chain(extras(params));
    parts.collect::<Vec<_>>().join(" · ")
}

fn extras(params: &CompletionParams) -> impl Iterator<Item = String> {
    let best = params.best_of.filter(|best| *best > 1).map(|best| format!("best of {best}"));
    let logprobs = params.logprobs.map(|most| format!("logprobs {most}"));
    let echo = (params.echo == Some(true)).then(|| "echo".to_owned());
    [best, logprobs, echo].into_iter().flatten()
}

/// Returns a stop text in quotation marks, as one types it in a program.
fn quoted(stop: &str) -> String {
    let escaped = stop.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t");
    format!("\"{}\"", Untrusted::new(escaped).line())
}
