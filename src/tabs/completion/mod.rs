//! Complete: one text that the model continues in place, the probability of each token, and every branch tried.
//!
//! `state` handles events and asks for effects, `view` draws; this file implements `Component` and `Tab`.

mod active_run;
pub(crate) mod all_keys;
mod biases;
mod branch_columns;
mod branches;
mod compare;
mod footer;
mod generated_spans;
mod history;
mod key_input;
mod keys;
mod lacking;
mod models;
mod navigation;
pub mod one_run;
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
mod text_find;
mod text_pane;
mod token_layout;
mod token_scores;
mod tokenizer;
mod update;
mod view;
mod vocabulary_counts;

use std::time::Instant;

use crossterm::event::{KeyEvent, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use self::keys::KEYS;
use self::state::{CompletePane, Page, State};
use self::view::CompleteView;
use super::activity::{Activity, ActivityOutcome};
use super::tab::{Badge, RunMeter, Tab, UnsavedWork, WHEEL_ROWS};
use crate::api::call::Ticket;
use crate::component::{Command, Component, Cx, DialogHelp, Handled, Hint, Offer, RenderContext, Response, Session};
use crate::record::CompletionParams;
use crate::text::Untrusted;
use crate::ui::editing::EditAction;

/// The Complete tab.
#[derive(Debug)]
pub struct Complete {
    state: State,
    view: CompleteView,
    /// Ctrl+X was the last key.
    after_x: bool,
    /// Whether the mouse was dragged over the text since its button was pressed.
    is_dragged: bool,
}

impl Default for Complete {
    fn default() -> Self {
        Self::new()
    }
}

impl Complete {
    /// Returns an empty tab; it asks for what is on disk when it first comes to the front.
    pub fn new() -> Self {
        Self { state: State::new(), view: CompleteView::default(), after_x: false, is_dragged: false }
    }

    /// Returns whether Enter ends the countdown to the next attempt: no dialog, pane or page has another use for it.
    pub(super) fn enter_skips_countdown(&self) -> bool {
        !self.state.modals.is_open()
            && !self.state.text.find.bar.is_typing()
            && self.is_on_page()
            && matches!(self.state.page, Page::Buffer)
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
            Response::Call(progress) => self.state.handle_progress(ticket, progress, cx),
            Response::Store(stored) => self.state.handle_stored(ticket, stored, cx),
            Response::Work(done) => self.state.handle_worked(ticket, done, cx),
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
        self.footer()
    }

    fn help(&self) -> Vec<(&'static str, Vec<Hint>)> {
        self.all_keys()
    }

    fn paste(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
        let state = &mut self.state;
        if state.modals.paste(text, cx).act(|answer| state.answer(answer, cx)) {
            return Handled::Consumed;
        }
        if state.text.find.paste(text, &mut state.text.buffer) {
            state.caret_moved(cx.now);
            return Handled::Consumed;
        }
        let ignored = match state.focus {
            CompletePane::Settings => state.pane_mut().paste(text, cx).is_ignored(),
            CompletePane::Presets => state.presets.paste(text, cx).is_ignored(),
            CompletePane::Text | CompletePane::Browse => true,
        };
        // A comparison has no text box.
        if !ignored || state.is_comparing() {
            return Handled::Consumed;
        }
        if let Page::Runs(page) = &mut state.page
            && page.paste(text, &state.log.runs)
        {
            return Handled::Consumed;
        }
        if state.active.refuses_while_busy(", then paste again", cx) {
            return Handled::Consumed;
        }
        state.page = Page::Buffer;
        state.focus = CompletePane::Text;
        // A paste is one step of undo.
        state.text.history.end_burst();
        let change = state.text.buffer.paste(text);
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
            _ if state.modals.is_open() || state.text.find.bar.is_typing() => true,
            (_, CompletePane::Settings) => state.pane().typing(),
            (_, CompletePane::Presets) => state.presets.typing(),
            (Page::Buffer, focus) => focus == CompletePane::Text,
            (Page::Runs(page), _) => page.typing(),
            _ => false,
        }
    }

    fn in_text_box(&self) -> bool {
        let state = &self.state;
        let is_covered = state.modals.is_open() || state.text.find.bar.is_typing();
        !is_covered && state.focus == CompletePane::Text && matches!(state.page, Page::Buffer)
    }

    fn is_prefix_pending(&self) -> bool {
        self.in_text_box() && self.after_x
    }

    fn editable(&self) -> Option<String> {
        Some(self.state.text.buffer.text())
    }

    fn readable(&self, session: &Session) -> Option<Untrusted> {
        if self.state.modals.is_open() {
            return self.state.modals.readable(session);
        }
        Some(self.state.text.buffer.text().into())
    }

    fn edited(&mut self, text: &str, cx: &mut Cx) -> Handled<()> {
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
            MouseEventKind::ScrollUp => self.state.text.buffer.scroll(-WHEEL_ROWS),
            MouseEventKind::ScrollDown => self.state.text.buffer.scroll(WHEEL_ROWS),
            MouseEventKind::Down(MouseButton::Left) => {
                self.is_dragged = false;
                self.state.text.find.bar.stop_typing();
                match self.view.pane(at) {
                    Some(CompletePane::Browse) if self.state.text.buffer.click(at) => {
                        self.state.focus =
                            if self.state.active.is_busy() { CompletePane::Browse } else { CompletePane::Text };
                        self.state.caret_moved(cx.now);
                    }
                    Some(pane) => self.state.focus = pane,
                    None => {}
                }
            }
            MouseEventKind::Drag(MouseButton::Left) => {
                self.is_dragged = true;
                self.state.text.buffer.drag(at);
                self.state.caret_moved(cx.now);
            }
            MouseEventKind::Up(MouseButton::Left) if std::mem::take(&mut self.is_dragged) => {
                let buffer = &mut self.state.text.buffer;
                buffer.carry_out(EditAction::Copy, false);
                if let Some(text) = buffer.take_copied() {
                    cx.copy(text.into());
                }
            }
            _ => {}
        }
    }

    fn selects_from(&self, at: Position) -> bool {
        let is_covered = self.state.modals.is_open() || !matches!(self.state.page, Page::Buffer);
        !is_covered && self.view.pane(at) == Some(CompletePane::Browse)
    }

    fn enter(&mut self, cx: &mut Cx) {
        self.state.enter(cx);
    }

    fn takes(&self, offer: &Offer) -> Option<&'static str> {
        Some(match offer {
            Offer::Text(_) => "Continue this text in Complete",
            Offer::Model(_) => "Complete with this model",
            Offer::Compare(offer) if !offer.chat => "Compare the models in Complete",
            _ => return None,
        })
    }

    fn accept(&mut self, offer: Offer, cx: &mut Cx) {
        self.state.text.find.bar.stop_typing();
        match offer {
            Offer::Text(text) => self.state.take_text(&text, cx),
            Offer::Model(model) => drop(self.choose(&model, cx)),
            Offer::Compare(offer) => self.state.take_comparison(*offer, cx),
            _ => {}
        }
    }

    fn badge(&self) -> Option<Badge> {
        if self.state.active.is_busy() {
            return Some(Badge::Busy);
        }
        self.state.unseen.then_some(Badge::Failed)
    }

    fn activities(&self) -> Vec<Activity> {
        self.state.active.activities()
    }

    fn outcome(&self, activity: &Activity) -> ActivityOutcome {
        let ended = self.state.log.runs.iter().find(|run| run.id.0 as u64 == activity.id);
        ended.map_or(ActivityOutcome::Stopped, |run| run.status.into())
    }

    fn page(&self) -> &'static str {
        match self.state.page {
            Page::Buffer => "",
            Page::Tokens(_) => "Tokens",
            Page::Runs(_) => "Runs",
            Page::Compare => "Compare",
            Page::Branches(..) => "Side by side",
        }
    }

    fn has_dialog(&self) -> bool {
        self.state.modals.is_open()
    }

    fn dialog_help(&self) -> DialogHelp {
        let state = &self.state;
        let finds = match (&state.page, state.focus) {
            _ if state.text.find.bar.is_typing() => true,
            (_, CompletePane::Presets) => state.presets.is_finding(),
            (Page::Runs(page), _) => page.typing(),
            _ => false,
        };
        if finds { DialogHelp::FindBar } else { state.modals.help().into() }
    }

    fn browse(&mut self, _cx: &mut Cx) {
        if !self.state.modals.is_open() && self.state.focus == CompletePane::Text {
            self.state.focus = CompletePane::Browse;
        }
    }

    fn meter(&self) -> Option<RunMeter> {
        let State { active, log, compare, .. } = &self.state;
        if active.has_column_run() {
            return compare.meter(active, log);
        }
        active.meter().or(log.meter)
    }

    fn model(&self, session: &Session) -> Option<Untrusted> {
        // Models are listed for the profile in use only.
        let own = self.state.compare.setup().is_some_and(|setup| setup.profile == session.profile.0);
        Some(if self.state.is_comparing() && own {
            self.state.pane_model(session).0
        } else {
            self.state.model(session)
        })
    }

    fn suits(&self, model: &Untrusted) -> bool {
        crate::component::session::completes(model)
    }

    fn choose(&mut self, model: &Untrusted, cx: &mut Cx) -> bool {
        if self.state.is_comparing() {
            self.state.set_column_model(model, cx.now);
            return true;
        }
        self.state.models.choose(&cx.session.profile, model);
        self.state.settings_changed(cx.now);
        // Another model may split the text into other tokens.
        if matches!(self.state.page, Page::Tokens(_)) {
            self.state.open_tokenizer(cx);
        }
        true
    }

    fn params(&self, kept: CompletionParams) -> Option<CompletionParams> {
        // The settings of a column belong to its comparison, and may be for another profile.
        let alone = !self.state.is_comparing();
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
        // Runs end with the program, and are marked as stopped.
        self.state.stop(cx);
        self.state.save(cx);
    }
}
