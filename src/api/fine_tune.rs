//! `/v1/fine-tunes`.

use serde::{Deserialize, Serialize};

use super::file::File;
use super::lenient;

/// A new job. `None`: the server's default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FineTuneRequest {
    /// Id of an uploaded file with purpose `fine-tune`.
    pub training_file: String,
    /// Id of a file of the same form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validation_file: Option<String>,
    /// Base model; default `curie`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Passes over the training set; default 4.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n_epochs: Option<u32>,
    /// Default about 0.2 % of the examples, at most 256.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch_size: Option<u32>,
    /// Default 0.05, 0.1 or 0.2 by batch size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learning_rate_multiplier: Option<f64>,
    /// Weight of the prompt's loss; default 0.01.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_loss_weight: Option<f64>,
    /// Needs a validation file and one of the two below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute_classification_metrics: Option<bool>,
    /// For multiclass.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classification_n_classes: Option<u32>,
    /// For binary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classification_positive_class: Option<String>,
    /// Beta values for F-beta; binary only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classification_betas: Option<Vec<f64>>,
    /// Up to 40 characters of the new model's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suffix: Option<String>,
}

/// A job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FineTune {
    /// `ft-…`
    #[serde(deserialize_with = "lenient::or_default")]
    pub id: String,
    /// `fine-tune`
    #[serde(deserialize_with = "lenient::or_default")]
    pub object: String,
    /// Base model.
    #[serde(deserialize_with = "lenient::or_default")]
    pub model: String,
    /// Unix seconds.
    #[serde(deserialize_with = "lenient::or_default")]
    pub created_at: i64,
    /// Unix seconds.
    #[serde(deserialize_with = "lenient::or_default")]
    pub updated_at: i64,
    /// Left out of list entries.
    #[serde(deserialize_with = "lenient::list_or_none", skip_serializing_if = "Option::is_none")]
    pub events: Option<Vec<FineTuneEvent>>,
    /// Null until produced.
    #[serde(deserialize_with = "lenient::or_default")]
    pub fine_tuned_model: Option<String>,
    /// Effective values; null until the job runs.
    #[serde(deserialize_with = "lenient::object")]
    pub hyperparams: Hyperparams,
    /// Owner.
    #[serde(deserialize_with = "lenient::or_default")]
    pub organization_id: String,
    /// `pending`, `running`, `succeeded`, `failed`, `cancelled`.
    #[serde(deserialize_with = "lenient::or_default")]
    pub status: String,
    /// Training files.
    #[serde(deserialize_with = "lenient::list")]
    pub training_files: Vec<File>,
    /// Validation files.
    #[serde(deserialize_with = "lenient::list")]
    pub validation_files: Vec<File>,
    /// Empty until produced.
    #[serde(deserialize_with = "lenient::list")]
    pub result_files: Vec<File>,
}

/// A job's settings in force.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Hyperparams {
    /// Examples per step.
    #[serde(deserialize_with = "lenient::or_default")]
    pub batch_size: Option<u32>,
    /// Factor on the base learning rate.
    #[serde(deserialize_with = "lenient::or_default")]
    pub learning_rate_multiplier: Option<f64>,
    /// Passes.
    #[serde(deserialize_with = "lenient::or_default")]
    pub n_epochs: Option<u32>,
    /// Weight of the prompt's loss.
    #[serde(deserialize_with = "lenient::or_default")]
    pub prompt_loss_weight: Option<f64>,
}

/// One line of a job's history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FineTuneEvent {
    /// `fine-tune-event`
    #[serde(deserialize_with = "lenient::or_default")]
    pub object: String,
    /// Unix seconds.
    #[serde(deserialize_with = "lenient::or_default")]
    pub created_at: i64,
    /// `info`, `error`.
    #[serde(deserialize_with = "lenient::or_default")]
    pub level: String,
    /// What happened.
    #[serde(deserialize_with = "lenient::or_default")]
    pub message: String,
}
