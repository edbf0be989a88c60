//! Words with their style, and how they are written a line a row.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::Line;

use crate::component::failure_line;
use crate::ui::theme::Theme;

/// Words and their style.
pub(super) type StyledText = (String, Style);

/// Writes lines, one a row.
pub(super) fn lines(frame: &mut Frame, area: Rect, lines: &[StyledText], theme: &Theme) {
    let width = usize::from(area.width);
    for ((words, style), y) in lines.iter().zip(area.y..area.bottom()) {
        let rule = words.starts_with('─').then(|| Line::styled(words.as_str(), *style));
        let line = rule.unwrap_or_else(|| failure_line(words, *style, width, theme));
        frame.buffer_mut().set_line(area.x, y, &line, area.width);
    }
}
