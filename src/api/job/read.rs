//! Reads a job and its events as servers write them, in either interface or nearly so: with ids in place of objects,
//! `auto`, nulls.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{Job, JobEvent, JobFile, JobSettings, JobStatus};
use crate::api::lenient::{self, Either, Object, scalar_or_default};

/// How many metrics of an event are kept.
const MAX_METRICS: usize = 64;
/// Bytes of the longest id of an event and the longest name of a metric; a longer one is ignored.
const MAX_ID_BYTES: usize = 256;

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct SettingsRead {
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
struct MethodRead {
    #[serde(deserialize_with = "lenient::object")]
    supervised: MethodSettingsRead,
    #[serde(deserialize_with = "lenient::object")]
    dpo: MethodSettingsRead,
    #[serde(deserialize_with = "lenient::object")]
    reinforcement: MethodSettingsRead,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MethodSettingsRead {
    #[serde(deserialize_with = "lenient::object")]
    hyperparameters: SettingsRead,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FileRead {
    #[serde(deserialize_with = "lenient::or_default")]
    id: String,
    #[serde(deserialize_with = "lenient::or_default")]
    filename: String,
    #[serde(deserialize_with = "lenient::or_default")]
    bytes: Option<u64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ErrorRead {
    #[serde(deserialize_with = "lenient::or_default")]
    message: String,
    #[serde(deserialize_with = "lenient::or_default")]
    code: String,
}

/// As much of an event in a job as says why it failed.
#[derive(Default, Deserialize)]
#[serde(default)]
struct FailureRead {
    #[serde(deserialize_with = "lenient::or_default")]
    level: String,
    #[serde(deserialize_with = "lenient::or_default")]
    message: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct EventRead {
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
        input.deserialize_map(JobVisitor)
    }
}

/// Reads the fields of both interfaces.
struct JobVisitor;

impl<'de> Visitor<'de> for JobVisitor {
    type Value = Job;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a job")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Job, A::Error> {
        let mut job = Job::default();
        let mut settings: [Vec<SettingsRead>; 3] = Default::default();
        let [mut training, mut validation] = [None, None];
        let (mut events, mut user_suffix): (Vec<FailureRead>, Option<String>) = Default::default();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "id" => job.id = scalar_or_default(map.next_value()?),
                "model" => job.model = scalar_or_default(map.next_value()?),
                "status" => job.status = scalar_or_default::<String>(map.next_value()?).into(),
                "created_at" => job.created_at = seconds(scalar_or_default(map.next_value()?)).unwrap_or_default(),
                "updated_at" => job.updated_at = seconds(scalar_or_default(map.next_value()?)),
                "finished_at" => job.finished_at = seconds(scalar_or_default(map.next_value()?)),
                "fine_tuned_model" => job.fine_tuned_model = scalar_or_default(map.next_value()?),
                "organization_id" => job.organization_id = scalar_or_default(map.next_value()?),
                "suffix" => job.suffix = scalar_or_default(map.next_value()?),
                "user_provided_suffix" => user_suffix = scalar_or_default(map.next_value()?),
                "trained_tokens" => {
                    job.trained_tokens = whole_number(scalar_or_default(map.next_value()?)).map(|tokens| tokens as u64);
                }
                "hyperparams" => settings[0].extend(map.next_value::<Object<SettingsRead>>()?.0),
                "hyperparameters" => settings[1].extend(map.next_value::<Object<SettingsRead>>()?.0),
                "method" => {
                    let method = map.next_value::<Object<MethodRead>>()?.0.unwrap_or_default();
                    settings[2] =
                        [method.supervised, method.dpo, method.reinforcement].map(|kind| kind.hyperparameters).into();
                }
                "training_files" => job.training_files = map.next_value::<JobFiles>()?.0,
                "validation_files" => job.validation_files = map.next_value::<JobFiles>()?.0,
                "result_files" => job.result_files = map.next_value::<JobFiles>()?.0,
                "training_file" => training = map.next_value::<Either<FileRead>>()?.file(),
                "validation_file" => validation = map.next_value::<Either<FileRead>>()?.file(),
                "error" => job.error = map.next_value::<Either<ErrorRead>>()?.words(),
                "events" => events = map.next_value::<EventList>()?.0,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if job.error.is_none() && job.status == JobStatus::Failed {
            job.error = events.into_iter().rev().find(|event| event.level == "error").map(|event| event.message);
        }
        for (files, file) in [(&mut job.training_files, training), (&mut job.validation_files, validation)] {
            if files.is_empty() {
                files.extend(file);
            }
        }
        job.fine_tuned_model = job.fine_tuned_model.filter(|name| !name.is_empty());
        job.suffix = user_suffix.or(job.suffix).filter(|suffix| !suffix.is_empty());
        job.settings = self::settings(&settings.concat());
        Ok(job)
    }
}

impl<'de> Deserialize<'de> for JobEvent {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        EventRead::deserialize(input).map(Self::from)
    }
}

impl From<EventRead> for JobEvent {
    fn from(read: EventRead) -> Self {
        let figures = read
            .data
            .into_iter()
            .filter(|(name, _)| name.len() <= MAX_ID_BYTES)
            .filter_map(|(name, value)| Some((name, value?)));
        let mut metrics: Vec<(String, f64)> = figures.take(MAX_METRICS).collect();
        if metrics.is_empty() {
            metrics = step_metrics(&read.message).unwrap_or_default();
        }
        Self {
            id: read.id.filter(|id| !id.is_empty() && id.len() <= MAX_ID_BYTES),
            created_at: seconds(read.created_at).unwrap_or_default(),
            level: read.level,
            message: read.message,
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

/// Takes each setting from the first place that has it.
fn settings(places: &[SettingsRead]) -> JobSettings {
    let count = |of: fn(&SettingsRead) -> Option<f64>| {
        let said = places.iter().find_map(|place| whole_number(of(place)))?;
        (said <= f64::from(u32::MAX)).then_some(said as u32)
    };
    JobSettings {
        n_epochs: count(|place| place.n_epochs),
        batch_size: count(|place| place.batch_size),
        learning_rate_multiplier: places.iter().find_map(|place| place.learning_rate_multiplier),
        prompt_loss_weight: places.iter().find_map(|place| place.prompt_loss_weight),
    }
}

/// Returns a count rounded down; `None` if it is negative or too large.
fn whole_number(number: Option<f64>) -> Option<f64> {
    number.filter(|number| *number >= 0.0 && *number < 9e15).map(f64::floor)
}

/// Returns Unix seconds; `None` for 0, negative and very large numbers, which servers send for "unknown".
fn seconds(number: Option<f64>) -> Option<i64> {
    number.filter(|at| *at > 0.0 && *at < 9e15).map(|at| at as i64)
}

/// Reads the metrics in a message about a step, for servers that send them nowhere else: `Step 1,240: training loss
/// 0.66, validation loss 0.89`, `Step 3/10: training loss=0.66`. Returns
/// `None` for other messages.
fn step_metrics(message: &str) -> Option<Vec<(String, f64)>> {
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

/// Files, read from a list of objects or of ids.
struct JobFiles(Vec<JobFile>);

impl<'de> Deserialize<'de> for JobFiles {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let found: Option<Vec<Either<FileRead>>> = lenient::entries(input)?;
        Ok(Self(found.unwrap_or_default().into_iter().filter_map(Either::file).collect()))
    }
}

#[derive(Deserialize)]
#[serde(transparent)]
struct EventList(#[serde(deserialize_with = "lenient::list")] Vec<FailureRead>);

impl Either<FileRead> {
    fn file(self) -> Option<JobFile> {
        let file = match self {
            Self::Neither => return None,
            Self::Text(id) => JobFile { id, ..JobFile::default() },
            Self::Object(FileRead { id, filename, bytes }) => JobFile { id, filename, bytes },
        };
        (!file.id.is_empty()).then_some(file)
    }
}

impl Either<ErrorRead> {
    /// Returns the error's words; `None` where it is empty, as servers send it for jobs without an error.
    fn words(self) -> Option<String> {
        let words = match self {
            Self::Neither => return None,
            Self::Text(words) => words,
            Self::Object(ErrorRead { message, code }) if message.is_empty() => code,
            Self::Object(ErrorRead { message, .. }) => message,
        };
        (!words.is_empty()).then_some(words)
    }
}

#[cfg(test)]
mod tests;
