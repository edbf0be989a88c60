//! The rows of a file that show, in their order, and the cursor in them.

use std::time::{Duration, Instant};

use crate::ui::table::TableView;

/// While the cursor stands on the first row, new results are sorted in so often.
const SORT_EVERY: Duration = Duration::from_secs(1);

/// The rows that show, in their order.
#[derive(Debug, Default)]
pub(super) struct ShownRows {
    pub(super) order: Vec<u32>,
    pub(super) view: TableView,
    /// Rows that got a result since they were sorted.
    pub(super) fresh: u64,
    sorted_at: Option<Instant>,
}

impl ShownRows {
    /// Shows these rows. `stay`: the cursor keeps its row, unless it is on the first place.
    pub(super) fn set(&mut self, order: Vec<u32>, stay: bool) {
        let selected = self.selected_row().filter(|_| stay && self.view.cursor.selected > 0);
        self.order = order;
        self.fresh = 0;
        let place = selected.and_then(|row| self.order.iter().position(|other| *other as usize == row));
        self.view.cursor.selected = place.unwrap_or(0);
        if place.is_none() {
            self.view.cursor.top = 0;
        }
    }

    /// Returns the row under the cursor.
    pub(super) fn selected_row(&self) -> Option<usize> {
        self.order.get(self.view.cursor.selected).map(|row| *row as usize)
    }

    /// Returns whether new results are to be sorted in now; then the next ones wait.
    pub(super) fn is_sort_due(&mut self, now: Instant) -> bool {
        let rested = self.sorted_at.is_none_or(|at| now.saturating_duration_since(at) >= SORT_EVERY);
        let due = self.view.cursor.selected == 0 && rested;
        if due {
            self.sorted_at = Some(now);
        }
        due
    }
}
