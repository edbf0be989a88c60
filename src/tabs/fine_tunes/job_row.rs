//! One job as it is shown: what the server and its events say of it, and how it is followed.

use std::time::{Duration, Instant};

use super::event_buffer::EventBuffer;
use super::job_progress::JobProgress;
use crate::api::call::Ticket;
use crate::api::job::{Job, JobFile, JobStatus, short_id};
use crate::text::Untrusted;
use crate::tokens::{Price, Used};
use crate::ui::item_list::Keyed;

/// The state of a job's event stream.
#[derive(Clone, Debug, Default)]
pub(super) enum EventStream {
    /// No events are asked for.
    #[default]
    None,
    /// Asked for.
    Connecting(Ticket),
    /// Events arrive as they happen, or are polled.
    Live { ticket: Ticket, polling: bool },
    /// The connection was lost; it is tried again at a moment.
    Lost { ticket: Ticket, at: Instant, why: Untrusted },
    /// The events could not be loaded.
    Failed(Untrusted),
}

impl EventStream {
    /// Returns the call that brings them.
    pub(super) fn ticket(&self) -> Option<Ticket> {
        match self {
            Self::Connecting(ticket) | Self::Live { ticket, .. } | Self::Lost { ticket, .. } => Some(*ticket),
            Self::None | Self::Failed(_) => None,
        }
    }
}

/// A job.
#[derive(Clone, Debug, Default)]
pub(super) struct JobRow {
    pub(super) job: Job,
    pub(super) progress: JobProgress,
    pub(super) events: EventBuffer,
    pub(super) stream: EventStream,
    /// The user does not want to follow it.
    pub(super) off: bool,
    /// Its whole history was asked for after it had ended.
    pub(super) opened: bool,
    /// Its model was deleted from here.
    pub(super) deleted: bool,
    /// Rows of its training file, where they were known when it was created from here.
    pub(super) rows: Option<u64>,
    /// What a filter looks in, in small letters.
    pub(super) words: String,
}

impl Keyed for JobRow {
    type Key = str;

    fn key(&self) -> &str {
        &self.job.id
    }
}

impl JobRow {
    /// Creates the row of a job as the server has it.
    pub(super) fn new(job: Job) -> Self {
        let mut row = Self { job, ..Self::default() };
        row.index();
        row
    }

    /// Takes what the server says now.
    pub(super) fn update(&mut self, job: Job) {
        self.job = job;
        self.index();
    }

    fn index(&mut self) {
        let job = &self.job;
        let files = job.training_files.iter().chain(&job.validation_files).map(|file| file.filename.as_str());
        let model = job.fine_tuned_model.as_deref().unwrap_or_default();
        let (name, state) = (job_name(job), self.state());
        let parts = [job.id.as_str(), job.model.as_str(), model, &state, &name];
        let all = parts.into_iter().chain(files);
        self.words = all.collect::<Vec<_>>().join(" ").to_lowercase();
    }

    /// Returns its id, to be shown.
    pub(super) fn short(&self) -> String {
        short_id(&self.job.id)
    }

    /// Returns what it is called, to be shown: the suffix that was asked for, or else the file it learns from.
    pub(super) fn name(&self) -> String {
        job_name(&self.job)
    }

    /// Returns whether it was given a name of its own.
    pub(super) fn has_own_name(&self) -> bool {
        own_name(&self.job).is_some()
    }

    /// Returns how far it is, in a word.
    pub(super) fn state(&self) -> String {
        job_state(&self.job.status)
    }

    /// Returns whether something may still happen.
    pub(super) fn runs(&self) -> bool {
        !self.job.status.is_finished()
    }

    /// Returns why it failed.
    pub(super) fn reason(&self) -> Option<String> {
        if self.job.status != JobStatus::Failed {
            return None;
        }
        let said = self.job.error.as_deref().filter(|why| !why.trim().is_empty()).map(safe);
        said.or_else(|| Some(self.progress.failed.as_ref()?.line().into_owned()))
    }

    /// Returns the model it made, if it is there still.
    pub(super) fn model(&self) -> Option<Untrusted> {
        self.job.fine_tuned_model.as_deref().filter(|_| !self.deleted).map(Untrusted::from)
    }

    /// Returns how long it has run, or ran, at a moment in Unix seconds; `None`: it has not begun as far as is known.
    pub(super) fn elapsed(&self, now: i64) -> Option<Duration> {
        let job = &self.job;
        let waits = job.status == JobStatus::Pending;
        let from = self.progress.started.or((!waits && job.created_at > 0).then_some(job.created_at))?;
        // A job is changed after its end, too, as when its model is deleted.
        let to = if self.runs() { now } else { self.progress.ended.or(job.finished_at).or(job.updated_at)? };
        u64::try_from(to - from).ok().map(Duration::from_secs)
    }

    /// Returns what it costs in nano-dollars, where the server or the price of its base model tells.
    pub(super) fn cost(&self, price: Option<Price>) -> Option<i64> {
        let priced = || price?.cost(Used::prompt(self.job.trained_tokens?));
        self.progress.cost.or_else(priced)
    }
}

/// Returns the word for a status.
pub fn job_state(status: &JobStatus) -> String {
    let word = match status {
        JobStatus::Pending => "queued",
        JobStatus::Running => "running",
        JobStatus::Paused => "paused",
        JobStatus::Succeeded => "succeeded",
        JobStatus::Failed => "failed",
        JobStatus::Cancelled => "cancelled",
        JobStatus::Other(word) => word,
    };
    safe(word)
}

/// Returns a text of the server's on one line.
pub(super) fn safe(text: &str) -> String {
    Untrusted::from(text).line().into_owned()
}

/// Returns the short id without its prefix, such as `8QkAb`.
pub(super) fn tail(id: &str) -> String {
    let short = short_id(id);
    short.split_once('-').map_or(short.clone(), |(_, tail)| tail.to_owned())
}

/// Returns what a job is called, to be shown: the suffix that was asked for, or else the file it learns from.
pub fn job_name(job: &Job) -> String {
    let file = || job.training_files.first().map(file_label);
    safe(&own_name(job).or_else(file).unwrap_or_default())
}

/// Returns the suffix that was asked for.
fn own_name(job: &Job) -> Option<String> {
    let suffix = job.suffix.as_deref().map(str::to_owned).or_else(|| suffix(job.fine_tuned_model.as_deref()?));
    suffix.filter(|suffix| !suffix.trim().is_empty())
}

/// Returns a file's name, or its id where nothing else is known of it.
pub(super) fn file_label(file: &JobFile) -> String {
    let name = if file.filename.is_empty() { &file.id } else { &file.filename };
    safe(name)
}

/// Returns the part of a tuned model's name that was asked for: `base:ft-org[:suffix]-2023-04-18-09-48-38` and
/// `ft:base:org:suffix:id`.
pub(super) fn suffix(model: &str) -> Option<String> {
    let parts: Vec<&str> = model.split(':').collect();
    match parts.as_slice() {
        ["ft", _, _, suffix, _] if !suffix.is_empty() => Some((*suffix).to_owned()),
        [_, org, suffix] if org.starts_with("ft-") => {
            // The moment it was made has six parts.
            let end = suffix.rmatch_indices('-').nth(5).map(|(at, _)| at)?;
            Some(suffix[..end].to_owned())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_called_what_it_was_asked_to_be() {
        let file = JobFile { id: "file-1".into(), filename: "train.jsonl".into(), bytes: None };
        let mut job = Job { id: "ft-8QkAbCdEf".into(), training_files: vec![file], ..Job::default() };
        assert_eq!(
            (job_name(&job).as_str(), short_id(&job.id).as_str(), tail(&job.id).as_str()),
            ("train.jsonl", "ft-8QkAb", "8QkAb")
        );
        job.fine_tuned_model = Some("ada:ft-personal:my-model-2023-04-18-09-48-38".into());
        assert_eq!(job_name(&job), "my-model");
        job.fine_tuned_model = Some("ada:ft-personal-2023-04-18-09-48-38".into());
        assert_eq!(job_name(&job), "train.jsonl");
        job.fine_tuned_model = Some("ft:gpt-4o-mini:org:tone:a1b2".into());
        assert_eq!(job_name(&job), "tone");
        job.suffix = Some("asked".into());
        assert_eq!(job_name(&job), "asked");
        assert_eq!((short_id("日本語日本語日本語").as_str(), short_id("").as_str()), ("日本語日本", ""));
    }

    #[test]
    fn it_is_timed_by_what_the_server_says() {
        let mut row = JobRow::new(Job { created_at: 100, ..Job::default() });
        assert_eq!(row.elapsed(150), None, "one that waits has not begun");
        row.job.status = JobStatus::Running;
        assert_eq!(row.elapsed(150), Some(Duration::from_secs(50)));
        row.job.status = JobStatus::Succeeded;
        assert_eq!(row.elapsed(999), None);
        row.job.finished_at = Some(130);
        assert_eq!(row.elapsed(999), Some(Duration::from_secs(30)));
        row.progress.ended = Some(120);
        assert_eq!(row.elapsed(999), Some(Duration::from_secs(20)), "it was changed after its end");
    }
}
