//! Lines of text with their styles.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::ui::rule::cut;
use crate::ui::theme::Theme;

/// A line and its style.
pub(super) type StyledLine = (String, Style);

/// A line and the style of the theme that it is drawn in.
pub(super) type Styled = (String, fn(&Theme) -> Style);

/// Writes lines, one a row.
pub(super) fn lines(frame: &mut Frame, area: Rect, lines: &[StyledLine]) {
    let width = usize::from(area.width);
    for ((words, style), y) in lines.iter().zip(area.y..area.bottom()) {
        frame.buffer_mut().set_stringn(area.x, y, cut(words, width), width, *style);
    }
}
