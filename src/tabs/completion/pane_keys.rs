//! Keys of what stands beside the text or in its place: settings, presets, pages, columns.

use crossterm::event::KeyEvent;

use super::keys::{Action, KEYS};
use super::state::{CompletePane, Page};
use super::{Complete, compare, params, presets, runs, tokenizer};
use crate::component::{Component, Cx, Effect, Handled};
use crate::record::Record;
use crate::tabs::columns;

impl Complete {
    pub(super) fn settings_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        let state = &mut self.state;
        let event = match state.pane_mut().key(key, cx) {
            Handled::Consumed => return,
            Handled::Ignored if state.is_comparing() => return self.rest_key(key, cx),
            Handled::Ignored => return self.side_key(key, cx),
            Handled::Emit(event) => event,
        };
        match event {
            params::Event::Changed => state.pane_settings_changed(cx),
            params::Event::Model => self.update(Action::Model, cx),
            params::Event::SessionModel if state.is_comparing() => state.reset_column_model(cx),
            params::Event::SessionModel => {
                state.models.remove(&cx.session.profile.0);
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
            presets::Event::Load(preset) if self.state.is_comparing() => self.state.load_column_preset(&preset, cx),
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
            Page::Compare => {
                if !self.compare_key(key, cx) {
                    self.rest_key(key, cx);
                }
            }
            Page::Tokens(page) => match page.key(key, cx) {
                Handled::Consumed => {}
                Handled::Emit(tokenizer::Event::Close) => state.page = Page::Buffer,
                Handled::Emit(tokenizer::Event::Bias(id, change)) => {
                    state.change_bias_of(id, "this token", change, cx);
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
            Page::Candidates(page, step) => {
                let all = state.text.history.candidates(*step);
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

    /// Handles a key of the columns. Returns whether it is one.
    pub(super) fn compare_key(&mut self, key: KeyEvent, cx: &mut Cx) -> bool {
        let state = &mut self.state;
        if let Some(action) = compare::keys::KEYS.find(&key) {
            state.act_in_comparison(action, self.view.is_wide(), cx);
            return true;
        }
        match state.compare.columns_key(key) {
            None => return false,
            Some(columns::ColumnsEvent::Moved) => {}
            Some(columns::ColumnsEvent::Adopt(_)) if state.skip_column_countdown(cx) => {}
            Some(columns::ColumnsEvent::Adopt(at)) => state.adopt_column(at, cx),
            Some(columns::ColumnsEvent::Cancel(at)) => state.stop_column(at, cx),
            Some(columns::ColumnsEvent::Close) => self.escape_pressed(cx),
        }
        true
    }
}
