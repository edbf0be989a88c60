//! The bench: the table of results, its cursor, what of it shows and how.

use std::collections::BTreeSet;
use std::ops::Range;

use super::agreement::page;
use super::bench_texts::BenchTexts;
use super::category::CategoryKey;
use super::check_results::CheckResults;
use super::model_ref::ModelRef;
use super::result_grid::ColumnLayout;
use super::result_table::{MOVED, ResultColumn, ResultTable, ScoreAndFlag, TableInputs};
use super::shared_settings::SharedSettings;
use crate::component::Motion;
use crate::ui::size_class::has_panes_beside;

/// Rows of a page key.
const PAGE: usize = 11;

/// The table of results with its cursor and view settings.
#[derive(Debug, Default)]
pub(super) struct BenchView {
    pub(super) table: ResultTable,
    /// The column under the cursor: text × model.
    pub(super) column: usize,
    /// The category under the cursor.
    pub(super) at: Option<CategoryKey>,
    pub(super) marked: BTreeSet<CategoryKey>,
    /// Whether only categories show whose columns differ.
    pub(super) differences: bool,
    /// Whether columns are side by side where there is room for one.
    pub(super) beside: bool,
    /// Whether there is room for the table.
    pub(super) wide: bool,
    /// The columns that are shown.
    pub(super) in_view: Range<usize>,
    /// Counts changes of what the table shows.
    revision: u64,
}

impl BenchView {
    /// Takes in that the table's contents have changed.
    pub(super) fn changed(&mut self) {
        self.revision += 1;
    }

    /// Returns whether one column is shown and not the table.
    pub(super) fn shows_one(&self) -> bool {
        !self.wide && !self.beside
    }

    /// Finds out what there is room for on a screen of this size.
    pub(super) fn resize(&mut self, width: u16, height: u16) {
        self.wide = has_panes_beside(width, height);
    }

    /// Finds the columns that are shown at this width.
    pub(super) fn show_columns(&mut self, width: u16, models: usize) {
        let all = self.table.columns.len();
        self.in_view = if self.shows_one() {
            self.column..self.column + 1
        } else {
            page(self.column, ColumnLayout::of(width, all, models).fit, models, all)
        };
    }

    /// Moves the cursor by rows.
    pub(super) fn step(&mut self, motion: Motion) {
        self.at = self.table.step(self.at.as_ref(), motion, PAGE);
    }

    /// Moves the cursor by columns.
    pub(super) fn go(&mut self, by: isize) {
        let last = self.table.columns.len().saturating_sub(1);
        self.column = self.column.saturating_add_signed(by).min(last);
    }

    /// Moves the cursor by as many columns as are shown.
    pub(super) fn go_page(&mut self, pages: isize) {
        self.go(pages * self.in_view.len().max(1) as isize);
    }

    /// Marks the row under the cursor, or unmarks it, and goes to the next.
    pub(super) fn mark(&mut self) {
        if let Some(key) = self.at.clone()
            && !self.marked.remove(&key)
        {
            self.marked.insert(key);
        }
        self.step(Motion::Down);
    }

    /// Returns the categories whose thresholds a key moves: the marked ones, else the one under the cursor.
    pub(super) fn chosen(&self) -> Vec<CategoryKey> {
        if !self.marked.is_empty() {
            return self.marked.iter().cloned().collect();
        }
        self.at.iter().filter(|_| !self.table.rows.is_empty()).cloned().collect()
    }

    pub(super) fn set_differences(&mut self, only: bool) {
        self.differences = only;
        self.changed();
    }

    /// Returns whether a text of the table has a result.
    pub(super) fn has_results(&self) -> bool {
        self.table.columns.iter().any(|column| column.check.is_some())
    }

    pub(super) fn column_here(&self) -> Option<&ResultColumn> {
        self.table.columns.get(self.column)
    }

    /// Makes the table again, if something of it has changed.
    pub(super) fn sync(
        &mut self,
        texts: &BenchTexts,
        results: &CheckResults,
        shared: &SharedSettings,
        models: &[ModelRef],
    ) {
        // Without texts the cursor stays on a model: a file is checked with it.
        let all = texts.len().max(1) * models.len();
        self.column = self.column.min(all.saturating_sub(1));
        let by_score = shared.view.by_score.unwrap_or(self.shows_one());
        let inputs = TableInputs {
            revision: self.revision,
            models: models.to_vec(),
            by_score,
            one: (self.shows_one() && by_score).then_some(self.column),
        };
        if self.table.inputs.as_ref() == Some(&inputs) {
            return;
        }
        let mut columns = Vec::with_capacity(all);
        for (at, text) in texts.all().iter().enumerate() {
            for model in models {
                let mut checks = results.of_model(&text.key, model).cloned();
                let check = checks.next();
                let again = check.as_ref().is_some_and(|check| results.is_fresh(check.id));
                let before = checks.next().filter(|_| again);
                columns.push(ResultColumn::new((at, &text.row.text), model.clone(), check, before));
            }
        }
        let mut table = ResultTable { columns, ..ResultTable::default() };
        table.fill();
        for column in &mut table.columns {
            let moved = |(cell, old): (&ScoreAndFlag, &Option<f64>)| match (cell.0, old) {
                (Some(now), Some(old)) => (now - old).abs() >= MOVED,
                (now, old) => now.is_some() != old.is_some(),
            };
            if !column.cells.iter().zip(&column.old).any(moved) {
                column.before = None;
                column.old.clear();
            }
        }
        table.order(by_score, shared.view.families, self.differences, inputs.one);
        table.inputs = Some(inputs);
        self.table = table;
        if self.at.is_none() {
            self.at = self.table.key(0).cloned();
        }
    }
}
