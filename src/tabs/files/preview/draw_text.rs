//! Writes text into an area of a buffer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Writes a text into an area, cut at its edge.
pub(super) fn put(buf: &mut Buffer, area: Rect, x: u16, y: u16, text: &str, style: Style) {
    if x < area.width && y < area.height {
        buf.set_stringn(area.x + x, area.y + y, text, usize::from(area.width - x), style);
    }
}

/// Writes a sentence with a bar at its left, and the keys below it. Returns how many lines it took.
pub(super) fn block(words: &str, keys: Option<&str>, style: Style, area: Rect, buf: &mut Buffer, theme: &Theme) -> u16 {
    let width = usize::from(area.width.saturating_sub(4)).max(1);
    let mut y = 0;
    for (text, style) in
        wrap::lines(words, width).into_iter().map(|line| (line, style)).chain(keys.map(|keys| (keys, theme.muted)))
    {
        put(buf, area, 1, y, "┃", style);
        put(buf, area, 3, y, text, style);
        y += 1;
    }
    y
}
