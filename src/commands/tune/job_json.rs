//! A fine-tune as JSON.

use serde::Serialize;

use crate::api::job::{Job, JobFile};
use crate::commands::request::VERSION;
use crate::tabs::fine_tunes::{job_name, job_state};

/// A fine-tune, as JSON.
#[derive(Debug, Serialize)]
pub(super) struct JobJson<'a> {
    pub(super) version: u32,
    pub(super) id: &'a str,
    /// The suffix that was asked for, or else the training file.
    pub(super) name: String,
    /// `queued`, `running`, `paused`, `succeeded`, `failed`, `cancelled`, or the server's own word.
    pub(super) status: String,
    pub(super) model: &'a str,
    /// Null: there is none yet.
    pub(super) fine_tuned_model: Option<&'a str>,
    /// Unix seconds; null: unknown.
    pub(super) created_at: Option<i64>,
    pub(super) finished_at: Option<i64>,
    pub(super) trained_tokens: Option<u64>,
    pub(super) settings: SettingsJson,
    pub(super) training_files: Vec<&'a str>,
    pub(super) validation_files: Vec<&'a str>,
    pub(super) result_files: Vec<&'a str>,
    pub(super) error: Option<&'a str>,
}

/// Null: the server does not say, or has not chosen yet.
#[derive(Debug, Serialize)]
pub(super) struct SettingsJson {
    pub(super) n_epochs: Option<u32>,
    pub(super) batch_size: Option<u32>,
    pub(super) learning_rate_multiplier: Option<f64>,
    pub(super) prompt_loss_weight: Option<f64>,
}

impl<'a> From<&'a Job> for JobJson<'a> {
    fn from(job: &'a Job) -> Self {
        let ids = |files: &'a [JobFile]| files.iter().map(|file| file.id.as_str()).collect();
        Self {
            version: VERSION,
            id: &job.id,
            name: job_name(job),
            status: job_state(&job.status),
            model: &job.model,
            fine_tuned_model: job.fine_tuned_model.as_deref(),
            created_at: (job.created_at != 0).then_some(job.created_at),
            finished_at: job.ended_at(),
            trained_tokens: job.trained_tokens,
            settings: SettingsJson {
                n_epochs: job.settings.n_epochs,
                batch_size: job.settings.batch_size,
                learning_rate_multiplier: job.settings.learning_rate_multiplier,
                prompt_loss_weight: job.settings.prompt_loss_weight,
            },
            training_files: ids(&job.training_files),
            validation_files: ids(&job.validation_files),
            result_files: ids(&job.result_files),
            error: job.error.as_deref(),
        }
    }
}
