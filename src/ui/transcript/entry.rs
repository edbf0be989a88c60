//! One message: its title, its text, its notes, and the rows they take.

use std::ops::Range;

use ratatui::text::Line as Styled;

use super::rows::{BlockRow, Wrapped, wrap_block};
use crate::text::Untrusted;
use crate::ui::markdown::{Block, Doc};

/// Rows of a finished message that are shown before it is unfolded.
pub const FOLD: usize = 2_000;
/// Columns the text stands in from the title.
pub(super) const INDENT: usize = 2;

/// What stands on a row of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) enum EntryRow {
    Title(usize),
    /// Block and row of it.
    Text(usize, BlockRow),
    Note(usize),
    /// So many rows are folded away.
    Folded(usize),
    Blank,
}

/// Whether the rows of a message are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrapping {
    /// They are not.
    Asleep,
    /// Blocks before the end may have changed since.
    Outdated,
    /// They are those of the text, but for what was appended.
    Current,
}

/// A message in the transcript. What is not looked at keeps its text and its height, and nothing that is made of them.
#[derive(Clone, Debug)]
pub struct Entry<K> {
    id: K,
    title: Vec<Styled<'static>>,
    notes: Vec<Styled<'static>>,
    doc: Doc,
    open: bool,
    /// Whether its text stands aside, as something else than what is said.
    aside: bool,
    width: usize,
    wrapped: Vec<Wrapped>,
    height: Option<usize>,
    /// Rows of its text, folded or not, as of the last time it was wrapped.
    rows: usize,
    state: Wrapping,
    /// Pieces of a long text whose lines are here.
    pieces: Vec<usize>,
}

impl<K: Copy + Eq + Ord> Entry<K> {
    /// A message whose text is complete.
    pub fn new(id: K, title: Styled<'static>, text: impl Into<Untrusted>) -> Self {
        Self::of(id, title, Doc::whole(text))
    }

    /// A message whose text is still coming.
    pub fn streaming(id: K, title: Styled<'static>) -> Self {
        // Whoever watched it come wants to go on seeing its end.
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
            aside: false,
            width: 0,
            wrapped: Vec::new(),
            height: None,
            rows: 0,
            state: Wrapping::Asleep,
            pieces: Vec::new(),
        }
    }

    /// Who it is.
    pub fn id(&self) -> K {
        self.id
    }

    /// Its text.
    pub fn doc(&self) -> &Doc {
        &self.doc
    }

    /// Its text, to colour it or to show its source. Rows are wrapped again.
    pub fn doc_mut(&mut self) -> &mut Doc {
        self.outdate();
        &mut self.doc
    }

    /// Has all rows wrapped again.
    fn outdate(&mut self) {
        self.height = None;
        if self.state == Wrapping::Current {
            self.state = Wrapping::Outdated;
        }
    }

    /// More of its text.
    pub fn append(&mut self, text: impl Into<Untrusted>) {
        self.height = None;
        self.doc.push(text);
    }

    /// The text is complete.
    pub fn finish(&mut self) {
        self.outdate();
        self.doc.finish();
    }

    /// Shows its text muted and behind a bar, as something else than what is said.
    pub fn set_aside(&mut self) {
        self.aside = true;
    }

    pub(super) fn is_aside(&self) -> bool {
        self.aside
    }

    /// The text, kept once: what is given is equal to it.
    pub fn share(&mut self, text: &Untrusted) {
        self.doc.share(text);
    }

    /// Replaces the lines above the text. Each has one row.
    pub fn set_title(&mut self, title: Vec<Styled<'static>>) {
        self.title = title;
        self.height = self.height.map(|_| self.height_of());
    }

    /// Replaces the lines under the text. Each has one row.
    pub fn set_notes(&mut self, notes: Vec<Styled<'static>>) {
        self.notes = notes;
        self.height = self.height.map(|_| self.height_of());
    }

    /// Shows all rows of a long message, or folds it again. Whether it is long enough to fold.
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

    /// Rows it takes, or about so many where nobody has looked yet.
    pub(super) fn guess(&self, width: usize) -> usize {
        match self.height {
            Some(height) if self.width == width => height,
            _ => self.title.len() + self.notes.len() + 2 + self.doc.source().len() / width.max(1),
        }
    }

    /// Rows it takes at `width` columns, the blank row after it included. Wraps what changed.
    pub(super) fn measure(&mut self, width: usize) -> usize {
        match self.height.filter(|_| self.width == width) {
            Some(height) => height,
            None => self.wrap(width),
        }
    }

    /// Wraps it, so that its rows can be looked at.
    pub(super) fn wake(&mut self, width: usize) {
        if self.state == Wrapping::Asleep || self.width != width || self.height.is_none() {
            self.wrap(width);
        }
    }

    /// The width it was last wrapped at.
    #[cfg(test)]
    pub(super) fn wrapped_at(&self) -> usize {
        self.width
    }

    pub(super) fn is_awake(&self) -> bool {
        self.state != Wrapping::Asleep
    }

    /// Drops what was made of its text, if that can be made again. Whether it did.
    pub(super) fn sleep(&mut self) -> bool {
        if !self.doc.finished() {
            return false;
        }
        if self.is_awake() {
            self.doc.sleep();
            (self.wrapped, self.pieces) = (Vec::new(), Vec::new());
            self.state = Wrapping::Asleep;
        }
        true
    }

    /// Drops the lines of what is in none of these rows, of a long text.
    pub(super) fn rest(&mut self, rows: Range<usize>) {
        let last = self.wrapped.len().saturating_sub(1);
        let (title, doc, wrapped) = (self.title.len(), &mut self.doc, &mut self.wrapped);
        let finished = doc.finished();
        self.pieces.retain(|at| {
            let piece = &mut wrapped[*at];
            let seen = piece.at + title < rows.end && rows.start < piece.at + piece.height + title;
            let keep = seen || *at == last && !finished;
            if !keep {
                doc.rest(*at);
                piece.rows = Vec::new();
            }
            keep
        });
    }

    /// Wraps what changed; the rows it takes.
    fn wrap(&mut self, width: usize) -> usize {
        if self.width != width {
            (self.wrapped, self.pieces) = (Vec::new(), Vec::new());
            (self.state, self.width) = (Wrapping::Outdated, width);
        }
        let grown = self.doc.refresh();
        let count = self.doc.blocks().len();
        self.wrapped.truncate(count);
        self.pieces.retain(|at| *at < grown.min(count));
        let columns = self.columns();
        // Text that came changes the end of the list alone.
        let was = std::mem::replace(&mut self.state, Wrapping::Current);
        let from = if was == Wrapping::Current { grown.min(self.wrapped.len()) } else { 0 };
        for at in from.min(count.saturating_sub(1))..count {
            let joined = at > 0 && self.doc.blocks()[at].piece && self.doc.blocks()[at - 1].piece;
            let before = at.checked_sub(1).and_then(|before| self.wrapped.get(before));
            let start = before.map_or(0, |before| before.at + before.height + usize::from(!joined));
            if self.wrapped.len() == at {
                self.wrapped.push(Wrapped::default());
            }
            self.wrapped[at].at = start;
            if self.wrapped[at].id != self.doc.blocks()[at].id || at + 1 == count {
                self.doc.wake(at, columns);
                wrap_block(&self.doc.blocks()[at], &mut self.wrapped[at], columns);
                // Of a piece only the height is needed until somebody looks at it.
                if self.doc.blocks()[at].piece {
                    self.doc.rest(at);
                    self.wrapped[at].rows = Vec::new();
                }
            }
        }
        self.rows = self.wrapped.last().map_or(0, |last| last.at + last.height);
        let height = self.height_of();
        self.height = Some(height);
        height
    }

    fn height_of(&self) -> usize {
        let shown = if self.folds(self.rows) { FOLD + 1 } else { self.rows };
        self.title.len() + shown + self.notes.len() + 1
    }

    /// Makes the rows of a block that is to be looked at.
    pub(super) fn wake_block(&mut self, at: usize) {
        let Some(wrapped) = self.wrapped.get_mut(at).filter(|wrapped| wrapped.rows.is_empty()) else { return };
        if self.doc.blocks().get(at).is_some_and(|block| block.piece) {
            let columns = self.width.saturating_sub(INDENT).max(1);
            self.doc.wake(at, columns);
            wrap_block(&self.doc.blocks()[at], wrapped, columns);
            self.pieces.push(at);
        }
    }

    fn folds(&self, rows: usize) -> bool {
        !self.open && self.doc.finished() && rows > FOLD
    }

    /// What stands on a row of a measured entry.
    pub(super) fn part(&mut self, row: usize) -> EntryRow {
        let Some(row_in_text) = row.checked_sub(self.title.len()) else { return EntryRow::Title(row) };
        let folds = self.folds(self.rows);
        let shown = if folds { FOLD } else { self.rows };
        if row_in_text < shown {
            self.wake(self.width);
            let at = self.wrapped.partition_point(|block| block.at <= row_in_text).saturating_sub(1);
            self.wake_block(at);
            let found = self.wrapped.get(at).and_then(|block| block.rows.get(row_in_text - block.at));
            return found.map_or(EntryRow::Blank, |row| EntryRow::Text(at, *row));
        }
        let after = row_in_text - shown;
        match (folds, after) {
            (true, 0) => EntryRow::Folded(self.rows - FOLD),
            _ if after - usize::from(folds) < self.notes.len() => EntryRow::Note(after - usize::from(folds)),
            _ => EntryRow::Blank,
        }
    }

    /// The row a block's line begins at.
    pub(super) fn row_of(&mut self, block: usize, line: usize, byte: usize) -> Option<usize> {
        self.wake(self.width);
        self.wake_block(block);
        let wrapped = self.wrapped.get(block)?;
        let row = wrapped.rows.iter().position(|row| row.line == line && (byte < row.end || row.start == row.end))?;
        let row = wrapped.at + row;
        (!self.folds(self.rows) || row < FOLD).then_some(row + self.title.len())
    }

    /// Columns for its text.
    pub(super) fn columns(&self) -> usize {
        self.width.saturating_sub(INDENT).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            pieces in proptest::collection::vec(prop::sample::select(vec![
                "a", "word ", "longer-word", "\t", "日本語", "\u{301}", "❤", "\u{fe0e}", "\u{fe0f}", "👩", "\u{200d}",
                "\n", "\n\n", "`", "```", "\n```\n", "      ", "🇵", "- ", "*b*",
            ]), 0..80),
        ) {
            let mut grown = Entry::streaming(0, Styled::default());
            let mut source = String::new();
            for piece in std::iter::once(open).chain(pieces) {
                source.push_str(piece);
                grown.append(piece);
                let height = grown.measure(width);
                let mut fresh = Entry::streaming(0, Styled::default());
                fresh.append(source.as_str());
                prop_assert_eq!(fresh.measure(width), height);
                prop_assert_eq!(rows(&grown), rows(&fresh));
            }
        }
    }
}
