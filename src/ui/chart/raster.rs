//! Dots, 2 × 4 a cell.

/// The bits of braille by column and row of dots.
const BITS: [[u8; 4]; 2] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// Returns the bits of both dots of a row of a cell.
pub(super) fn across(row: u16) -> u8 {
    let row = usize::from(row % 4);
    BITS[0][row] | BITS[1][row]
}

/// A matrix of dots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Raster {
    /// Cells.
    width: usize,
    height: usize,
    cells: Vec<u8>,
}

impl Raster {
    /// Creates an empty matrix of so many cells.
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self { width, height, cells: vec![0; width * height] }
    }

    /// Returns the numbers of dots across and down.
    pub(super) fn dots(&self) -> (usize, usize) {
        (self.width * 2, self.height * 4)
    }

    /// Sets the dots of a column from one row to another, in either order; those outside are ignored.
    pub(super) fn mark(&mut self, column: usize, from: f64, to: f64) {
        let rows = (self.height * 4) as f64;
        let (from, to) = (from.min(to).round(), from.max(to).round());
        if column >= self.width * 2 || !(to >= 0.0 && from < rows) {
            return;
        }
        for row in from.max(0.0) as usize..=to.min(rows - 1.0) as usize {
            self.cells[row / 4 * self.width + column / 2] |= BITS[column % 2][row % 4];
        }
    }

    /// Returns whether a dot is set.
    pub(super) fn is_set(&self, column: usize, row: usize) -> bool {
        self.cells[row / 4 * self.width + column / 2] & BITS[column % 2][row % 4] != 0
    }

    /// Clears all dots of a column.
    pub(super) fn clear(&mut self, column: usize) {
        for row in 0..self.height * 4 {
            self.cells[row / 4 * self.width + column / 2] &= !BITS[column % 2][row % 4];
        }
    }

    /// Returns the uppermost and the lowest dot of a column.
    pub(super) fn reach(&self, column: usize) -> Option<(usize, usize)> {
        let mut rows = (0..self.height * 4).filter(|row| self.is_set(column, *row));
        let first = rows.next()?;
        Some((first, rows.next_back().unwrap_or(first)))
    }

    /// Returns the bits of a cell.
    pub(super) fn cell(&self, column: usize, row: usize) -> u8 {
        self.cells[row * self.width + column]
    }
}
