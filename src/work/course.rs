//! A piece of work under way: says how far it is, hears that it is to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Replies;
use crate::api::call::Ticket;
use crate::record::work::Done;

/// What is under way. Its clones are the same course.
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

    /// Says how far it is. Not more than some times a second.
    pub(super) fn moved(&self, done: u64, total: u64) {
        if !self.is_stopped() {
            self.say(Done::Moved { done, total });
        }
    }

    /// Whether nobody waits for it any more; what is made then is thrown away.
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
