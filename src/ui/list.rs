//! The cursor of a list: which row is selected, which is the first one shown.

/// Selection and scroll of a list whose rows the owner draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Selected row.
    pub selected: usize,
    /// First row shown.
    pub top: usize,
}

impl Cursor {
    /// Moves by `rows`, kept within `len` rows.
    pub fn by(&mut self, rows: isize, len: usize) {
        self.selected = self.selected.saturating_add_signed(rows).min(len.saturating_sub(1));
    }

    /// Brings the selection into a window of `height` rows over `len`, and returns the rows to draw.
    pub fn window(&mut self, height: usize, len: usize) -> std::ops::Range<usize> {
        self.selected = self.selected.min(len.saturating_sub(1));
        if self.selected < self.top {
            self.top = self.selected;
        }
        if height > 0 && self.selected >= self.top + height {
            self.top = self.selected + 1 - height;
        }
        self.top = self.top.min(len.saturating_sub(height));
        self.top..(self.top + height).min(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_selection_is_always_in_the_window() {
        let mut cursor = Cursor::default();
        cursor.by(7, 10);
        assert_eq!(cursor.window(3, 10), 5..8);
        cursor.by(-100, 10);
        assert_eq!(cursor.window(3, 10), 0..3);
        assert_eq!(cursor.window(3, 0), 0..0);
    }
}
