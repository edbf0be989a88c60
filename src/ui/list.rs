//! The cursor of a list: the selected and the first visible row; and the arrows where rows continue beyond the visible
//! ones.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::theme::Theme;

/// Selection and scroll of a list whose rows the owner draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cursor {
    /// Selected row.
    pub selected: usize,
    /// First row shown.
    pub top: usize,
}

impl Cursor {
    /// Moves the selection by `rows`, kept within `len` rows.
    pub fn move_by(&mut self, rows: isize, len: usize) {
        self.selected = self.selected.saturating_add_signed(rows);
        self.clamp(len);
    }

    /// Keeps the selection within `len` rows.
    pub fn clamp(&mut self, len: usize) {
        self.selected = self.selected.min(len.saturating_sub(1));
    }

    /// Scrolls so that the selection is within a window of `height` rows over `len`, and returns the rows to draw.
    pub fn window(&mut self, height: usize, len: usize) -> Range<usize> {
        self.clamp(len);
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

/// Draws `↑` and `↓` where a list, a form or a page continues above or below the visible rows: at the end of the first
/// and the last row of `area`, or after it, where it is blank; if necessary in the last column of the screen.
pub fn draw_scroll_arrows(buf: &mut Buffer, area: Rect, shown: &Range<usize>, len: usize, theme: &Theme) {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return;
    }
    for (glyph, y, more) in [("↑", area.y, shown.start > 0), ("↓", area.bottom() - 1, shown.end < len)] {
        let free = |x: &u16| buf.cell((*x, y)).is_some_and(|cell| cell.symbol() == " ");
        let edge = buf.area.right() - 1;
        let inner = [area.right() - 1, area.right(), area.right().saturating_sub(2)].into_iter().filter(|x| *x < edge);
        if let Some(x) = inner.chain([edge.min(area.right())]).find(free).filter(|_| more) {
            buf.set_stringn(x, y, glyph, 1, theme.muted);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::{Depth, Kind};

    #[test]
    fn arrows_say_that_rows_continue_and_cover_nothing() {
        let theme = Theme::of(Kind::Mono, Depth::None);
        let row = |shown: Range<usize>, text: &str| {
            let mut buf = Buffer::with_lines([text, text]);
            let area = Rect::new(0, 0, 4, 2);
            draw_scroll_arrows(&mut buf, area, &shown, 9, &theme);
            buf.content().iter().map(ratatui::buffer::Cell::symbol).collect::<String>()
        };
        assert_eq!(row(0..2, "abcd "), "abcd abcd↓");
        assert_eq!(row(3..5, "abc││"), "abc││abc││", "nothing is covered");
        assert_eq!(row(3..5, "abc │"), "abc↑│abc↓│");
        assert_eq!(row(7..9, "abcd "), "abcd↑abcd ");
    }

    #[test]
    fn the_selection_is_always_in_the_window() {
        let mut cursor = Cursor::default();
        cursor.move_by(7, 10);
        assert_eq!(cursor.window(3, 10), 5..8);
        cursor.move_by(-100, 10);
        assert_eq!(cursor.window(3, 10), 0..3);
        assert_eq!(cursor.window(3, 0), 0..0);
    }
}
