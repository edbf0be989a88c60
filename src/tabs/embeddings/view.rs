//! The tab's picture.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::pane::Look;
use super::state::State;

/// Where things were drawn.
#[derive(Debug, Default)]
pub(super) struct View {
    area: Rect,
}

impl View {
    /// Draws everything.
    pub(super) fn render(&mut self, frame: &mut Frame, area: Rect, state: &mut State, look: &Look) {
        self.area = area;
        if let Some((pane, read)) = state.pane() {
            pane.render(frame, area, look, read);
        }
    }
}
