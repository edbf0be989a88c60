//! Through the history: back and forward, other candidates, another token, a run of before.

use super::history::{self, Splice};
use super::scored::Owner;
use super::state::{Focus, Page, Request, State};
use crate::component::{Cx, Notice};
use crate::record::{Id, Made, Record, Step, Token};
use crate::tabs::columns;

impl State {
    /// Goes to another step.
    pub(super) fn go(&mut self, to: Option<Id>, cx: &mut Cx) {
        let splices = self.history.go(to);
        self.follow(&splices, cx);
    }

    /// Brings the buffer where the history went.
    pub(super) fn follow(&mut self, splices: &[Splice], cx: &mut Cx) {
        for Splice { range, text } in splices {
            self.buffer.splice(range.clone(), text.raw());
        }
        if let Some(Splice { range, text }) = splices.last() {
            self.buffer.set_caret(range.start + text.len());
        }
        self.moved(cx);
        self.ask_tokens(cx);
    }

    /// One step back or forward in the history.
    pub(super) fn walk(&mut self, back: bool, cx: &mut Cx) {
        if self.is_busy() {
            return cx.notify(Notice::warn("a run is under way; esc stops it"));
        }
        let splices = if back { self.history.back() } else { self.history.forward() };
        match splices {
            Some(splices) => {
                self.last = None;
                self.follow(&splices, cx);
            }
            None => cx.notify(Notice::hint(if back { "nothing before this" } else { "nothing after this" })),
        }
    }

    /// Runs again from where the last generated part was made: another candidate beside it.
    pub(super) fn again(&mut self, cx: &mut Cx) {
        if !self.can_run(cx) {
            return;
        }
        if let Some(step) = self.history.last_generated().and_then(|id| self.history.step(id)) {
            let (here, parent, at) = (self.history.current(), step.parent, step.at as usize);
            self.go(parent, cx);
            self.buffer.set_caret(at);
            self.placed(cx.now);
            self.again_from = here;
        }
        self.run(cx);
    }

    /// A run from an earlier place is not sent after all: back to where it was asked for.
    pub(super) fn back_again(&mut self, cx: &mut Cx) {
        if let Some(here) = self.again_from.take() {
            self.go(Some(here), cx);
        }
    }

    /// Another candidate for the last generated part.
    pub(super) fn candidate(&mut self, way: isize, cx: &mut Cx) {
        if self.counting || !self.orders.is_empty() {
            // What is asked for is asked of this text.
            return;
        }
        let Some(id) = self.history.last_generated() else { return };
        let all = self.history.candidates(id);
        let at = all.iter().position(|other| *other == id).unwrap_or(0);
        let Some(to) = at.checked_add_signed(way).and_then(|at| all.get(at)) else { return };
        let leaf = self.history.leaf(*to);
        self.last = None;
        self.go(Some(leaf), cx);
    }

    /// Exchanges a token for one of its alternatives, drops what followed, and goes on from there.
    pub(super) fn pick(&mut self, token: usize, alternative: usize, cx: &mut Cx) {
        if self.is_busy() {
            cx.notify(Notice::warn("a run is under way; esc stops it"));
            return;
        }
        let Some((picked, place)) = self.scored.token(token, &self.tokens).zip(self.scored.places().get(token)) else {
            return;
        };
        let (picked, place) = (picked.clone(), place.clone());
        let Some(chosen) = picked.top.get(alternative).cloned() else { return };
        // Of a model's text what followed is the rest of it, pieces of other runs that touch it too; of a prompt everything.
        let own = match self.scored.owner(token) {
            Some(Owner::Step(id)) => self.spans().iter().rfind(|span| span.step == id),
            _ => None,
        };
        let part = own.and_then(|span| self.history.part(span.range.start));
        let range = place.start..part.map_or(self.buffer.len(), |part| part.end);
        let Ok(text) = String::from_utf8(chosen.bytes.clone()) else {
            cx.notify(Notice::warn("this alternative is a part of a character: it cannot stand alone"));
            return;
        };
        let id = cx.id();
        let step = Step {
            removed: self.buffer.slice(range.clone()).into(),
            inserted: text.as_str().into(),
            ..history::step(id, self.sheet.id, self.history.current(), Made::Picked, range.start, cx.unix_ms)
        };
        self.history.push(step);
        self.buffer.splice(range.clone(), &text);
        self.buffer.set_caret(range.start + text.len());
        self.last = None;
        let picked = Token { bytes: chosen.bytes, logprob: Some(chosen.logprob), top: picked.top };
        self.tokens.insert(id, vec![picked.clone()]);
        self.made(id, cx);
        self.keep(cx);
        self.record(Record::Tokens { of: id, at: 0, tokens: vec![picked] }, cx);
        self.sync();
        self.run(cx);
    }

    /// What was generated counts as the user's text from here on.
    pub(super) fn accept_generated(&mut self, cx: &mut Cx) {
        if self.spans().is_empty() || self.is_busy() {
            return;
        }
        let id = cx.id();
        let step = history::step(id, self.sheet.id, self.history.current(), Made::Accepted, 0, cx.unix_ms);
        self.history.push(step);
        self.made(id, cx);
    }

    /// All candidates for the last generated part, side by side.
    pub(super) fn beside(&mut self, cx: &mut Cx) {
        let Some(id) = self.history.last_generated() else {
            return cx.notify(Notice::hint("nothing is generated yet: ^R runs"));
        };
        let all = self.history.candidates(id);
        let wanted: Vec<Id> = all.iter().copied().filter(|id| !self.tokens.contains_key(id)).collect();
        if !wanted.is_empty() {
            let ticket = cx.load(crate::record::Query::Tokens(wanted.clone()));
            self.pending.insert(ticket, Request::Tokens(wanted));
        }
        let mut page = columns::Columns::default();
        page.set_focus(all.iter().position(|other| *other == id).unwrap_or(0));
        self.page = Page::Beside(page, id);
        self.focus = Focus::Browse;
    }

    /// Opens a run again: its text as it was, with what it wrote.
    pub(super) fn open_run(&mut self, id: Id, cx: &mut Cx) {
        let Some(run) = self.runs.iter().find(|run| run.id == id).cloned() else { return };
        if self.is_busy() {
            return cx.notify(Notice::warn("a run is under way; esc stops it"));
        }
        let elsewhere = run.sheet != self.sheet.id;
        if elsewhere && self.save_error.is_some() {
            return cx.notify(Notice::warn("the text here is not saved: what is in the way of that comes first"));
        }
        self.page = Page::Buffer;
        self.settings.load(run.params.clone());
        self.set(cx.now);
        self.presets.loaded(None);
        if elsewhere {
            self.list_draft(cx);
            self.keep(cx);
            self.load_sheet(run.sheet, Some(id), cx);
            return;
        }
        let parent = run.parent.filter(|step| self.history.step(*step).is_some());
        let to = self.history.output_of(id).or(parent);
        self.go(to, cx);
        self.last = Some(id);
    }

    /// The run that is shown, where details of its failure are known.
    pub(super) fn failed_run(&self) -> Option<Id> {
        self.shown_run().map(|run| run.id).filter(|run| self.failures.contains_key(run))
    }

    /// The run whose work is shown: the last one, else the one that wrote the last generated part.
    pub(super) fn shown_run(&self) -> Option<&crate::record::Run> {
        let made = || {
            let step = self.history.step(self.history.last_generated()?)?;
            if let crate::record::Made::Generated { run, .. } = step.made { Some(run) } else { None }
        };
        let id = self.last.or_else(made)?;
        self.runs.iter().find(|run| run.id == id)
    }
}
