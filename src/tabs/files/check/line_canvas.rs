//! Writes lines of the check page into a buffer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns at the right of rows that continue above or below: a blank, and the arrow that says so.
pub(super) const ARROW: usize = 2;

/// A buffer and the styles of what is written into it.
pub(super) struct LineCanvas<'a> {
    pub(super) buf: &'a mut Buffer,
    pub(super) theme: &'a Theme,
}

impl LineCanvas<'_> {
    /// Writes a line of an area, counted from its top; nothing where it has no such line.
    pub(super) fn line(&mut self, area: Rect, row: usize, text: &str, style: Style) {
        if let Ok(row) = u16::try_from(row)
            && row < area.height
        {
            let text = cut(text, usize::from(area.width));
            self.buf.set_stringn(area.x, area.y + row, text, usize::from(area.width), style);
        }
    }

    /// Writes words over several lines and returns how many they took.
    pub(super) fn wrapped(&mut self, area: Rect, from: usize, text: &str, style: Style) -> usize {
        let lines = wrap::lines(text, usize::from(area.width).max(1));
        for (at, line) in lines.iter().enumerate() {
            self.line(area, from + at, line, style);
        }
        lines.len()
    }
}

/// Writes a row of a list, with its cursor.
pub(super) fn row(
    canvas: &mut LineCanvas,
    area: Rect,
    at: usize,
    (selected, focus): (bool, bool),
    text: &str,
    style: Style,
) {
    let mark = if selected { "▌" } else { " " };
    canvas.line(area, at, mark, if focus { canvas.theme.accent } else { canvas.theme.muted });
    canvas.line(beside_mark(area), at, text, style);
    if selected && focus && at < usize::from(area.height) {
        let line = Rect { y: area.y + at as u16, height: 1, ..area };
        canvas.buf.set_style(line, canvas.theme.select);
    }
}

/// Returns an area without the column in which the cursor's mark stands.
pub(super) fn beside_mark(area: Rect) -> Rect {
    Rect { x: area.x + area.width.min(1), width: area.width.saturating_sub(1), ..area }
}
