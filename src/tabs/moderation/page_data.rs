//! What the tab tells its pages, and the title they have in common.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::check_runner::RunStatus;
use super::thresholds::ThresholdProfile;
use crate::component::RenderContext;
use crate::ui::rule::Rule;

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
    let place = Rect { height: 1, ..area };
    Rule { title, right, right_style, focus: true }.render(place, frame.buffer_mut(), theme);
}
