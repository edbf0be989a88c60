//! The form with numbers.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use super::{HeatCell, Heatmap, HeatmapView, number, shaded};
use crate::ui::canvas::Canvas;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns of a cell: one for the cursor, four for the number.
const NARROW: usize = 5;
/// The same beside rows that say what they are.
const WIDE: usize = 6;
/// Columns of a row's text: the fewest that are useful, and the most.
const TEXT: std::ops::RangeInclusive<usize> = 8..=24;

/// The layout of the cells.
pub(super) struct Grid {
    /// Columns before the first cell.
    left: usize,
    /// Columns of a row's text, 0: none.
    text: usize,
    /// Columns a cell.
    wide: usize,
    /// Lines a row.
    high: usize,
}

impl Grid {
    /// Returns how many rows and columns fit into an area.
    pub(super) fn room(&self, area: Rect) -> (usize, usize) {
        let down = usize::from(area.height).saturating_sub(1).div_ceil(self.high);
        (down, usize::from(area.width).saturating_sub(self.left) / self.wide)
    }
}

impl<F: Fn(usize, usize) -> HeatCell> Heatmap<'_, F> {
    /// Draws it with numbers. Returns where the cursor is.
    pub(super) fn numbers(&self, view: &HeatmapView, area: Rect, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        let grid = self.grid(area);
        let (down, across) = view.seen;
        self.axis(&grid, view, area, buf, theme);
        let mut cursor = None;
        for (row, line) in (view.top..self.size).take(down).zip(0..) {
            let y = area.y + 1 + (line * grid.high) as u16;
            let name = Canvas { area: Rect { y, height: 1, ..area }, buf: &mut *buf, theme };
            self.name_row(&grid, row, row == view.row, name);
            for (column, at) in (view.left..self.size).take(across).zip(0..) {
                let x = area.x + (grid.left + at * grid.wide) as u16;
                let high = grid.high.min(usize::from(area.bottom() - y)) as u16;
                let place = Rect { x, y, width: grid.wide as u16, height: high };
                let under = (row, column) == (view.row, view.column);
                self.put(place, (self.cell)(row, column), under, buf, theme);
                if under {
                    cursor = Some(Position::new(place.right() - 4, y));
                }
            }
        }
        cursor
    }

    pub(super) fn grid(&self, area: Rect) -> Grid {
        let width = usize::from(area.width);
        let high = if usize::from(area.height) >= 2 * self.size { 2 } else { 1 };
        let names = (0..self.size).map(|row| wrap::width(&(self.name)(row))).max().unwrap_or(1).clamp(1, 3);
        let left = names + 2;
        for wide in [WIDE, NARROW] {
            let text = width.saturating_sub(left + 1 + self.size * wide);
            if self.text.is_some() && text >= *TEXT.start() {
                let text = text.min(*TEXT.end());
                return Grid { left: left + text, text, wide, high };
            }
        }
        // With blank lines between the rows there are blank columns between the numbers, too, if everything fits.
        let wide = if high > 1 && left + self.size * WIDE < width { WIDE } else { NARROW };
        Grid { left, text: 0, wide, high }
    }

    /// Draws the names above the columns, over the third place of their numbers.
    fn axis(&self, grid: &Grid, view: &HeatmapView, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let (_, across) = view.seen;
        for (column, at) in (view.left..self.size).take(across).zip(0..) {
            let x = area.x + (grid.left + at * grid.wide + grid.wide - 2) as u16;
            let style = if column == view.column { theme.accent } else { theme.muted };
            buf.set_stringn(x, area.y, (self.name)(column), 2, style);
        }
        if view.left > 0 && grid.left > 0 {
            buf.set_stringn(area.x + grid.left as u16 - 1, area.y, "‹", 1, theme.accent);
        }
        if view.left + across < self.size {
            buf.set_stringn(area.right() - 1, area.y, "›", 1, theme.accent);
        }
    }

    fn name_row(&self, grid: &Grid, row: usize, chosen: bool, canvas: Canvas) {
        let Canvas { area, buf, theme } = canvas;
        let style = if chosen { theme.accent } else { theme.muted };
        let left = usize::from(area.width).min(grid.left);
        if chosen && grid.text > 0 {
            buf.set_stringn(area.x, area.y, "▌", left, theme.accent);
        }
        let name = (self.name)(row);
        let columns = wrap::width(&name);
        buf.set_stringn(area.x + 1, area.y, name, left.saturating_sub(1), style);
        if let Some(text) = self.text.filter(|_| grid.text > 0) {
            let room = left.saturating_sub(2 + columns);
            buf.set_stringn(area.x + 2 + columns as u16, area.y, cut(&text(row), room), room, theme.text);
        }
    }

    /// Draws a cell: the cursor's column, and the number at its right.
    fn put(&self, area: Rect, cell: HeatCell, under: bool, buf: &mut Buffer, theme: &Theme) {
        let style = self.style(cell, theme);
        if !shaded(theme) && cell.known().is_some() {
            buf.set_style(area, style);
        }
        let words = match cell.known() {
            Some(known) => number(known),
            None => format!("{:>4}", cell.absent()),
        };
        let ink = if under { style.add_modifier(Modifier::BOLD) } else { style };
        buf.set_stringn(area.right() - 4, area.y, words, 4, ink);
        let before = area.right() - 5;
        if shaded(theme) {
            let shade = self.shade(cell);
            buf.set_stringn(before, area.y, shade, 1, theme.muted);
            if area.height > 1 {
                buf.set_stringn(before, area.y + 1, shade.repeat(5), 5, theme.muted);
            }
        }
        if under {
            let style = if shaded(theme) || cell.known().is_none() { theme.accent } else { style };
            buf.set_stringn(before, area.y, "▐", 1, style);
        }
    }
}
