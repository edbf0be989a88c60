//! Lines of text with their styles.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::component::FindBar;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;

/// A line and its style.
pub(super) type StyledLine = (String, Style);

/// A line and the style of the theme that it is drawn in.
pub(super) type Styled = (String, fn(&Theme) -> Style);

/// Draws words that are typed to be found, in the row below a pane's title.
pub(super) fn find_line(frame: &mut Frame, bar: &FindBar, area: Rect, theme: &Theme) {
    if bar.is_typing() && area.height > 1 {
        let (label, y) = (2.min(area.width), area.y + 1);
        frame.buffer_mut().set_stringn(area.x, y, " /", usize::from(label), theme.accent);
        bar.render_line(frame, Rect { x: area.x + label, y, width: area.width - label, height: 1 }, theme.text);
    }
}

/// Writes lines, one a row.
pub(super) fn lines(frame: &mut Frame, area: Rect, lines: &[StyledLine]) {
    let width = usize::from(area.width);
    for ((words, style), y) in lines.iter().zip(area.y..area.bottom()) {
        frame.buffer_mut().set_stringn(area.x, y, cut(words, width), width, *style);
    }
}
