//! Turns keys into actions: first those of the pane with the focus.

use crossterm::event::KeyEvent;

use super::Complete;
use super::biases::BiasChange;
use super::keys::{AFTER_PREFIX, Action, FINDING, KEYS, RUNNING, WRITING};
use super::runs::Runs;
use super::state::{CompletePane, Page, State};
use super::tokenizer::Tokenizer;
use crate::component::{Component, Cx, Effect, Notice, Offer};
use crate::tabs::generation::strip::{self, StripKeys};
use crate::ui::buffer::{CaretStep, Edit};
use crate::ui::editing::EditAction;

/// What can be done with the text when a run is over.
const LATER: &str = ", then the text can be changed";

impl Complete {
    /// Handles a key that is not the shell's.
    pub(super) fn on_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let after_x = std::mem::take(&mut self.after_x);
        if self.state.modals.key(key, cx).act(|answer| self.state.answer(answer, cx)) {
            return;
        }
        if self.state.find.bar.is_typing() {
            return self.state.find_key(key, cx);
        }
        if !matches!(self.state.page, Page::Buffer) && self.is_on_page() {
            return self.page_key(key, cx);
        }
        match self.state.focus {
            CompletePane::Text => self.text_key(key, after_x, cx),
            CompletePane::Browse => self.browse_key(key, cx),
            CompletePane::Settings => self.settings_key(key, cx),
            CompletePane::Presets => self.presets_key(key, cx),
        }
    }

    /// Returns whether the text, or the page in its place, has the keys.
    pub(super) fn is_on_page(&self) -> bool {
        matches!(self.state.focus, CompletePane::Text | CompletePane::Browse)
    }

    fn text_key(&mut self, key: KeyEvent, after_x: bool, cx: &mut Cx) {
        if after_x && let Some(action) = AFTER_PREFIX.find(&key) {
            return self.update(action, cx);
        }
        // The text cannot be changed while a run is under way: ⏎ is free.
        if RUNNING.find(&key) == Some(Action::Hurry) && self.hurry_or_start(cx) {
            return;
        }
        match WRITING.find(&key) {
            Some(Action::Prefix) => {
                self.after_x = true;
                return;
            }
            Some(Action::Browse) => return self.escape_pressed(cx),
            Some(action) => return self.update(action, cx),
            None => {}
        }
        // The run was asked to continue this text.
        if self.state.refuses_while_busy(LATER, cx) {
            return;
        }
        let buffer = &mut self.state.text.buffer;
        let edit = match EditAction::after_x(&key).filter(|_| after_x) {
            Some(action) => buffer.carry_out(action, false),
            None => buffer.key(key),
        };
        if let Some(text) = buffer.take_copied() {
            cx.copy(text.into());
        }
        match edit {
            Edit::Changed(change) => self.state.changed(&change, cx),
            Edit::Moved => self.state.caret_moved(cx.now),
            Edit::Ignored => {}
        }
    }

    fn browse_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match RUNNING.find(&key) {
            Some(Action::Stop) => return self.escape_pressed(cx),
            Some(_) if self.hurry_or_start(cx) => return,
            _ => {}
        }
        if self.state.scores.has_strip() {
            let tokens = self.state.scores.layout.tokens(&self.state.scores.tokens);
            match self.state.scores.strip.key(key, StripKeys::All, &tokens) {
                Some(strip::Event::Pick { token, alternative }) => {
                    return self.state.pick_alternative(token, alternative, cx);
                }
                Some(strip::Event::Bias { token, alternative, bias }) => {
                    return self.state.bias_token(token, alternative, bias, cx);
                }
                Some(strip::Event::Same { .. }) => return self.update(Action::Write, cx),
                Some(strip::Event::Moved) => return self.state.show_token(),
                Some(strip::Event::Close) | None => {}
            }
        }
        let found = if self.state.find.words().is_empty() { None } else { FINDING.find(&key) };
        if let Some(action) = found.or_else(|| KEYS.find(&key)) {
            self.update(action, cx);
        }
    }

    /// Does what ⏎ does before all else: ends the countdown of a retry, or loads the example where there is no text
    /// yet. Returns whether there was either.
    fn hurry_or_start(&mut self, cx: &mut Cx) -> bool {
        let state = &mut self.state;
        if state.active.hurry(cx) {
            return true;
        }
        let starts = state.text.is_blank() && state.startup.loaded;
        if starts {
            let sample = state.presets.first().clone();
            state.load_preset(&sample, cx);
        }
        starts
    }

    /// Returns what the next Esc does, and what the footer calls it; `None`: nothing. Panes whose keys are typed or
    /// filtered take Esc first.
    pub(super) fn next_escape(&self) -> Option<(EscapeAction, &'static str)> {
        use EscapeAction as E;
        let state = &self.state;
        Some(match state.focus {
            _ if state.find.bar.is_typing() => (E::EndFind, "end find"),
            CompletePane::Presets => (E::LeavePane, state.presets.escape()?),
            CompletePane::Settings => (E::LeavePane, state.pane().escape()?),
            _ if state.is_comparing() && state.is_busy() => (E::Stop, "stop all"),
            _ if !matches!(state.page, Page::Buffer) => (E::ClosePage, "close"),
            // The selection stays: it can be sent and copied from there.
            CompletePane::Text if !state.is_busy() => (E::LeaveText, "leave text"),
            _ if state.text.buffer.selection().is_some() => (E::Deselect, "deselect"),
            _ if !state.find.words().is_empty() => (E::EndFind, "end find"),
            _ if state.is_retrying() => (E::Stop, "give up"),
            _ if state.is_busy() => (E::Stop, "stop"),
            _ => return None,
        })
    }

    /// Does what Esc does.
    pub(super) fn escape_pressed(&mut self, cx: &mut Cx) {
        let Some((action, _)) = self.next_escape() else { return };
        let state = &mut self.state;
        match action {
            EscapeAction::LeavePane | EscapeAction::LeaveText => state.focus = CompletePane::Browse,
            EscapeAction::ClosePage => state.page = Page::Buffer,
            EscapeAction::Deselect => state.text.buffer.select(None),
            EscapeAction::EndFind => state.find.clear(),
            EscapeAction::Stop => drop(state.stop(cx)),
        }
    }

    /// Does an action: of runs and the text first.
    pub(super) fn update(&mut self, action: Action, cx: &mut Cx) {
        let state = &mut self.state;
        // A command of the palette may move the focus while words are typed.
        state.find.bar.stop_typing();
        let in_text = [Action::Again, Action::Undo, Action::Redo, Action::Older, Action::Newer, Action::Accept];
        if state.is_comparing() && in_text.contains(&action) {
            // The change of the text must be visible.
            state.page = Page::Buffer;
        }
        match action {
            Action::Run if state.is_comparing() => state.run_comparison(cx),
            Action::Run => state.run(cx),
            Action::Again => state.generate_another(cx),
            Action::Stop => drop(state.stop(cx)),
            Action::Undo | Action::Redo => state.undo_redo(action == Action::Undo, cx),
            Action::Accept => state.accept_generated(cx),
            Action::Older => state.show_candidate(-1, cx),
            Action::Newer => state.show_candidate(1, cx),
            Action::Select => state.select(cx.now),
            Action::Copy => state.copy(cx),
            Action::CopyAll => cx.copy(state.text.buffer.text().into()),
            Action::Curl => state.curl(cx),
            Action::Offer => {
                let text = state.text.chosen();
                if !text.is_empty() {
                    cx.push(Effect::Offer(Offer::Text(text)));
                }
            }
            Action::New => state.new_text(cx),
            Action::FindNext | Action::FindBack => state.find_next(action == Action::FindBack, cx),
            Action::External if state.refuses_while_busy(LATER, cx) => {}
            Action::External => cx.push(Effect::Edit),
            _ => self.act_on_view(action, cx),
        }
    }

    /// Does an action that changes what is shown.
    fn act_on_view(&mut self, action: Action, cx: &mut Cx) {
        let (wide, state) = (self.view.is_wide(), &mut self.state);
        match action {
            Action::Write => {
                state.page = Page::Buffer;
                state.focus = CompletePane::Text;
                state.text.buffer.follow(false);
            }
            Action::NextPane => state.focus = state.focus.next(),
            Action::PreviousPane => state.focus = state.focus.next().next(),
            Action::Compare => state.open_compare(cx),
            Action::Heat => {
                state.scores.heat = !state.scores.heat;
                state.settings_changed(cx.now);
                if state.scores.heat && state.scores.layout.is_empty() {
                    cx.notify(Notice::info("no probabilities here: set Log probabilities in the settings and run"));
                }
            }
            Action::Candidates => state.open_candidates(cx),
            Action::Settings if state.focus == CompletePane::Settings && !wide => state.focus = CompletePane::Browse,
            Action::Settings => state.focus = CompletePane::Settings,
            Action::Model if state.is_comparing() => state.choose_column_model(cx),
            Action::Model => cx.push(Effect::ChooseModel),
            Action::Presets => {
                state.focus = CompletePane::Presets;
                state.presets.enter(false);
            }
            Action::SavePreset => {
                state.focus = CompletePane::Presets;
                state.presets.save();
            }
            Action::Strip => state.scores.strip_shown = !state.scores.strip_shown,
            Action::Tokenizer => state.open_tokenizer(cx),
            Action::Biases => state.open_biases(cx),
            Action::Runs => state.open_runs(),
            Action::Find => state.open_find(),
            Action::Details => state.open_details(),
            _ => self.move_caret(action, cx),
        }
    }

    /// Does an action that moves the caret or the view of the text.
    fn move_caret(&mut self, action: Action, cx: &mut Cx) {
        let buffer = &mut self.state.text.buffer;
        match action {
            Action::PageUp => return buffer.page(-1),
            Action::PageDown => return buffer.page(1),
            Action::HalfUp => return buffer.scroll(-self.view.half_page()),
            Action::HalfDown => return buffer.scroll(self.view.half_page()),
            Action::Top => buffer.set_caret(0),
            Action::Bottom => buffer.set_caret(buffer.len()),
            Action::Left => buffer.step(CaretStep::Left),
            Action::Right => buffer.step(CaretStep::Right),
            Action::Up => buffer.step(CaretStep::Up),
            Action::Down => buffer.step(CaretStep::Down),
            // These are named by the footer only.
            _ => return,
        }
        self.state.caret_moved(cx.now);
    }
}

/// What Esc can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EscapeAction {
    /// Gives the keys back to the text.
    LeavePane,
    ClosePage,
    /// Ends writing: letters are keys again.
    LeaveText,
    Deselect,
    EndFind,
    Stop,
}

impl State {
    /// Returns whether a refused attempt of the run that writes into the buffer waits for the next one.
    pub(super) fn is_retrying(&self) -> bool {
        self.active.buffer_run().is_some_and(|active| active.run.is_retrying())
    }

    /// Opens the list of runs at the one that is shown.
    fn open_runs(&mut self) {
        let mut page = Runs::default();
        if let Some(run) = self.shown_run() {
            page.select(run.id, &self.log.runs);
        }
        self.page = Page::Runs(page);
        self.focus = CompletePane::Browse;
    }

    /// Brings the token under the strip's cursor into view.
    pub(super) fn show_token(&mut self) {
        let place = self.scores.layout.ranges().get(self.scores.strip.at).cloned();
        if let Some(place) = place
            && !self.text.buffer.visible().contains(&place.start)
        {
            self.text.buffer.set_top(place.start);
        }
    }

    pub(super) fn open_tokenizer(&mut self, cx: &mut Cx) {
        let model = self.model(cx.session);
        let context = self.context(cx.session);
        let mut page = Tokenizer::new(self.text.buffer.text().into(), model, context, self.text.buffer.caret());
        page.set_biases(&self.settings.params().common);
        page.ask(cx.session.local, cx);
        self.page = Page::Tokens(Box::new(page));
        self.focus = CompletePane::Browse;
    }

    /// Puts a bias on a token of the strip, or on one of its alternatives.
    fn bias_token(&mut self, token: usize, alternative: Option<usize>, bias: i8, cx: &mut Cx) {
        let Some(token) = self.scores.layout.token(token, &self.scores.tokens) else { return };
        let bytes = alternative.and_then(|at| token.top.get(at)).map_or(&token.bytes, |other| &other.bytes);
        let Ok(text) = std::str::from_utf8(bytes) else {
            return cx.notify(Notice::warn("this token is a part of a character: B takes a bias by its id"));
        };
        let change = match bias {
            -100 => BiasChange::Never,
            100 => BiasChange::Always,
            _ => BiasChange::Likelier,
        };
        self.change_bias(text.into(), change, cx);
    }
}
