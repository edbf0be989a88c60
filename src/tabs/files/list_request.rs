//! The request for the list of files, and how old the list is that is shown.

use std::time::Instant;

use crate::api::call::{Failure, FailureKind, Progress};

/// A list older than this is asked for again when the tab comes to the front.
const OLD_MS: i64 = 60_000;

/// The request for a list, and the age of the one shown.
#[derive(Debug, Default)]
pub(super) struct ListRequest {
    /// When the one under way was sent; `None`: none is.
    pub(super) since: Option<Instant>,
    /// When it is tried again.
    pub(super) again: Option<Instant>,
    pub(super) failed: Option<Failure>,
    /// When the list came; `None`: it never did.
    pub(super) at_ms: Option<i64>,
    /// Whether the list is of an earlier time, or asking for a newer one was stopped.
    pub(super) old: bool,
}

impl ListRequest {
    /// Notes that the list was asked for.
    pub(super) fn sent(&mut self, now: Instant) {
        (self.since, self.again) = (Some(now), None);
    }

    /// Notes that nobody waits for the list any more.
    pub(super) fn stopped(&mut self) {
        (self.since, self.again, self.old) = (None, None, true);
    }

    /// Takes a part of the call that is not a list.
    pub(super) fn handle_progress(&mut self, progress: &Progress) {
        match progress {
            Progress::Retrying { at, .. } => self.again = Some(*at),
            Progress::Opened { .. } => self.again = None,
            Progress::Closed(result) => {
                (self.since, self.again) = (None, None);
                if let Err(why) = result {
                    self.failed = Some(why.clone());
                }
            }
            _ => {}
        }
    }

    /// Notes that the list has come.
    pub(super) fn arrived(&mut self, unix_ms: i64) {
        (self.at_ms, self.failed, self.old) = (Some(unix_ms), None, false);
    }

    /// Notes that a saved list of an earlier time is shown.
    pub(super) fn recalled(&mut self, at_ms: i64) {
        (self.at_ms, self.old) = (Some(at_ms), true);
    }

    /// Returns whether the list came a moment ago.
    pub(super) fn is_young(&self, unix_ms: i64) -> bool {
        self.at_ms.is_some_and(|at| unix_ms.saturating_sub(at) < OLD_MS)
    }

    /// Returns whether the list that is shown may lack what was changed elsewhere; `false` if none is shown.
    pub(super) fn is_behind(&self, unix_ms: i64) -> bool {
        self.at_ms.is_some() && (self.old || !self.is_young(unix_ms))
    }

    /// Returns whether the server has no files at all.
    pub(super) fn is_unsupported(&self) -> bool {
        self.failed.as_ref().is_some_and(|why| why.kind == FailureKind::Unsupported)
    }

    /// Returns whether what is shown is of an earlier time, or a newer list could not be had.
    pub(super) fn is_outdated(&self) -> bool {
        self.failed.is_some() || self.old
    }
}
