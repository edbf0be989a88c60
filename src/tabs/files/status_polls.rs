//! Asks again for files that the server has not processed yet.

use std::time::{Duration, Instant};

use super::remote_file::{FileStatus, RemoteFile};

/// How often a file is asked for at most: about four minutes in all.
const POLLS: u32 = 8;
/// How many files at a time, the newest.
const POLLED: usize = 8;
/// The first wait; each is twice the one before.
const FIRST_POLL: Duration = Duration::from_secs(1);
/// The longest.
const LONGEST: Duration = Duration::from_mins(1);

/// A file that is not processed yet.
#[derive(Debug)]
struct StatusPoll {
    id: String,
    /// Times it was asked for.
    count: u32,
    at: Instant,
    /// Whether a call for it is under way.
    asked: bool,
}

impl StatusPoll {
    fn waits(&self) -> bool {
        !self.asked && self.count < POLLS
    }
}

/// The files of a server that are asked for again.
#[derive(Debug, Default)]
pub(super) struct StatusPolls(Vec<StatusPoll>);

impl StatusPolls {
    /// Watches the newest files that are not processed yet.
    pub(super) fn watch(&mut self, files: &[RemoteFile], now: Instant) {
        let mut open: Vec<&RemoteFile> = files.iter().filter(|file| file.status == FileStatus::Uploaded).collect();
        open.sort_by_key(|file| std::cmp::Reverse(file.created_ms));
        let ids: Vec<String> = open.into_iter().take(POLLED).map(|file| file.id.clone()).collect();
        self.0.retain(|poll| poll.asked || ids.contains(&poll.id));
        for id in ids {
            if !self.0.iter().any(|poll| poll.id == id) {
                self.0.push(StatusPoll { id, count: 0, at: now + FIRST_POLL, asked: false });
            }
        }
    }

    /// Ends the call for a file: the next one is later, if the file is still not processed.
    pub(super) fn ended(&mut self, id: &str, is_open: bool, now: Instant) {
        if !is_open {
            return self.forget(id);
        }
        if let Some(poll) = self.0.iter_mut().find(|poll| poll.id == id) {
            // A file that was asked for often enough stays here, or polling would begin again with the next list.
            poll.asked = false;
            poll.count += 1;
            poll.at = now + FIRST_POLL.saturating_mul(1 << poll.count.min(16)).min(LONGEST);
        }
    }

    /// Watches a file no more.
    pub(super) fn forget(&mut self, id: &str) {
        self.0.retain(|poll| poll.id != id);
    }

    /// Returns when the next call is made.
    pub(super) fn due(&self) -> Option<Instant> {
        self.0.iter().filter(|poll| poll.waits()).map(|poll| poll.at).min()
    }

    /// Returns the files whose status is due, and marks them as asked for.
    pub(super) fn take_due(&mut self, now: Instant) -> Vec<String> {
        let due = self.0.iter_mut().filter(|poll| poll.waits() && poll.at <= now);
        let ask = |poll: &mut StatusPoll| {
            poll.asked = true;
            poll.id.clone()
        };
        due.map(ask).collect()
    }
}
