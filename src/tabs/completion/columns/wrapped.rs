//! A text in rows of a width. What is appended to it is wrapped from its last line on; nothing before is looked at again.

use std::borrow::Cow;
use std::ops::Range;

use crate::text::{self, Untrusted};
use crate::ui::wrap;

/// One row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    /// Its line, in bytes of the text.
    pub(super) line: Range<usize>,
    /// Its part, in bytes of the line as it is shown.
    pub(super) part: Range<usize>,
}

/// The rows of a text as it last was.
#[derive(Debug, Default)]
pub(super) struct Wrapped {
    width: usize,
    seen: String,
    rows: Vec<Row>,
    /// Bytes wrapped so far, of all changes.
    #[cfg(test)]
    pub(super) work: usize,
}

impl Wrapped {
    /// Takes in the text as it is now.
    pub(super) fn update(&mut self, text: &Untrusted, width: usize) {
        let whole = text.raw();
        let same = self.width == width && whole.as_bytes().starts_with(self.seen.as_bytes());
        if same && whole.len() == self.seen.len() && !self.rows.is_empty() {
            return;
        }
        let from = if same { self.seen.rfind('\n').map_or(0, |at| at + 1) } else { 0 };
        let kept = self.rows.partition_point(|row| row.line.start < from);
        self.rows.truncate(kept);
        let mut start = from;
        for line in whole[from..].split('\n') {
            let range = start..start + line.len();
            start = range.end + 1;
            wrap::rows(&text::screen(line), width, |part| self.rows.push(Row { line: range.clone(), part }));
        }
        #[cfg(test)]
        {
            self.work += whole.len() - from;
        }
        self.width = width;
        if same {
            self.seen.push_str(&whole[self.seen.len()..]);
        } else {
            whole.clone_into(&mut self.seen);
        }
    }

    /// How many rows it has, at least one.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Calls `draw` with the rows from `top` on, as they are shown, until it has had `most`.
    pub(super) fn visible(&self, top: usize, most: usize, mut draw: impl FnMut(usize, &Row, &str)) {
        let mut line: Option<(usize, Cow<str>)> = None;
        for (nth, row) in self.rows.iter().skip(top).take(most).enumerate() {
            if line.as_ref().is_none_or(|(start, _)| *start != row.line.start) {
                line = Some((row.line.start, text::screen(&self.seen[row.line.clone()])));
            }
            if let Some((_, line)) = &line {
                draw(nth, row, &line[row.part.clone()]);
            }
        }
    }

    /// Where a byte of the text stands in its line as it is shown, and the start of that line.
    pub(super) fn place(&self, at: usize) -> (usize, usize) {
        let row = self.rows.partition_point(|row| row.line.start <= at).saturating_sub(1);
        let start = self.rows.get(row).map_or(0, |row| row.line.start);
        let before = self.seen.get(start..at).unwrap_or_default();
        (start, text::screen(before).len())
    }

    /// The row a byte of the text stands in.
    pub(super) fn row_of(&self, at: usize) -> usize {
        let (start, place) = self.place(at);
        let before = |row: &Row| row.line.start < start || (row.line.start == start && row.part.start <= place);
        self.rows.partition_point(before).saturating_sub(1)
    }

    /// The text the rows are of.
    pub(super) fn text(&self) -> &str {
        &self.seen
    }
}
