//! A fine-tune job as a pure state machine: changes come in, the state and the events follow. What is stored of a job
//! is the list of its changes; replaying them gives the job again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::events;
use crate::api::file::File;
use crate::api::fine_tune::FineTuneEvent;

/// What a job was asked to do; never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Spec {
    /// The label of its organisation.
    pub(crate) organisation: String,
    /// Model to begin with, as asked for.
    pub(crate) model: String,
    /// The shipped model at the beginning of `model`: `ada`, `gpt-3.5-turbo`, …
    pub(crate) family: String,
    /// The training file, as it was when the job was created.
    pub(crate) training: File,
    /// The validation file, as it was when the job was created.
    pub(crate) validation: Option<File>,
    pub(crate) n_epochs: u32,
    /// `None`: derived from the number of examples.
    pub(crate) batch_size: Option<u32>,
    /// `None`: derived from the batch size.
    pub(crate) learning_rate_multiplier: Option<f64>,
    pub(crate) prompt_loss_weight: f64,
    /// Which classification metrics are computed.
    pub(crate) classes: Option<Classes>,
    /// Part of the new model's name: lower-case letters, digits, dashes.
    pub(crate) suffix: Option<String>,
    pub(crate) seed: u64,
    /// Metadata of the job, from callers of the newer interface.
    pub(crate) metadata: Option<Value>,
}

/// Which classification metrics a job computes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Classes {
    /// Accuracy and weighted F1.
    Many(u32),
    /// Precision, recall and so on of one class against all others.
    Two {
        /// The completion that counts as positive.
        positive: String,
        /// Beta values of the F-scores besides 1.
        betas: Vec<f64>,
    },
}

/// What happens to a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Change {
    /// It was created.
    Created {
        /// `ft-…`
        id: String,
        /// Order of creation over all organisations.
        number: u64,
        spec: Box<Spec>,
    },
    /// Its files were read, and its tokens counted.
    Priced {
        /// Tokens over all epochs.
        tokens: u64,
        /// Price of the tokens, nano-dollars; jobs of this service are free.
        nano: i64,
        /// Examples in the training file.
        examples: u64,
    },
    /// It is in the queue; this many jobs are before it.
    Queued { place: u64 },
    /// It is being trained, with these settings.
    Started { batch_size: u32, learning_rate_multiplier: f64 },
    /// Training continues from the end of this epoch, after a restart of the service.
    Resumed { epoch: u32 },
    /// The metrics of a training step. About a hundred are reported per job.
    Step(StepMetrics),
    /// An epoch is finished and its checkpoint stored.
    Epoch {
        /// Counted from 1.
        number: u32,
        /// Length of the results so far.
        bytes: u64,
        /// Steps so far.
        step: u64,
    },
    /// It has made a model.
    Succeeded { model: String, result: Box<File> },
    /// It failed; the reason is for its owner.
    Failed { reason: String },
    /// It was cancelled.
    Cancelled,
    /// Its model was deleted.
    Deleted,
}

/// The figures of a training step that are reported. Each is a finite number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StepMetrics {
    /// Counted from 1 over all epochs.
    pub(crate) step: u64,
    pub(crate) train_loss: f64,
    /// Share of tokens predicted correctly.
    pub(crate) train_accuracy: f64,
    /// Loss and share of correct tokens on the validation examples, if they were scored at this step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) valid: Option<(f64, f64)>,
}

/// How far a job is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Phase {
    /// Waits until its files are read.
    Checking,
    /// In the queue; this many jobs are before it.
    Queued { place: u64 },
    /// Being trained.
    Running,
    /// It has made a model.
    Succeeded {
        model: String,
        /// Whether the model still exists.
        kept: bool,
        result: Box<File>,
    },
    /// It failed.
    Failed { reason: String },
    /// It was cancelled.
    Cancelled,
}

/// How far training is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Epochs finished and stored.
    pub(crate) epoch: u32,
    /// Length of the results at the end of that epoch.
    pub(crate) bytes: u64,
    /// Steps up to the end of that epoch.
    pub(crate) step: u64,
    /// How often training was resumed since.
    pub(crate) resumed: u32,
}

/// A job.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Job {
    /// `ft-…`
    pub(crate) id: String,
    /// Order of creation over all organisations.
    pub(crate) number: u64,
    pub(crate) spec: Spec,
    /// Unix seconds.
    pub(crate) created: i64,
    /// Unix seconds.
    pub(crate) updated: i64,
    pub(crate) phase: Phase,
    pub(crate) progress: Progress,
    /// Examples a step and factor on the learning rate, once it runs.
    pub(crate) settings: Option<(u32, f64)>,
    /// Tokens over all epochs, once they are counted.
    pub(crate) tokens: Option<u64>,
    /// Training examples, 0 until they are counted.
    pub(crate) examples: u64,
    pub(crate) events: Vec<FineTuneEvent>,
    /// The metrics of events about a step, by the event's index.
    pub(crate) metrics: BTreeMap<usize, StepMetrics>,
}

/// A change that is invalid in the state of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a fine-tune job cannot take this change in its state")]
pub(crate) struct InvalidChange;

impl Job {
    /// Creates a job by its first change; fails for any other change than `Created`.
    pub(crate) fn create(at: i64, change: &Change) -> Result<Self, InvalidChange> {
        let Change::Created { id, number, spec } = change else { return Err(InvalidChange) };
        let mut job = Self {
            id: id.clone(),
            number: *number,
            spec: (**spec).clone(),
            created: at,
            updated: at,
            phase: Phase::Checking,
            progress: Progress::default(),
            settings: None,
            tokens: None,
            examples: 0,
            events: Vec::new(),
            metrics: BTreeMap::new(),
        };
        let context = events::EventContext { id: &job.id, epochs: 0, steps: None, was_queued: false };
        events::add_events(&mut job.events, at, context, change);
        Ok(job)
    }

    /// Applies a change that happens at `at` (Unix seconds). Fails, and leaves the job as it is, if the change is
    /// invalid in its state.
    pub(crate) fn apply(&mut self, at: i64, change: &Change) -> Result<(), InvalidChange> {
        let was_queued = matches!(self.phase, Phase::Queued { .. });
        match (&mut self.phase, change) {
            (Phase::Checking, Change::Priced { tokens, examples, .. }) => {
                (self.tokens, self.examples) = (Some(*tokens), *examples);
            }
            (Phase::Checking | Phase::Queued { .. }, Change::Queued { place }) => {
                self.phase = Phase::Queued { place: *place };
            }
            (Phase::Queued { .. }, Change::Started { batch_size, learning_rate_multiplier }) => {
                self.settings = Some((*batch_size, *learning_rate_multiplier));
                self.phase = Phase::Running;
            }
            (Phase::Running, Change::Resumed { epoch }) if *epoch == self.progress.epoch => self.progress.resumed += 1,
            (Phase::Running, Change::Step(metrics)) => {
                self.metrics.insert(self.events.len(), *metrics);
            }
            (Phase::Running, Change::Epoch { number, bytes, step }) if *number == self.progress.epoch + 1 => {
                self.progress = Progress { epoch: *number, bytes: *bytes, step: *step, resumed: 0 };
            }
            (Phase::Running, Change::Succeeded { model, result }) => {
                self.phase = Phase::Succeeded { model: model.clone(), kept: true, result: result.clone() };
            }
            (Phase::Checking | Phase::Queued { .. } | Phase::Running, Change::Failed { reason }) => {
                self.phase = Phase::Failed { reason: reason.clone() };
            }
            (Phase::Checking | Phase::Queued { .. } | Phase::Running, Change::Cancelled) => {
                self.phase = Phase::Cancelled;
            }
            (Phase::Succeeded { kept, .. }, Change::Deleted) if *kept => *kept = false,
            _ => return Err(InvalidChange),
        }
        self.updated = at.max(self.updated);
        let context =
            events::EventContext { id: &self.id, epochs: self.spec.n_epochs, steps: self.steps(), was_queued };
        events::add_events(&mut self.events, at, context, change);
        Ok(())
    }

    /// Returns the interface's name of the state.
    pub(crate) fn status(&self) -> &'static str {
        match self.phase {
            Phase::Checking | Phase::Queued { .. } => "pending",
            Phase::Running => "running",
            Phase::Succeeded { .. } => "succeeded",
            Phase::Failed { .. } => "failed",
            Phase::Cancelled => "cancelled",
        }
    }

    /// Returns whether the job has ended.
    pub(crate) fn finished(&self) -> bool {
        matches!(self.phase, Phase::Succeeded { .. } | Phase::Failed { .. } | Phase::Cancelled)
    }

    /// Returns the name of the model it made, while that exists.
    pub(crate) fn model_name(&self) -> Option<&str> {
        match &self.phase {
            Phase::Succeeded { model, kept: true, .. } => Some(model),
            _ => None,
        }
    }

    /// Returns the batch size it trains with; before it runs, the one it was created with.
    pub(crate) fn batch_size(&self) -> Option<u32> {
        self.settings.map(|(size, _)| size).or(self.spec.batch_size)
    }

    /// Returns the learning rate multiplier it trains with; before it runs, the one it was created with.
    pub(crate) fn learning_rate_multiplier(&self) -> Option<f64> {
        self.settings.map(|(_, multiplier)| multiplier).or(self.spec.learning_rate_multiplier)
    }

    /// Returns the steps over all epochs, once its examples are counted and it runs.
    pub(crate) fn steps(&self) -> Option<u64> {
        let (batch_size, _) = self.settings.filter(|_| self.examples > 0)?;
        Some(self.examples.div_ceil(batch_size.into()) * u64::from(self.spec.n_epochs))
    }

    /// Returns what follows `ft-` in its id.
    pub(crate) fn tail(&self) -> &str {
        self.id.strip_prefix("ft-").unwrap_or(&self.id)
    }
}

#[cfg(test)]
pub(super) mod tests;
