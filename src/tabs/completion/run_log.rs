//! The runs that have been made: their lines in the list, and how those of this session ended.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::active_run::ActiveRuns;
use super::history::EditHistory;
use super::lacking::Lacking;
use crate::api::call::Failure;
use crate::record::{Id, Made, Run, TurnStatus};
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::tokens;

/// Returns why a completion ended: at its limit of tokens in words, else as the server says it.
pub(super) fn ended_by(reason: &Untrusted) -> String {
    if *reason == *"length" { "max tokens reached".to_owned() } else { reason.line().into_owned() }
}

/// All runs, newest first, and what is known of their ends.
#[derive(Debug, Default)]
pub(super) struct RunLog {
    pub(super) runs: Vec<Run>,
    /// Runs that asked for an echo and got none.
    pub(super) unechoed: BTreeSet<Id>,
    /// Why runs ended of which no text came: the server's `finish_reason`.
    pub(super) empty_reasons: BTreeMap<Id, Untrusted>,
    /// Why runs failed.
    pub(super) failures: HashMap<Id, Failure>,
    /// The run whose end is shown under the text.
    pub(super) shown: Option<Id>,
    /// Tokens and cost of the last run.
    pub(super) meter: Option<RunMeter>,
    /// What models were found to lack.
    pub(super) lacking: Lacking,
}

impl RunLog {
    /// Returns a run.
    pub(super) fn find(&self, id: Id) -> Option<&Run> {
        self.runs.iter().find(|run| run.id == id)
    }

    /// Returns a run to change it.
    pub(super) fn find_mut(&mut self, id: Id) -> Option<&mut Run> {
        self.runs.iter_mut().find(|run| run.id == id)
    }

    /// Adds the runs of the store: what was asked meanwhile is newer than all of them. Those that nobody makes any more
    /// were cut off.
    pub(super) fn add_stored(&mut self, runs: Vec<Run>, active: &ActiveRuns) {
        let known: Vec<Id> = self.runs.iter().map(|run| run.id).collect();
        self.runs.extend(runs.into_iter().filter(|run| !known.contains(&run.id)));
        for run in &mut self.runs {
            if run.status == TurnStatus::Streaming && !active.contains(run.id) {
                run.status = TurnStatus::CutOff;
                run.error = "the program ended meanwhile".into();
            }
        }
    }

    /// Notes that a run was stopped before it was sent. Returns whether it is in the list.
    pub(super) fn stop_unsent(&mut self, id: Id) -> bool {
        let run = self.find_mut(id);
        let found = run.is_some();
        if let Some(run) = run {
            (run.status, run.prompt_tokens, run.cost_nano) = (TurnStatus::Stopped, 0, Some(0));
        }
        found
    }

    /// Counts tokens of the runs on a sheet that the program's end cut off: only their text is known.
    pub(super) fn count_cut_off(&mut self, sheet: Id, history: &EditHistory) {
        for run in &mut self.runs {
            if run.status == TurnStatus::CutOff && run.completion_tokens == 0 && run.sheet == sheet {
                let texts = history.outputs_of(run.id);
                run.completion_tokens = texts.map(|step| tokens::estimate(step.inserted.raw())).sum();
                run.estimated = true;
            }
        }
    }

    /// Returns the run whose work is shown: the last one, else the one that wrote the last generated part.
    pub(super) fn shown_run(&self, history: &EditHistory) -> Option<&Run> {
        let made = || match history.step(history.last_generated()?)?.made {
            Made::Generated { run, .. } => Some(run),
            _ => None,
        };
        self.find(self.shown.or_else(made)?)
    }

    /// Returns the sentence of a run's failure; empty: it has none.
    pub(super) fn failure(&self, run: Id) -> &Untrusted {
        self.failures.get(&run).map_or(Untrusted::none(), |why| &why.sentence)
    }
}
