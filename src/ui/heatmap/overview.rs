//! All cells of a square at once, in blocks.

use super::Cell;

/// The highest cell of each block. Made once for each change of the cells and of the place it has: it looks at all of them.
#[derive(Clone, Debug)]
pub(super) struct Overview {
    /// What it was made of: version, rows in all.
    of: (u64, usize),
    /// Rows and columns of a block.
    pub(super) block: (usize, usize),
    /// Rows and columns of blocks.
    pub(super) blocks: (usize, usize),
    cells: Vec<Cell>,
}

impl Overview {
    /// Of `size` rows in at most `rows` × `columns` blocks (each at least 1).
    pub(super) fn new(
        version: u64,
        size: usize,
        rows: usize,
        columns: usize,
        cell: impl Fn(usize, usize) -> Cell,
    ) -> Self {
        let block = (size.div_ceil(rows.max(1)).max(1), size.div_ceil(columns.max(1)).max(1));
        let blocks = (size.div_ceil(block.0), size.div_ceil(block.1));
        let mut cells = vec![Cell::Missing; blocks.0 * blocks.1];
        for row in 0..size {
            let line = &mut cells[row / block.0 * blocks.1..][..blocks.1];
            for (first, kept) in (0..size).step_by(block.1).zip(line) {
                for column in first..(first + block.1).min(size) {
                    // Each row is like itself: that says nothing, and would hide what does.
                    if row != column || block == (1, 1) {
                        *kept = higher(*kept, cell(row, column));
                    }
                }
            }
        }
        Self { of: (version, size), block, blocks, cells }
    }

    /// Whether it still is what would be made.
    pub(super) fn holds(&self, version: u64, size: usize, rows: usize, columns: usize) -> bool {
        let block = (size.div_ceil(rows.max(1)).max(1), size.div_ceil(columns.max(1)).max(1));
        self.of == (version, size) && self.block == block
    }

    /// A block's cell by its place.
    pub(super) fn cell(&self, row: usize, column: usize) -> Cell {
        self.cells.get(row * self.blocks.1 + column).copied().unwrap_or(Cell::Missing)
    }
}

/// The higher number of two cells; what is known goes before what is waited for, and that before what is not there.
fn higher(a: Cell, b: Cell) -> Cell {
    match (a, b) {
        (Cell::Known(number), Cell::Known(other)) => Cell::Known(number.max(other)),
        (Cell::Known(_), _) | (Cell::Waiting, Cell::Missing) => a,
        _ => b,
    }
}
