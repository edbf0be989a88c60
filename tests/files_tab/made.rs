//! Folders, files, jobs and reports that the tests of Files make up.

use std::collections::BTreeMap;

use benchtop::api::call::{Failure, FailureKind};
use benchtop::api::file::File;
use benchtop::api::job::{Job, JobFile, JobStatus};
use benchtop::record::files::{Entry, EntryKind, FilePlace, FileWindow, LinePosition};
use benchtop::record::training::{CheckReport, Mapping, Problem, ProblemKind, RowForm, TrainingFormat};

/// Noon of a day in 2023, UTC: the same day nearly everywhere.
pub const NOW: i64 = 1_699_963_200_000;
pub const HERE: &str = "/home/you/data";
pub const DAY: i64 = 86_400;

/// Local folders by their paths.
pub fn folders() -> BTreeMap<String, Vec<Entry>> {
    let here = vec![
        folder("archive"),
        entry("train.jsonl", 214_000_000, 10),
        entry("small.jsonl", 3_300, 11),
        entry("notes.txt", 812, 40),
        entry("raw \u{202e}.csv", 92_000, 300),
        entry(".hidden", 12, 3),
        Entry { kind: EntryKind::Other, ..entry("pipe", 0, 9) },
    ];
    BTreeMap::from([
        (HERE.to_owned(), here),
        ("/home/you".to_owned(), vec![folder("data"), entry("a.txt", 1, 12)]),
        (format!("{HERE}/archive"), vec![entry("old.jsonl", 5, 400)]),
        ("/empty".to_owned(), Vec::new()),
    ])
}

pub fn entry(name: &str, bytes: u64, days: i64) -> Entry {
    Entry { name: name.into(), kind: EntryKind::File, link: false, bytes, modified_ms: Some(NOW - days * DAY * 1_000) }
}

pub fn folder(name: &str) -> Entry {
    Entry { kind: EntryKind::Folder, ..entry(name, 0, 30) }
}

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

/// Files as a server may have them.
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

pub fn failure(kind: FailureKind, words: &str) -> Failure {
    Failure::new(kind, words)
}

pub fn not_found() -> Failure {
    Failure { status: Some(404), ..Failure::new(FailureKind::Refused, "there is no such file") }
}

/// A report with problems.
pub fn problems() -> CheckReport {
    let problem = |line, kind, words: &str| Problem { line, column: 1, at: None, kind, words: words.into() };
    CheckReport {
        rows: 48_210,
        valid: 48_207,
        form: Some(RowForm::Pairs),
        problems: vec![
            problem(12_044, ProblemKind::NotJson, "not JSON: trailing comma (column 211)"),
            problem(30_118, ProblemKind::MissingKey, "no prompt"),
        ],
        counts: vec![(ProblemKind::NotJson, 2), (ProblemKind::MissingKey, 1)],
        encoding: "UTF-8",
        ..CheckReport::default()
    }
}

/// The report of a file whose columns are taken for what was chosen before.
pub fn mapped(mut report: CheckReport, mappings: &[Mapping]) -> CheckReport {
    let columns = report.mapping.as_ref().map(|own| own.columns.clone());
    if let Some(known) = mappings.iter().find(|mapping| Some(&mapping.columns) == columns.as_ref()) {
        (report.mapping, report.guessed) = (Some(known.clone()), false);
    }
    report
}

/// Whether a report is of a file that can be trained with: for tests that make one.
pub fn csv() -> CheckReport {
    CheckReport { source: TrainingFormat::Csv, ..problems() }
}

/// A part of a small file, the same whatever its path.
pub fn window(place: &FilePlace) -> FileWindow {
    let bytes = b"{\"prompt\":\"a ->\",\"completion\":\" b\"}\n".repeat(3);
    let total = bytes.len() as u64;
    let mark = |byte: u64| {
        let byte = byte.min(total);
        // All lines are as long as the first.
        LinePosition { byte, line: Some(byte * 3 / total + 1) }
    };
    let (at, end, focus) = match place {
        FilePlace::From(from) | FilePlace::Around(from) => (mark(*from), total, mark(*from)),
        FilePlace::Before(end) => (LinePosition::START, (*end).min(total), LinePosition::START),
        FilePlace::Count { to, .. } => (mark(*to), (*to).min(total), mark(*to)),
        FilePlace::End | FilePlace::Line { .. } | FilePlace::Find { .. } => {
            (LinePosition::START, total, LinePosition::START)
        }
    };
    let bytes = bytes[at.byte as usize..end as usize].to_vec();
    FileWindow { at, focus, bytes, begins: true, total, ..FileWindow::default() }
}
