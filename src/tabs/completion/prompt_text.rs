//! The text with its history and the sheet that both are kept on.

use std::time::Instant;

use super::active_run::ActiveRun;
use super::history::{EditHistory, GeneratedSpan, Splice};
use crate::record::{Id, Sheet};
use crate::text::Untrusted;
use crate::ui::buffer::Buffer;
use crate::ui::undo;

/// The text, how it came about, and where it is kept.
#[derive(Debug)]
pub(super) struct PromptText {
    pub(super) sheet: Sheet,
    pub(super) history: EditHistory,
    pub(super) buffer: Buffer,
    /// Counts changes of the text and of what is known of it.
    pub(super) revision: u64,
    burst_due: Option<Instant>,
}

impl Default for PromptText {
    fn default() -> Self {
        Self {
            sheet: empty_sheet(Id(0), 0),
            history: EditHistory::default(),
            buffer: Buffer::new(),
            revision: 0,
            burst_due: None,
        }
    }
}

/// Returns a sheet on which nothing is yet.
pub(super) fn empty_sheet(id: Id, unix_ms: i64) -> Sheet {
    Sheet { id, created_ms: unix_ms, updated_ms: unix_ms, current: None, caret: 0 }
}

impl PromptText {
    /// Returns whether there is nothing, and never was.
    pub(super) fn is_blank(&self) -> bool {
        self.buffer.is_empty() && self.history.len() == 0
    }

    /// Begins a sheet on which nothing is yet.
    pub(super) fn clear(&mut self, sheet: Sheet) {
        self.sheet = sheet;
        self.history = EditHistory::default();
        self.buffer.set_text("");
        self.revision += 1;
    }

    /// Returns the text before the caret and the text after it.
    pub(super) fn around_caret(&self) -> [String; 2] {
        let caret = self.buffer.caret();
        [self.buffer.slice(0..caret), self.buffer.slice(caret..self.buffer.len())]
    }

    /// Brings the buffer where the history went.
    pub(super) fn apply(&mut self, splices: &[Splice]) {
        for Splice { range, text } in splices {
            self.buffer.splice(range.clone(), text.raw());
        }
        if let Some(Splice { range, text }) = splices.last() {
            self.buffer.set_caret(range.start + text.len());
        }
    }

    /// Notes that the buffer stands at another step.
    pub(super) fn step_changed(&mut self, unix_ms: i64) {
        self.revision += 1;
        self.sheet.current = self.history.current();
        self.sheet.updated_ms = unix_ms;
    }

    /// Notes where the caret is.
    pub(super) fn caret_moved(&mut self) {
        self.sheet.caret = self.buffer.caret() as u64;
    }

    /// Notes that something was typed.
    pub(super) fn typed(&mut self, now: Instant) {
        self.burst_due = Some(now + undo::REST);
    }

    /// Returns when what is typed next becomes a step of its own.
    pub(super) fn due(&self) -> Option<Instant> {
        self.burst_due
    }

    /// Ends the step that is typed, when nothing was typed for long enough.
    pub(super) fn tick(&mut self, now: Instant) {
        if self.burst_due.take_if(|due| *due <= now).is_some() {
            self.history.end_burst();
        }
    }

    /// Returns the generated pieces of the buffer.
    pub(super) fn spans(&self) -> &[GeneratedSpan] {
        self.history.spans()
    }

    /// Returns where a run writes, in bytes of the buffer; `None`: it writes elsewhere.
    pub(super) fn growing_end(&self, active: &ActiveRun) -> Option<usize> {
        let here = self.history.current()?;
        let shown = active.outputs.iter().any(|output| output.step == here);
        let step = self.history.step(here).filter(|_| shown)?;
        Some(step.at as usize + step.inserted.len())
    }

    /// Returns the text without what models wrote.
    pub(super) fn written(&self) -> String {
        let (mut written, mut from) = (String::new(), 0);
        for span in self.spans() {
            written.push_str(&self.buffer.slice(from..span.range.start));
            from = span.range.end;
        }
        written + &self.buffer.slice(from..self.buffer.len())
    }

    /// Returns how many bytes models wrote.
    pub(super) fn generated(&self) -> usize {
        self.spans().iter().map(|span| span.range.len()).sum()
    }

    /// Selects the generated part around the caret, then everything, then nothing.
    pub(super) fn select_next(&mut self) {
        let (all, caret) = (0..self.buffer.len(), self.buffer.caret());
        let before = caret.saturating_sub(1);
        let part = self
            .history
            .generated_part(caret)
            .or_else(|| self.history.generated_part(before))
            .or_else(|| self.history.last_generated_part());
        let next = match self.buffer.selection() {
            None => part.or(Some(all)),
            Some(selected) if selected == all => None,
            Some(_) => Some(all),
        };
        self.buffer.select(next.filter(|range| !range.is_empty()));
    }

    /// Returns the selection, else the generated part, else the whole text.
    pub(super) fn chosen(&self) -> Untrusted {
        let range =
            self.buffer.selection().or_else(|| self.history.last_generated_part()).unwrap_or(0..self.buffer.len());
        self.buffer.slice(range).into()
    }

    /// Selects the next match of some words, or the one before. Returns whether there is one.
    pub(super) fn find(&mut self, words: &str, back: bool) -> bool {
        let from = match (self.buffer.selection(), back) {
            (Some(selected), true) => selected.start,
            _ => self.buffer.caret(),
        };
        let found = self.buffer.find(words, from, back);
        if found.is_some() {
            self.buffer.select(found.clone());
        }
        found.is_some()
    }
}
