//! A job and its events as servers write them, in either interface or nearly so: ids in place of objects, `auto`, nulls.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::{Job, JobEvent, JobFile, JobSettings, JobStatus};
use crate::api::lenient::{self, Either, Object, flat};

/// Figures of an event that are kept.
const FIGURES: usize = 64;
/// Bytes of an event's id, and of a figure's name; a longer one is none.
const ID: usize = 256;

#[derive(Clone, Default, Deserialize)]
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
        let mut settings: [Vec<ToldSettings>; 3] = Default::default();
        let [mut training, mut validation] = [None, None];
        let (mut events, mut user_suffix): (Vec<ToldWords>, Option<String>) = Default::default();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "id" => job.id = flat(map.next_value()?),
                "model" => job.model = flat(map.next_value()?),
                "status" => job.status = flat::<String>(map.next_value()?).into(),
                "created_at" => job.created_at = seconds(flat(map.next_value()?)).unwrap_or_default(),
                "updated_at" => job.updated_at = seconds(flat(map.next_value()?)),
                "finished_at" => job.finished_at = seconds(flat(map.next_value()?)),
                "fine_tuned_model" => job.fine_tuned_model = flat(map.next_value()?),
                "organization_id" => job.organization_id = flat(map.next_value()?),
                "suffix" => job.suffix = flat(map.next_value()?),
                "user_provided_suffix" => user_suffix = flat(map.next_value()?),
                "trained_tokens" => {
                    job.trained_tokens = whole(flat(map.next_value()?)).map(|tokens| tokens as u64);
                }
                "hyperparams" => settings[0].extend(map.next_value::<Object<ToldSettings>>()?.0),
                "hyperparameters" => settings[1].extend(map.next_value::<Object<ToldSettings>>()?.0),
                "method" => {
                    let method = map.next_value::<Object<ToldMethod>>()?.0.unwrap_or_default();
                    settings[2] =
                        [method.supervised, method.dpo, method.reinforcement].map(|kind| kind.hyperparameters).into();
                }
                "training_files" => job.training_files = map.next_value::<JobFiles>()?.0,
                "validation_files" => job.validation_files = map.next_value::<JobFiles>()?.0,
                "result_files" => job.result_files = map.next_value::<JobFiles>()?.0,
                "training_file" => training = map.next_value::<Either<ToldFile>>()?.file(),
                "validation_file" => validation = map.next_value::<Either<ToldFile>>()?.file(),
                "error" => job.error = map.next_value::<Either<ToldError>>()?.words(),
                "events" => events = map.next_value::<Events>()?.0,
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
        ToldEvent::deserialize(input).map(Self::from)
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

/// Takes each setting from the first place that has it.
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

/// Returns a count rounded down; `None` if it is negative or too large.
fn whole(number: Option<f64>) -> Option<f64> {
    number.filter(|number| *number >= 0.0 && *number < 9e15).map(f64::floor)
}

/// Returns Unix seconds; `None` for 0, negative and very large numbers, which servers send for "unknown".
fn seconds(number: Option<f64>) -> Option<i64> {
    number.filter(|at| *at > 0.0 && *at < 9e15).map(|at| at as i64)
}

/// Reads the figures of a message about a step, for servers that send them nowhere else: `Step 1,240: training loss
/// 0.66, validation loss 0.89`, `Step 3/10: training loss=0.66`. `None`: it is no such message.
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
struct JobFiles(Vec<JobFile>);

impl<'de> Deserialize<'de> for JobFiles {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let found: Option<Vec<Either<ToldFile>>> = lenient::entries(input)?;
        Ok(Self(found.unwrap_or_default().into_iter().filter_map(Either::file).collect()))
    }
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Events(#[serde(deserialize_with = "lenient::list")] Vec<ToldWords>);

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
    /// Returns the error's words; `None` where it is empty, as servers send it for jobs without an error.
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
