//! Files of a server, and the jobs that use them.

use std::path::PathBuf;

use benchtop::api::call::{Call, Downloaded, Failure, FailureKind, Reply, Ticket};
use benchtop::api::file::File;
use benchtop::api::job::{Job, JobFile, JobStatus};

use super::failure;

/// Noon of a day in 2023, UTC: the same day nearly everywhere.
pub const NOW: i64 = 1_699_963_200_000;
pub const DAY: i64 = 86_400;

pub fn file(id: &str, name: &str, bytes: u64, purpose: &str, days: i64, status: &str) -> File {
    File {
        id: format!("file-{id}"),
        object: "file".to_owned(),
        bytes,
        created_at: NOW / 1_000 - days * DAY,
        filename: name.to_owned(),
        purpose: purpose.to_owned(),
        status: Some(status.to_owned()),
        status_details: None,
    }
}

/// Returns files as a server may have them.
pub fn files() -> Vec<File> {
    let mut all = vec![
        file("train", "train-v3.jsonl", 214_000_000, "fine-tune", 8, "processed"),
        file("valid", "valid-v3.jsonl", 18_000_000, "fine-tune", 8, "processed"),
        file("result", "results-ft-8Qk.csv", 92_000, "fine-tune-results", 9, "processed"),
        file("bad", "bad-lines.jsonl", 2_100_000, "fine-tune", 20, "error"),
        file("new", "fresh.jsonl", 3_300, "fine-tune", 7, "uploaded"),
        file("odd", "notes \u{1b}[2J.txt", 4_000, "assistants", 200, "processed"),
    ];
    all[3].status_details = Some("Invalid file format. Example 1273 cannot be parsed.".to_owned());
    all
}

pub fn job(id: &str, status: JobStatus, training: &str) -> Job {
    let of = |id: &str| vec![JobFile { id: format!("file-{id}"), ..JobFile::default() }];
    Job {
        id: id.to_owned(),
        status,
        created_at: 1,
        training_files: of(training),
        validation_files: of("valid"),
        result_files: of("result"),
        ..Job::default()
    }
}

/// Returns the reply to a successful upload or download.
pub fn moved(ticket: Ticket, call: &Call) -> Reply {
    match call {
        Call::Upload(upload) => {
            let id = format!("up{}", ticket.0);
            let file = file(&id, &upload.name, 3_300, &upload.purpose, 7, "uploaded");
            Reply::Uploaded(Box::new(file), [9; 32])
        }
        Call::Download(download) => Reply::Downloaded(Downloaded {
            path: PathBuf::from(format!("{}/{}", download.folder.display(), download.name)),
            bytes: download.bytes.unwrap_or(7),
            sha256: [8; 32],
        }),
        other => panic!("{other:?}"),
    }
}

pub fn not_found() -> Failure {
    failure(FailureKind::Refused, Some(404), "there is no such file")
}
