//! Fine-tunes, their events and files.

use benchtop::api::call::{Failure, FailureKind};
use benchtop::api::file::File;
use benchtop::api::job::{Job, JobEvent, JobFile, JobSettings, JobStatus};

use super::failure;

/// Noon of a Wednesday, UTC, in seconds.
pub const NOON: i64 = 1_700_049_600;

pub fn job(id: &str, suffix: &str, status: JobStatus, created: i64) -> Job {
    let file = |name: &str| JobFile { id: format!("file-{name}"), filename: name.into(), bytes: Some(214_000) };
    Job {
        id: id.into(),
        model: "curie".into(),
        status,
        created_at: NOON + created,
        updated_at: Some(NOON + created),
        suffix: Some(suffix.into()),
        settings: JobSettings {
            n_epochs: Some(4),
            batch_size: Some(16),
            learning_rate_multiplier: Some(0.1),
            prompt_loss_weight: Some(0.01),
        },
        organization_id: "org-acme".into(),
        training_files: vec![file("train-v3.jsonl")],
        validation_files: vec![file("valid-v3.jsonl")],
        ..Job::default()
    }
}

/// Returns six jobs: one in each state, and two that run.
pub fn jobs() -> Vec<Job> {
    let mut done = job("ft-7RtAbCdEf", "support-v2", JobStatus::Succeeded, -9_000);
    done.fine_tuned_model = Some("curie:ft-acme:support-v2-2023-11-15-09-30-00".into());
    done.result_files =
        vec![JobFile { id: "file-r".into(), filename: "compiled_results.csv".into(), bytes: Some(92_000) }];
    done.trained_tokens = Some(1_200_000);
    done.finished_at = Some(NOON - 8_000);
    let mut failed = job("ft-5PwAbCdEf", "labels-v1", JobStatus::Failed, -9_500);
    failed.error = Some("Invalid file format. Example 1273 cannot be parsed. (line 1273)".into());
    vec![
        job("ft-8QkAbCdEf", "support-v3", JobStatus::Running, -1_500),
        job("ft-2LmAbCdEf", "tone-v1", JobStatus::Running, -1_600),
        job("ft-9ZaAbCdEf", "labels-v2", JobStatus::Pending, -1_200),
        done,
        failed,
        job("ft-1AaAbCdEf", "try", JobStatus::Cancelled, -9_900),
    ]
}

/// The event streams so far of those that run or wait.
pub const SAID: [(&str, &[(i64, &str)]); 3] = [
    (
        "ft-8QkAbCdEf",
        &[
            (-1_500, "Created fine-tune: ft-8QkAbCdEf"),
            (-1_498, "Fine-tune costs $36.40"),
            (-1_490, "Fine-tune enqueued. Queue number: 0"),
            (-1_400, "Fine-tune started"),
            (-900, "Completed epoch 1/4"),
            (-400, "Completed epoch 2/4"),
        ],
    ),
    (
        "ft-2LmAbCdEf",
        &[
            (-1_600, "Created fine-tune: ft-2LmAbCdEf"),
            (-700, "Fine-tune started"),
            (-690, "Step 6/91: training loss=2.61"),
            (-300, "Step 11/91: training loss=2.10"),
        ],
    ),
    ("ft-9ZaAbCdEf", &[(-1_200, "Created fine-tune: ft-9ZaAbCdEf"), (-1_190, "Fine-tune enqueued. Queue number: 3")]),
];

/// Returns a job's events from seconds since noon and messages.
pub fn events(events: &[(i64, &str)]) -> Vec<JobEvent> {
    let event = |(at, words): &(i64, &str)| JobEvent {
        created_at: NOON + at,
        level: if words.starts_with("Fine-tune failed") { "error" } else { "info" }.into(),
        message: (*words).into(),
        ..JobEvent::default()
    };
    events.iter().map(event).collect()
}

pub fn files() -> Vec<File> {
    let file = |id: &str, name: &str, bytes: u64, purpose: &str, status: &str| File {
        id: id.into(),
        object: "file".into(),
        bytes,
        created_at: NOON - 5_000,
        filename: name.into(),
        purpose: purpose.into(),
        status: Some(status.into()),
        status_details: (status == "error").then(|| "line 3 is no JSON".into()),
    };
    vec![
        file("file-train", "train-v3.jsonl", 214_000_000, "fine-tune", "processed"),
        file("file-valid", "valid-v3.jsonl", 18_000_000, "fine-tune", "processed"),
        file("file-bad", "bad-lines.jsonl", 2_100_000, "fine-tune", "error"),
        file("file-res", "compiled_results.csv", 92_000, "fine-tune-results", "processed"),
    ]
}

pub fn offline() -> Failure {
    failure(FailureKind::Offline, None, "the server cannot be reached: connection refused; is it running?")
}

pub fn unsupported() -> Failure {
    failure(FailureKind::Unsupported, Some(404), "this server has no fine-tunes")
}

pub fn refused(body: &str) -> Failure {
    super::refused(400, "the server refused the request", body)
}
