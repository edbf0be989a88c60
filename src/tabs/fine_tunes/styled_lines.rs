//! Lines of text with their styles.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::tune_context::TuneContext;
use crate::component::FindBar;
use crate::ui::pane::{PaneAreas, Spacing};
use crate::ui::theme::Theme;

/// A line and its style.
pub(super) type StyledLine = (String, Style);

/// A line and the style of the theme that it is drawn in.
pub(super) type Styled = (String, fn(&Theme) -> Style);

/// A row of the facts beside the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Fact {
    /// Empty: the row continues with what the one before is about.
    pub(super) label: &'static str,
    pub(super) value: String,
}

/// Draws words that are typed to be found, and how many match, in the row below a pane's title.
pub(super) fn find_line(frame: &mut Frame, (bar, matches): (&FindBar, &str), area: Rect, context: TuneContext) {
    let spacing = context.session.spacing();
    let line = spacing.padded(Rect { y: spacing.pane(area).title.y + 1, height: 1, ..area }).intersection(area);
    if bar.is_typing() && !line.is_empty() {
        bar.render(frame, line, matches, context.theme);
    }
}

/// Returns what is below a pane's title, and below the line that is typed there, without blank columns at its sides.
pub(super) fn below_title(area: Rect, typing: bool, spacing: Spacing) -> Rect {
    let PaneAreas { title, content } = spacing.pane(area);
    let y = content.y.max(title.y + 1 + u16::from(typing)).min(area.bottom());
    Rect { y, height: area.bottom() - y, ..content }
}
