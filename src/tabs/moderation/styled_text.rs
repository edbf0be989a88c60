//! Words with their style, and how they are written a line a row.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ui::rule::cut;

/// Words and their style.
pub(super) type StyledText = (String, Style);

/// Writes lines, one a row.
pub(super) fn lines(frame: &mut Frame, area: Rect, lines: &[StyledText]) {
    let width = usize::from(area.width);
    for ((words, style), y) in lines.iter().zip(area.y..area.bottom()) {
        let words = if words.starts_with('─') { words.clone() } else { cut(words, width) };
        frame.buffer_mut().set_stringn(area.x, y, words, width, *style);
    }
}
