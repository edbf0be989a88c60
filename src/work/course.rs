//! Work in progress: reports progress and can be stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::api::call::Ticket;
use crate::record::work::Done;

/// Time between two reports of progress.
const OFTEN: Duration = Duration::from_millis(100);

/// Receives the progress and the results of work, by its ticket.
pub(super) type Replies = Arc<dyn Fn(Ticket, Done) + Send + Sync>;

/// Work in progress. Clones share their state.
#[derive(Clone)]
pub(super) struct Course {
    ticket: Ticket,
    replies: Replies,
    stopped: Arc<AtomicBool>,
}

impl Course {
    pub(super) fn new(ticket: Ticket, replies: Replies) -> Self {
        Self { ticket, replies, stopped: Arc::default() }
    }

    pub(super) fn ticket(&self) -> Ticket {
        self.ticket
    }

    /// Reports progress, at most some times a second.
    pub(super) fn moved(&self, done: u64, total: u64) {
        if !self.is_stopped() {
            self.say(Done::Moved { done, total });
        }
    }

    /// Returns a function that reports progress some times a second and returns whether to continue.
    pub(super) fn reporter(&self) -> impl FnMut(u64, u64) -> bool + '_ {
        let mut reported = Instant::now();
        move |done, total| {
            if reported.elapsed() >= OFTEN {
                reported = Instant::now();
                self.moved(done, total);
            }
            !self.is_stopped()
        }
    }

    /// Returns whether nobody waits for the result any more; it would be dropped.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    pub(super) fn say(&self, done: Done) {
        (self.replies)(self.ticket, done);
    }
}
