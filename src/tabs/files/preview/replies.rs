//! Takes the parts of the file that were asked for.

use super::chunk_loader::{ChunkKind, LoadState, PendingChunk};
use super::file_format::{DetectedFormat, FileFormat};
use super::row_window::RowSplit;
use super::table_columns::TableColumns;
use super::{MessageLevel, Preview};
use crate::api::call::{Content, Failure, Progress, Reply, Ticket};
use crate::component::Cx;
use crate::record::files::{FileWindow, LinePosition, Reached, TextEncoding};
use crate::record::work::Done;
use crate::text::Untrusted;

/// A part that has come.
struct LoadedChunk {
    at: LinePosition,
    begins: bool,
    bytes: Vec<u8>,
    focus: u64,
}

impl Preview {
    /// Takes a result of the work threads. Returns whether the preview asked for it.
    pub(super) fn answered(&mut self, ticket: Ticket, done: Done, cx: &mut Cx) -> bool {
        if self.loader.part.as_ref().is_some_and(|wait| wait.ticket == ticket) {
            match (self.loader.part.take(), done) {
                (Some(wait), Done::Window(window)) => self.window(&wait, *window, cx),
                (Some(wait), Done::Failed(why)) => self.failed(wait.what, why),
                (Some(_), Done::Sheet(copy)) => {
                    self.source.sheet_copy = Some(copy);
                    self.ask(ChunkKind::First, cx);
                }
                (wait, _) => self.loader.part = wait,
            }
        } else if self.search.as_ref().is_some_and(|search| search.ticket == Some(ticket)) {
            match done {
                Done::Window(window) => self.scanned(*window, cx),
                Done::Failed(why) => {
                    self.search = None;
                    self.say(MessageLevel::Error, why);
                }
                _ => {}
            }
        } else if self.loader.counting.is_some_and(|(counting, _)| counting == ticket) {
            match done {
                Done::Window(window) => self.counted(&window),
                Done::Failed(_) => (self.loader.counting, self.loader.stuck) = (None, true),
                _ => {}
            }
        } else if let Some(plot) = &mut self.plot {
            return plot.handle_worked(ticket, done, cx);
        } else {
            return false;
        }
        true
    }

    /// Returns whether a window is of the file as it was opened; else it is said that it changed.
    pub(super) fn check_unchanged(&mut self, window: &FileWindow, cx: &Cx) -> bool {
        self.loader.glanced = cx.now;
        if !self.known.seen {
            self.known.seen = true;
            (self.known.total, self.known.modified_ms) = (Some(window.total), window.modified_ms);
        }
        let same = (self.known.total, self.known.modified_ms) == (Some(window.total), window.modified_ms);
        self.known.changed |= !same;
        same
    }

    fn window(&mut self, wait: &PendingChunk, window: FileWindow, cx: &mut Cx) {
        if !self.check_unchanged(&window, cx) {
            self.stop(cx);
            return;
        }
        if wait.what != ChunkKind::Glance {
            let FileWindow { at, begins, bytes, focus, .. } = window;
            self.take_chunk(wait.what, LoadedChunk { at, begins, bytes, focus: focus.byte }, cx);
        }
    }

    fn counted(&mut self, window: &FileWindow) {
        let Some((_, to)) = self.loader.counting.take() else { return };
        self.note_lines(&window.marks);
        if let Reached::Far(mark) = window.reached {
            self.loader.counted = mark.byte;
            self.note_lines(&[mark]);
        } else if to == u64::MAX {
            let over = u64::from(window.begins && window.focus.byte > 0);
            self.known.lines = window.focus.line.map(|line| line - over);
        } else {
            self.note_lines(&[window.focus]);
            self.window.note_line(window.focus);
        }
    }

    /// Takes a part of a call. Returns whether the preview made it.
    pub(super) fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) -> bool {
        let Some(wait) = self.loader.part.as_mut().filter(|wait| wait.ticket == ticket) else { return false };
        match progress {
            Progress::Retrying { at, why, .. } => wait.retry = Some((at, why.sentence)),
            Progress::Opened { .. } => wait.retry = None,
            Progress::Moved { done, .. } => wait.moved = Some(done),
            Progress::Reply(Reply::Content(content)) => wait.content = Some(content),
            Progress::Reply(_) | Progress::Adapted(_) | Progress::Learned(_) => {}
            Progress::Closed(end) => {
                let wait = self.loader.part.take();
                match (end, wait) {
                    (Ok(()), Some(PendingChunk { what, content: Some(content), .. })) => {
                        self.content(what, content, cx);
                    }
                    (Ok(()), Some(wait)) => self.failed(wait.what, "the server sent no content".into()),
                    (Err(why), Some(wait)) => self.refused(wait.what, &why),
                    _ => {}
                }
            }
        }
        true
    }

    /// Takes a part of a stored file.
    fn content(&mut self, what: ChunkKind, content: Content, cx: &mut Cx) {
        let Content { from, mut bytes, total, ranges } = content;
        self.known.ranges = Some(ranges);
        // Fewer bytes than were asked for: the file ends there.
        let (_, most) = self.span(what);
        let ended = ((bytes.len() as u64) < most).then_some(from + bytes.len() as u64);
        let total = total.or(ended);
        if self.known.seen && total.is_some() && self.known.total.is_some() && total != self.known.total {
            self.known.changed = true;
            self.stop(cx);
            return;
        }
        if what == ChunkKind::More && bytes.is_empty() && total.is_none_or(|total| total > from) {
            return self.failed(what, "the server sent only this part of the file".into());
        }
        // The size in the list may be wrong; that of the content is not.
        if total.is_some() {
            self.known.total = total;
        }
        self.known.seen = true;
        let focus = match what {
            ChunkKind::Jump(byte) => byte,
            ChunkKind::End => from + bytes.len() as u64,
            _ => from,
        };
        let mut begins = from == 0;
        let mut at = from;
        if !begins && matches!(what, ChunkKind::Jump(_) | ChunkKind::End | ChunkKind::Back) {
            let within = if what == ChunkKind::Back { bytes.len().saturating_sub(1) as u64 } else { focus - from };
            if let Some(end) = memchr::memchr(b'\n', &bytes).filter(|end| (*end as u64) < within) {
                bytes.drain(..=end);
                (at, begins) = (from + end as u64 + 1, true);
            }
        }
        let line = (at == 0).then_some(1);
        self.take_chunk(what, LoadedChunk { at: LinePosition { byte: at, line }, begins, bytes, focus }, cx);
    }

    /// Takes a failure: the file cannot be shown, or not further.
    fn failed(&mut self, what: ChunkKind, why: Untrusted) {
        self.loader.stuck = true;
        match what {
            ChunkKind::First => self.loader.phase = LoadState::Failed(why),
            // A file that cannot be looked at any more has changed.
            ChunkKind::Glance => {
                self.known.changed = true;
                self.say(MessageLevel::Error, why);
            }
            _ => {
                self.search = None;
                self.say(MessageLevel::Error, why);
            }
        }
    }

    fn refused(&mut self, what: ChunkKind, why: &Failure) {
        let sentence = if why.status == Some(404) {
            "the file is no longer on the server: it was deleted elsewhere".into()
        } else {
            why.sentence.clone()
        };
        self.failed(what, sentence);
    }

    /// Takes a part in.
    fn take_chunk(&mut self, what: ChunkKind, part: LoadedChunk, cx: &mut Cx) {
        self.cache.get_mut().clear();
        self.window.set_total(self.known.total);
        match what {
            ChunkKind::First => self.take_file_start(part, cx),
            ChunkKind::More if part.at.byte == self.window.end() => {
                // The match may be further away than the part that fits into memory.
                let viewport = self.viewport.first().min(self.viewport.cursor);
                self.window.append(&part.bytes, if self.search.is_some() { u64::MAX } else { viewport });
            }
            ChunkKind::Back if part.at.byte + part.bytes.len() as u64 == self.window.at().byte => {
                self.window.prepend(part.begins, part.bytes, self.viewport.cursor);
            }
            ChunkKind::Jump(_) | ChunkKind::End => {
                let end = part.at.byte + part.bytes.len() as u64;
                self.window.replace(part.at, part.begins, part.bytes);
                self.move_cursor_to_byte(if what == ChunkKind::End { end } else { part.focus });
            }
            _ => {}
        }
        if self.window.at_end() && self.window.at().byte == 0 && self.display.format != FileFormat::Hex {
            self.known.lines = Some(self.window.lines_ended() + u64::from(!self.window.ends_line()));
        }
        if self.search.is_some() {
            self.search_loaded(cx);
        }
    }

    /// Takes the beginning of the file, which says what the file is.
    fn take_file_start(&mut self, part: LoadedChunk, cx: &mut Cx) {
        let whole = self.known.total.is_some_and(|total| total <= part.bytes.len() as u64);
        let found = if self.source.sheet_copy.is_some() {
            self.say(MessageLevel::Plain, "the first sheet of the workbook");
            let form = FileFormat::Table(b',');
            DetectedFormat { form, rows: Some(form), writing: TextEncoding::Utf8, mark: false }
        } else {
            DetectedFormat::of(&part.bytes, whole, &self.source.name.line())
        };
        self.window.replace(part.at, true, part.bytes);
        self.display.detected = Some(found);
        self.loader.phase = LoadState::Open;
        self.show_as(found.form);
        match self.pending_jump.take() {
            Some(target) => self.jump_to(target, cx),
            None => self.move_cursor_to_byte(0),
        }
    }

    /// Shows the rows in another form.
    pub(super) fn show_as(&mut self, form: FileFormat) {
        self.display.format = form;
        self.plot = None;
        let writing = self.display.writing();
        let cut = match form {
            FileFormat::Table(part) => RowSplit::Records(part),
            FileFormat::Jsonl | FileFormat::Text => RowSplit::Lines,
            FileFormat::Hex => RowSplit::Bytes(16),
        };
        self.window.recut(cut, writing);
        if let FileFormat::Table(part) = form
            && (self.display.columns.part != part || self.window.at().byte == 0)
        {
            self.display.columns = TableColumns::of(&self.window, part);
        }
        self.cache.get_mut().clear();
        self.move_cursor_to_byte(self.viewport.cursor);
    }
}
