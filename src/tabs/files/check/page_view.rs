//! Which part of the page has the keys, and where the cursor of each is.

use crate::component::Motion;
use crate::record::training::{CheckReport, Problem, Repair};
use crate::ui::list::Cursor;

/// A part of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckPane {
    Columns,
    Problems,
    Repairs,
    Figures,
}

/// What was found in a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Finding {
    Problem(Problem),
    Repair(Repair),
}

pub(super) const PANES: [CheckPane; 4] =
    [CheckPane::Columns, CheckPane::Problems, CheckPane::Repairs, CheckPane::Figures];

/// The parts of the page, their cursors and scroll.
#[derive(Debug)]
pub(super) struct PageView {
    /// Whether nothing lies over the page.
    pub(super) focus: bool,
    pub(super) pane: CheckPane,
    pub(super) columns: Cursor,
    pub(super) problems: Cursor,
    pub(super) repairs: Cursor,
    /// The first line of the figures that shows.
    pub(super) figures: usize,
    /// Rows of the part with the keys.
    pub(super) height: usize,
}

impl Default for PageView {
    fn default() -> Self {
        Self {
            focus: true,
            pane: CheckPane::Problems,
            columns: Cursor::default(),
            problems: Cursor::default(),
            repairs: Cursor::default(),
            figures: 0,
            height: 1,
        }
    }
}

impl PageView {
    /// Gives the keys to the next part, or the one before.
    pub(super) fn turn(&mut self, by: isize, report: &CheckReport) {
        let shown = &PANES[usize::from(report.columns.is_empty())..];
        let at = shown.iter().position(|pane| *pane == self.pane).unwrap_or(0);
        self.pane = shown[at.wrapping_add_signed(by + shown.len() as isize) % shown.len()];
    }

    /// Moves the cursor of the part with the keys.
    pub(super) fn go(&mut self, motion: Motion, report: &CheckReport) {
        // A page keeps no row visible.
        let rows = motion.rows(self.height + 1);
        match self.pane {
            CheckPane::Columns => self.columns.move_by(rows, report.columns.len()),
            CheckPane::Problems => self.problems.move_by(rows, report.problems.len()),
            CheckPane::Repairs => self.repairs.move_by(rows, report.repairs.len()),
            CheckPane::Figures => self.figures = self.figures.saturating_add_signed(rows),
        }
    }

    /// Goes to the part of a new report that matters most, from its beginning.
    pub(super) fn begin(&mut self, report: &CheckReport) {
        self.pane = match (report.problems.is_empty(), report.repairs.is_empty()) {
            _ if report.guessed => CheckPane::Columns,
            (false, _) => CheckPane::Problems,
            (true, false) => CheckPane::Repairs,
            (true, true) => CheckPane::Figures,
        };
        (self.columns, self.problems, self.repairs, self.figures) = Default::default();
    }

    /// Keeps the cursors within another report.
    pub(super) fn clamp(&mut self, report: &CheckReport) {
        self.problems.clamp(report.problems.len());
        self.repairs.clamp(report.repairs.len());
        self.columns.clamp(report.columns.len());
    }

    /// Returns what is under the cursor, where that is a problem or a repair.
    pub(super) fn finding(&self, report: &CheckReport) -> Option<Finding> {
        match self.pane {
            CheckPane::Problems => report.problems.get(self.problems.selected).cloned().map(Finding::Problem),
            CheckPane::Repairs => report.repairs.get(self.repairs.selected).cloned().map(Finding::Repair),
            CheckPane::Columns | CheckPane::Figures => None,
        }
    }
}
