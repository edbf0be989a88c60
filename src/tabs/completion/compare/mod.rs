//! The same prompt to several columns at once, each with its own profile, model and settings.
//!
//! The columns' runs are like all others: steps beside each other in the history's tree, at the caret's position.

pub(super) mod draw;
pub(super) mod keys;
mod offer;
mod send;
#[cfg(test)]
mod tests;
mod update;

use crossterm::event::KeyEvent;
use serde::{Deserialize, Serialize};

use super::params::{self, SettingsPane};
use crate::api::call::Failure;
use crate::record::{CompletionParams, Id};
use crate::settings::ProfileId;
use crate::tabs::columns::{self, Columns};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::tokens::{self, Encoding};

/// The setting that holds the setups used last.
pub(super) const SETTING: &str = "completion.compare";
/// How many columns there may be.
const FEWEST: usize = 2;
const MOST: usize = 4;
/// Their names.
const LETTERS: [&str; MOST] = ["A", "B", "C", "D"];

/// Where a column's runs go, and how they are asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ColumnSetup {
    /// The profile's id.
    pub(super) profile: String,
    /// Empty: none is chosen yet.
    pub(super) model: String,
    pub(super) params: CompletionParams,
}

impl ColumnSetup {
    fn profile(&self) -> ProfileId {
        ProfileId(self.profile.clone())
    }

    fn model(&self) -> Untrusted {
        self.model.as_str().into()
    }

    fn is_local(&self) -> bool {
        self.profile() == ProfileId::local()
    }

    /// Returns the settings as they are sent: of a column one completion is asked for.
    fn sent(&self) -> CompletionParams {
        let mut params = self.params.clone();
        params.common.n = None;
        params
    }

    /// Returns model and what is set, in a few words; the profile's name where it is given.
    fn words(&self, profile: Option<&Untrusted>) -> String {
        let model = self.model();
        let model = if model.is_empty() { "no model".into() } else { model.line().into_owned() };
        let brief = params::brief(&self.sent());
        let dot = if brief.is_empty() { "" } else { " · " };
        let profile = profile.map(|name| format!("{}: ", name.line())).unwrap_or_default();
        format!("{profile}{model}{dot}{brief}")
    }
}

/// What is kept of the page.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SavedComparison {
    columns: Vec<ColumnSetup>,
    focus: usize,
}

/// A column: what it is to run, and what it ran last.
#[derive(Clone, Debug, Default, PartialEq)]
struct ComparedColumn {
    setup: ColumnSetup,
    last_run: Option<ColumnRun>,
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

/// Where in the history columns were run: the sheet, the step, the caret.
type ComparedAt = (Id, Option<Id>, usize);

/// What is known of the prompt's tokens while they are being counted.
#[derive(Debug)]
struct VocabularyCounts {
    stamp: u64,
    /// Counts that have not come.
    left: usize,
    /// Of each vocabulary: the tokens before the caret and after it, once counted.
    counts: Vec<(Encoding, Option<[u64; 2]>)>,
}

impl VocabularyCounts {
    /// Returns tokens of prompt and suffix as a model cuts them; `None`: nobody here knows.
    fn tokens(&self, setup: &ColumnSetup) -> Option<u64> {
        let encoding = tokens::encoding(&setup.model().line(), setup.is_local())?;
        let (_, counts) = self.counts.iter().find(|(other, _)| *other == encoding)?;
        counts.map(|counts| counts.iter().sum())
    }
}

/// The page. Its setups and outputs stay while it is closed.
#[derive(Debug)]
pub(super) struct Compare {
    columns: Vec<ComparedColumn>,
    view: Columns,
    /// The pane over the settings of the column with the focus.
    pub(super) settings: SettingsPane,
    /// A comparison that waits for its prompt to be counted.
    counting: Option<VocabularyCounts>,
    /// Numbers the comparisons.
    stamp: u64,
    /// Where the outputs shown were made.
    compared_at: Option<ComparedAt>,
    /// Whether the setups are others than those kept.
    pub(super) changed: bool,
}

impl Default for Compare {
    fn default() -> Self {
        Self {
            columns: Vec::new(),
            view: Columns::default(),
            settings: SettingsPane::new(CompletionParams::default()),
            counting: None,
            stamp: 0,
            compared_at: None,
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
        LETTERS[self.focus()]
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
        self.load_settings();
    }

    fn load_settings(&mut self) {
        if let Some(params) = self.setup().map(|setup| setup.params.clone()) {
            self.settings.load(params);
        }
    }

    /// Takes the settings of the pane for the column with the focus.
    pub(super) fn take_settings(&mut self) {
        let params = self.settings.params().clone();
        if let Some(setup) = self.setup_mut() {
            setup.params = params;
        }
        self.changed = true;
    }

    /// Returns whether a comparison waits for its prompt to be counted.
    pub(super) fn is_counting(&self) -> bool {
        self.counting.is_some()
    }

    /// Gives up a comparison that waits for its prompt to be counted.
    pub(super) fn stop_counting(&mut self) {
        self.counting = None;
    }

    /// Shows why the server refused the settings of a column, if it has the focus.
    pub(super) fn refused(&mut self, column: usize, why: &Failure) {
        if column == self.focus() {
            self.settings.refused(why);
        }
    }

    /// Returns what is saved of it.
    pub(super) fn json(&self) -> String {
        let columns = self.columns.iter().map(|column| column.setup.clone()).collect();
        let kept = SavedComparison { columns, focus: self.focus() };
        serde_json::to_string(&kept).expect("texts and numbers are always JSON")
    }

    /// Takes what was kept, unless there are columns already.
    pub(super) fn fill(&mut self, json: &str) {
        let SavedComparison { mut columns, focus } = serde_json::from_str(json).unwrap_or_default();
        columns.truncate(MOST);
        if self.columns.is_empty() && columns.len() >= FEWEST {
            self.columns = columns.into_iter().map(|setup| ComparedColumn { setup, last_run: None }).collect();
            self.set_focus(focus.min(self.columns.len() - 1));
        }
    }

    /// Handles a key for the columns themselves.
    pub(super) fn columns_key(&mut self, key: KeyEvent) -> Option<columns::ColumnsEvent> {
        let before = self.focus();
        let event = self.view.key(key, self.columns.len());
        if self.focus() != before {
            self.load_settings();
        }
        event
    }
}

/// Returns the sum of all; `None`: there are none.
fn sum(meters: impl Iterator<Item = RunMeter>) -> Option<RunMeter> {
    meters.reduce(|a, b| RunMeter {
        prompt_tokens: a.prompt_tokens + b.prompt_tokens,
        completion_tokens: a.completion_tokens + b.completion_tokens,
        estimated: a.estimated || b.estimated,
        cost: a.cost + b.cost,
        texts: 0,
    })
}
