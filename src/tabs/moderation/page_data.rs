//! What the tab tells its pages, and the title they have in common.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::bench_runs::RunStatus;
use super::thresholds::ThresholdProfile;
use crate::component::RenderContext;
use crate::ui::pane::{Pane, Surface};

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
    let right_style = if busy { context.theme.busy } else { quiet_style(context) };
    head(frame, area, (title, right), right_style, context);
}

/// Draws a page's background and its title; its rows are where [`Spacing::body`](crate::ui::pane::Spacing::body) says.
pub(super) fn head(
    frame: &mut Frame,
    area: Rect,
    (title, right): (&str, &str),
    right_style: Style,
    context: RenderContext,
) {
    let (spacing, theme) = (context.session.spacing(), context.theme);
    let right = if spacing.has_surfaces() { right.replace(" · ", "   ") } else { right.to_owned() };
    let pane = Pane { title, note: "", right: &right, right_style, focus: true, surface: Surface::Ground };
    pane.render(area, frame.buffer_mut(), theme, spacing);
}

/// Returns the look of what is at the right of a title while nothing is wrong.
pub(super) fn quiet_style(context: RenderContext) -> Style {
    if context.session.spacing().has_surfaces() { context.theme.faint } else { context.theme.muted }
}
