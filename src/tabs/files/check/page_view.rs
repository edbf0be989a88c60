//! Which part of the page has the keys, and where the cursor of each is.

use crate::component::Motion;
use crate::record::training::Report;
use crate::ui::list::Cursor;

/// A part of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pane {
    Columns,
    Problems,
    Repairs,
    Figures,
}

pub(super) const PANES: [Pane; 4] = [Pane::Columns, Pane::Problems, Pane::Repairs, Pane::Figures];

/// The parts of the page, their cursors and scroll.
#[derive(Debug)]
pub(super) struct PageView {
    /// Whether nothing lies over the page.
    pub(super) focus: bool,
    pub(super) pane: Pane,
    pub(super) columns: Cursor,
    pub(super) problems: Cursor,
    pub(super) repairs: Cursor,
    /// The first line of the figures that shows.
    pub(super) figures: usize,
    /// Rows of the part with the keys.
    pub(super) height: usize,
    /// Whether the whole text of what is under the cursor is open, and how far it is scrolled.
    pub(super) whole: Option<usize>,
}

impl Default for PageView {
    fn default() -> Self {
        Self {
            focus: true,
            pane: Pane::Problems,
            columns: Cursor::default(),
            problems: Cursor::default(),
            repairs: Cursor::default(),
            figures: 0,
            height: 1,
            whole: None,
        }
    }
}

impl PageView {
    /// Gives the keys to the next part, or the one before.
    pub(super) fn turn(&mut self, by: isize, report: &Report) {
        let shown = &PANES[usize::from(report.columns.is_empty())..];
        let at = shown.iter().position(|pane| *pane == self.pane).unwrap_or(0);
        self.pane = shown[at.wrapping_add_signed(by + shown.len() as isize) % shown.len()];
    }

    /// Moves the cursor of the part with the keys.
    pub(super) fn go(&mut self, motion: Motion, report: &Report) {
        // No row of a page stays in view.
        let rows = motion.rows(self.height + 1);
        match self.pane {
            Pane::Columns => self.columns.by(rows, report.columns.len()),
            Pane::Problems => self.problems.by(rows, report.problems.len()),
            Pane::Repairs => self.repairs.by(rows, report.repairs.len()),
            Pane::Figures => self.figures = self.figures.saturating_add_signed(rows),
        }
    }

    /// Goes to the part of a new report that matters most, from its beginning.
    pub(super) fn begin(&mut self, report: &Report) {
        self.pane = match (report.problems.is_empty(), report.repairs.is_empty()) {
            _ if report.guessed => Pane::Columns,
            (false, _) => Pane::Problems,
            (true, false) => Pane::Repairs,
            (true, true) => Pane::Figures,
        };
        (self.columns, self.problems, self.repairs, self.figures) = Default::default();
    }

    /// Keeps the cursors within another report.
    pub(super) fn clamp(&mut self, report: &Report) {
        self.problems.by(0, report.problems.len());
        self.repairs.by(0, report.repairs.len());
        self.columns.by(0, report.columns.len());
        self.whole = None;
    }

    /// Opens the text of what is under the cursor, where there is one.
    pub(super) fn open_text(&mut self, report: &Report) {
        let any = match self.pane {
            Pane::Problems => !report.problems.is_empty(),
            Pane::Repairs => !report.repairs.is_empty(),
            Pane::Columns | Pane::Figures => false,
        };
        self.whole = any.then_some(0);
    }
}
