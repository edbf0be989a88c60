//! All cells of a square at once, in blocks.

use super::HeatCell;

/// The highest cell of each block. Computed once for each change of the cells and of its size, as it reads all of them.
#[derive(Clone, Debug)]
pub(super) struct Overview {
    /// Version and number of rows that it was computed from.
    of: (u64, usize),
    /// Rows and columns of a block.
    pub(super) block: (usize, usize),
    /// Rows and columns of blocks.
    pub(super) blocks: (usize, usize),
    cells: Vec<HeatCell>,
}

impl Overview {
    /// Computes the overview of `size` rows in at most `rows` × `columns` blocks (each at least 1).
    pub(super) fn new(
        version: u64,
        size: usize,
        rows: usize,
        columns: usize,
        cell: impl Fn(usize, usize) -> HeatCell,
    ) -> Self {
        let block = block(size, rows, columns);
        let blocks = (size.div_ceil(block.0), size.div_ceil(block.1));
        let mut cells = vec![HeatCell::Missing; blocks.0 * blocks.1];
        for row in 0..size {
            let line = &mut cells[row / block.0 * blocks.1..][..blocks.1];
            for (first, kept) in (0..size).step_by(block.1).zip(line) {
                for column in first..(first + block.1).min(size) {
                    // Each row equals itself: that would hide what is of interest.
                    if row != column || block == (1, 1) {
                        *kept = higher(*kept, cell(row, column));
                    }
                }
            }
        }
        Self { of: (version, size), block, blocks, cells }
    }

    /// Returns whether it is still valid.
    pub(super) fn holds(&self, version: u64, size: usize, rows: usize, columns: usize) -> bool {
        self.of == (version, size) && self.block == block(size, rows, columns)
    }

    /// Returns a block's cell by its place.
    pub(super) fn cell(&self, row: usize, column: usize) -> HeatCell {
        self.cells.get(row * self.blocks.1 + column).copied().unwrap_or(HeatCell::Missing)
    }
}

/// Returns rows and columns of a block.
fn block(size: usize, rows: usize, columns: usize) -> (usize, usize) {
    (size.div_ceil(rows.max(1)).max(1), size.div_ceil(columns.max(1)).max(1))
}

/// Returns the higher number of two cells; a known number takes precedence over a pending one, and that over a missing
/// one.
fn higher(a: HeatCell, b: HeatCell) -> HeatCell {
    match (a, b) {
        (HeatCell::Known(number), HeatCell::Known(other)) => HeatCell::Known(number.max(other)),
        (HeatCell::Known(_), _) | (HeatCell::Waiting, HeatCell::Missing) => a,
        _ => b,
    }
}
