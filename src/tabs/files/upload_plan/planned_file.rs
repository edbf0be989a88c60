//! A file to be uploaded, and what is found out about it first.

use std::path::PathBuf;

use super::duplicate_search::{DuplicateSearch, DuplicateState};
use crate::api::call::{Ticket, Upload};
use crate::component::Cx;
use crate::record::training::{self, CheckReport};
use crate::record::work::{Done, Work};
use crate::tabs::file_metadata::FileMetadata;
use crate::tabs::files::local::name_of;
use crate::tabs::files::remote_files::RemoteFiles;
use crate::tabs::files::soundness::is_sound;
use crate::tabs::files::transfer::TransferKind;
use crate::text::Untrusted;

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
pub(super) enum FileSize {
    Asked(Ticket),
    Known(u64),
    /// It cannot be sent.
    Wrong(Untrusted),
}

/// The check of a file as a training file.
#[derive(Debug)]
pub(super) enum FileCheck {
    /// The file needs no check.
    None,
    Runs(Ticket, Option<(u64, u64)>),
    Done(Box<CheckReport>),
    Failed(Untrusted),
}

/// A file of the plan.
#[derive(Debug)]
pub(crate) struct PlannedFile {
    pub(crate) path: String,
    pub(super) size: FileSize,
    pub(super) check: FileCheck,
    pub(super) duplicate: DuplicateSearch,
    pub(crate) decision: Option<UploadDecision>,
}

impl PlannedFile {
    /// Creates a planned file from its absolute path, and its size where known; asks for the size otherwise.
    pub(crate) fn new(path: String, bytes: Option<u64>, cx: &mut Cx) -> Self {
        let size = match bytes {
            Some(bytes) => FileSize::Known(bytes),
            None => FileSize::Asked(cx.work(Work::File { path: path.clone() })),
        };
        Self { path, size, check: FileCheck::None, duplicate: DuplicateSearch::default(), decision: None }
    }

    /// Returns whether it could not be found out how big it is, or whether the server has its content.
    pub(super) fn is_unknown(&self) -> bool {
        matches!(self.size, FileSize::Wrong(_)) || matches!(self.duplicate.state, DuplicateState::Unknown(_))
    }

    pub(crate) fn name(&self) -> &str {
        name_of(&self.path)
    }

    /// Returns its size; 0: not known yet.
    pub(crate) fn bytes(&self) -> u64 {
        if let FileSize::Known(bytes) = self.size { bytes } else { 0 }
    }

    /// Looks for its content on the server, where its size is known; `in_plan`: it is compared with others of the plan,
    /// too.
    pub(super) fn find_duplicate(&mut self, remote: &RemoteFiles, in_plan: bool, cx: &mut Cx) {
        if let FileSize::Known(size) = self.size {
            self.duplicate.begin(&self.path, size, remote, in_plan, cx);
        }
    }

    /// Notices one before it in the plan that has its content.
    pub(super) fn find_duplicate_in_plan(&mut self, before: &[Self]) {
        if !matches!(self.duplicate.state, DuplicateState::None | DuplicateState::DuplicateOf(_)) {
            return;
        }
        let hash = self.duplicate.hash;
        let same = |other: &&Self| {
            hash.is_some() && other.duplicate.hash == hash && !matches!(other.verdict(), UploadVerdict::Out)
        };
        let found = before.iter().find(same).map(|other| other.name().to_owned());
        self.duplicate.state = found.map_or(DuplicateState::None, DuplicateState::DuplicateOf);
    }

    /// Checks it for what it is to train.
    pub(crate) fn check(&mut self, model: &Untrusted, local: bool, cx: &mut Cx) {
        if matches!(self.check, FileCheck::None) && !matches!(self.size, FileSize::Wrong(_)) {
            let check =
                training::CheckRequest { path: self.path.clone(), model: model.clone(), local, mappings: Vec::new() };
            self.check = FileCheck::Runs(cx.work(Work::Check(Box::new(check))), None);
        }
    }

    /// Does without the check.
    pub(super) fn skip_check(&mut self, cx: &mut Cx) {
        if let FileCheck::Runs(ticket, _) = std::mem::replace(&mut self.check, FileCheck::None) {
            cx.cancel(ticket);
        }
    }

    /// Takes an answer of the work threads; `None`: it is another's, `Some(true)`: the size became known.
    pub(crate) fn handle_worked(
        &mut self,
        ticket: Ticket,
        done: &Done,
        remote: &RemoteFiles,
        cx: &mut Cx,
    ) -> Option<bool> {
        if matches!(self.size, FileSize::Asked(asked) if asked == ticket) {
            let known = !matches!(done, Done::Moved { .. });
            if known {
                self.size = self.found(done);
            }
            return Some(known);
        }
        match &mut self.check {
            FileCheck::Runs(asked, moved) if *asked == ticket => match done {
                Done::Moved { done, total } => *moved = Some((*done, *total)),
                Done::Checked(report) => self.check = FileCheck::Done(report.clone()),
                Done::Failed(why) => self.check = FileCheck::Failed(why.clone()),
                _ => self.check = FileCheck::Failed("it could not be checked".into()),
            },
            _ if self.duplicate.handle_worked(ticket, done, remote, cx) => {}
            _ => return None,
        }
        Some(false)
    }

    /// Returns its size as it was looked up, and takes its absolute path.
    fn found(&mut self, done: &Done) -> FileSize {
        match done {
            Done::File { path, bytes } => {
                path.raw().clone_into(&mut self.path);
                FileSize::Known(*bytes)
            }
            Done::Failed(why) => FileSize::Wrong(why.clone()),
            _ => FileSize::Wrong("it could not be looked up".into()),
        }
    }

    /// Ends what is on its way.
    pub(crate) fn close(&mut self, cx: &mut Cx) {
        if let FileSize::Asked(ticket) = self.size {
            cx.cancel(ticket);
        }
        if let FileCheck::Runs(ticket, _) = self.check {
            cx.cancel(ticket);
        }
        self.duplicate.close(cx);
    }

    /// Returns what becomes of it as things stand.
    pub(crate) fn verdict(&self) -> UploadVerdict {
        match (&self.size, &self.decision) {
            (FileSize::Wrong(_), _) | (_, Some(UploadDecision::Out)) => return UploadVerdict::Out,
            (FileSize::Asked(_), _) => return UploadVerdict::Waits,
            (_, Some(UploadDecision::Send)) => return UploadVerdict::Send,
            (_, Some(UploadDecision::Use(id))) => return UploadVerdict::Use(id.clone()),
            (FileSize::Known(_), None) => {}
        }
        let check = match &self.check {
            FileCheck::Runs(..) => UploadVerdict::Waits,
            FileCheck::Done(report) if is_sound(report) => UploadVerdict::Send,
            FileCheck::Done(_) | FileCheck::Failed(_) => UploadVerdict::Asks,
            FileCheck::None => UploadVerdict::Send,
        };
        match (check, &self.duplicate.state) {
            (_, DuplicateState::SameAs(_) | DuplicateState::NeedsConfirm(_) | DuplicateState::DuplicateOf(_))
            | (UploadVerdict::Asks, _) => UploadVerdict::Asks,
            (UploadVerdict::Waits, _)
            | (_, DuplicateState::Hashing(..) | DuplicateState::Comparing(..) | DuplicateState::AwaitingList) => {
                UploadVerdict::Waits
            }
            (verdict, DuplicateState::None | DuplicateState::Unknown(_)) => verdict,
        }
    }

    /// Decides on it, or takes the same decision back.
    pub(super) fn toggle(&mut self, decision: UploadDecision) -> Option<&'static str> {
        self.decision = Some(decision).filter(|decision| self.decision.as_ref() != Some(decision));
        None
    }

    /// Returns the stored file of the same content.
    pub(super) fn stored_copy(&self) -> Option<&str> {
        if let DuplicateState::SameAs(id) = &self.duplicate.state { Some(id) } else { None }
    }

    /// Returns what its check found, or why it could not be checked; `None`: it is not checked, or not yet.
    pub(crate) fn checked(&self) -> Option<Result<&CheckReport, &Untrusted>> {
        match &self.check {
            FileCheck::Done(report) => Some(Ok(report)),
            FileCheck::Failed(why) => Some(Err(why)),
            FileCheck::None | FileCheck::Runs(..) => None,
        }
    }

    /// Returns how many bytes its check has read, and of how many; `None`: it does not run, or has not begun.
    pub(crate) fn check_progress(&self) -> Option<(u64, u64)> {
        if let FileCheck::Runs(_, moved) = self.check { moved } else { None }
    }

    /// Returns the transfer that sends it for a purpose.
    pub(crate) fn upload(&self, purpose: &str) -> TransferKind {
        let upload =
            Upload { path: PathBuf::from(&self.path), name: self.name().to_owned(), purpose: purpose.to_owned() };
        TransferKind::Up(upload, self.metadata())
    }

    /// Returns what the check learned, and the hash.
    pub(crate) fn metadata(&self) -> FileMetadata {
        let mut metadata = FileMetadata::default();
        if let FileCheck::Done(report) = &self.check {
            (metadata.rows, metadata.tokens) = (report.rows, report.tokens.total);
            metadata.class_count = report.classes.count;
            metadata.classes = report.classes.most.iter().map(|(class, _)| class.raw().to_owned()).collect();
        }
        match &self.duplicate.hash {
            Some(hash) => metadata.hashed(hash),
            None => metadata,
        }
    }
}
