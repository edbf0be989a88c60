//! One message: its title, its text, its notes, and the rows they take.

use std::ops::Range;

use ratatui::text::Line as Styled;

use super::look::{EntryLook, Fit};
use super::rows::{BlockRow, Wrapped, wrap_block};
use crate::text::Untrusted;
use crate::ui::markdown::{Block, Doc};

/// Rows of a finished message that are shown before it is unfolded.
pub const FOLD: usize = 2_000;
/// The contents of a row of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) enum EntryRow {
    Title(usize),
    /// Block and row of it.
    Text(usize, BlockRow),
    Note(usize),
    /// This many rows are folded.
    Folded(usize),
    /// The blank row of a panel below a listing.
    CodeEnd,
    /// A blank row of the entry's own panel.
    Pad,
    Blank,
}

/// A row in view.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShownRow {
    /// The entry.
    pub(super) at: usize,
    pub(super) part: EntryRow,
    /// Whether it is the entry's first one after the title.
    pub(super) is_first: bool,
}

/// Whether the rows of a message are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrapping {
    /// It is not wrapped.
    Dropped,
    /// Blocks before the end may have changed since it was wrapped.
    Outdated,
    /// The rows are up to date, except for appended text.
    Current,
}

/// A message in the transcript. One that is not visible keeps only its text and its height.
#[derive(Clone, Debug)]
pub struct Entry<K> {
    id: K,
    pub(super) title: Vec<Styled<'static>>,
    pub(super) notes: Vec<Styled<'static>>,
    pub(super) doc: Doc,
    open: bool,
    pub(super) look: EntryLook,
    pub(super) fit: Fit,
    /// The columns at which its rows were wrapped.
    columns: usize,
    pub(super) wrapped: Vec<Wrapped>,
    height: Option<usize>,
    /// Number of rows of its text, folded or not, when it was last wrapped.
    pub(super) rows: usize,
    state: Wrapping,
    /// Pieces of a long text whose lines are in memory.
    pieces: Vec<usize>,
}

impl<K: Copy + Eq + Ord> Entry<K> {
    /// Creates a message whose text is complete.
    pub fn new(id: K, title: Styled<'static>, text: impl Into<Untrusted>) -> Self {
        Self::of(id, title, Doc::whole(text))
    }

    /// Creates a message whose text is still arriving.
    pub fn streaming(id: K, title: Styled<'static>) -> Self {
        // A user who watched it arrive wants to go on seeing its end.
        Self { open: true, ..Self::of(id, title, Doc::default()) }
    }

    fn of(id: K, title: Styled<'static>, doc: Doc) -> Self {
        let title = vec![title];
        Self {
            id,
            title,
            notes: Vec::new(),
            doc,
            open: false,
            look: EntryLook::default(),
            fit: Fit::default(),
            columns: 0,
            wrapped: Vec::new(),
            height: None,
            rows: 0,
            state: Wrapping::Dropped,
            pieces: Vec::new(),
        }
    }

    /// Returns its id.
    pub fn id(&self) -> K {
        self.id
    }

    /// Returns its text.
    pub fn doc(&self) -> &Doc {
        &self.doc
    }

    /// Returns its text, to colour it or to show its source. Rows are wrapped again.
    pub fn doc_mut(&mut self) -> &mut Doc {
        self.outdate();
        &mut self.doc
    }

    /// Marks all rows to be wrapped again.
    fn outdate(&mut self) {
        self.height = None;
        if self.state == Wrapping::Current {
            self.state = Wrapping::Outdated;
        }
    }

    /// Appends to its text.
    pub fn append(&mut self, text: impl Into<Untrusted>) {
        self.height = None;
        self.doc.push(text);
    }

    /// Marks its text as complete.
    pub fn finish(&mut self) {
        self.outdate();
        self.doc.finish();
    }

    /// Shares the memory of `text` if it equals its text.
    pub fn share(&mut self, text: &Untrusted) {
        self.doc.share(text);
    }

    /// Replaces the lines above the text, a row each.
    pub fn set_title(&mut self, title: Vec<Styled<'static>>) {
        self.title = title;
        if self.columns() == self.columns {
            self.height = self.height.map(|_| self.height_of());
        } else {
            self.outdate();
        }
    }

    /// Replaces the lines below the text, a row each.
    pub fn set_notes(&mut self, notes: Vec<Styled<'static>>) {
        self.notes = notes;
        self.height = self.height.map(|_| self.height_of());
    }

    /// Shows all rows of a long message, or folds it again. Returns whether it is long enough to fold.
    pub fn toggle(&mut self) -> bool {
        let long = self.doc.finished() && self.rows > FOLD;
        if long {
            self.open = !self.open;
            self.height = Some(self.height_of());
        }
        long
    }

    /// Shows all rows of a long message.
    pub(super) fn unfold(&mut self) {
        self.open = true;
        self.height = self.height.map(|_| self.height_of());
    }

    pub(super) fn title(&self, at: usize) -> Option<&Styled<'static>> {
        self.title.get(at)
    }

    pub(super) fn note(&self, at: usize) -> Option<&Styled<'static>> {
        self.notes.get(at)
    }

    pub(super) fn block(&self, at: usize) -> Option<&Block> {
        self.doc.blocks().get(at)
    }

    /// Returns the rows it takes, estimated if it was not measured yet.
    pub(super) fn guess(&self, fit: Fit) -> usize {
        match self.height {
            Some(height) if self.fit == fit => height,
            _ => self.title.len() + self.notes.len() + 2 + self.doc.source().len() / fit.width.max(1),
        }
    }

    /// Returns the rows it takes, including the blank row after it. Wraps what changed.
    pub(super) fn measure(&mut self, fit: Fit) -> usize {
        match self.height.filter(|_| self.fit == fit) {
            Some(height) => height,
            None => self.wrap(fit),
        }
    }

    /// Wraps it unless it is, so that its rows can be queried.
    pub(super) fn ensure_wrapped(&mut self, fit: Fit) {
        if self.state == Wrapping::Dropped || self.fit != fit || self.height.is_none() {
            self.wrap(fit);
        }
    }

    /// Returns the width at which it was last wrapped.
    #[cfg(test)]
    pub(super) fn wrapped_at(&self) -> usize {
        self.fit.width
    }

    pub(super) fn is_wrapped(&self) -> bool {
        self.state != Wrapping::Dropped
    }

    /// Drops what was built from its text, if that can be built again. Returns whether it did.
    pub(super) fn drop_layout(&mut self) -> bool {
        if !self.doc.finished() {
            return false;
        }
        if self.is_wrapped() {
            self.doc.drop_layout();
            (self.wrapped, self.pieces) = (Vec::new(), Vec::new());
            self.state = Wrapping::Dropped;
        }
        true
    }

    /// Drops the lines of a long text outside of these rows.
    pub(super) fn drop_offscreen(&mut self, rows: Range<usize>) {
        let last = self.wrapped.len().saturating_sub(1);
        let (head, doc, wrapped) = (self.head(), &mut self.doc, &mut self.wrapped);
        let finished = doc.finished();
        self.pieces.retain(|at| {
            let piece = &mut wrapped[*at];
            let seen = piece.at + head < rows.end && rows.start < piece.at + piece.height + head;
            let keep = seen || *at == last && !finished;
            if !keep {
                doc.drop_block_rows(*at);
                piece.rows = Vec::new();
            }
            keep
        });
    }

    /// Wraps what changed; returns the rows it takes.
    fn wrap(&mut self, fit: Fit) -> usize {
        if self.fit != fit {
            (self.state, self.fit) = (Wrapping::Outdated, fit);
        }
        let columns = self.columns();
        if self.columns != columns {
            (self.wrapped, self.pieces) = (Vec::new(), Vec::new());
            (self.state, self.columns) = (Wrapping::Outdated, columns);
        }
        let grown = self.doc.refresh();
        let count = self.doc.blocks().len();
        self.wrapped.truncate(count);
        self.pieces.retain(|at| *at < grown.min(count));
        // New text only changes the end of the list.
        let was = std::mem::replace(&mut self.state, Wrapping::Current);
        let from = if was == Wrapping::Current { grown.min(self.wrapped.len()) } else { 0 };
        for at in from.min(count.saturating_sub(1))..count {
            let joined = at > 0 && self.doc.blocks()[at].piece && self.doc.blocks()[at - 1].piece;
            let start = at.checked_sub(1).map_or(0, |before| self.end_of(before) + usize::from(!joined));
            if self.wrapped.len() == at {
                self.wrapped.push(Wrapped::default());
            }
            self.wrapped[at].at = start;
            if self.wrapped[at].id != self.doc.blocks()[at].id || at + 1 == count {
                self.doc.wrap_block(at, columns);
                wrap_block(&self.doc.blocks()[at], &mut self.wrapped[at], columns);
                // Of a piece only the height is needed until it is visible.
                if self.doc.blocks()[at].piece {
                    self.doc.drop_block_rows(at);
                    self.wrapped[at].rows = Vec::new();
                }
            }
        }
        self.rows = count.checked_sub(1).map_or(0, |last| self.end_of(last));
        if self.side_note().is_some() {
            self.rows = self.rows.max(1);
        }
        let height = self.height_of();
        self.height = Some(height);
        height
    }

    /// Builds the rows of a block that becomes visible.
    pub(super) fn wake_block(&mut self, at: usize) {
        let Some(wrapped) = self.wrapped.get_mut(at).filter(|wrapped| wrapped.rows.is_empty()) else { return };
        if self.doc.blocks().get(at).is_some_and(|block| block.piece) {
            self.doc.wrap_block(at, self.columns);
            wrap_block(&self.doc.blocks()[at], wrapped, self.columns);
            self.pieces.push(at);
        }
    }

    pub(super) fn folds(&self, rows: usize) -> bool {
        !self.open && self.doc.finished() && rows > FOLD
    }

    /// Returns the contents of a row of a measured entry.
    pub(super) fn part(&mut self, row: usize) -> EntryRow {
        let blank = if self.is_on_panel() { EntryRow::Pad } else { EntryRow::Blank };
        let Some(row_in_text) = row.checked_sub(self.head()) else {
            return if self.side_note().is_some() { blank } else { EntryRow::Title(row) };
        };
        let folds = self.folds(self.rows);
        let shown = if folds { FOLD } else { self.rows };
        if row_in_text < shown {
            self.ensure_wrapped(self.fit);
            let at = self.wrapped.partition_point(|block| block.at <= row_in_text).saturating_sub(1);
            self.wake_block(at);
            let found = self.wrapped.get(at).and_then(|block| block.rows.get(row_in_text - block.at));
            return match found {
                Some(row) => EntryRow::Text(at, *row),
                None if self.is_listing(at) && row_in_text + 1 == self.end_of(at) => EntryRow::CodeEnd,
                None => blank,
            };
        }
        let after = row_in_text - shown;
        match (folds, after) {
            (true, 0) => EntryRow::Folded(self.rows - FOLD),
            _ if after - usize::from(folds) < self.notes.len() => EntryRow::Note(after - usize::from(folds)),
            _ if row + 1 < self.height_of() => blank,
            _ => EntryRow::Blank,
        }
    }

    /// Returns the row at which a block's line begins.
    pub(super) fn row_of(&mut self, block: usize, line: usize, byte: usize) -> Option<usize> {
        self.ensure_wrapped(self.fit);
        self.wake_block(block);
        let wrapped = self.wrapped.get(block)?;
        let row = wrapped.rows.iter().position(|row| row.line == line && (byte < row.end || row.start == row.end))?;
        let row = wrapped.at + row;
        (!self.folds(self.rows) || row < FOLD).then_some(row + self.head())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::pane::Spacing;
    use proptest::prelude::*;

    fn rows(entry: &Entry<u8>) -> Vec<(usize, usize, usize, usize)> {
        let all = entry.wrapped.iter().enumerate();
        all.flat_map(|(at, block)| block.rows.iter().map(move |row| (at, row.line, row.start, row.end))).collect()
    }

    proptest! {
        #[test]
        fn rows_in_pieces_are_the_same_as_at_once(
            open in prop::sample::select(vec!["", "```\n", "- "]),
            width in 4_usize..30,
            spacing in prop::sample::select(vec![Spacing::Lines, Spacing::Compact, Spacing::Roomy]),
            pieces in proptest::collection::vec(prop::sample::select(vec![
                "a", "word ", "longer-word", "\t", "日本語", "\u{301}", "❤", "\u{fe0e}", "\u{fe0f}", "👩", "\u{200d}",
                "\n", "\n\n", "`", "```", "\n```\n", "      ", "🇵", "- ", "*b*",
            ]), 0..80),
        ) {
            let fit = Fit { width, spacing };
            let mut grown = Entry::streaming(0, Styled::default());
            let mut source = String::new();
            for piece in std::iter::once(open).chain(pieces) {
                source.push_str(piece);
                grown.append(piece);
                let height = grown.measure(fit);
                let mut fresh = Entry::streaming(0, Styled::default());
                fresh.append(source.as_str());
                prop_assert_eq!(fresh.measure(fit), height);
                prop_assert_eq!(rows(&grown), rows(&fresh));
            }
        }
    }
}
