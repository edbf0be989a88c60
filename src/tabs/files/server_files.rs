//! The files of a server outside the tab: what `benchtop files` lists, sends, fetches and deletes.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::check::to_tune;
use super::delete::DeleteQueue;
use super::remote_file::{RemoteFile, RemoteOrder};
use super::remote_files::RemoteFiles;
use super::transfer::{TransferKind, TransferOutcome};
use super::transfers::Transfers;
use super::upload_plan::planned_file::{PlannedFile, UploadVerdict};
use crate::api::call::{Download, Downloaded, Failure, FailureKind, Progress, Ticket};
use crate::component::{Cx, Response, Session};
use crate::record::training::CheckReport;
use crate::record::work::Done;
use crate::tabs::file_metadata::FileMetadata;
use crate::text::Untrusted;
use crate::ui::progress::{self, Unit};
use crate::ui::table::SortDirection;

/// What a reply means for the files of a server.
#[derive(Debug)]
pub enum FilesUpdate {
    /// Nothing to show.
    Nothing,
    /// An attempt failed for this reason; another one follows.
    Retrying(Failure),
    /// Something that was asked for is known: [`ServerFiles::is_waiting`] says whether all of it is.
    Known,
    /// Bytes were moved.
    Moved,
    /// An upload has ended: which of the planned ones, counted from 0, and the file as the server lists it.
    Sent(usize, Result<Box<RemoteFile>, Box<Failure>>),
    /// A download has ended.
    Saved(Result<Downloaded, Box<Failure>>),
    /// Files with these ids were deleted, or one could not be: [`ServerFiles::is_deleting`] says whether more follow.
    Deleted(Vec<String>),
}

/// The files of one server, and what is done with them.
#[derive(Debug)]
pub struct ServerFiles {
    remote: RemoteFiles,
    planned: Vec<PlannedFile>,
    transfers: Transfers,
    deleting: Option<DeleteQueue>,
}

impl ServerFiles {
    /// Creates the files of the session's server, of which nothing is known yet.
    pub fn new(session: &Session) -> Self {
        let remote = RemoteFiles::new(session.profile.clone(), (RemoteOrder::Created, SortDirection::Descending));
        Self { remote, planned: Vec::new(), transfers: Transfers::default(), deleting: None }
    }

    /// Asks for the list.
    pub fn list(&mut self, cx: &mut Cx) {
        self.remote.refresh_list(cx);
    }

    /// Asks for the list, and for the jobs that use its files.
    pub fn list_with_jobs(&mut self, cx: &mut Cx) {
        self.remote.refresh(cx);
    }

    /// Asks for the hashes that are known of files. What is learned of files is saved once they have come.
    pub fn load_hashes(&mut self, cx: &mut Cx) {
        self.remote.load_metadata(cx);
    }

    /// Returns whether something was asked for that is not known yet: the list, jobs, hashes, checks.
    pub fn is_waiting(&self) -> bool {
        self.remote.is_waiting() || self.planned.iter().any(|item| item.verdict() == UploadVerdict::Waits)
    }

    /// Returns why the list did not come, or not whole.
    pub fn failure(&self) -> Option<&Failure> {
        self.remote.listing.failed.as_ref()
    }

    /// Returns the files of the list, newest first.
    pub fn all(&self) -> impl Iterator<Item = &RemoteFile> {
        self.remote.list.rows()
    }

    /// Returns why it is not known which jobs use the files; `None`: it is known, or the server has no fine-tunes.
    pub fn jobs_failure(&self) -> Option<&Failure> {
        self.remote.uses.failed.as_ref().filter(|why| why.kind != FailureKind::Unsupported)
    }

    /// Returns the job that uses a file and has not ended, if one is known.
    pub fn running_job(&self, id: &str) -> Option<&Untrusted> {
        self.remote.uses.of(id).iter().find(|one| one.runs).map(|one| &one.job)
    }

    /// Plans the upload of files, by their absolute paths and sizes. With `checks` they are checked as training files.
    pub fn plan(&mut self, files: Vec<(String, u64)>, checks: bool, cx: &mut Cx) {
        let (model, local) = (to_tune(cx.session), cx.session.local);
        for (path, bytes) in files {
            let mut item = PlannedFile::new(path, Some(bytes), cx);
            if checks {
                item.check(&model, local, cx);
            }
            self.planned.push(item);
        }
    }

    /// Returns what the checks of the planned files found, or why they could not be checked; nothing for those that
    /// were not.
    pub fn checks(&self) -> impl Iterator<Item = (usize, Result<&CheckReport, &Untrusted>)> {
        self.planned.iter().enumerate().filter_map(|(place, item)| Some((place, item.checked()?)))
    }

    /// Returns how many bytes of the planned files are checked, and of how many.
    pub fn check_progress(&self) -> (u64, u64) {
        let total = self.planned.iter().map(PlannedFile::bytes).sum();
        let done = |item: &PlannedFile| match item.verdict() {
            UploadVerdict::Waits => item.check_progress().map_or(0, |(done, _)| done),
            _ => item.bytes(),
        };
        (self.planned.iter().map(done).sum(), total)
    }

    /// Uploads the planned files for a purpose, whatever their checks found.
    pub fn send(&mut self, purpose: &str, cx: &mut Cx) {
        for item in &self.planned {
            self.transfers.add(self.remote.profile.clone(), item.upload(purpose), Some(item.bytes()), cx);
        }
    }

    /// Downloads a file into a folder, under this name or its own.
    pub fn fetch(&mut self, file: &RemoteFile, folder: PathBuf, name: Option<String>, cx: &mut Cx) {
        let sha256 = self.remote.metadata.of(&file.id).and_then(FileMetadata::sha256);
        let download = file.download(folder, sha256);
        let (name, bytes) = (name.unwrap_or_else(|| download.name.clone()), download.bytes);
        let download = TransferKind::Down(Download { name, ..download });
        self.transfers.add(self.remote.profile.clone(), download, bytes, cx);
    }

    /// Deletes the files with these ids.
    pub fn delete(&mut self, ids: &[String], cx: &mut Cx) {
        let files = ids.iter().map(|id| (id.clone(), id.as_str().into())).collect();
        self.deleting = Some(DeleteQueue::begin(self.remote.profile.clone(), files, cx));
    }

    /// Returns whether files are being deleted.
    pub fn is_deleting(&self) -> bool {
        self.deleting.as_ref().is_some_and(|deleting| !deleting.is_finished())
    }

    /// Returns the ids of the files that could not be deleted, those included that are not there, with the reasons.
    pub fn not_deleted(&self) -> impl Iterator<Item = (&str, &Failure)> {
        self.deleting.iter().flat_map(DeleteQueue::failures)
    }

    /// Takes in a reply of client, store or work threads.
    pub fn handle(&mut self, ticket: Ticket, response: Response, cx: &mut Cx) -> FilesUpdate {
        match response {
            Response::Call(progress) => self.handle_progress(ticket, progress, cx),
            Response::Store(stored) if self.remote.handle_stored(ticket, &stored) => FilesUpdate::Known,
            Response::Work(done) => self.handle_worked(ticket, &done, cx),
            Response::Store(_) | Response::Taken => FilesUpdate::Nothing,
        }
    }

    fn handle_worked(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> FilesUpdate {
        let remote = &self.remote;
        if !self.planned.iter_mut().any(|item| item.handle_worked(ticket, done, remote, cx).is_some()) {
            return FilesUpdate::Nothing;
        }
        if matches!(done, Done::Moved { .. }) { FilesUpdate::Moved } else { FilesUpdate::Known }
    }

    fn handle_progress(&mut self, ticket: Ticket, progress: Progress, cx: &mut Cx) -> FilesUpdate {
        let failed = if let Progress::Retrying { why, .. } = &progress { Some(why.clone()) } else { None };
        let retrying = failed.map_or(FilesUpdate::Nothing, FilesUpdate::Retrying);
        let is_last = matches!(progress, Progress::Closed(_));
        if self.remote.handle_progress(ticket, &progress, cx) {
            return if is_last { FilesUpdate::Known } else { retrying };
        }
        if let Some(deleting) = &mut self.deleting
            && deleting.handle_progress(ticket, &progress, cx)
        {
            return if is_last { FilesUpdate::Deleted(deleting.take_deleted()) } else { retrying };
        }
        let Some(place) = self.transfers.place_of(ticket) else { return FilesUpdate::Nothing };
        let moved = matches!(progress, Progress::Moved { .. });
        match self.transfers.handle_progress(ticket, progress, cx) {
            Some(outcome) => self.ended(place, outcome, cx),
            None if moved => FilesUpdate::Moved,
            None => retrying,
        }
    }

    /// Takes in that a transfer has ended, and saves what was learned of the file.
    fn ended(&mut self, place: usize, outcome: TransferOutcome, cx: &mut Cx) -> FilesUpdate {
        match outcome {
            TransferOutcome::Uploaded { metadata, file, sha256, .. } => {
                self.remote.save_metadata(&file.id, metadata.hashed(&sha256), cx);
                FilesUpdate::Sent(place, Ok(Box::new(RemoteFile::of(*file))))
            }
            TransferOutcome::Downloaded { id, file, .. } => {
                self.remote.save_hash(&id, &file.sha256, cx);
                FilesUpdate::Saved(Ok(file))
            }
            TransferOutcome::Failed { why, id: None, .. } => FilesUpdate::Sent(place, Err(why)),
            TransferOutcome::Failed { why, .. } => FilesUpdate::Saved(Err(why)),
        }
    }

    /// Returns how far the transfers are, in one line of at most so many columns.
    pub fn progress_line(&self, now: Instant, width: usize) -> String {
        let batch = self.transfers.progress(now);
        let files = match batch.files {
            0 | 1 => String::new(),
            files => format!("{} of {files} files  ", batch.done_files),
        };
        let line = progress::Progress {
            done: batch.done_bytes,
            total: batch.bytes,
            unit: Unit::Bytes,
            rate: self.transfers.per_second(now),
            left: batch.left,
            state: progress::State::Running,
            elapsed: Duration::ZERO,
        };
        format!("{files}{}", line.line(width.saturating_sub(files.len())))
    }

    /// Returns when the line of progress changes although nothing moves; `None`: nothing is under way.
    pub fn due(&self, now: Instant) -> Option<Instant> {
        self.transfers.due(now)
    }

    /// Stops what is under way: a download can be continued, and files whose deletion has not begun stay.
    pub fn stop(&mut self, cx: &mut Cx) {
        self.remote.stop_listing(cx);
        self.planned.iter_mut().for_each(|item| item.close(cx));
        self.transfers.pause_all(cx);
        if let Some(deleting) = &mut self.deleting {
            deleting.stop();
        }
    }
}
