//! The settings in which the trainings on the page differ.

use super::plotted_run::PlottedRun;
use crate::api::job::{Job, JobFile, JobStatus};
use crate::text::Untrusted;

/// Shown where a setting is not known.
const UNKNOWN: &str = "—";

/// A setting and its value in each training, safe to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SettingDifference {
    pub(super) name: &'static str,
    pub(super) values: Vec<String>,
}

/// What a job has of a setting.
type SettingReader<'a> = &'a dyn Fn(&Job) -> String;

/// Returns the settings that differ, and how many are equal.
pub(super) fn differences(runs: &[PlottedRun]) -> (Vec<SettingDifference>, usize) {
    let all: [(&'static str, SettingReader); 10] = [
        ("base", &|job| shown(&job.model)),
        ("training file", &|job| files(&job.training_files)),
        ("validation file", &|job| files(&job.validation_files)),
        ("n_epochs", &|job| number(job.settings.n_epochs)),
        ("batch_size", &|job| number(job.settings.batch_size)),
        ("learning_rate_multiplier", &|job| number(job.settings.learning_rate_multiplier)),
        ("prompt_loss_weight", &|job| number(job.settings.prompt_loss_weight)),
        ("suffix", &|job| shown(job.suffix.as_deref().unwrap_or_default())),
        ("model", &|job| shown(job.fine_tuned_model.as_deref().unwrap_or_default())),
        ("status", &|job| status(&job.status)),
    ];
    let value = |of: SettingReader, run: &PlottedRun| match run {
        PlottedRun::Job(known) => of(&known.job),
        PlottedRun::File(_) => UNKNOWN.to_owned(),
    };
    let all = all.map(|(name, of)| SettingDifference { name, values: runs.iter().map(|run| value(of, run)).collect() });
    let (different, equal): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|setting| setting.values.windows(2).any(|pair| pair[0] != pair[1]));
    (different, equal.len())
}

fn shown(text: &str) -> String {
    if text.is_empty() { UNKNOWN.to_owned() } else { Untrusted::from(text).line().into_owned() }
}

fn number(value: Option<impl ToString>) -> String {
    value.map_or_else(|| UNKNOWN.to_owned(), |value| value.to_string())
}

fn files(files: &[JobFile]) -> String {
    let name = |file: &JobFile| shown(if file.filename.is_empty() { &file.id } else { &file.filename });
    if files.is_empty() { UNKNOWN.to_owned() } else { files.iter().map(name).collect::<Vec<_>>().join(" ") }
}

fn status(status: &JobStatus) -> String {
    match status {
        JobStatus::Pending => "pending".to_owned(),
        JobStatus::Running => "running".to_owned(),
        JobStatus::Paused => "paused".to_owned(),
        JobStatus::Succeeded => "succeeded".to_owned(),
        JobStatus::Failed => "failed".to_owned(),
        JobStatus::Cancelled => "cancelled".to_owned(),
        JobStatus::Other(word) => shown(word),
    }
}
