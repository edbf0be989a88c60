//! What comes of the file.

use super::feed::{Phase, Wait, What};
use super::form::{Form, Found};
use super::held::Cut;
use super::sheet::Sheet;
use super::{Preview, Tone};
use crate::api::call::{Content, Failure, Progress, Reply, Ticket};
use crate::component::Cx;
use crate::record::files::{Mark, Reached, Window, Writing};
use crate::record::work::Done;
use crate::text::Untrusted;

/// A part that has come.
struct Part {
    at: Mark,
    begins: bool,
    bytes: Vec<u8>,
    focus: u64,
}

impl Preview {
    /// The work threads' answer.
    pub(super) fn answered(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) -> bool {
        if self.feed.part.as_ref().is_some_and(|wait| wait.ticket == ticket) {
            match (self.feed.part.take(), done) {
                (Some(wait), Done::Window(window)) => self.window(&wait, *window, cx),
                (Some(wait), Done::Failed(why)) => self.failed(wait.what, why),
                (Some(_), Done::Sheet(copy)) => {
                    self.sheet_copy = Some(copy);
                    self.ask(What::First, cx);
                }
                (wait, _) => self.feed.part = wait,
            }
        } else if self.scan.as_ref().is_some_and(|scan| scan.ticket == Some(ticket)) {
            match done {
                Done::Window(window) => self.scanned(*window, cx),
                Done::Failed(why) => {
                    self.scan = None;
                    self.say(Tone::Error, why);
                }
                _ => {}
            }
        } else if self.feed.counting.is_some_and(|(counting, _)| counting == ticket) {
            match done {
                Done::Window(window) => self.counted(&window),
                Done::Failed(_) => (self.feed.counting, self.feed.stuck) = (None, true),
                _ => {}
            }
        } else if let Some(plot) = &mut self.plot {
            return plot.worked(ticket, done, cx);
        } else {
            return false;
        }
        true
    }

    /// Whether a window is of the file as it was opened; else it is said that it changed.
    pub(super) fn same(&mut self, window: &Window, cx: &Cx) -> bool {
        self.feed.glanced = cx.now;
        if !self.known.seen {
            self.known.seen = true;
            (self.known.total, self.known.modified_ms) = (Some(window.total), window.modified_ms);
        }
        let same = (self.known.total, self.known.modified_ms) == (Some(window.total), window.modified_ms);
        self.known.changed |= !same;
        same
    }

    fn window(&mut self, wait: &Wait, window: Window, cx: &mut Cx) {
        if !self.same(&window, cx) {
            self.stop(cx);
            return;
        }
        if wait.what != What::Glance {
            let Window { at, begins, bytes, focus, .. } = window;
            self.took(wait.what, Part { at, begins, bytes, focus: focus.byte }, cx);
        }
    }

    fn counted(&mut self, window: &Window) {
        let Some((_, to)) = self.feed.counting.take() else { return };
        self.learn(&window.marks);
        if let Reached::Far(mark) = window.reached {
            self.feed.counted = mark.byte;
            self.learn(&[mark]);
        } else if to == u64::MAX {
            let over = u64::from(window.begins && window.focus.byte > 0);
            self.known.lines = window.focus.line.map(|line| line - over);
        } else {
            self.learn(&[window.focus]);
            self.held.learn(window.focus);
        }
    }

    /// Something about a call.
    pub(super) fn called(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) -> bool {
        let Some(wait) = self.feed.part.as_mut().filter(|wait| wait.ticket == ticket) else { return false };
        match progress {
            Progress::Retrying { at, why, .. } => wait.retry = Some((at, why.sentence)),
            Progress::Opened { .. } => wait.retry = None,
            Progress::Moved { done, .. } => wait.moved = Some(done),
            Progress::Reply(Reply::Content(content)) => wait.content = Some(content),
            Progress::Reply(_) => {}
            Progress::Closed(end) => {
                let wait = self.feed.part.take();
                match (end, wait) {
                    (Ok(()), Some(Wait { what, content: Some(content), .. })) => self.content(what, content, cx),
                    (Ok(()), Some(wait)) => self.failed(wait.what, "the server sent no content".into()),
                    (Err(why), Some(wait)) => self.refused(wait.what, &why),
                    _ => {}
                }
            }
        }
        true
    }

    /// A part of a stored file has come.
    fn content(&mut self, what: What, content: Content, cx: &mut Cx) {
        let Content { from, mut bytes, total, ranges } = content;
        self.known.ranges = Some(ranges);
        // Fewer than were asked for: the file ends there.
        let (_, most) = self.span(what);
        let ended = ((bytes.len() as u64) < most).then_some(from + bytes.len() as u64);
        let total = total.or(ended);
        if self.known.seen && total.is_some() && self.known.total.is_some() && total != self.known.total {
            self.known.changed = true;
            self.stop(cx);
            return;
        }
        if what == What::More && bytes.is_empty() && total.is_none_or(|total| total > from) {
            return self.failed(what, "the server sent no more of the file than this".into());
        }
        // What the list said may be wrong; what the content says is not.
        if total.is_some() {
            self.known.total = total;
        }
        self.known.seen = true;
        let focus = match what {
            What::Jump(byte) => byte,
            What::End => from + bytes.len() as u64,
            _ => from,
        };
        let mut begins = from == 0;
        let mut at = from;
        if !begins && matches!(what, What::Jump(_) | What::End | What::Back) {
            let within = if what == What::Back { bytes.len().saturating_sub(1) as u64 } else { focus - from };
            if let Some(end) = memchr::memchr(b'\n', &bytes).filter(|end| (*end as u64) < within) {
                bytes.drain(..=end);
                (at, begins) = (from + end as u64 + 1, true);
            }
        }
        let line = (at == 0).then_some(1);
        self.took(what, Part { at: Mark { byte: at, line }, begins, bytes, focus }, cx);
    }

    /// The file cannot be shown, or not further.
    fn failed(&mut self, what: What, why: Untrusted) {
        self.feed.stuck = true;
        match what {
            What::First => self.feed.phase = Phase::Failed(why),
            // A file that cannot be looked at any more has changed.
            What::Glance => {
                self.known.changed = true;
                self.say(Tone::Error, why);
            }
            _ => {
                self.scan = None;
                self.say(Tone::Error, why);
            }
        }
    }

    fn refused(&mut self, what: What, why: &Failure) {
        let sentence = if why.status == Some(404) {
            "the file is gone from the server: it was deleted elsewhere".into()
        } else {
            why.sentence.clone()
        };
        self.failed(what, sentence);
    }

    /// Takes a part in.
    fn took(&mut self, what: What, part: Part, cx: &mut Cx) {
        self.cache.get_mut().clear();
        self.held.set_total(self.known.total);
        match what {
            What::First => self.begun(part, cx),
            What::More if part.at.byte == self.held.end() => {
                // What is looked for further on may be further than what can be held.
                let eye = self.eye.first().min(self.eye.cursor);
                self.held.append(&part.bytes, if self.scan.is_some() { u64::MAX } else { eye });
            }
            What::Back if part.at.byte + part.bytes.len() as u64 == self.held.at().byte => {
                self.held.prepend(part.begins, part.bytes, self.eye.cursor);
            }
            What::Jump(_) | What::End => {
                let end = part.at.byte + part.bytes.len() as u64;
                self.held.replace(part.at, part.begins, part.bytes);
                self.stand(if what == What::End { end } else { part.focus });
            }
            _ => {}
        }
        if self.held.at_end() && self.held.at().byte == 0 && self.form != Form::Hex {
            self.known.lines = Some(self.held.lines_ended() + u64::from(!self.held.ends_line()));
        }
        if self.scan.is_some() {
            self.walk(cx);
        }
    }

    /// The beginning is there: what the file is.
    fn begun(&mut self, part: Part, cx: &mut Cx) {
        let whole = self.known.total.is_some_and(|total| total <= part.bytes.len() as u64);
        let found = if self.sheet_copy.is_some() {
            self.say(Tone::Plain, "the first sheet of the workbook");
            let form = Form::Table(b',');
            Found { form, rows: Some(form), writing: Writing::Utf8, mark: false }
        } else {
            Found::of(&part.bytes, whole, &self.name.line())
        };
        self.held.replace(part.at, true, part.bytes);
        self.found = Some(found);
        self.feed.phase = Phase::Open;
        self.show_as(found.form);
        match self.wanted.take() {
            Some(target) => self.go(target, cx),
            None => self.stand(0),
        }
    }

    /// Shows the rows in another form.
    pub(super) fn show_as(&mut self, form: Form) {
        self.form = form;
        self.plot = None;
        let writing = self.found.map_or(Writing::Utf8, |found| found.writing);
        let cut = match form {
            Form::Table(part) => Cut::Records(part),
            Form::Jsonl | Form::Text => Cut::Lines,
            Form::Hex => Cut::Bytes(16),
        };
        self.held.recut(cut, writing);
        if let Form::Table(part) = form
            && (self.sheet.part != part || self.held.at().byte == 0)
        {
            self.sheet = Sheet::of(&self.held, part);
        }
        self.cache.get_mut().clear();
        self.stand(self.eye.cursor);
    }
}
