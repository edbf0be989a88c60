//! Sends answers from the store's threads.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::api::call::Ticket;
use crate::record::Stored;

/// Where answers are sent. Shared by the threads; it is called by one of them at a time.
#[derive(Clone)]
pub(super) struct ReplySender(Arc<Mutex<Reply>>);

type Reply = Box<dyn Fn(Ticket, Stored) + Send>;

impl ReplySender {
    pub(super) fn new(replies: impl Fn(Ticket, Stored) + Send + 'static) -> Self {
        Self(Arc::new(Mutex::new(Box::new(replies))))
    }

    pub(super) fn send(&self, ticket: Ticket, stored: Stored) {
        let replies = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        replies(ticket, stored);
    }
}

/// Returns the builder of a thread with this name.
pub(super) fn thread_named(name: &str) -> thread::Builder {
    thread::Builder::new().name(name.to_owned())
}

/// Receives sentences.
pub(super) type WarningSender = Box<dyn Fn(String) + Send>;
