//! The same prompt to several columns at once, each with its own profile, model and settings.
//!
//! The columns' runs are like all others: steps beside each other in the history's tree, at the caret's position. The
//! owner sends them, tells which step each one writes ([`Compare::began`]), and lends what the columns are drawn from
//! ([`ComparisonContext`]).

mod draw;
pub(super) mod keys;
mod offer;
mod saved;
mod send;
mod setup;
#[cfg(test)]
mod tests;
mod update;

use self::setup::ColumnSetup;
use super::active_run::{ActiveRun, ActiveRuns};
use super::params::SettingsPane;
use super::prompt_text::{PromptText, TextPosition};
use super::run_log::RunLog;
use super::token_scores::TokenScores;
use crate::api::call::{Failure, Ticket};
use crate::record::{CompletionParams, Id};
use crate::tabs::columns::Columns;
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;

/// How many columns there may be.
const FEWEST: usize = 2;
const MOST: usize = 4;
/// Their names.
const LETTERS: [&str; MOST] = ["A", "B", "C", "D"];

/// What is said of a column that has nothing to copy or to continue with.
pub(super) const NO_TEXT: &str = "this column has no text yet: ^R runs";

/// What a key asks of the owner.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Event {
    /// Run all columns.
    Run,
    /// Ask for the name of the model of the column with the focus, beginning with this one.
    NameModel(Untrusted),
    /// Send the column with the focus to the next profile.
    NextProfile,
    /// Open or close the settings.
    Settings,
    /// Copy what this step wrote; `None`: nothing is written yet.
    Copy(Option<Id>),
    /// Stop this run.
    Stop(Id),
    /// Continue in the buffer with this column's output, or end the countdown to its next attempt.
    Adopt(usize),
    /// Esc was pressed.
    Escape,
}

/// What the columns are drawn from: the prompt and its runs.
#[derive(Clone, Copy, Debug)]
pub(super) struct ComparisonContext<'a> {
    pub(super) text: &'a PromptText,
    pub(super) scores: &'a TokenScores,
    pub(super) active: &'a ActiveRuns,
    pub(super) log: &'a RunLog,
}

/// A column: what it is to run, and what it ran last.
#[derive(Clone, Debug, Default, PartialEq)]
struct ComparedColumn {
    setup: ColumnSetup,
    last_run: Option<ColumnRun>,
}

impl ComparedColumn {
    /// Returns a column that has run nothing.
    fn new(setup: ColumnSetup) -> Self {
        Self { setup, last_run: None }
    }
}

/// What a column shows.
#[derive(Clone, Debug, PartialEq)]
struct ColumnRun {
    run: Id,
    /// How it was asked for.
    setup: ColumnSetup,
    /// The step it writes, once that is known.
    step: Option<Id>,
}

/// The page. Its setups and outputs stay while it is closed.
#[derive(Debug)]
pub(super) struct Compare {
    columns: Vec<ComparedColumn>,
    pub(super) view: Columns,
    /// The pane over the settings of the column with the focus.
    pub(super) pane: SettingsPane,
    /// Where the outputs shown were made.
    compared_at: Option<TextPosition>,
    /// The query of the setups used last.
    loading: Option<Ticket>,
    /// Whether the setups are others than those kept.
    pub(super) changed: bool,
}

impl Default for Compare {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            view: Columns::default(),
            pane: SettingsPane::new(&CompletionParams::default()),
            compared_at: None,
            loading: None,
            changed: false,
        }
    }
}

impl Compare {
    /// Returns the column with the focus, 0-based.
    fn focus(&self) -> usize {
        self.view.focus().min(self.columns.len().saturating_sub(1))
    }

    /// Returns the letter of the column with the focus.
    pub(super) fn letter(&self) -> &'static str {
        letter(self.focus())
    }

    /// Returns the setup of the column with the focus; `None`: there are none yet.
    pub(super) fn setup(&self) -> Option<&ColumnSetup> {
        self.columns.get(self.focus()).map(|column| &column.setup)
    }

    fn setup_mut(&mut self) -> Option<&mut ColumnSetup> {
        let at = self.focus();
        self.columns.get_mut(at).map(|column| &mut column.setup)
    }

    /// Puts the focus on a column; the settings pane is over that one's.
    fn set_focus(&mut self, at: usize) {
        self.view.set_focus(at);
        self.show_settings();
    }

    fn show_settings(&mut self) {
        if let Some((pane, params)) = self.pane_and_params() {
            pane.show(params);
        }
    }

    /// Returns the pane and the settings of the column with the focus, which it changes; `None`: there are no columns
    /// yet.
    pub(super) fn pane_and_params(&mut self) -> Option<(&mut SettingsPane, &mut CompletionParams)> {
        let at = self.focus();
        let column = self.columns.get_mut(at)?;
        Some((&mut self.pane, &mut column.setup.params))
    }

    /// Shows why the server refused the settings of a column, if it has the focus.
    pub(super) fn refused(&mut self, column: usize, failure: &Failure) {
        if column == self.focus()
            && let Some((pane, params)) = self.pane_and_params()
        {
            pane.refused(params, failure);
        }
    }

    /// Returns the last run of a column.
    pub(super) fn run_of(&self, at: usize) -> Option<Id> {
        Some(self.columns.get(at)?.last_run.as_ref()?.run)
    }

    /// Returns the last run of a column while it is under way.
    fn active_run<'a>(&self, at: usize, active: &'a ActiveRuns) -> Option<&'a ActiveRun> {
        active.find(self.run_of(at)?)
    }

    /// Returns the step that a column's last run writes; `None`: it has written nothing.
    pub(super) fn step(&self, at: usize) -> Option<Id> {
        self.columns.get(at)?.last_run.as_ref()?.step
    }

    /// Returns the last runs of all columns but one.
    pub(super) fn other_runs(&self, at: usize) -> Vec<Id> {
        (0..self.columns.len()).filter(|other| *other != at).filter_map(|other| self.run_of(other)).collect()
    }

    /// Returns tokens and cost of all columns of the last comparison; `None`: there was none.
    pub(super) fn meter(&self, active: &ActiveRuns, log: &RunLog) -> Option<RunMeter> {
        let meter = |run: Id| {
            if let Some(active) = active.find(run) {
                return Some(active.run.meter());
            }
            let run = log.find(run)?;
            // A run that was never answered has no estimated tokens.
            let estimated = run.estimated && run.prompt_tokens + run.completion_tokens > 0;
            Some(RunMeter { estimated, ..run.into() })
        };
        (0..self.columns.len()).filter_map(|at| meter(self.run_of(at)?)).reduce(|a, b| RunMeter {
            prompt_tokens: a.prompt_tokens + b.prompt_tokens,
            completion_tokens: a.completion_tokens + b.completion_tokens,
            estimated: a.estimated || b.estimated,
            cost: a.cost + b.cost,
            texts: 0,
        })
    }
}

/// Returns a column's letter.
fn letter(at: usize) -> &'static str {
    LETTERS.get(at).copied().unwrap_or_default()
}
