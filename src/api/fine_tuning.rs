//! `/v1/fine_tuning/jobs`: the newer interface to fine-tunes, as the service writes it. [`super::job`] reads it.

use serde::Serialize;
use serde_json::Value;

/// A job.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FineTuningJob {
    /// `ftjob-…`
    pub id: String,
    /// `fine_tuning.job`
    pub object: String,
    /// Base model.
    pub model: String,
    /// Unix seconds.
    pub created_at: i64,
    /// Unix seconds; null until it succeeded.
    pub finished_at: Option<i64>,
    /// Null until produced.
    pub fine_tuned_model: Option<String>,
    /// Owner.
    pub organization_id: String,
    /// Ids; empty until produced.
    pub result_files: Vec<String>,
    /// `validating_files`, `queued`, `running`, `succeeded`, `failed`, `cancelled`.
    pub status: String,
    /// Id.
    pub training_file: String,
    /// Id.
    pub validation_file: Option<String>,
    /// Effective values; `auto` until they are known.
    pub hyperparameters: Hyperparameters,
    /// The same, where today's clients look for it.
    pub method: Method,
    /// Tokens of all epochs; null until it succeeded.
    pub trained_tokens: Option<u64>,
    /// Why it failed.
    pub error: Option<JobError>,
    /// Part of the new model's name.
    pub user_provided_suffix: Option<String>,
    /// The same seed and files give the same model.
    pub seed: u64,
    /// Unix seconds; not estimated.
    pub estimated_finish: Option<i64>,
    /// None.
    pub integrations: Vec<Value>,
    /// What the caller attached.
    pub metadata: Option<Value>,
}

/// How a job trains.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Method {
    /// `supervised`
    #[serde(rename = "type")]
    pub kind: String,
    /// Its settings.
    pub supervised: Supervised,
}

/// Settings of the one method there is.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Supervised {
    /// As in the job.
    pub hyperparameters: Hyperparameters,
}

/// A job's settings in force.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hyperparameters {
    /// Passes.
    pub n_epochs: Chosen<u32>,
    /// Examples a step.
    pub batch_size: Chosen<u32>,
    /// Factor on the base learning rate.
    pub learning_rate_multiplier: Chosen<f64>,
}

/// A setting with its value, or `auto`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Chosen<T> {
    /// The value.
    Value(T),
    /// `auto`: not chosen yet.
    Auto(String),
}

impl<T> From<Option<T>> for Chosen<T> {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(|| Self::Auto("auto".into()), Self::Value)
    }
}

/// Why a job failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JobError {
    /// A name for machines.
    pub code: String,
    /// A sentence.
    pub message: String,
    /// The field at fault.
    pub param: Option<String>,
}

/// One line of a job's history.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobEvent {
    /// `ftevent-…`
    pub id: String,
    /// `fine_tuning.job.event`
    pub object: String,
    /// Unix seconds.
    pub created_at: i64,
    /// `info`, `error`.
    pub level: String,
    /// What happened.
    pub message: String,
    /// `message`, `metrics`
    #[serde(rename = "type")]
    pub kind: String,
    /// A step's metrics, in an event of the kind `metrics`; else null.
    pub data: Option<Value>,
}

/// A model as it was at the end of an epoch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Checkpoint {
    /// `ftckpt_…`
    pub id: String,
    /// `fine_tuning.job.checkpoint`
    pub object: String,
    /// Unix seconds.
    pub created_at: i64,
    /// The model's name.
    pub fine_tuned_model_checkpoint: String,
    /// `ftjob-…`
    pub fine_tuning_job_id: String,
    /// Step it was made at.
    pub step_number: u64,
    /// Its metrics.
    pub metrics: CheckpointMetrics,
}

/// How a checkpoint did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckpointMetrics {
    /// Step it was made at.
    pub step: u64,
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobPage<T> {
    /// `list`
    pub object: String,
    /// Its entries.
    pub data: Vec<T>,
    /// Whether more follow.
    pub has_more: bool,
    /// Id of the first entry.
    pub first_id: Option<String>,
    /// Id of the last entry.
    pub last_id: Option<String>,
}
