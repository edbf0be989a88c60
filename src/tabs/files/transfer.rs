//! An upload or a download: its progress and its outcome.

use std::time::{Duration, Instant};

use crate::api::call::{Call, Download, Downloaded, Failure, FailureKind, Progress, Reply, Sha256, Ticket, Upload};
use crate::api::file::File;
use crate::component::Cx;
use crate::settings::ProfileId;
use crate::tabs::activity::{Activity, ActivityKind, ActivityOutcome};
use crate::tabs::file_metadata::FileMetadata;
use crate::text::Untrusted;
use crate::ui::meter::SPINNER_FRAME;
use crate::ui::progress::Rate;

/// The direction of a transfer, with its request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TransferKind {
    /// With what is known of the local file.
    Up(Upload, FileMetadata),
    Down(Download),
}

/// The state of a transfer.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum TransferState {
    /// In line.
    Waiting,
    Running,
    Paused,
    /// An attempt failed; the next begins then.
    Retrying(Instant, Untrusted),
    /// `saved /home/you/x.jsonl`, or the id on the server.
    Done(Untrusted),
    Failed(Box<Failure>),
    Cancelled,
}

impl TransferState {
    pub(super) fn is_finished(&self) -> bool {
        matches!(self, Self::Done(_) | Self::Failed(_) | Self::Cancelled)
    }

    /// Returns whether it has a call under way.
    pub(super) fn has_call(&self) -> bool {
        matches!(self, Self::Running | Self::Retrying(..))
    }
}

/// An upload or a download.
#[derive(Debug)]
pub(super) struct Transfer {
    pub(super) profile: ProfileId,
    pub(super) what: TransferKind,
    pub(super) state: TransferState,
    pub(super) done: u64,
    pub(super) total: Option<u64>,
    pub(super) rate: Rate,
    pub(super) since: Instant,
    pub(super) ticket: Option<Ticket>,
    /// What the call brought before it closed.
    brought: Option<TransferReply>,
    /// Whether it failed and nobody has seen that.
    pub(super) unseen: bool,
    /// Whether its row was drawn since it finished.
    pub(super) read: bool,
    /// Distinguishes it from all others.
    pub(super) number: u64,
    /// Which batch it is of: transfers that are under way together.
    pub(super) batch: u32,
}

/// What a call returned before it closed.
#[derive(Debug)]
enum TransferReply {
    File(Box<File>, Sha256),
    Local(Downloaded),
}

/// How a transfer finished.
#[derive(Debug)]
pub(super) enum TransferOutcome {
    /// On the server.
    Uploaded { profile: ProfileId, metadata: FileMetadata, file: Box<File>, sha256: Sha256 },
    /// On the disk; the id it has on the server.
    Downloaded { profile: ProfileId, id: String, file: Downloaded },
    /// Came to nothing: a name and why; of a download its id.
    Failed { profile: ProfileId, name: Untrusted, why: Box<Failure>, id: Option<String> },
}

impl Transfer {
    /// Creates a transfer that waits in line.
    pub(super) fn new(
        profile: ProfileId,
        what: TransferKind,
        total: Option<u64>,
        (number, batch): (u64, u32),
        since: Instant,
    ) -> Self {
        Self {
            profile,
            what,
            state: TransferState::Waiting,
            done: 0,
            total,
            rate: Rate::default(),
            since,
            ticket: None,
            brought: None,
            unseen: false,
            read: false,
            number,
            batch,
        }
    }

    /// Returns the file's name.
    pub(super) fn name(&self) -> Untrusted {
        match &self.what {
            TransferKind::Up(upload, _) => upload.name.as_str().into(),
            TransferKind::Down(download) => download.name.as_str().into(),
        }
    }

    pub(super) fn is_upload(&self) -> bool {
        matches!(self.what, TransferKind::Up(..))
    }

    /// Returns it, while it moves or waits for that.
    pub(super) fn activity(&self) -> Option<Activity> {
        let kind = if self.is_upload() { ActivityKind::Upload } else { ActivityKind::Download };
        (self.state.has_call() || self.state == TransferState::Waiting).then(|| Activity {
            progress: self.total.map(|total| (self.done, total)),
            ..Activity::new(kind, self.number)
        })
    }

    /// Returns how it ended, when it does not move or wait for that any more.
    pub(super) fn outcome(&self) -> ActivityOutcome {
        match self.state {
            TransferState::Done(_) => ActivityOutcome::Ended,
            TransferState::Failed(_) => ActivityOutcome::Failed,
            _ => ActivityOutcome::Stopped,
        }
    }

    /// Returns why it failed.
    pub(super) fn failure(&self) -> Option<&Failure> {
        if let TransferState::Failed(why) = &self.state { Some(why) } else { None }
    }

    /// Makes its call.
    pub(super) fn begin(&mut self, cx: &mut Cx) {
        let call = match &self.what {
            TransferKind::Up(upload, _) => Call::Upload(Box::new(upload.clone())),
            TransferKind::Down(download) => Call::Download(Box::new(download.clone())),
        };
        self.ticket = Some(cx.call_to(self.profile.clone(), call));
        self.state = TransferState::Running;
        self.since = cx.now;
        self.rate.clear();
        if self.is_upload() {
            self.done = 0;
        }
    }

    /// Stops its call.
    pub(super) fn stop_call(&mut self, cx: &mut Cx) {
        if let Some(ticket) = self.ticket.take() {
            cx.cancel(ticket);
        }
        self.brought = None;
        self.rate.clear();
    }

    /// Returns how much of it is done, of how much; `None` if its size is unknown.
    pub(super) fn share(&self) -> Option<(u64, u64)> {
        self.total.map(|total| (self.done.min(total), total))
    }

    /// Takes a part of its call. Returns what came of it when the call is closed.
    pub(super) fn handle_progress(&mut self, progress: Progress, now: Instant) -> Option<TransferOutcome> {
        match progress {
            Progress::Moved { done, total } => {
                self.state = TransferState::Running;
                self.done = done;
                self.total = total.or(self.total);
                self.rate.feed(now, done);
            }
            Progress::Retrying { at, why, .. } => {
                self.state = TransferState::Retrying(at, why.sentence);
                self.rate.clear();
            }
            Progress::Opened { .. } => self.state = TransferState::Running,
            Progress::Reply(Reply::Uploaded(file, sha256)) => self.brought = Some(TransferReply::File(file, sha256)),
            Progress::Reply(Reply::Downloaded(local)) => self.brought = Some(TransferReply::Local(local)),
            Progress::Reply(_) | Progress::Adapted(_) | Progress::Learned(_) => {}
            Progress::Closed(result) => {
                self.ticket = None;
                return Some(self.finish(result));
            }
        }
        None
    }

    /// Returns when its row changes by itself.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        match &self.state {
            TransferState::Running if self.total.is_none() => Some(now + SPINNER_FRAME),
            // The rate falls while nothing arrives.
            TransferState::Running => Some(now + Duration::from_secs(1)),
            TransferState::Retrying(at, _) => Some((*at).min(now + Duration::from_secs(1)).max(now + SPINNER_FRAME)),
            _ => None,
        }
    }

    fn finish(&mut self, result: Result<(), Failure>) -> TransferOutcome {
        let profile = self.profile.clone();
        let why = match (result, self.brought.take()) {
            (Ok(()), Some(TransferReply::File(file, sha256))) => {
                self.done = self.total.unwrap_or(file.bytes);
                self.state = TransferState::Done(file.id.as_str().into());
                let metadata = match &self.what {
                    TransferKind::Up(_, metadata) => metadata.clone(),
                    TransferKind::Down(_) => FileMetadata::default(),
                };
                return TransferOutcome::Uploaded { profile, metadata, file, sha256 };
            }
            (Ok(()), Some(TransferReply::Local(file))) => {
                (self.done, self.total) = (file.bytes, Some(file.bytes));
                self.state = TransferState::Done(format!("saved {}", file.path.display()).into());
                return TransferOutcome::Downloaded { profile, id: self.id().unwrap_or_default(), file };
            }
            (Ok(()), None) => Failure::new(
                FailureKind::Malformed,
                "the server's answer does not say what became of the file; refresh the list before trying again",
            ),
            (Err(why), _) => why,
        };
        self.unseen = true;
        self.state = TransferState::Failed(Box::new(why.clone()));
        TransferOutcome::Failed { profile, name: self.name(), why: Box::new(why), id: self.id() }
    }

    /// Returns the id that a download has on the server.
    fn id(&self) -> Option<String> {
        if let TransferKind::Down(download) = &self.what { Some(download.id.clone()) } else { None }
    }
}
