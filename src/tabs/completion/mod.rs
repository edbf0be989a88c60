//! Complete: the playground. One buffer in which model text appears in place, what the model thought of each token, and
//! every branch that was ever tried.
//!
//! `state` is the machine (events in, effects out), `view` the picture; this file joins them to the shell.

mod active_run;
mod biases;
mod branches;
mod candidates;
mod compare;
mod counting;
mod dialogs;
mod history;
mod keys;
mod lacking;
mod navigation;
mod pane_keys;
mod params;
mod persistence;
#[cfg(test)]
mod picture;
mod presets;
mod prompt_count;
mod prompt_text;
mod request;
mod run;
mod run_log;
mod runs;
mod saves;
mod side;
mod state;
mod status_lines;
mod text_actions;
mod text_pane;
mod token_layout;
mod token_scores;
mod tokenizer;
mod update;
mod view;

use std::time::Instant;

use crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use self::keys::{Action, FINDING, KEYS, RUNNING, WRITING};
use self::state::{CompleteFocus, Page, State};
use self::view::CompleteView;
use super::generation::strip::StripKeys;
use super::tab::{Badge, RunMeter, Tab, UnsavedWork};
use crate::api::call::Ticket;
use crate::component::{Command, Component, Cx, Handled, Hint, Offer, RenderContext, Response, Session};
use crate::record::CompletionParams;
use crate::tabs::columns::{ColumnAction, Columns};
use crate::text::Untrusted;

/// The Complete tab.
#[derive(Debug)]
pub struct Complete {
    state: State,
    view: CompleteView,
    /// Ctrl+X was the last key.
    after_x: bool,
}

impl Default for Complete {
    fn default() -> Self {
        Self::new()
    }
}

impl Complete {
    /// Returns an empty tab; it asks for what is on disk when it first comes to the front.
    pub fn new() -> Self {
        Self { state: State::new(), view: CompleteView::default(), after_x: false }
    }

    /// Whether ⏎ ends a countdown: where no box, pane or page has another use for it.
    pub(super) fn hurries(&self) -> bool {
        !self.state.modals.is_open() && self.is_on_page() && matches!(self.state.page, Page::Buffer)
    }
}

impl Component for Complete {
    fn key(&mut self, key: KeyEvent, cx: &mut Cx) -> Handled<()> {
        self.on_key(key, cx);
        Handled::Consumed
    }

    fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &mut Cx) -> Handled<()> {
        if self.state.modals.reply(ticket, response, cx).act(|answer| self.state.answer(answer, cx)) {
            return Handled::Consumed;
        }
        if let Page::Tokens(page) = &mut self.state.page
            && !page.reply(ticket, response, cx).is_ignored()
        {
            return Handled::Consumed;
        }
        let taken = match response.take() {
            Response::Call(progress) => self.state.progress(ticket, progress, cx),
            Response::Store(stored) => self.state.stored(ticket, stored, cx),
            Response::Work(done) => self.state.worked(ticket, done, cx),
            Response::Taken => false,
        };
        if taken { Handled::Consumed } else { Handled::Ignored }
    }

    fn arrange(&mut self, area: Rect, session: &Session, now: Instant) {
        self.state.arrange(session);
        self.view.arrange(area, &mut self.state, session, now);
        self.state.modals.arrange(area, session, now);
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        self.view.render(frame, area, &self.state, context);
    }

    fn hints(&self) -> Vec<Hint> {
        let state = &self.state;
        if self.hurries() && state.is_retrying() {
            return RUNNING.footer(&[Action::Hurry], state);
        }
        if state.modals.is_open() {
            return state.modals.hints();
        }
        match (&state.page, state.focus) {
            (_, CompleteFocus::Settings) => return state.pane().hints(),
            (_, CompleteFocus::Presets) => return state.presets.hints(),
            (Page::Tokens(page), _) => return page.hints(),
            (Page::Runs(page), _) => return page.hints(),
            (Page::Candidates(..), _) => {
                use ColumnAction as C;
                return Columns::footer(&[(C::Left, "choose"), (C::Adopt, "use it"), (C::Scroll(1), "scroll")]);
            }
            (Page::Compare, _) => return state.compare_hints(),
            (Page::Buffer, _) => {}
        }
        let busy = state.is_busy();
        let first = if busy { RUNNING.footer(&[Action::Stop], state) } else { KEYS.footer(&[Action::Run], state) };
        if state.focus == CompleteFocus::Text {
            return [first, WRITING.footer(&[Action::Browse, Action::NextPane, Action::Redo], state)].concat();
        }
        let mut hints = Vec::new();
        if !state.find.is_empty() {
            hints.extend(FINDING.footer(&[Action::FindNext], state));
        }
        hints.extend(first);
        hints.extend(KEYS.footer(&[Action::Write], state));
        if state.scores.has_strip() && !self.view.strip_names_keys() {
            hints.extend(StripKeys::All.footer());
        }
        let several = state.text.history.last_generated().is_some_and(|id| state.text.history.candidates(id).len() > 1);
        let rest = [
            (true, Action::Again),
            (several, Action::Older),
            (true, Action::Undo),
            (true, Action::Redo),
            (true, Action::Settings),
            (!state.log.runs.is_empty(), Action::Runs),
        ];
        let shown: Vec<Action> = rest.into_iter().filter(|(shown, _)| *shown).map(|(_, action)| action).collect();
        hints.extend(KEYS.footer(&shown, state));
        hints
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        let state = &self.state;
        let one = |name, keys| (name, vec![(name, keys)]);
        let mut panes = vec![
            ("Text", KEYS.help_groups("Text")),
            one("Token strip", StripKeys::All.help()),
            one("Text being edited", WRITING.help()),
            one("Settings", params::help()),
            one("Presets", presets::help()),
            one("Side by side", Columns::hints()),
            one("Compare", compare::keys::help()),
            one("Runs", runs::help()),
            one("Tokens", tokenizer::help()),
            one("Biases", biases::help()),
        ];
        let front = match (&state.page, state.focus) {
            (_, CompleteFocus::Settings) => "Settings",
            (_, CompleteFocus::Presets) => "Presets",
            (Page::Tokens(_), _) => "Tokens",
            (Page::Runs(_), _) => "Runs",
            (Page::Candidates(..), _) => "Side by side",
            (Page::Compare, _) => "Compare",
            (Page::Buffer, CompleteFocus::Text) => "Text being edited",
            (Page::Buffer, CompleteFocus::Browse) if state.scores.has_strip() => "Token strip",
            (Page::Buffer, CompleteFocus::Browse) => "Text",
        };
        panes.sort_by_key(|(name, _)| *name != front);
        if state.modals.is_open() {
            panes.insert(0, one("This dialog", state.modals.hints()));
        }
        panes.into_iter().flat_map(|(_, groups)| groups).collect()
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        let state = &mut self.state;
        if state.modals.paste(text, cx).act(|answer| state.answer(answer, cx)) {
            return Handled::Consumed;
        }
        let ignored = match state.focus {
            CompleteFocus::Settings => state.pane_mut().paste(text, cx).is_ignored(),
            CompleteFocus::Presets => state.presets.paste(text, cx).is_ignored(),
            CompleteFocus::Text | CompleteFocus::Browse => true,
        };
        // The columns take no text.
        if !ignored || state.comparing() {
            return Handled::Consumed;
        }
        if let Page::Runs(page) = &mut state.page
            && page.paste(text, &state.log.runs)
        {
            return Handled::Consumed;
        }
        if state.refuses_while_busy(", then paste again", cx) {
            return Handled::Consumed;
        }
        state.page = Page::Buffer;
        state.focus = CompleteFocus::Text;
        let change = state.text.buffer.paste(text);
        state.text.history.end_burst();
        state.changed(&change, cx);
        state.text.history.end_burst();
        Handled::Consumed
    }

    fn due(&self) -> Option<Instant> {
        self.state.due()
    }

    fn tick(&mut self, cx: &mut Cx) {
        self.state.tick(cx);
    }

    fn escape(&self) -> Option<&'static str> {
        if self.state.modals.is_open() {
            return self.state.modals.escape();
        }
        self.next_escape().map(|(_, label)| label)
    }

    fn typing(&self) -> bool {
        let state = &self.state;
        match (&state.page, state.focus) {
            _ if state.modals.is_open() => true,
            (_, CompleteFocus::Settings) => state.pane().typing(),
            (_, CompleteFocus::Presets) => state.presets.typing(),
            (Page::Buffer, focus) => focus == CompleteFocus::Text,
            (Page::Runs(page), _) => page.typing(),
            _ => false,
        }
    }

    fn editable(&self) -> Option<String> {
        Some(self.state.text.buffer.text())
    }

    fn edited(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        // A text that still grew under what was changed of it would be another the next time.
        self.state.stop(cx);
        self.state.replace(text, cx);
        Handled::Consumed
    }
}

impl Tab for Complete {
    fn title(&self) -> &'static str {
        "Complete"
    }

    fn endpoints(&self) -> &'static [&'static str] {
        &["/completions"]
    }

    fn short(&self) -> &'static str {
        "Compl"
    }

    fn commands(&self) -> Vec<Command> {
        KEYS.palette("Complete", &self.state)
    }

    fn command(&mut self, id: &str, cx: &mut Cx) {
        if let Some(action) = KEYS.command(id, &self.state) {
            self.update(action, cx);
        }
    }

    fn mouse(&mut self, event: MouseEvent, cx: &mut Cx) {
        if self.state.modals.is_open() || !matches!(self.state.page, Page::Buffer) {
            return;
        }
        let at = Position::new(event.column, event.row);
        match event.kind {
            MouseEventKind::ScrollUp => self.state.text.buffer.scroll(-3),
            MouseEventKind::ScrollDown => self.state.text.buffer.scroll(3),
            MouseEventKind::Down(MouseButton::Left) => match self.view.pane(at) {
                Some(CompleteFocus::Browse) if self.state.text.buffer.click(at) => {
                    self.state.focus = if self.state.is_busy() { CompleteFocus::Browse } else { CompleteFocus::Text };
                    self.state.caret_moved(cx.now);
                }
                Some(pane) => self.state.focus = pane,
                None => {}
            },
            MouseEventKind::Drag(MouseButton::Left) => {
                self.state.text.buffer.drag(at);
                self.state.caret_moved(cx.now);
            }
            _ => {}
        }
    }

    fn enter(&mut self, cx: &mut Cx) {
        self.state.enter(cx);
    }

    fn takes(&self, offer: &Offer) -> Option<&'static str> {
        Some(match offer {
            Offer::Text(_) => "Continue this text in Complete",
            Offer::Model(_) => "Complete with this model",
            Offer::Compare(trial) if !trial.chat => "Compare the models in Complete",
            _ => return None,
        })
    }

    fn accept(&mut self, offer: Offer, cx: &mut Cx) {
        match offer {
            Offer::Text(text) => self.state.take_text(&text, cx),
            Offer::Model(model) => drop(self.choose(&model, cx)),
            Offer::Compare(trial) => self.state.accept_comparison(*trial, cx),
            _ => {}
        }
    }

    fn badge(&self) -> Option<Badge> {
        if self.state.is_busy() {
            return Some(Badge::Busy);
        }
        self.state.unseen.then_some(Badge::Failed)
    }

    fn has_dialog(&self) -> bool {
        self.state.modals.is_open()
    }

    fn browse(&mut self, _cx: &mut Cx) {
        if !self.state.modals.is_open() && self.state.focus == CompleteFocus::Text {
            self.state.focus = CompleteFocus::Browse;
        }
    }

    fn meter(&self) -> Option<RunMeter> {
        if self.state.compare_runs() {
            return self.state.compare_meter();
        }
        self.state.active.meter().or(self.state.log.meter)
    }

    fn model(&self, session: &Session) -> Option<Untrusted> {
        // The list of models is the profile's in use.
        let own = self.state.compare.setup().is_some_and(|setup| setup.profile == session.profile.0);
        Some(if self.state.comparing() && own { self.state.pane_model(session).0 } else { self.state.model(session) })
    }

    fn suits(&self, model: &Untrusted) -> bool {
        crate::component::session::completes(model)
    }

    fn choose(&mut self, model: &Untrusted, cx: &mut Cx) -> bool {
        if self.state.comparing() {
            self.state.compare_chosen(model, cx);
            return true;
        }
        self.state.models.insert(cx.session.profile.0.clone(), model.line().into_owned());
        self.state.settings_changed(cx.now);
        // Other models may cut the text otherwise.
        if matches!(self.state.page, Page::Tokens(_)) {
            self.state.open_tokenizer(cx);
        }
        true
    }

    fn params(&self, kept: CompletionParams) -> Option<CompletionParams> {
        // A column's settings are those of another profile, or of one comparison.
        let alone = !self.state.comparing();
        alone.then(|| params::fields::with_chat_only(self.state.settings.params(), &kept.common))
    }

    fn interrupt(&mut self, cx: &mut Cx) -> bool {
        self.state.stop(cx)
    }

    fn unsaved_work(&self) -> Option<UnsavedWork> {
        let written = self.state.text.history.len() > 0;
        Some(UnsavedWork { what: "What was written in Complete", how: "Y copies the text", written })
    }

    fn before_quit(&mut self, cx: &mut Cx) {
        // What streams is stopped with the program, and says so next time.
        self.state.stop(cx);
        self.state.save(cx);
    }
}
