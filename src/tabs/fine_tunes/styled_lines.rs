//! Lines of text with their styles.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::tune_context::TuneContext;
use crate::component::FindBar;
use crate::ui::meter;
use crate::ui::pane::{PaneAreas, Spacing};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;

/// A line and its style.
pub(super) type StyledLine = (String, Style);

/// A line and the style of the theme that it is drawn in.
pub(super) type Styled = (String, fn(&Theme) -> Style);

/// A row of the facts beside the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fact {
    /// Empty: the row goes on with what the one before is about.
    pub(super) label: &'static str,
    pub(super) value: String,
}

/// Draws a thin bar, a share of it in a style and the rest faint; where lines tell panes apart the rest is thinner, too.
pub(super) fn bar(buf: &mut Buffer, area: Rect, share: f64, style: Style, theme: &Theme) {
    let cells = meter::thin(share, usize::from(area.width));
    let full = cells.find('─').unwrap_or(cells.len());
    let rest = if theme.kind.has_surfaces() { cells[full..].replace('─', "━") } else { cells[full..].to_owned() };
    let (x, _) = buf.set_stringn(area.x, area.y, &cells[..full], usize::from(area.width), style);
    buf.set_stringn(x, area.y, rest, usize::from(area.right().saturating_sub(x)), theme.faint);
}

/// Draws words that are typed to be found, in the row below a pane's title.
pub(super) fn find_line(frame: &mut Frame, bar: &FindBar, area: Rect, context: TuneContext) {
    let spacing = context.session.spacing();
    let line = spacing.padded(Rect { y: spacing.pane(area).title.y + 1, height: 1, ..area }).intersection(area);
    if bar.is_typing() && !line.is_empty() {
        bar.render(frame, line, "", context.theme);
    }
}

/// Returns what is below a pane's title, and below the line that is typed there, without blank columns at its sides.
pub(super) fn below_title(area: Rect, typing: bool, spacing: Spacing) -> Rect {
    let PaneAreas { title, content } = spacing.pane(area);
    let y = content.y.max(title.y + 1 + u16::from(typing)).min(area.bottom());
    Rect { y, height: area.bottom() - y, ..content }
}

/// Writes lines, one a row.
pub(super) fn lines(frame: &mut Frame, area: Rect, lines: &[StyledLine]) {
    let width = usize::from(area.width);
    for ((words, style), y) in lines.iter().zip(area.y..area.bottom()) {
        frame.buffer_mut().set_stringn(area.x, y, cut(words, width), width, *style);
    }
}
