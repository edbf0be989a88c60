//! Runs that wait to be sent and runs that stream, and how much of each is saved.

use std::time::Instant;

use super::history::EditHistory;
use super::vocabulary_counts::VocabularyCounts;
use crate::api::call::Failure;
use crate::api::completion::CompletionRequest;
use crate::component::{Animation, Cx, Notice};
use crate::record::{CompletionParams, Id, Record, Run, Token, TurnStatus};
use crate::tabs::activity::{Activity, ActivityKind};
use crate::tabs::generation::{RunFigures, RunTarget, StreamingRun};
use crate::tabs::tab::RunMeter;

/// A run that streams.
#[derive(Debug)]
pub(super) struct ActiveRun {
    /// What streams.
    pub(super) run: StreamingRun,
    /// Its line in the list of runs.
    pub(super) record: Run,
    /// What it is part of.
    pub(super) purpose: RunPurpose,
    /// Its choices that have begun.
    pub(super) outputs: Vec<ChoiceOutput>,
    /// The position of its text, in bytes of the buffer as it was at the request.
    pub(super) at: usize,
    /// How many tokens of the prompt the store has been given.
    prompt_saved: usize,
}

/// Returns the record of a run that has ended so, for this reason.
pub(super) fn finished(
    record: Run,
    run: &StreamingRun,
    (status, failure): (TurnStatus, Option<&Failure>),
    figures: &RunFigures,
) -> Run {
    let stream = &run.stream;
    Run {
        model: if stream.model.is_empty() { record.model } else { stream.model.clone() },
        status,
        error: stream.sentence(failure),
        prompt_tokens: figures.meter.prompt_tokens,
        completion_tokens: run.cost().completion_tokens(),
        estimated: figures.meter.estimated,
        cost_nano: figures.cost_nano,
        first_token_ms: figures.first_token_ms,
        total_ms: figures.total_ms,
        ..record
    }
}

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunPurpose {
    /// The buffer continues with it.
    Buffer,
    /// A column of the comparison.
    Column(usize),
}

/// One of the runs that are asked for at once.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RunRequest {
    pub(super) purpose: RunPurpose,
    pub(super) target: RunTarget,
    pub(super) params: CompletionParams,
}

/// A choice that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ChoiceOutput {
    /// 0-based.
    pub(super) choice: u32,
    /// The step it is in the history.
    pub(super) step: Id,
    /// Bytes of it the store has been given.
    pub(super) saved: usize,
    /// Tokens of it the store has been given.
    pub(super) tokens_saved: usize,
}

/// A run that waits for its prompt to be on disk.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct QueuedRun {
    pub(super) record: Run,
    pub(super) purpose: RunPurpose,
    pub(super) target: RunTarget,
    pub(super) request: CompletionRequest,
    /// The position of its text, in bytes of the buffer.
    pub(super) at: usize,
}

impl ActiveRun {
    /// Begins the record of a run whose request has just been sent.
    pub(super) fn new(run: StreamingRun, record: Run, purpose: RunPurpose, at: usize) -> Self {
        Self { run, record, purpose, outputs: Vec::new(), at, prompt_saved: 0 }
    }

    /// Returns the choice's output, where it has begun.
    pub(super) fn output(&mut self, choice: u32) -> Option<&mut ChoiceOutput> {
        self.outputs.iter_mut().find(|output| output.choice == choice)
    }

    /// Returns its line in the list of runs when it has ended.
    pub(super) fn finished_record(&self, status: TurnStatus, failure: Option<&Failure>, figures: &RunFigures) -> Run {
        finished(self.record.clone(), &self.run, (status, failure), figures)
    }

    /// Returns when what came is to be given to the store; `None`: it has all.
    fn save_due(&self, history: &EditHistory) -> Option<Instant> {
        self.outputs.iter().any(|output| unsaved(output, history) > 0).then(|| self.run.save_due())
    }

    /// Returns the records that keep what is new, if it is time or `at_once`.
    pub(super) fn save<'t>(
        &mut self,
        history: &EditHistory,
        tokens: impl Fn(Id) -> &'t [Token],
        now: Instant,
        at_once: bool,
    ) -> Vec<Record> {
        let round = self.run.save_round(now, at_once);
        let mut records = Vec::new();
        for output in &mut self.outputs {
            let new = unsaved(output, history);
            let takes = round.takes(new);
            if takes && let Some(step) = history.step(output.step) {
                let (at, text) = (output.saved as u64, step.inserted.after(output.saved));
                records.push(Record::Grow { step: output.step, at, text });
                output.saved = step.inserted.len();
            }
            if takes || round.all {
                records.extend(new_tokens(output.step, tokens(output.step), &mut output.tokens_saved));
            }
        }
        if round.all {
            records.extend(new_tokens(self.record.id, tokens(self.record.id), &mut self.prompt_saved));
        }
        records
    }
}

/// Returns how many bytes of an output the store has not been given.
fn unsaved(output: &ChoiceOutput, history: &EditHistory) -> usize {
    history.step(output.step).map_or(0, |step| step.inserted.len() - output.saved)
}

/// Returns the record that keeps tokens the store has not been given.
fn new_tokens(of: Id, tokens: &[Token], saved: &mut usize) -> Option<Record> {
    let new = tokens.get(*saved..).filter(|new| !new.is_empty())?;
    let record = Record::Tokens { of, at: *saved as u64, tokens: new.to_vec() };
    *saved = tokens.len();
    Some(record)
}

/// All runs that are under way or about to be.
#[derive(Debug, Default)]
pub(super) struct ActiveRuns {
    pub(super) runs: Vec<ActiveRun>,
    /// Runs that wait for their prompt to be on disk.
    pub(super) queued: Vec<QueuedRun>,
    /// Whether a run of the buffer waits for the exact count of its prompt.
    pub(super) counting: bool,
    /// The counts of a comparison's prompt, while its runs wait for them.
    pub(super) column_counts: Option<VocabularyCounts>,
    /// The step the buffer stood at before it went back to run again.
    pub(super) return_to: Option<Id>,
    pub(super) animation: Animation,
}

impl ActiveRuns {
    /// Returns whether any is under way or about to be.
    pub(super) fn is_busy(&self) -> bool {
        self.counting || self.column_counts.is_some() || !self.queued.is_empty() || !self.runs.is_empty()
    }

    /// Returns those whose request is made or waits for its prompt to be saved.
    pub(super) fn activities(&self) -> Vec<Activity> {
        let queued = self.queued.iter().map(|queued| queued.record.id);
        let ids = self.runs.iter().map(|active| active.record.id).chain(queued);
        ids.map(|id| Activity::new(ActivityKind::Answer, id.0 as u64)).collect()
    }

    /// Returns whether any is, and says that it has to be stopped first; `then`: what can be done after that.
    pub(super) fn refuses_while_busy(&self, then: &str, cx: &mut Cx) -> bool {
        let busy = self.is_busy();
        if busy {
            cx.notify(Notice::warn(format!("a run is under way; esc stops it{then}")));
        }
        busy
    }

    /// Returns the run that writes into the buffer.
    pub(super) fn buffer_run(&self) -> Option<&ActiveRun> {
        self.runs.iter().find(|active| active.purpose == RunPurpose::Buffer)
    }

    /// Returns the run with this line in the list.
    pub(super) fn find(&self, run: Id) -> Option<&ActiveRun> {
        self.runs.iter().find(|active| active.record.id == run)
    }

    /// Returns whether a run with this line in the list is under way or about to be.
    pub(super) fn contains(&self, run: Id) -> bool {
        self.find(run).is_some() || self.queued.iter().any(|queued| queued.record.id == run)
    }

    /// Returns whether any is for a column of the comparison.
    pub(super) fn has_column_run(&self) -> bool {
        let column = |purpose: RunPurpose| matches!(purpose, RunPurpose::Column(_));
        self.column_counts.is_some()
            || self.queued.iter().any(|queued| column(queued.purpose))
            || self.runs.iter().any(|active| column(active.purpose))
    }

    /// Returns tokens and cost of the run that writes into the buffer, unless it waits for another attempt.
    pub(super) fn meter(&self) -> Option<RunMeter> {
        self.buffer_run().filter(|active| !active.run.is_retrying()).map(|active| active.run.meter())
    }

    /// Ends the countdowns of retries. Returns whether there was one.
    pub(super) fn retry_now(&self, cx: &mut Cx) -> bool {
        let retried: Vec<bool> = self.runs.iter().map(|active| active.run.retry_now(cx)).collect();
        retried.contains(&true)
    }

    /// Returns when what came is to be given to the store; `None`: it has all.
    pub(super) fn save_due(&self, history: &EditHistory) -> Option<Instant> {
        self.runs.iter().filter_map(|active| active.save_due(history)).min()
    }
}
