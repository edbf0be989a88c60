//! The user's folders and files in tests.

use std::collections::BTreeMap;

use benchtop::record::files::{Entry, EntryKind, FilePlace, FileWindow, Folder, LinePosition};
use benchtop::record::training::{CheckReport, Mapping, Problem, ProblemKind, RowForm};
use benchtop::record::work::{Done, Work};

use super::replies::files::{DAY, NOW};
use super::without_files;

pub const HERE: &str = "/home/you/data";

/// The folders and files that the work threads find.
pub struct LocalFiles {
    /// Local folders by their paths.
    pub folders: BTreeMap<String, Vec<Entry>>,
    /// What a check of a file of this name finds; others are sound.
    pub reports: BTreeMap<String, CheckReport>,
    /// First byte of the hash of a local file of this name; of others 1.
    pub hashes: BTreeMap<String, u8>,
    /// What Tab completes to.
    pub paths: Vec<String>,
    /// Whether no file can be written.
    pub refuses_files: bool,
}

impl Default for LocalFiles {
    fn default() -> Self {
        Self {
            folders: folders(),
            reports: BTreeMap::new(),
            hashes: BTreeMap::new(),
            paths: Vec::new(),
            refuses_files: false,
        }
    }
}

impl LocalFiles {
    /// Returns the answer of the work threads.
    pub fn worked(&self, work: Work) -> Done {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        match &work {
            Work::Folder { path } => {
                let path = match path.as_str() {
                    "" => HERE.to_owned(),
                    "~" => "/home/you".to_owned(),
                    path => path.trim_end_matches('/').to_owned(),
                };
                match self.folders.get(&path) {
                    Some(entries) => Done::Folder(Folder { path: path.into(), entries: entries.clone(), cut: None }),
                    None => Done::Failed("there is no such folder; check the path".into()),
                }
            }
            Work::File { path } => self.look_up(path),
            Work::Paths(_) => Done::Paths(self.paths.iter().map(|path| path.as_str().into()).collect()),
            Work::Hash { path } => Done::Hashed([self.hashes.get(&name(path)).copied().unwrap_or(1); 32], 1),
            Work::Check(check) => Done::Checked(Box::new(match self.reports.get(&name(&check.path)) {
                Some(report) => mapped(report.clone(), &check.mappings),
                None => CheckReport {
                    rows: 500,
                    valid: 500,
                    form: Some(RowForm::Pairs),
                    encoding: "UTF-8",
                    ..CheckReport::default()
                },
            })),
            Work::Save { .. } if self.refuses_files => Done::Failed("the folder takes no files".into()),
            Work::Save { path, .. } => Done::Saved(path.as_str().into()),
            Work::ReadWindow(look) => Done::Window(Box::new(window(&look.place))),
            _ => without_files(work),
        }
    }

    /// Returns what is found of a file.
    fn look_up(&self, path: &str) -> Done {
        let path = if path.contains('/') { path.to_owned() } else { format!("{HERE}/{path}") };
        let entry = path.rsplit_once('/').and_then(|(folder, name)| {
            let entries = self.folders.get(folder)?;
            entries.iter().find(|entry| entry.name.raw() == name)
        });
        match entry.map(|entry| (entry.kind, entry.bytes)) {
            Some((EntryKind::File, bytes)) => Done::File { path: path.into(), bytes },
            Some((EntryKind::Folder, _)) => Done::Failed("it is a folder; only files can be uploaded".into()),
            Some(_) => Done::Failed("it is not a regular file".into()),
            None => Done::Failed("there is no such file".into()),
        }
    }
}

/// Returns local folders by their paths.
fn folders() -> BTreeMap<String, Vec<Entry>> {
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
    Entry { name: name.into(), kind: EntryKind::File, link: None, bytes, modified_ms: Some(NOW - days * DAY * 1_000) }
}

pub fn folder(name: &str) -> Entry {
    Entry { kind: EntryKind::Folder, ..entry(name, 0, 30) }
}

/// Returns a report with problems.
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

/// Returns the report of a file with the known mapping of its columns, if there is one.
fn mapped(mut report: CheckReport, mappings: &[Mapping]) -> CheckReport {
    let columns = report.mapping.as_ref().map(|own| own.columns.clone());
    if let Some(known) = mappings.iter().find(|mapping| Some(&mapping.columns) == columns.as_ref()) {
        (report.mapping, report.guessed) = (Some(known.clone()), false);
    }
    report
}

/// Returns a part of a small file, the same whatever its path.
fn window(place: &FilePlace) -> FileWindow {
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
