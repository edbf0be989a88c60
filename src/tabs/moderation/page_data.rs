//! What the tab tells its pages, and the title they have in common.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::check_runner::RunStatus;
use super::thresholds::ThresholdProfile;
use crate::component::RenderContext;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::theme::Theme;

/// What pages show besides results.
#[derive(Clone, Debug)]
pub(super) struct PageData {
    pub(super) profile: ThresholdProfile,
    pub(super) run: RunStatus,
    /// Whether flagged texts are masked.
    pub(super) mask: bool,
}

impl Default for PageData {
    fn default() -> Self {
        Self { profile: ThresholdProfile::new(""), run: RunStatus::Idle, mask: false }
    }
}

/// Draws a page's title; what is at its right tells of a run where `busy`.
pub(super) fn title(frame: &mut Frame, area: Rect, title: &str, right: &str, busy: bool, context: RenderContext) {
    let theme = context.theme;
    let right_style = if busy { theme.busy } else { theme.muted };
    head(frame, area, (title, right), right_style, theme);
}

/// Draws a page's background, and its title into the first row; its rows begin in the second, whatever tells panes apart.
pub(super) fn head(frame: &mut Frame, area: Rect, (title, right): (&str, &str), right_style: Style, theme: &Theme) {
    let spacing = if theme.kind.has_surfaces() { Spacing::Compact } else { Spacing::Lines };
    let pane = Pane { title, note: "", right, right_style, focus: true, surface: Surface::Ground };
    pane.render(area, frame.buffer_mut(), theme, spacing);
}
