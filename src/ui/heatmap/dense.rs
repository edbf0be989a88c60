//! The form without numbers.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::overview::Overview;
use super::{HeatCell, Heatmap, HeatmapView, shaded};
use crate::ui::theme::Theme;

impl<F: Fn(usize, usize) -> HeatCell> Heatmap<'_, F> {
    /// Fits the view to the area.
    pub(super) fn arrange_dense(&self, view: &mut HeatmapView, area: Rect, theme: &Theme) {
        let inner = inner(area);
        if inner.is_empty() {
            return;
        }
        let (rows, columns) = (usize::from(inner.height) * rows_per_line(theme), usize::from(inner.width));
        if view.whole && (self.size > rows || self.size > columns) {
            let kept = view.overview.take().filter(|kept| kept.holds(self.version, self.size, rows, columns));
            let overview = kept.unwrap_or_else(|| Overview::new(self.version, self.size, rows, columns, &self.cell));
            view.seen = overview.blocks;
            view.overview = Some(overview);
        } else {
            view.overview = None;
            view.window(rows, columns, self.size);
        }
    }

    /// Draws it one column a cell. Returns where the cursor is.
    pub(super) fn dense(&self, view: &HeatmapView, area: Rect, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        let inner = inner(area);
        if inner.is_empty() {
            return None;
        }
        let seen = view.seen;
        Some(match &view.overview {
            Some(overview) => {
                let (high, wide) = overview.block;
                let cells = Cells { first: (0, 0), seen, under: (view.row / high, view.column / wide) };
                self.squares(&cells, |row, column| overview.cell(row, column), inner, buf, theme)
            }
            None => {
                let cells = Cells { first: (view.top, view.left), seen, under: (view.row, view.column) };
                self.squares(&cells, &self.cell, inner, buf, theme)
            }
        })
    }

    /// Draws the cells into `area` and the cursor's marks beside it. Returns where the cursor is.
    fn squares(
        &self,
        cells: &Cells,
        cell: impl Fn(usize, usize) -> HeatCell,
        area: Rect,
        buf: &mut Buffer,
        theme: &Theme,
    ) -> Position {
        let halves = rows_per_line(theme);
        let (top, left) = cells.first;
        for (down, y) in (0..cells.seen.0).step_by(halves).zip(area.y..area.bottom()) {
            for (across, x) in (0..cells.seen.1).zip(area.x..area.right()) {
                let upper = cell(top + down, left + across);
                let (symbol, style) = if halves == 1 {
                    match upper.known() {
                        Some(_) => (self.shade(upper), theme.text),
                        None => (upper.absent(), theme.faint),
                    }
                } else {
                    let lower = (down + 1 < cells.seen.0).then(|| cell(top + down + 1, left + across));
                    self.pair(upper, lower, theme)
                };
                buf.set_stringn(x, y, symbol, 1, style);
            }
        }
        let (down, across) = (cells.under.0 - top, cells.under.1 - left);
        let at = Position::new(area.x + across as u16, area.y + (down / halves) as u16);
        let side = match (halves, down % 2) {
            (1, _) => "▐",
            (_, 0) => "▀",
            _ => "▄",
        };
        buf.set_stringn(area.x - 1, at.y, side, 1, theme.accent);
        buf.set_stringn(at.x, area.y - 1, "▾", 1, theme.accent);
        at
    }

    /// Returns how two rows are drawn in one line: with both halves, so that the terminal's background means that there
    /// is no number.
    fn pair(&self, upper: HeatCell, lower: Option<HeatCell>, theme: &Theme) -> (&str, Style) {
        let ground = |cell: HeatCell| self.style(cell, theme).bg.filter(|_| cell.known().is_some());
        match (ground(upper), lower.and_then(ground)) {
            (Some(upper), Some(lower)) => ("▀", Style::new().fg(upper).bg(lower)),
            (Some(upper), None) => ("▀", Style::new().fg(upper)),
            (None, Some(lower)) => ("▄", Style::new().fg(lower)),
            (None, None) => (upper.absent(), theme.faint),
        }
    }
}

/// Returns the area of the cells: a column at the left and a line at the top say where the cursor is.
fn inner(area: Rect) -> Rect {
    let (width, height) = (area.width.saturating_sub(1), area.height.saturating_sub(1));
    Rect { x: area.x + 1, y: area.y + 1, width, height }
}

/// Returns how many rows of cells a line shows.
fn rows_per_line(theme: &Theme) -> usize {
    if shaded(theme) { 1 } else { 2 }
}

/// Which cells are drawn.
struct Cells {
    /// The first row and column.
    first: (usize, usize),
    /// Number of both.
    seen: (usize, usize),
    /// Row and column of the cursor.
    under: (usize, usize),
}
