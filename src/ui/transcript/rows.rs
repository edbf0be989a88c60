//! The rows of a block at a width; of one that grows only the last ones are wrapped again.

use crate::ui::markdown::{Block, Shape};
use crate::ui::wrap;

/// A row of a block: a range of one of its lines.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockRow {
    pub(super) line: usize,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The rows of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Wrapped {
    pub(super) id: u64,
    /// None for a piece of a long text that is not in use.
    pub(super) rows: Vec<BlockRow>,
    /// Number of rows.
    pub(super) height: usize,
    /// Lines whose wrapping is final, and their rows.
    lines: usize,
    stable: usize,
    /// Bytes of the next line whose wrapping is final.
    held: usize,
    /// The row of the entry's text at which it begins.
    pub(super) at: usize,
}

/// Wraps the lines of a block from the first row that may have changed.
pub(super) fn wrap_block(block: &Block, wrapped: &mut Wrapped, width: usize) {
    let lines = &block.lines;
    if wrapped.id != block.id {
        *wrapped = Wrapped { id: block.id, at: wrapped.at, ..Wrapped::default() };
    }
    let mut from = wrapped.resume(wrapped.lines < lines.len());
    for (at, line) in lines.iter().enumerate().skip(wrapped.lines) {
        // The widest prefix decides, so that all rows of a line end in the same column.
        let columns = width.saturating_sub(wrap::width(&line.hang)).max(1);
        let start = std::mem::take(&mut from);
        if line.shape == Shape::Text {
            wrap::rows(&line.text[start..], columns, |range| {
                wrapped.rows.push(BlockRow { line: at, start: start + range.start, end: start + range.end });
            });
        } else {
            wrapped.rows.push(BlockRow { line: at, start: 0, end: line.text.len() });
        }
        if at + 1 == block.stable {
            wrapped.stable = wrapped.rows.len();
            wrapped.lines = block.stable;
        }
    }
    wrapped.held = block.held;
    wrapped.height = wrapped.rows.len();
}

impl Wrapped {
    /// Drops the rows that may change; returns where in its line the next one begins. A row is final once the one after
    /// it has ended: where a row ends depends on what comes next, and on nothing before it.
    fn resume(&mut self, any: bool) -> usize {
        let rows = &self.rows[self.stable..];
        let whole = if any { rows.partition_point(|row| row.end <= self.held) } else { 0 };
        let kept = self.stable + whole.saturating_sub(1);
        let from = self.rows.get(kept).map_or(0, |row| row.start);
        self.rows.truncate(kept);
        if whole > 0 { from } else { 0 }
    }
}
