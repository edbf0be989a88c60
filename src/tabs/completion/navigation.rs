//! Moves through the history: back and forward, to other branches, another token, an earlier run.

use super::history::Splice;
use super::presets::LoadedPresets;
use super::state::{CompletePane, Page, Request, State};
use super::token_layout::TokenOwner;
use crate::component::{Cx, Notice};
use crate::record::{Id, Made, Record, Step, Token};
use crate::tabs::columns;
use crate::ui::vim;

impl State {
    /// Goes to another step.
    pub(super) fn go_to_step(&mut self, to: Option<Id>, cx: &mut Cx) {
        let splices = self.text.history.go_to(to);
        self.apply_splices(&splices, cx);
    }

    /// Brings the buffer where the history went.
    pub(super) fn apply_splices(&mut self, splices: &[Splice], cx: &mut Cx) {
        self.text.apply(splices);
        self.step_changed(cx);
        self.ask_tokens(cx);
    }

    /// Goes one step back or forward in the history.
    pub(super) fn undo_redo(&mut self, back: bool, cx: &mut Cx) {
        if self.active.refuses_while_busy("", cx) {
            return;
        }
        let before = self.text.history.current();
        let splices = if back { self.text.history.back() } else { self.text.history.forward() };
        match splices {
            Some(splices) => {
                self.log.shown = None;
                self.apply_splices(&splices, cx);
                // As in vim, where text boxes have its modes: the caret is before what came back.
                if let (true, CompletePane::Text, Some(splice)) = (vim::is_enabled(), self.focus, splices.last()) {
                    self.text.buffer.set_caret(splice.range.start);
                    self.caret_moved(cx.now);
                }
                if let Some(step) = if back { before } else { self.text.history.current() } {
                    self.undo_redo_preset(step, back, cx);
                }
            }
            None => cx.notify(Notice::info(if back { "nothing to undo" } else { "nothing to redo" })),
        }
    }

    /// Brings title, settings and model to the other side of a step that loaded a preset. Settings that the user has
    /// changed since stay.
    fn undo_redo_preset(&mut self, step: Id, back: bool, cx: &mut Cx) {
        let here = self.settings_in_use(cx.session);
        let Some((there, untouched)) = self.presets.loaded.cross(step, back, &here) else { return };
        let differ = !there.is_same(&here);
        if differ && untouched {
            self.models.restore(&cx.session.profile, there.model);
            self.settings.load(there.params);
        }
        self.settings_changed(cx.now);
        let said = match (untouched, back) {
            (true, true) => "settings and model are those from before the preset",
            (true, false) => "settings and model are the preset's again",
            (false, _) => "the text is back; settings changed since then stay",
        };
        if differ {
            cx.notify(Notice::ok(said).about("preset"));
        }
    }

    /// Runs again from where the last generated part was made: another branch beside it.
    pub(super) fn generate_another(&mut self, cx: &mut Cx) {
        if !self.can_run(cx) {
            return;
        }
        if let Some(step) = self.text.history.last_generated().and_then(|id| self.text.history.step(id)) {
            let (here, parent, at) = (self.text.history.current(), step.parent, step.at as usize);
            self.go_to_step(parent, cx);
            self.text.buffer.set_caret(at);
            self.caret_moved(cx.now);
            self.active.return_to = here;
        }
        self.run(cx);
    }

    /// Goes back to where a run from an earlier place was asked for: it is not sent after all.
    pub(super) fn restore_position(&mut self, cx: &mut Cx) {
        if let Some(here) = self.active.return_to.take() {
            self.go_to_step(Some(here), cx);
        }
    }

    /// Shows another branch at the last generated part.
    pub(super) fn show_branch(&mut self, way: isize, cx: &mut Cx) {
        if self.active.counting || !self.active.queued.is_empty() {
            // What is asked for is asked of this text.
            return;
        }
        let Some(id) = self.text.history.last_generated() else { return };
        let all = self.text.history.branches_of(id);
        let at = all.iter().position(|other| *other == id).unwrap_or(0);
        let Some(to) = at.checked_add_signed(way).and_then(|at| all.get(at)) else { return };
        let leaf = self.text.history.latest_below(*to);
        self.log.shown = None;
        self.go_to_step(Some(leaf), cx);
    }

    /// Exchanges a token for one of its alternatives, drops what followed, and continues from there.
    pub(super) fn pick_alternative(&mut self, token: usize, alternative: usize, cx: &mut Cx) {
        if self.active.refuses_while_busy("", cx) {
            return;
        }
        let Some((picked, place)) =
            self.scores.layout.token(token, &self.scores.tokens).zip(self.scores.layout.ranges().get(token))
        else {
            return;
        };
        let (picked, place) = (picked.clone(), place.clone());
        let Some(chosen) = picked.top.get(alternative).cloned() else { return };
        // Of a model's text what followed is the rest of it, pieces of other runs that touch it too; of a prompt
        // everything.
        let own = match self.scores.layout.owner(token) {
            Some(TokenOwner::Step(id)) => self.text.spans().iter().rfind(|span| span.step == id),
            _ => None,
        };
        let part = own.and_then(|span| self.text.history.generated().part_at(span.range.start));
        let range = place.start..part.map_or(self.text.buffer.len(), |part| part.end);
        let Ok(text) = String::from_utf8(chosen.bytes.clone()) else {
            cx.notify(Notice::warn("this alternative is only part of a character"));
            return;
        };
        let removed = self.text.buffer.slice(range.clone()).into();
        let step =
            Step { removed, inserted: text.as_str().into(), ..self.text.new_step(Made::Picked, range.start, cx) };
        let id = step.id;
        self.text.history.push(step);
        self.text.buffer.splice(range.clone(), &text);
        self.text.buffer.set_caret(range.start + text.len());
        self.log.shown = None;
        let picked = Token { bytes: chosen.bytes, logprob: Some(chosen.logprob), top: picked.top };
        self.scores.tokens.insert(id, vec![picked.clone()]);
        self.step_made(id, cx);
        self.save(cx);
        self.saves.records.save(Record::Tokens { of: id, at: 0, tokens: vec![picked] }, cx);
        self.sync();
        self.run(cx);
    }

    /// Makes what was generated the user's text from here on.
    pub(super) fn accept_generated(&mut self, cx: &mut Cx) {
        if self.text.spans().is_empty() || self.active.is_busy() {
            return;
        }
        let step = self.text.new_step(Made::Accepted, 0, cx);
        let id = step.id;
        self.text.history.push(step);
        self.step_made(id, cx);
    }

    /// Opens all branches at the last generated part, side by side.
    pub(super) fn open_branches(&mut self, cx: &mut Cx) {
        let Some(id) = self.text.history.last_generated() else {
            return cx.notify(Notice::info("nothing has been generated yet: ^R runs"));
        };
        let all = self.text.history.branches_of(id);
        let wanted: Vec<Id> = all.iter().copied().filter(|id| !self.scores.tokens.contains_key(id)).collect();
        if !wanted.is_empty() {
            let ticket = cx.load(crate::record::Query::Tokens(wanted.clone()));
            self.pending.insert(ticket, Request::Tokens(wanted));
        }
        let mut page = columns::Columns::default();
        page.set_focus(all.iter().position(|other| *other == id).unwrap_or(0));
        self.page = Page::Branches(page, id);
        self.focus = CompletePane::Browse;
    }

    /// Opens a run again: its text as it was, with what it wrote.
    pub(super) fn open_run(&mut self, id: Id, cx: &mut Cx) {
        let Some(run) = self.log.find(id).cloned() else { return };
        if self.active.refuses_while_busy("", cx) {
            return;
        }
        let elsewhere = run.sheet != self.text.sheet.id;
        if elsewhere && self.saves.records.refusal().is_some() {
            // It could not be read back from the store, which waits to write it.
            return cx.notify(Notice::warn("this text is not saved yet; resolve that first"));
        }
        self.page = Page::Buffer;
        self.settings.load(run.params.clone());
        self.settings_changed(cx.now);
        self.presets.loaded = LoadedPresets::default();
        if elsewhere {
            self.list_draft(cx);
            self.save(cx);
            self.load_sheet(run.sheet, Some(id), cx);
            return;
        }
        let parent = run.parent.filter(|step| self.text.history.step(*step).is_some());
        let to = self.text.history.output_of(id).or(parent);
        self.go_to_step(to, cx);
        self.log.shown = Some(id);
    }
}
