//! One message: its title, its text, its notes, and the rows they take.

use ratatui::text::Line as Styled;

use crate::text::Untrusted;
use crate::ui::markdown::{Block, Doc};
use crate::ui::wrap;

/// Rows of a finished message that are shown before it is unfolded.
pub const FOLD: usize = 2_000;
/// Columns the text stands in from the title.
pub(super) const INDENT: usize = 2;

/// A row of a block: a range of one of its lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) line: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What stands on a row of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    Title(usize),
    /// Block and row of it.
    Text(usize, Row),
    Note(usize),
    /// So many rows are folded away.
    Folded(usize),
    Blank,
}

#[derive(Clone, Debug, Default)]
struct Wrapped {
    id: u64,
    rows: Vec<Row>,
    /// Lines that were wrapped for good, and the rows they took.
    lines: usize,
    stable: usize,
    /// Bytes of the line after those that were wrapped and stay.
    held: usize,
    /// The row of the entry's text it begins at.
    at: usize,
}

/// A message in the transcript.
#[derive(Clone, Debug)]
pub struct Entry<K> {
    id: K,
    title: Vec<Styled<'static>>,
    notes: Vec<Styled<'static>>,
    doc: Doc,
    open: bool,
    width: usize,
    wrapped: Vec<Wrapped>,
    /// Whether blocks before the end may have changed.
    changed: bool,
    height: Option<usize>,
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
            width: 0,
            wrapped: Vec::new(),
            changed: true,
            height: None,
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
        (self.changed, self.height) = (true, None);
        &mut self.doc
    }

    /// More of its text.
    pub fn append(&mut self, text: impl Into<Untrusted>) {
        self.height = None;
        self.doc.push(text);
    }

    /// The text is complete.
    pub fn finish(&mut self) {
        (self.changed, self.height) = (true, None);
        self.doc.finish();
    }

    /// Replaces the lines above the text. Each has one row.
    pub fn set_title(&mut self, title: Vec<Styled<'static>>) {
        if self.title.len() != title.len() {
            self.height = None;
        }
        self.title = title;
    }

    /// Replaces the lines under the text. Each has one row.
    pub fn set_notes(&mut self, notes: Vec<Styled<'static>>) {
        self.height = None;
        self.notes = notes;
    }

    /// Shows all rows of a long message, or folds it again. Whether it is long enough to fold.
    pub fn toggle(&mut self) -> bool {
        let long = self.doc.finished() && self.text_rows() > FOLD;
        if long {
            self.height = None;
            self.open = !self.open;
        }
        long
    }

    /// Shows all rows of a long message.
    pub(super) fn unfold(&mut self) {
        (self.height, self.open) = (None, true);
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
        if let Some(height) = self.height.filter(|_| self.width == width) {
            return height;
        }
        if self.width != width {
            self.wrapped.clear();
            (self.changed, self.width) = (true, width);
        }
        let grown = self.doc.refresh();
        let blocks = self.doc.blocks();
        self.wrapped.truncate(blocks.len());
        let columns = width.saturating_sub(INDENT).max(1);
        // Text that came changes the end of the list alone.
        let from = if std::mem::take(&mut self.changed) { 0 } else { grown.min(self.wrapped.len()) };
        for (at, block) in blocks.iter().enumerate().skip(from.min(blocks.len().saturating_sub(1))) {
            let start = self.wrapped.get(at.wrapping_sub(1)).map_or(0, |before| before.at + before.rows.len() + 1);
            if self.wrapped.len() == at {
                self.wrapped.push(Wrapped::default());
            }
            let wrapped = &mut self.wrapped[at];
            wrapped.at = start;
            if wrapped.id != block.id || at + 1 == blocks.len() {
                wrap_block(block, wrapped, columns);
            }
        }
        let text = self.text_rows();
        let shown = if self.folds(text) { FOLD + 1 } else { text };
        let height = self.title.len() + shown + self.notes.len() + 1;
        self.height = Some(height);
        height
    }

    fn text_rows(&self) -> usize {
        self.wrapped.last().map_or(0, |last| last.at + last.rows.len())
    }

    fn folds(&self, rows: usize) -> bool {
        !self.open && self.doc.finished() && rows > FOLD
    }

    /// What stands on a row of a measured entry.
    pub(super) fn part(&self, row: usize) -> Part {
        let Some(row_in_text) = row.checked_sub(self.title.len()) else { return Part::Title(row) };
        let text = self.text_rows();
        let folds = self.folds(text);
        let shown = if folds { FOLD } else { text };
        if row_in_text < shown {
            let at = self.wrapped.partition_point(|block| block.at <= row_in_text).saturating_sub(1);
            let found = self.wrapped.get(at).and_then(|block| block.rows.get(row_in_text - block.at));
            return found.map_or(Part::Blank, |row| Part::Text(at, *row));
        }
        let after = row_in_text - shown;
        match (folds, after) {
            (true, 0) => Part::Folded(text - FOLD),
            _ if after - usize::from(folds) < self.notes.len() => Part::Note(after - usize::from(folds)),
            _ => Part::Blank,
        }
    }

    /// The row a block's line begins at.
    pub(super) fn row_of(&self, block: usize, line: usize, byte: usize) -> Option<usize> {
        let wrapped = self.wrapped.get(block)?;
        let row = wrapped.rows.iter().position(|row| row.line == line && (byte < row.end || row.start == row.end))?;
        let row = wrapped.at + row;
        (!self.folds(self.text_rows()) || row < FOLD).then_some(row + self.title.len())
    }

    /// Columns for its text.
    pub(super) fn columns(&self) -> usize {
        self.width.saturating_sub(INDENT).max(1)
    }
}

fn wrap_block(block: &Block, wrapped: &mut Wrapped, width: usize) {
    let lines = block.lines(width);
    if wrapped.id != block.id {
        *wrapped = Wrapped { id: block.id, at: wrapped.at, ..Wrapped::default() };
    }
    let mut from = wrapped.resume(wrapped.lines < lines.len());
    for (at, line) in lines.iter().enumerate().skip(wrapped.lines) {
        // The widest prefix decides, so that all rows of a line end in the same column.
        let columns = width.saturating_sub(wrap::width(&line.hang)).max(1);
        let start = std::mem::take(&mut from);
        if line.shape == crate::ui::markdown::Shape::Text {
            wrap::rows(&line.text[start..], columns, |range| {
                wrapped.rows.push(Row { line: at, start: start + range.start, end: start + range.end });
            });
        } else {
            wrapped.rows.push(Row { line: at, start: 0, end: line.text.len() });
        }
        if at + 1 == block.stable {
            wrapped.stable = wrapped.rows.len();
            wrapped.lines = block.stable;
        }
    }
    wrapped.held = block.held;
}

impl Wrapped {
    /// Drops the rows that may change; where in its line the next one begins. A row stays once the one after it has
    /// its end: where a row ends is decided by what comes next, and by nothing before it.
    fn resume(&mut self, any: bool) -> usize {
        let rows = &self.rows[self.stable..];
        let whole = if any { rows.partition_point(|row| row.end <= self.held) } else { 0 };
        let kept = self.stable + whole.saturating_sub(1);
        let from = self.rows.get(kept).map_or(0, |row| row.start);
        self.rows.truncate(kept);
        if whole > 0 { from } else { 0 }
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
