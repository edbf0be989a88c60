//! Finds out whether the content of a file is on the server already.

use crate::api::call::{Call, Progress, Reply, Sha256, Ticket};
use crate::component::Cx;
use crate::record::work::{Done, Work};
use crate::tabs::file_metadata::FileMetadata;
use crate::tabs::files::local::name_of;
use crate::tabs::files::remote_file::{FileStatus, RemoteFile};
use crate::tabs::files::remote_files::RemoteFiles;
use crate::text::Untrusted;

/// A stored file of at most so many bytes is read to compare it, without a question.
const SMALL: u64 = 8_000_000;
/// How many stored files of the same size are compared at most.
const CANDIDATES: usize = 16;

/// Whether the same content is on the server or in the plan.
#[derive(Debug, Default)]
pub(super) enum DuplicateState {
    /// No stored file has its size, or none has its content.
    #[default]
    None,
    /// Its own hash is being computed; bytes done, and all.
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

/// The search for a file's content on the server.
#[derive(Debug, Default)]
pub(super) struct DuplicateSearch {
    pub(super) state: DuplicateState,
    pub(super) hash: Option<Sha256>,
    /// Bytes of the file.
    size: u64,
    /// Stored files of its size that were not compared yet.
    candidates: Vec<String>,
}

impl DuplicateSearch {
    /// Looks for the content of a local file of a size on the server; `in_plan`: it is compared with others of the
    /// plan, too.
    pub(super) fn begin(&mut self, path: &str, size: u64, remote: &RemoteFiles, in_plan: bool, cx: &mut Cx) {
        self.size = size;
        if remote.awaits_list() {
            self.state = DuplicateState::AwaitingList;
            return;
        }
        if remote.listing.at_ms.is_none() && !remote.listing.is_unsupported() {
            self.state =
                DuplicateState::Unknown("The server's files are not known, so contents were not compared.".into());
            return;
        }
        let same =
            |file: &&RemoteFile| file.bytes == size && file.status != FileStatus::DeletedElsewhere && !file.going;
        let mut candidates: Vec<&RemoteFile> = remote.list.items().iter().filter(same).collect();
        // Those of the same name first.
        candidates.sort_by_key(|file| file.name.raw() != name_of(path));
        self.candidates = candidates.into_iter().take(CANDIDATES).map(|file| file.id.clone()).collect();
        self.state = DuplicateState::None;
        if self.hash.is_some() {
            self.compare_next(remote, false, cx);
        } else if in_plan || !self.candidates.is_empty() {
            self.request_hash(path, cx);
        }
    }

    /// Asks for the file's hash, where nothing is known or asked yet.
    pub(super) fn request_hash(&mut self, path: &str, cx: &mut Cx) {
        if self.hash.is_none() && self.size > 0 && matches!(self.state, DuplicateState::None) {
            self.state = DuplicateState::Hashing(cx.work(Work::Hash { path: path.to_owned() }), None);
        }
    }

    /// Returns whether a list of the server says something new: the search waits for it, or nothing was like the file
    /// yet.
    pub(super) fn needs_list(&self, remote: &RemoteFiles) -> bool {
        match &self.state {
            DuplicateState::AwaitingList => !remote.awaits_list(),
            DuplicateState::None => remote.listing.at_ms.is_some() && !remote.is_asking(),
            _ => false,
        }
    }

    /// Compares with the candidates whose hashes are known, and asks for the first that is not; `confirmed`: however
    /// large it is.
    pub(super) fn compare_next(&mut self, remote: &RemoteFiles, confirmed: bool, cx: &mut Cx) {
        let Some(hash) = self.hash else { return };
        while let Some(id) = self.candidates.first().cloned() {
            match remote.metadata.of(&id).and_then(FileMetadata::sha256) {
                Some(other) if other == hash => {
                    self.state = DuplicateState::SameAs(id);
                    return;
                }
                Some(_) => {}
                None if confirmed || self.size <= SMALL => {
                    let ticket = cx.call_to(remote.profile.clone(), Call::Digest(id.clone()));
                    self.state = DuplicateState::Comparing(ticket, id, None);
                    return;
                }
                None => {
                    self.state = DuplicateState::NeedsConfirm(id);
                    return;
                }
            }
            self.candidates.remove(0);
        }
        self.state = DuplicateState::None;
    }

    /// Takes an answer of the work threads. Returns whether it is to the file's hash.
    pub(super) fn handle_worked(&mut self, ticket: Ticket, done: &Done, remote: &RemoteFiles, cx: &mut Cx) -> bool {
        let DuplicateState::Hashing(asked, moved) = &mut self.state else { return false };
        if *asked != ticket {
            return false;
        }
        match done {
            Done::Moved { done, total } => *moved = Some((*done, *total)),
            Done::Hashed(hash, _) => {
                self.hash = Some(*hash);
                self.compare_next(remote, false, cx);
            }
            Done::Failed(why) => self.state = DuplicateState::Unknown(why.clone()),
            _ => self.state = DuplicateState::Unknown("it could not be compared".into()),
        }
        true
    }

    /// Takes a part of a call. Returns whether it is that for the hash of a stored file.
    pub(super) fn handle_progress(
        &mut self,
        ticket: Ticket,
        progress: &Progress,
        remote: &mut RemoteFiles,
        cx: &mut Cx,
    ) -> bool {
        let DuplicateState::Comparing(asked, id, moved) = &mut self.state else { return false };
        if *asked != ticket {
            return false;
        }
        match progress {
            Progress::Moved { done, total } => *moved = total.map(|total| (*done, total)),
            Progress::Reply(Reply::Digest(hash, _)) => {
                remote.save_hash(id, hash, cx);
            }
            Progress::Closed(Ok(())) if remote.metadata.of(id).and_then(FileMetadata::sha256).is_some() => {
                self.compare_next(remote, false, cx);
            }
            Progress::Closed(Ok(())) => {
                self.state = DuplicateState::Unknown("the stored file could not be read".into());
            }
            Progress::Closed(Err(why)) => self.state = DuplicateState::Unknown(why.sentence.clone()),
            _ => {}
        }
        true
    }

    /// Ends what is on its way.
    pub(super) fn close(&mut self, cx: &mut Cx) {
        if let DuplicateState::Hashing(ticket, _) | DuplicateState::Comparing(ticket, ..) = self.state {
            cx.cancel(ticket);
        }
    }
}
