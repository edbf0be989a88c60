//! Gives a key to the part that has the focus, and does what that part makes of it.

use crossterm::event::KeyEvent;

use super::biases::TokenBias;
use super::keys::{Action, FINDING, KEYS, RUNNING, WRITING};
use super::prompt_text::PromptText;
use super::state::{CompletePane, Page};
use super::update::LATER;
use super::{Complete, compare, params, presets, runs, tokenizer};
use crate::component::{Component, Cx, Effect, Handled};
use crate::record::Record;
use crate::tabs::columns;
use crate::tabs::generation::strip::{self, StripKeys};
use crate::ui::buffer::Edit;
use crate::ui::editing::{CANCEL_PREFIX, EditAction};

impl Complete {
    /// Handles a key that is not the shell's.
    pub(super) fn on_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let after_x = std::mem::take(&mut self.after_x);
        if self.state.modals.key(key, cx).act(|answer| self.state.answer(answer, cx)) {
            return;
        }
        if self.state.text.find.bar.is_typing() {
            let PromptText { find, buffer, .. } = &mut self.state.text;
            if find.key(key, buffer, cx) {
                self.state.caret_moved(cx.now);
            }
            return;
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
        if after_x && key.code == CANCEL_PREFIX {
            return;
        }
        let edit_after_x = EditAction::after_x(&key).filter(|_| after_x);
        match edit_after_x {
            // The text has an undo of its own.
            Some(EditAction::Undo) => return self.update(Action::Undo, cx),
            Some(EditAction::Redo) => return self.update(Action::Redo, cx),
            Some(EditAction::External) => return self.update(Action::External, cx),
            _ => {}
        }
        // The text cannot be changed while a run is under way: ⏎ is free.
        if RUNNING.find(&key) == Some(Action::RetryNow) && self.retry_now_or_start(cx) {
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
        if self.state.active.refuses_while_busy(LATER, cx) {
            return;
        }
        let buffer = &mut self.state.text.buffer;
        let edit = match edit_after_x {
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
            Some(_) if self.retry_now_or_start(cx) => return,
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
        let found = if self.state.text.find.words().is_empty() { None } else { FINDING.find(&key) };
        if let Some(action) = found.or_else(|| KEYS.find(&key)) {
            self.update(action, cx);
        }
    }

    /// Does what ⏎ does before all else: ends the countdown of a retry, or loads the example where the pane offers it.
    /// Returns whether there was either.
    fn retry_now_or_start(&mut self, cx: &mut Cx) -> bool {
        let state = &mut self.state;
        if state.active.retry_now(cx) {
            return true;
        }
        let starts = state.shows_intro();
        if starts {
            let sample = state.presets.first().clone();
            state.load_preset(&sample, cx);
        }
        starts
    }

    pub(super) fn settings_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        let event = match state.pane_mut().key(key, cx) {
            Handled::Consumed => return,
            Handled::Ignored if state.is_comparing() => return self.rest_key(key, cx),
            Handled::Ignored => return self.side_key(key, cx),
            Handled::Emit(event) => event,
        };
        match event {
            params::Event::Set(name, text) => state.set_field(name, &text, cx),
            params::Event::Model => self.update(Action::Model, cx),
            params::Event::SessionModel if state.is_comparing() => {
                state.compare.reset_model(&state.models, cx.session);
                state.save_comparison(cx.now);
            }
            params::Event::SessionModel => {
                state.models.reset(&cx.session.profile);
                state.settings_changed(cx.now);
            }
            params::Event::Biases => state.open_biases(cx),
            params::Event::Below => {
                state.focus = CompletePane::Presets;
                state.presets.enter(false);
            }
            params::Event::Keep => cx.push(Effect::KeepParams),
            params::Event::Close => self.escape_pressed(cx),
        }
    }

    pub(super) fn presets_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let event = match self.state.presets.key(key, cx) {
            Handled::Consumed => return,
            Handled::Ignored if self.state.is_comparing() => return self.rest_key(key, cx),
            Handled::Ignored => return self.side_key(key, cx),
            Handled::Emit(event) => event,
        };
        match event {
            presets::Event::Load(preset) => self.state.load_preset(&preset, cx),
            presets::Event::Save(name, over) => self.state.save_preset(name, over, cx),
            presets::Event::Keep(preset) => _ = self.state.saves.records.save(Record::Preset(preset), cx),
            presets::Event::Deleted(id) => _ = self.state.saves.records.save(Record::DeletePreset(id), cx),
            presets::Event::Above => self.state.focus = CompletePane::Settings,
            presets::Event::Close => self.escape_pressed(cx),
        }
    }

    pub(super) fn page_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        match &mut state.page {
            Page::Buffer => {}
            Page::Compare => self.comparison_key(key, cx),
            Page::Tokens(page) => match page.key(key, cx) {
                Handled::Consumed => {}
                Handled::Emit(tokenizer::Event::Close) => state.page = Page::Buffer,
                Handled::Emit(tokenizer::Event::Bias(id, change)) => {
                    state.change_bias(&TokenBias { id, name: "this token".to_owned(), change }, cx);
                    if let Page::Tokens(page) = &mut state.page {
                        page.set_biases(&state.settings.params().common);
                    }
                }
                Handled::Ignored => self.rest_key(key, cx),
            },
            Page::Runs(page) => match page.handle(key, &state.log.runs) {
                Handled::Consumed => {}
                Handled::Emit(runs::Event::Open(id)) => state.open_run(id, cx),
                Handled::Emit(runs::Event::Close) => state.page = Page::Buffer,
                Handled::Ignored => self.rest_key(key, cx),
            },
            Page::Branches(page, step) => {
                let all = state.text.history.branches_of(*step);
                match page.key(key, all.len()) {
                    None => self.rest_key(key, cx),
                    Some(columns::ColumnsEvent::Moved) => {}
                    Some(columns::ColumnsEvent::Adopt(at)) => {
                        state.page = Page::Buffer;
                        if let Some(to) = all.get(at) {
                            let leaf = state.text.history.latest_below(*to);
                            state.go_to_step(Some(leaf), cx);
                        }
                    }
                    Some(columns::ColumnsEvent::Cancel(_)) => drop(state.stop(cx)),
                    Some(columns::ColumnsEvent::Close) => state.page = Page::Buffer,
                }
            }
        }
    }

    /// Handles a key that a side pane has no use for: the text's, but for those that take text away.
    fn side_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match KEYS.find(&key) {
            Some(Action::New | Action::Accept | Action::Again) | None => {}
            Some(action) => self.update(action, cx),
        }
    }

    /// Handles a key that a page has no use for: between panes, to run where columns do, or nothing.
    fn rest_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match KEYS.find(&key) {
            Some(action @ (Action::NextPane | Action::PreviousPane | Action::Settings | Action::Model)) => {
                self.update(action, cx);
            }
            Some(Action::Run) if self.state.is_comparing() => self.update(Action::Run, cx),
            _ => {}
        }
    }

    /// Handles a key of the comparison.
    fn comparison_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        match state.compare.key(key, &state.active, cx) {
            Handled::Consumed => state.save_comparison(cx.now),
            Handled::Ignored => self.rest_key(key, cx),
            Handled::Emit(compare::Event::Run) => state.run_comparison(cx),
            Handled::Emit(compare::Event::NameModel(model)) => state.open_model_name(&model),
            Handled::Emit(compare::Event::NextProfile) => {
                state.compare.use_next_profile(&state.models, cx);
                state.save_comparison(cx.now);
            }
            Handled::Emit(compare::Event::Settings) => self.update(Action::Settings, cx),
            Handled::Emit(compare::Event::Copy(step)) => state.copy_output(step, cx),
            Handled::Emit(compare::Event::Stop(run)) => state.stop_run(run, cx),
            Handled::Emit(compare::Event::Adopt(at)) => state.adopt_column(at, cx),
            Handled::Emit(compare::Event::Escape) => self.escape_pressed(cx),
        }
    }
}
