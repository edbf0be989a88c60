//! The areas of the panes on the page with the jobs.

use ratatui::layout::Rect;

use super::styled_lines::{Fact, below_title};
use crate::ui::pane::Spacing;
use crate::ui::size_class::has_panes_beside;

/// Columns of the jobs there.
pub(super) const JOBS: u16 = 38;
/// Rows of small curves where there is room only for their last values.
pub(super) const SMALL: u16 = 2;

/// The areas of the panes; those that do not show are empty.
#[derive(Clone, Debug, Default)]
pub(super) struct JobsLayout {
    /// Whether the list stands beside the job.
    pub(super) wide: bool,
    pub(super) jobs: Rect,
    /// Facts below the jobs, and where they stand.
    pub(super) facts: (Vec<Fact>, Rect),
    /// What is said where there are no jobs.
    pub(super) without_jobs: Rect,
    /// The line about the job's progress.
    pub(super) progress: Rect,
    pub(super) curves: Rect,
    /// Whether the curves have no title: there is room for few rows of them.
    pub(super) has_small_curves: bool,
    pub(super) events: Rect,
}

impl JobsLayout {
    /// Returns whether an area has room for two columns.
    pub(super) fn is_wide(area: Rect) -> bool {
        has_panes_beside(area.width, area.height)
    }

    /// Returns how wide the facts are beside the list.
    pub(super) fn facts_width(spacing: Spacing) -> usize {
        usize::from(JOBS - 2 * spacing.side())
    }

    /// Returns whether a column is one of the list's, where that stands beside the job.
    pub(super) fn is_jobs(&self, column: u16) -> bool {
        self.wide && column < JOBS
    }

    /// Returns how many jobs the list shows.
    pub(super) fn job_rows(&self, typing: bool, spacing: Spacing) -> usize {
        rows(self.jobs, typing, spacing).1
    }
}

/// Returns the first row of the jobs, and how many there is room for.
pub(super) fn rows(area: Rect, typing: bool, spacing: Spacing) -> (u16, usize) {
    let below = below_title(area, typing, spacing);
    let blank_rows = u16::from(!spacing.has_surfaces() && !typing && area.height > 12);
    let y = (below.y + blank_rows).min(area.bottom());
    // The job under the cursor has a second row.
    (y, usize::from(area.bottom().saturating_sub(y + 1)).max(1))
}
