//! What a pane over the vectors is: map, pairs, a pair, ranking, comparison, hygiene.
//!
//! A pane holds a snapshot of what it reads and what it computed itself. It hands work to the work threads and takes
//! their replies; what concerns the list or the run it asks of the tab by an event.

use std::rc::Rc;

use ratatui::layout::Rect;

use super::pane_data::PaneData;
use crate::component::{Component, Cx};
use crate::record::VectorKey;
use crate::text::Untrusted;
use crate::ui::pane::Spacing;

/// What a pane asks of the tab.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PaneEvent {
    /// Go back to where it was opened from.
    Close,
    /// Put the cursor on this text.
    Go(usize),
    /// Put the cursor on these two texts.
    Select(usize, usize),
    /// Show these two texts in full.
    Pair(usize, usize),
    /// Make the map beside the matrix wider, or narrower.
    Resize(bool),
    /// Name pairs above this.
    Above(f32),
    /// Embed this text under the list's key; the vector goes to `QueryPane::vector`.
    Embed(Untrusted),
    /// Embed all texts under another key as well; the vectors go to `ComparePane::other`.
    Other(VectorKey),
    /// Have a model chosen for `ComparePane::chosen`.
    ChooseModel,
}

/// Returns the part of a pane in which a title row stands above its content and a column before it, whatever tells
/// panes apart.
pub(super) fn framed(area: Rect, spacing: Spacing) -> Rect {
    let content = spacing.pane(area).content;
    if !spacing.has_surfaces() || content.is_empty() {
        return area;
    }
    // A table may fill it: its last column is not the screen's.
    Rect { x: content.x - 1, y: content.y - 1, width: content.width + 1, height: content.height + 1 }
}

/// A pane over the vectors.
pub(super) trait VectorPane: Component<PaneEvent> {
    /// Takes the list and its vectors as they are now.
    fn update(&mut self, data: Rc<PaneData>);
    /// Asks for what it shows of them, while it is shown. Nothing is asked for twice.
    fn refresh(&mut self, _cx: &mut Cx) {}
    /// Cancels what is computed from vectors that go.
    fn cancel(&mut self, _cx: &mut Cx) {}
}
