//! A job and its events as servers write them, in either interface or nearly so: ids in place of objects, `auto`, nulls.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};

use super::{Job, JobEvent, JobFile, JobSettings, JobStatus};
use crate::api::lenient::{self, Either};

/// Figures of an event that are kept.
const FIGURES: usize = 64;
/// Bytes of an event's id, and of a figure's name; a longer one is none.
const ID: usize = 256;

/// The fields of both interfaces together.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ToldJob {
    #[serde(deserialize_with = "lenient::or_default")]
    id: String,
    #[serde(deserialize_with = "lenient::or_default")]
    model: String,
    #[serde(deserialize_with = "lenient::or_default")]
    status: String,
    #[serde(deserialize_with = "lenient::or_default")]
    created_at: Option<f64>,
    #[serde(deserialize_with = "lenient::or_default")]
    updated_at: Option<f64>,
    #[serde(deserialize_with = "lenient::or_default")]
    finished_at: Option<f64>,
    #[serde(deserialize_with = "lenient::or_default")]
    fine_tuned_model: Option<String>,
    #[serde(deserialize_with = "lenient::or_default")]
    organization_id: String,
    #[serde(deserialize_with = "lenient::or_default")]
    suffix: Option<String>,
    #[serde(deserialize_with = "lenient::or_default")]
    user_provided_suffix: Option<String>,
    #[serde(deserialize_with = "lenient::or_default")]
    trained_tokens: Option<f64>,
    #[serde(deserialize_with = "lenient::object")]
    hyperparams: ToldSettings,
    #[serde(deserialize_with = "lenient::object")]
    hyperparameters: ToldSettings,
    #[serde(deserialize_with = "lenient::object")]
    method: ToldMethod,
    #[serde(deserialize_with = "files")]
    training_files: Vec<JobFile>,
    #[serde(deserialize_with = "files")]
    validation_files: Vec<JobFile>,
    #[serde(deserialize_with = "files")]
    result_files: Vec<JobFile>,
    training_file: Either<ToldFile>,
    validation_file: Either<ToldFile>,
    error: Either<ToldError>,
    #[serde(deserialize_with = "lenient::list")]
    events: Vec<ToldWords>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToldSettings {
    #[serde(deserialize_with = "lenient::or_default")]
    n_epochs: Option<f64>,
    #[serde(deserialize_with = "lenient::or_default")]
    batch_size: Option<f64>,
    #[serde(deserialize_with = "lenient::or_default")]
    learning_rate_multiplier: Option<f64>,
    #[serde(deserialize_with = "lenient::or_default")]
    prompt_loss_weight: Option<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToldMethod {
    #[serde(deserialize_with = "lenient::object")]
    supervised: ToldKind,
    #[serde(deserialize_with = "lenient::object")]
    dpo: ToldKind,
    #[serde(deserialize_with = "lenient::object")]
    reinforcement: ToldKind,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToldKind {
    #[serde(deserialize_with = "lenient::object")]
    hyperparameters: ToldSettings,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToldFile {
    #[serde(deserialize_with = "lenient::or_default")]
    id: String,
    #[serde(deserialize_with = "lenient::or_default")]
    filename: String,
    #[serde(deserialize_with = "lenient::or_default")]
    bytes: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToldError {
    #[serde(deserialize_with = "lenient::or_default")]
    message: String,
    #[serde(deserialize_with = "lenient::or_default")]
    code: String,
}

/// As much of an event in a job as says why it failed.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ToldWords {
    #[serde(deserialize_with = "lenient::or_default")]
    level: String,
    #[serde(deserialize_with = "lenient::or_default")]
    message: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ToldEvent {
    #[serde(deserialize_with = "lenient::or_default")]
    id: Option<String>,
    #[serde(deserialize_with = "lenient::or_default")]
    created_at: Option<f64>,
    #[serde(deserialize_with = "lenient::or_default")]
    level: String,
    #[serde(deserialize_with = "lenient::or_default")]
    message: String,
    #[serde(deserialize_with = "lenient::named")]
    data: BTreeMap<String, Option<f64>>,
}

impl<'de> Deserialize<'de> for Job {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        ToldJob::deserialize(input).map(Self::from)
    }
}

impl<'de> Deserialize<'de> for JobEvent {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        ToldEvent::deserialize(input).map(Self::from)
    }
}

impl From<ToldJob> for Job {
    fn from(told: ToldJob) -> Self {
        let status = JobStatus::from(told.status);
        let said = told.error.words();
        let failed = || told.events.into_iter().rev().find(|event| event.level == "error").map(|event| event.message);
        let one = |files: Vec<JobFile>, file: Either<ToldFile>| match file.file() {
            Some(file) if files.is_empty() => vec![file],
            _ => files,
        };
        Self {
            error: if status == JobStatus::Failed { said.or_else(failed) } else { said },
            status,
            id: told.id,
            model: told.model,
            created_at: seconds(told.created_at).unwrap_or_default(),
            updated_at: seconds(told.updated_at),
            finished_at: seconds(told.finished_at),
            fine_tuned_model: told.fine_tuned_model.filter(|name| !name.is_empty()),
            suffix: told.user_provided_suffix.or(told.suffix).filter(|suffix| !suffix.is_empty()),
            settings: settings(&[
                told.hyperparams,
                told.hyperparameters,
                told.method.supervised.hyperparameters,
                told.method.dpo.hyperparameters,
                told.method.reinforcement.hyperparameters,
            ]),
            organization_id: told.organization_id,
            training_files: one(told.training_files, told.training_file),
            validation_files: one(told.validation_files, told.validation_file),
            result_files: told.result_files,
            trained_tokens: whole(told.trained_tokens).map(|tokens| tokens as u64),
        }
    }
}

impl From<ToldEvent> for JobEvent {
    fn from(told: ToldEvent) -> Self {
        let figures =
            told.data.into_iter().filter(|(name, _)| name.len() <= ID).filter_map(|(name, value)| Some((name, value?)));
        let mut metrics: Vec<(String, f64)> = figures.take(FIGURES).collect();
        if metrics.is_empty() {
            metrics = step(&told.message).unwrap_or_default();
        }
        Self {
            id: told.id.filter(|id| !id.is_empty() && id.len() <= ID),
            created_at: seconds(told.created_at).unwrap_or_default(),
            level: told.level,
            message: told.message,
            metrics,
        }
    }
}

impl From<String> for JobStatus {
    fn from(word: String) -> Self {
        match word.as_str() {
            "" | "pending" | "queued" | "validating_files" | "created" => Self::Pending,
            "running" => Self::Running,
            "paused" => Self::Paused,
            "succeeded" | "completed" => Self::Succeeded,
            "failed" | "error" => Self::Failed,
            "cancelled" | "canceled" => Self::Cancelled,
            _ => Self::Other(word),
        }
    }
}

/// The first of each setting that is said.
fn settings(places: &[ToldSettings]) -> JobSettings {
    let count = |of: fn(&ToldSettings) -> Option<f64>| {
        let said = places.iter().find_map(|place| whole(of(place)))?;
        (said <= f64::from(u32::MAX)).then_some(said as u32)
    };
    JobSettings {
        n_epochs: count(|place| place.n_epochs),
        batch_size: count(|place| place.batch_size),
        learning_rate_multiplier: places.iter().find_map(|place| place.learning_rate_multiplier),
        prompt_loss_weight: places.iter().find_map(|place| place.prompt_loss_weight),
    }
}

/// A count, whole and not below 0.
fn whole(number: Option<f64>) -> Option<f64> {
    number.filter(|number| *number >= 0.0 && *number < 9e15).map(f64::floor)
}

/// Unix seconds; 0 and below are nobody's time.
fn seconds(number: Option<f64>) -> Option<i64> {
    number.filter(|at| *at > 0.0 && *at < 9e15).map(|at| at as i64)
}

/// The figures of a message about a step, where a server has no other place for them: `Step 1,240: training loss 0.66,
/// validation loss 0.89`, `Step 3/10: training loss=0.66`. `None`: it is no such message.
fn step(message: &str) -> Option<Vec<(String, f64)>> {
    let (step, figures) = message.strip_prefix("Step ")?.split_once(':')?;
    let (step, total) = match step.split_once('/') {
        Some((step, total)) => (step, Some(total)),
        None => (step, None),
    };
    let number = |text: &str| text.trim().replace(',', "").parse::<f64>().ok().filter(|number| number.is_finite());
    let mut found = vec![("step".to_owned(), number(step)?)];
    if let Some(total) = total.and_then(number) {
        found.push(("total_steps".to_owned(), total));
    }
    for figure in figures.split(", ") {
        let Some((name, value)) = figure.trim().rsplit_once(['=', ' ']) else { continue };
        let name = match name.trim() {
            "training loss" => "train_loss",
            "training accuracy" => "train_accuracy",
            "validation loss" => "valid_loss",
            "validation accuracy" => "valid_accuracy",
            "full validation loss" => "full_valid_loss",
            _ => continue,
        };
        found.extend(number(value).map(|value| (name.to_owned(), value)));
    }
    found.iter().any(|(name, _)| name.ends_with("loss") || name.ends_with("accuracy")).then_some(found)
}

/// The files of a list of objects or of ids.
fn files<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<JobFile>, D::Error> {
    let found: Option<Vec<Either<ToldFile>>> = lenient::entries(input)?;
    Ok(found.unwrap_or_default().into_iter().filter_map(Either::file).collect())
}

impl Either<ToldFile> {
    fn file(self) -> Option<JobFile> {
        let file = match self {
            Self::Neither => return None,
            Self::Text(id) => JobFile { id, ..JobFile::default() },
            Self::Object(ToldFile { id, filename, bytes }) => JobFile { id, filename, bytes },
        };
        (!file.id.is_empty()).then_some(file)
    }
}

impl Either<ToldError> {
    /// What it says; servers send an error with nothing in it for a job that is well.
    fn words(self) -> Option<String> {
        let words = match self {
            Self::Neither => return None,
            Self::Text(words) => words,
            Self::Object(ToldError { message, code }) if message.is_empty() => code,
            Self::Object(ToldError { message, .. }) => message,
        };
        (!words.is_empty()).then_some(words)
    }
}

#[cfg(test)]
mod tests;
