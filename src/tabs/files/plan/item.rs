//! A file to be uploaded, and what is found out about it first.

use crate::api::call::{Call, Progress, Reply, Sha256, Ticket};
use crate::component::Cx;
use crate::record::files::EntryKind;
use crate::record::training::{self, Report, Source};
use crate::record::work::{Done, Work};
use crate::tabs::files::local::{name_of, split};
use crate::tabs::files::metadata::FileMetadata;
use crate::tabs::files::remote_files::{FileStatus, RemoteFiles};
use crate::text::Untrusted;
use crate::ui::meter::{bytes, count};

/// A stored file of at most so many bytes is read to compare it, without a question.
const SMALL: u64 = 8_000_000;

/// The user's decision on a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UploadDecision {
    /// Send it, whatever was found.
    Send,
    /// The stored file of this id has the same content: use that.
    Use(String),
    /// Not this one.
    Out,
}

/// What becomes of a file as things stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UploadVerdict {
    /// Something is still being found out.
    Waits,
    /// The user has to say.
    Asks,
    Send,
    Use(String),
    Out,
}

/// The size of a file.
#[derive(Debug)]
enum FileSize {
    Asked(Ticket),
    MetadataCache(u64),
    /// It cannot be sent.
    Wrong(Untrusted),
}

/// The check of a file as a training file.
#[derive(Debug)]
enum FileCheck {
    /// It needs none.
    None,
    Runs(Ticket, Option<(u64, u64)>),
    Done(Box<Report>),
    Failed(Untrusted),
}

/// Whether the same content is on the server or in the plan.
#[derive(Debug)]
enum DuplicateCheck {
    /// No stored file has its size, or none has its content.
    None,
    /// Its own hash is on its way; so many bytes of how many.
    Hashing(Ticket, Option<(u64, u64)>),
    /// The hash of this stored file is on its way.
    Comparing(Ticket, String, Option<(u64, u64)>),
    /// This stored file has its size; to compare them it has to be read.
    NeedsConfirm(String),
    /// This one has its content.
    SameAs(String),
    /// The server's list is on its way.
    AwaitingList,
    /// One before it in the plan has its content: its name.
    DuplicateOf(String),
    /// It could not be found out.
    Unknown(Untrusted),
}

/// A file of the plan.
#[derive(Debug)]
pub(crate) struct PlannedFile {
    pub(crate) path: String,
    size: FileSize,
    check: FileCheck,
    duplicate: DuplicateCheck,
    hash: Option<Sha256>,
    /// Stored files of its size that were not compared yet.
    candidates: Vec<String>,
    pub(crate) decision: Option<UploadDecision>,
}

impl PlannedFile {
    /// A file by its absolute path, and its size where known; asks for the size otherwise.
    pub(super) fn new(path: String, bytes: Option<u64>, cx: &mut Cx) -> Self {
        let size = match bytes {
            Some(bytes) => FileSize::MetadataCache(bytes),
            None => {
                let folder = split(&path).map_or("", |(folder, _)| folder).to_owned();
                FileSize::Asked(cx.work(Work::Folder { path: folder }))
            }
        };
        let (check, duplicate) = (FileCheck::None, DuplicateCheck::None);
        Self { path, size, check, duplicate, hash: None, candidates: Vec::new(), decision: None }
    }

    /// Whether it could not be found out how big it is, or whether the server has its content.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self.size, FileSize::Wrong(_)) || matches!(self.duplicate, DuplicateCheck::Unknown(_))
    }

    pub(crate) fn name(&self) -> &str {
        name_of(&self.path)
    }

    /// Its size; 0: not known yet.
    pub(crate) fn bytes(&self) -> u64 {
        if let FileSize::MetadataCache(bytes) = self.size { bytes } else { 0 }
    }

    /// Looks for the same content on the server; `hash`: it is compared with others of the plan, too.
    pub(super) fn compare(&mut self, remote: &RemoteFiles, hash: bool, cx: &mut Cx) {
        let FileSize::MetadataCache(size) = self.size else { return };
        if remote.listing.at_ms.is_none() && !remote.listing.is_unsupported() {
            self.duplicate = if remote.listing.is_asking() {
                DuplicateCheck::AwaitingList
            } else {
                DuplicateCheck::Unknown("what the server holds is not known: it was not compared".into())
            };
            return;
        }
        let same = |file: &&super::super::remote_file::RemoteFile| {
            file.bytes == size && file.status != FileStatus::Gone && !file.going
        };
        let mut candidates: Vec<&super::super::remote_file::RemoteFile> = remote.files().iter().filter(same).collect();
        // Those of the same name first; of many of one size only some are looked at.
        candidates.sort_by_key(|file| file.name.raw() != self.name());
        self.candidates = candidates.into_iter().take(16).map(|file| file.id.clone()).collect();
        self.duplicate = DuplicateCheck::None;
        if self.hash.is_some() {
            self.next(remote, false, cx);
        } else if (hash || !self.candidates.is_empty()) && size > 0 {
            self.hash(cx);
        }
    }

    /// Asks for its hash, where nothing is known or asked yet.
    pub(super) fn hash(&mut self, cx: &mut Cx) {
        if self.hash.is_none()
            && matches!((&self.duplicate, &self.size), (DuplicateCheck::None, FileSize::MetadataCache(1..)))
        {
            self.duplicate = DuplicateCheck::Hashing(cx.work(Work::Hash { path: self.path.clone() }), None);
        }
    }

    /// Whether a list of the server says something new about it: one that waits for it, or that nothing was like yet.
    pub(super) fn is_open(&self, remote: &RemoteFiles) -> bool {
        match &self.duplicate {
            DuplicateCheck::AwaitingList => remote.listing.at_ms.is_some() || !remote.listing.is_asking(),
            DuplicateCheck::None => remote.listing.at_ms.is_some() && !remote.listing.is_asking(),
            _ => false,
        }
    }

    /// Notices one before it in the plan that has its content.
    pub(super) fn double(&mut self, before: &[Self]) {
        if !matches!(self.duplicate, DuplicateCheck::None | DuplicateCheck::DuplicateOf(_)) {
            return;
        }
        let same = |other: &&Self| {
            other.hash.is_some() && other.hash == self.hash && !matches!(other.verdict(), UploadVerdict::Out)
        };
        let found = before.iter().find(same).map(|other| other.name().to_owned());
        self.duplicate = found.map_or(DuplicateCheck::None, DuplicateCheck::DuplicateOf);
    }

    /// Checks it for what it is to train.
    pub(super) fn check(&mut self, model: &Untrusted, local: bool, cx: &mut Cx) {
        if matches!(self.check, FileCheck::None) && !matches!(self.size, FileSize::Wrong(_)) {
            let check = training::Check { path: self.path.clone(), model: model.clone(), local, mappings: Vec::new() };
            self.check = FileCheck::Runs(cx.work(Work::Check(Box::new(check))), None);
        }
    }

    /// It needs no check any more.
    pub(super) fn spare(&mut self, cx: &mut Cx) {
        if let FileCheck::Runs(ticket, _) = std::mem::replace(&mut self.check, FileCheck::None) {
            cx.cancel(ticket);
        }
    }

    /// Compares with what is known, and asks for what is not.
    fn next(&mut self, remote: &RemoteFiles, ask: bool, cx: &mut Cx) {
        let Some(hash) = self.hash else { return };
        while let Some(id) = self.candidates.first().cloned() {
            let metadata = remote.metadata.of(&id).and_then(FileMetadata::sha256);
            match metadata {
                Some(other) if other == hash => {
                    self.duplicate = DuplicateCheck::SameAs(id);
                    return;
                }
                Some(_) => {}
                None if ask || self.bytes() <= SMALL => {
                    let ticket = cx.call_to(remote.profile.clone(), Call::Digest(id.clone()));
                    self.duplicate = DuplicateCheck::Comparing(ticket, id, None);
                    return;
                }
                None => {
                    self.duplicate = DuplicateCheck::NeedsConfirm(id);
                    return;
                }
            }
            self.candidates.remove(0);
        }
        self.duplicate = DuplicateCheck::None;
    }

    /// The user wants the stored file read to compare it. Whether that was the question.
    pub(super) fn read(&mut self, remote: &RemoteFiles, cx: &mut Cx) -> bool {
        let asks = matches!(self.duplicate, DuplicateCheck::NeedsConfirm(_));
        if asks {
            self.next(remote, true, cx);
        }
        asks
    }

    /// The work threads' answer; whether the order was its. `Some(true)`: its size became known.
    pub(super) fn worked(
        &mut self,
        ticket: Ticket,
        done: &Done,
        remote: &mut RemoteFiles,
        cx: &mut Cx,
    ) -> Option<bool> {
        match &mut self.size {
            FileSize::Asked(asked) if *asked == ticket => {
                if !matches!(done, Done::Moved { .. }) {
                    self.size = self.found(done);
                    return Some(true);
                }
                return Some(false);
            }
            _ => {}
        }
        match (&mut self.check, done) {
            (FileCheck::Runs(asked, at), Done::Moved { done, total }) if *asked == ticket => {
                *at = Some((*done, *total));
            }
            (FileCheck::Runs(asked, _), done) if *asked == ticket => {
                self.check = match done {
                    Done::Checked(report) => FileCheck::Done(report.clone()),
                    Done::Failed(why) => FileCheck::Failed(why.clone()),
                    _ => FileCheck::Failed("it could not be checked".into()),
                };
            }
            _ => match (&mut self.duplicate, done) {
                (DuplicateCheck::Hashing(asked, at), Done::Moved { done, total }) if *asked == ticket => {
                    *at = Some((*done, *total));
                }
                (DuplicateCheck::Hashing(asked, _), done) if *asked == ticket => match done {
                    Done::Hashed(hash, _) => {
                        self.hash = Some(*hash);
                        self.next(remote, false, cx);
                    }
                    Done::Failed(why) => self.duplicate = DuplicateCheck::Unknown(why.clone()),
                    _ => self.duplicate = DuplicateCheck::Unknown("it could not be compared".into()),
                },
                _ => return None,
            },
        }
        Some(false)
    }

    /// Its size, out of the folder it is in.
    fn found(&mut self, done: &Done) -> FileSize {
        match done {
            Done::Folder(folder) => {
                let entry = folder.entries.iter().find(|entry| entry.name.raw() == self.name());
                match entry.map(|entry| entry.kind) {
                    Some(EntryKind::File) => {
                        self.path = super::super::local::join(folder.path.raw(), self.name());
                        FileSize::MetadataCache(entry.map_or(0, |entry| entry.bytes))
                    }
                    Some(EntryKind::Folder) => FileSize::Wrong("it is a folder; files are uploaded".into()),
                    Some(_) => FileSize::Wrong("it is no file that can be read".into()),
                    None => FileSize::Wrong("there is no such file".into()),
                }
            }
            Done::Failed(why) => FileSize::Wrong(why.clone()),
            _ => FileSize::Wrong("its folder could not be read".into()),
        }
    }

    /// News of a call; whether the call was its.
    pub(super) fn progress(
        &mut self,
        ticket: Ticket,
        progress: &Progress,
        remote: &mut RemoteFiles,
        cx: &mut Cx,
    ) -> bool {
        let DuplicateCheck::Comparing(asked, id, at) = &mut self.duplicate else { return false };
        if *asked != ticket {
            return false;
        }
        match progress {
            Progress::Moved { done, total } => *at = total.map(|total| (*done, total)),
            Progress::Reply(Reply::Digest(hash, _)) => {
                let metadata = remote.metadata.of(id).cloned().unwrap_or_default().hashed(hash);
                let id = id.clone();
                remote.learn(&id, metadata, cx);
            }
            Progress::Closed(Ok(())) => {
                let learnt = remote.metadata.of(id).and_then(FileMetadata::sha256).is_some();
                if learnt {
                    self.next(remote, false, cx);
                } else {
                    self.duplicate = DuplicateCheck::Unknown("the stored file could not be read".into());
                }
            }
            Progress::Closed(Err(why)) => self.duplicate = DuplicateCheck::Unknown(why.sentence.clone()),
            _ => {}
        }
        true
    }

    /// Ends what is on its way.
    pub(super) fn close(&mut self, cx: &mut Cx) {
        if let FileSize::Asked(ticket) = self.size {
            cx.cancel(ticket);
        }
        if let FileCheck::Runs(ticket, _) = self.check {
            cx.cancel(ticket);
        }
        if let DuplicateCheck::Hashing(ticket, _) | DuplicateCheck::Comparing(ticket, ..) = self.duplicate {
            cx.cancel(ticket);
        }
    }

    pub(crate) fn verdict(&self) -> UploadVerdict {
        match (&self.size, &self.decision) {
            (FileSize::Wrong(_), _) | (_, Some(UploadDecision::Out)) => return UploadVerdict::Out,
            (FileSize::Asked(_), _) => return UploadVerdict::Waits,
            (_, Some(UploadDecision::Send)) => return UploadVerdict::Send,
            (_, Some(UploadDecision::Use(id))) => return UploadVerdict::Use(id.clone()),
            (FileSize::MetadataCache(_), None) => {}
        }
        let check = match &self.check {
            FileCheck::Runs(..) => UploadVerdict::Waits,
            FileCheck::Done(report) if is_sound(report) => UploadVerdict::Send,
            FileCheck::Done(_) | FileCheck::Failed(_) => UploadVerdict::Asks,
            FileCheck::None => UploadVerdict::Send,
        };
        match (check, &self.duplicate) {
            (_, DuplicateCheck::SameAs(_) | DuplicateCheck::NeedsConfirm(_) | DuplicateCheck::DuplicateOf(_))
            | (UploadVerdict::Asks, _) => UploadVerdict::Asks,
            (UploadVerdict::Waits, _)
            | (_, DuplicateCheck::Hashing(..) | DuplicateCheck::Comparing(..) | DuplicateCheck::AwaitingList) => {
                UploadVerdict::Waits
            }
            (verdict, DuplicateCheck::None | DuplicateCheck::Unknown(_)) => verdict,
        }
    }

    /// Decides on it, or takes the same decision back.
    pub(super) fn toggle(&mut self, decision: UploadDecision) -> Option<&'static str> {
        self.decision = Some(decision).filter(|decision| self.decision.as_ref() != Some(decision));
        None
    }

    /// The stored file of the same content.
    pub(super) fn same(&self) -> Option<&str> {
        if let DuplicateCheck::SameAs(id) = &self.duplicate { Some(id) } else { None }
    }

    /// What the check learnt, and the hash.
    pub(crate) fn metadata(&self) -> FileMetadata {
        let mut metadata = FileMetadata::default();
        if let FileCheck::Done(report) = &self.check {
            (metadata.rows, metadata.tokens) = (report.rows, report.tokens.total);
            metadata.class_count = report.classes.count;
            metadata.classes = report.classes.most.iter().map(|(class, _)| class.raw().to_owned()).collect();
        }
        match &self.hash {
            Some(hash) => metadata.hashed(hash),
            None => metadata,
        }
    }

    /// What is said beside its name: whether it is a warning, and the words.
    pub(crate) fn state(&self, remote: &RemoteFiles) -> (UploadVerdict, String) {
        let verdict = self.verdict();
        let words = match (&self.size, &self.decision) {
            (FileSize::Wrong(why), _) => format!("✕ {}", why.line()),
            (FileSize::Asked(_), _) => "…".to_owned(),
            (_, Some(UploadDecision::Out)) => "left out".to_owned(),
            (_, Some(UploadDecision::Use(id))) => format!("= {} is used", name(remote, id)),
            (_, Some(UploadDecision::Send)) => format!("↑ sent all the same{}", self.found_words(remote)),
            (FileSize::MetadataCache(_), None) => {
                let found = self.found_words(remote);
                if found.is_empty() { "✓".to_owned() } else { found.trim_start_matches(" · ").to_owned() }
            }
        };
        (verdict, words)
    }

    /// What was found, each with ` · ` before it.
    fn found_words(&self, remote: &RemoteFiles) -> String {
        let share = |at: &Option<(u64, u64)>| match at {
            Some((done, total)) if *total > 0 => format!(" {}%", (*done as f64 / *total as f64 * 100.0) as u64),
            _ => String::new(),
        };
        let duplicate = match &self.duplicate {
            DuplicateCheck::None => String::new(),
            DuplicateCheck::Hashing(_, at) => format!(" · … compared{}", share(at)),
            DuplicateCheck::Comparing(_, id, at) => format!(" · … {} is read{}", name(remote, id), share(at)),
            DuplicateCheck::AwaitingList => " · … the server's list comes".to_owned(),
            DuplicateCheck::DuplicateOf(name) => {
                format!(" · = the same as {} here", Untrusted::from(name.as_str()).line())
            }
            DuplicateCheck::NeedsConfirm(id) => format!(" · ? {} has its size", name(remote, id)),
            DuplicateCheck::SameAs(id) => format!(" · = the same as {} there", name(remote, id)),
            DuplicateCheck::Unknown(_) => " · ! not compared".to_owned(),
        };
        let check = match &self.check {
            FileCheck::None => String::new(),
            FileCheck::Runs(_, at) => format!(" · … checked{}", share(at)),
            FileCheck::Failed(_) => " · ✕ not checked".to_owned(),
            FileCheck::Done(report) if is_sound(report) => format!(" · ✓ {} examples", count(report.rows)),
            FileCheck::Done(report) => format!(" · ✕ {}", problems(report)),
        };
        format!("{duplicate}{check}")
    }

    /// Sentences about it, for the foot of the box.
    pub(crate) fn lines(&self, remote: &RemoteFiles) -> Vec<Untrusted> {
        let mut lines = Vec::new();
        match &self.duplicate {
            DuplicateCheck::NeedsConfirm(id) => lines.push(
                format!(
                    "{} on the server has the same size. r reads it ({}) to compare, s sends without.",
                    name(remote, id),
                    bytes(self.bytes())
                )
                .into(),
            ),
            DuplicateCheck::SameAs(id) => lines.push(
                format!(
                    "The same content is there as {}: e uses it, s sends it again, o leaves it out.",
                    name(remote, id)
                )
                .into(),
            ),
            DuplicateCheck::DuplicateOf(name) => lines.push(
                format!(
                    "{} of this plan has the same content: o leaves this one out, s sends both.",
                    Untrusted::from(name.as_str()).line()
                )
                .into(),
            ),
            DuplicateCheck::Unknown(why) => lines.push(why.clone()),
            _ => {}
        }
        match &self.check {
            FileCheck::Failed(why) => lines.push(why.clone()),
            FileCheck::Done(report) => {
                if report.source != Source::Jsonl {
                    lines.push("It is not JSON Lines: v opens the check page, which makes a file of that form.".into());
                }
                lines.extend(report.stop.clone());
                for problem in &report.problems {
                    let mut line = Untrusted::from(format!("line {}  ", count(problem.line)));
                    line.append(&problem.words);
                    lines.push(line);
                }
                lines.extend(report.cut.clone());
            }
            _ => {}
        }
        lines
    }
}

/// Whether a file can be sent as it is.
fn is_sound(report: &Report) -> bool {
    let bad = report.counts.iter().any(|(_, count)| *count > 0) || !report.problems.is_empty();
    let whole = report.stop.is_none() && report.cut.is_none();
    report.source == Source::Jsonl && whole && report.valid > 0 && !bad && !is_raw(report)
}

/// Whether its rows are only found with a guess what its columns are, or in a copy in UTF-8: a job would not find them.
fn is_raw(report: &Report) -> bool {
    report.guessed || report.encoding != "UTF-8"
}

/// `3 problems`, `not JSON Lines`.
fn problems(report: &Report) -> String {
    let all: u64 = report.counts.iter().map(|(_, count)| count).sum();
    match all.max(report.problems.len() as u64) {
        _ if report.source != Source::Jsonl => "not JSON Lines".to_owned(),
        _ if is_raw(report) => "not as a job reads it: v prepares it".to_owned(),
        0 => "cannot be used".to_owned(),
        1 => "1 problem".to_owned(),
        some => format!("{} problems", count(some)),
    }
}

/// A stored file by its name.
fn name(remote: &RemoteFiles, id: &str) -> String {
    let file = remote.file(id);
    file.map_or_else(|| Untrusted::from(id).line().into_owned(), |file| file.name.line().into_owned())
}
