//! A fine-tune as a screen sees it: the two interfaces to fine-tunes, `/v1/fine-tunes` and `/v1/fine_tuning/jobs`, in
//! one form.

mod read;

use serde::{Deserialize, Serialize};

use crate::text::Untrusted;

/// Which interface to fine-tunes a server has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Dialect {
    /// `/v1/fine-tunes`: events are streamed.
    #[serde(rename = "fine-tunes")]
    FineTunes,
    /// `/v1/fine_tuning/jobs`: events are polled.
    #[serde(rename = "fine_tuning")]
    FineTuning,
}

impl Dialect {
    /// Returns the name of the dialect in the config file.
    pub fn name(self) -> &'static str {
        match self {
            Self::FineTunes => "fine-tunes",
            Self::FineTuning => "fine_tuning",
        }
    }

    /// Returns the path below the base URL, for display.
    pub fn path(self) -> &'static str {
        match self {
            Self::FineTunes => "/fine-tunes",
            Self::FineTuning => "/fine_tuning/jobs",
        }
    }
}

/// The state of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum JobStatus {
    /// `pending`, `validating_files`, `queued`: not started.
    #[default]
    Pending,
    /// `running`
    Running,
    /// `paused`
    Paused,
    /// `succeeded`
    Succeeded,
    /// `failed`
    Failed,
    /// `cancelled`
    Cancelled,
    /// Any other status word of the server.
    Other(String),
}

impl JobStatus {
    /// Returns whether the job has ended.
    pub fn is_finished(&self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }
}

/// A file of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobFile {
    /// `file-…`
    pub id: String,
    /// Its name; empty where the job names only its id.
    pub filename: String,
    /// Its size; `None` where the job names only its id.
    pub bytes: Option<u64>,
}

/// A job's settings in force. `None`: the server does not say, or has not chosen yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobSettings {
    /// Passes over the training set.
    pub n_epochs: Option<u32>,
    /// Examples a step.
    pub batch_size: Option<u32>,
    /// Factor on the base learning rate.
    pub learning_rate_multiplier: Option<f64>,
    /// Weight of the prompt's loss.
    pub prompt_loss_weight: Option<f64>,
}

/// A job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Job {
    /// `ft-…` or `ftjob-…`
    pub id: String,
    /// Base model.
    pub model: String,
    /// Its status.
    pub status: JobStatus,
    /// Unix seconds; 0: unknown.
    pub created_at: i64,
    /// Unix seconds of the last change; `None`: unknown.
    pub updated_at: Option<i64>,
    /// Unix seconds; `None`: not ended, or unknown.
    pub finished_at: Option<i64>,
    /// The new model; `None` until there is one.
    pub fine_tuned_model: Option<String>,
    /// The requested part of its name, if sent.
    pub suffix: Option<String>,
    /// Settings.
    pub settings: JobSettings,
    /// Owner; may be empty.
    pub organization_id: String,
    /// Training files.
    pub training_files: Vec<JobFile>,
    /// Validation files.
    pub validation_files: Vec<JobFile>,
    /// Empty until there are results.
    pub result_files: Vec<JobFile>,
    /// Tokens of all epochs, if sent.
    pub trained_tokens: Option<u64>,
    /// Why it failed, if the job itself contains that.
    pub error: Option<String>,
}

impl Job {
    /// Returns when it ended, in Unix seconds; `None`: it has not, or the server does not say. In the older interface
    /// the last change of a job is its end.
    pub fn ended_at(&self) -> Option<i64> {
        self.finished_at.or(self.updated_at).filter(|_| self.status.is_finished())
    }
}

/// One line of a job's history.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobEvent {
    /// `None` where the server's events have none.
    pub id: Option<String>,
    /// Unix seconds.
    pub created_at: i64,
    /// `info`, `warn`, `error`.
    pub level: String,
    /// What happened.
    pub message: String,
    /// Metrics of a step, by their names (`step`, `train_loss`, …), if the event carries any. Their order means
    /// nothing.
    pub metrics: Vec<(String, f64)>,
}

/// How many characters of an id after its prefix are shown: enough to distinguish jobs on a screen.
const SHORT_ID_CHARS: usize = 5;

/// Returns the beginning of a job's id, to be shown: `ft-8QkAb` of `ft-8QkAbCdEf…`.
pub fn short_id(id: &str) -> String {
    let tail = id.find('-').map_or(0, |at| at + 1);
    let end = id[tail..].char_indices().nth(SHORT_ID_CHARS).map_or(id.len(), |(at, _)| tail + at);
    Untrusted::from(&id[..end]).line().into_owned()
}
