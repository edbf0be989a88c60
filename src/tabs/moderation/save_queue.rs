//! Records on their way to the disk, and those it refused.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::Record;
use crate::text::Untrusted;

/// How long what is typed rests before it is saved.
const REST: Duration = Duration::from_millis(300);
/// How long a disk that refused something is left alone.
const RETRY: Duration = Duration::from_secs(10);

/// What is not on disk yet.
#[derive(Debug, Default)]
pub(super) struct SaveQueue {
    /// Records that are with the store.
    in_flight: HashMap<Ticket, Record>,
    /// Records that the disk refused, oldest first.
    rejected: Vec<Record>,
    /// Why it refused them.
    error: Option<Untrusted>,
    /// Why the disk does not take something now. The store keeps it and offers it again.
    waits: Option<Untrusted>,
    /// When all that has changed is saved.
    due: Option<Instant>,
}

impl SaveQueue {
    /// Saves something soon.
    pub(super) fn schedule(&mut self, now: Instant) {
        self.due.get_or_insert(now + REST);
    }

    /// Saves later.
    pub(super) fn postpone(&mut self, now: Instant) {
        self.due = Some(now + REST);
    }

    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Starts to save: returns what was refused before, which is older than what is new.
    pub(super) fn begin(&mut self) -> Vec<Record> {
        self.due = None;
        std::mem::take(&mut self.rejected)
    }

    /// Gives a record to the store.
    pub(super) fn send(&mut self, record: Record, cx: &mut Cx) -> Ticket {
        let ticket = cx.record(record.clone());
        self.in_flight.insert(ticket, record);
        ticket
    }

    /// A record is on disk; whether the disk, which takes something again, is to be offered at once what it refused.
    pub(super) fn saved(&mut self, ticket: Ticket) -> bool {
        self.in_flight.remove(&ticket);
        self.waits.take_if(|_| self.in_flight.is_empty());
        self.error.take_if(|_| self.rejected.is_empty());
        !self.rejected.is_empty()
    }

    /// The disk refused a record: it stays here and is offered again.
    pub(super) fn refused(&mut self, ticket: Ticket, why: Untrusted, now: Instant) {
        self.rejected.extend(self.in_flight.remove(&ticket));
        self.waits.take_if(|_| self.in_flight.is_empty());
        self.error = Some(why);
        self.due = Some(now + RETRY);
    }

    /// The disk does not take a record now: the store keeps it and offers it again.
    pub(super) fn delayed(&mut self, why: Untrusted) {
        self.waits = Some(why);
    }

    /// Returns why something is not on disk.
    pub(super) fn refusal(&self) -> Option<&Untrusted> {
        self.error.as_ref().or(self.waits.as_ref())
    }

    /// Whether something is still to be saved.
    pub(super) fn is_saving(&self) -> bool {
        self.due.is_some() || !self.in_flight.is_empty()
    }
}
