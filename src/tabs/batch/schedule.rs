//! Which items of a run are sent when, and the outcome of them. Pure: it is told what happened and when.

use std::time::Instant;

use super::backoff::{self, Backoff, FailureScope, Throttle};
use super::items::{BatchItem, BatchLimits, BatchTally, FailedItem, ItemQueue, ItemStatus};
use crate::api::call::{Failure, Ticket};
use crate::text::Untrusted;

/// So many items that have come and are not on disk yet are enough: no more are asked for until some are.
pub(super) const UNSAVED: usize = 2_048;

/// What a run does just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchState<'a> {
    /// Sends, or waits for answers or the disk.
    Running,
    /// The user paused it. Requests under way are finished.
    Paused,
    /// Something that concerns every item went wrong.
    Held {
        /// What, and what to do.
        why: &'a Untrusted,
        /// When it continues by itself; `None`: when somebody says so.
        until: Option<Instant>,
    },
    /// Every item is done or given up.
    Finished,
}

/// A request under way.
#[derive(Debug)]
struct BatchRequest {
    ticket: Ticket,
    items: Vec<u32>,
}

/// A run.
#[derive(Debug)]
pub(super) struct Batch {
    limits: BatchLimits,
    items: ItemQueue,
    requests: Vec<BatchRequest>,
    throttle: Throttle,
}

impl Batch {
    /// Creates a run over these items, in order; `skipped` rows had a result before.
    pub(super) fn new(limits: BatchLimits, items: impl IntoIterator<Item = BatchItem>, skipped: u64) -> Self {
        let items = ItemQueue::new(items.into_iter().collect(), skipped);
        Self { limits, items, requests: Vec::new(), throttle: Throttle::default() }
    }

    /// Sends what may be sent now: `ask` makes a request of the items at these places and names it.
    pub(super) fn send(&mut self, now: Instant, mut ask: impl FnMut(&[u32]) -> Ticket) {
        while self.requests.len() < self.throttle.slots(self.limits.requests, now)
            && self.items.unsaved() < UNSAVED
            && let Some(items) = self.items.next(&self.limits, self.throttle.is_probing())
        {
            let ticket = ask(&items);
            self.items.set(&items, ItemStatus::Sent);
            self.requests.push(BatchRequest { ticket, items });
        }
    }

    /// Returns the places a request asked about, in its order.
    pub(super) fn asked(&self, ticket: Ticket) -> Option<&[u32]> {
        self.requests.iter().find(|request| request.ticket == ticket).map(|request| &request.items[..])
    }

    /// Notes that a request was answered well. Its items count as done when they are [saved](Self::saved); one the
    /// answer has nothing of is [refused](Self::refused).
    pub(super) fn answered(&mut self, ticket: Ticket) -> Vec<u32> {
        let Some(items) = self.take_request(ticket) else { return Vec::new() };
        self.items.set(&items, ItemStatus::Unsaved);
        self.throttle.answered();
        items
    }

    /// Notes that these items' results are on disk.
    pub(super) fn saved(&mut self, items: &[u32]) {
        let came: Vec<u32> =
            items.iter().copied().filter(|item| self.items.has_status(*item, ItemStatus::Unsaved)).collect();
        self.items.set(&came, ItemStatus::Done);
    }

    /// Gives up an item of which an answer says nothing.
    pub(super) fn refused(&mut self, item: u32, why: Untrusted) {
        if self.items.has_status(item, ItemStatus::Unsaved) {
            self.items.give_up(item, why);
        }
    }

    /// Notes that a request failed. If that is about its items, one alone is given up, of several each half is asked
    /// about by itself; if it is about everything, all of it waits.
    pub(super) fn failed(&mut self, ticket: Ticket, why: &Failure, now: Instant) {
        let Some(mut items) = self.take_request(ticket) else { return };
        let scope = FailureScope::of(why);
        let exhausted = |first: &u32| scope == FailureScope::Server && self.throttle.is_exhausted(*first);
        if scope != FailureScope::Items && !items.first().is_some_and(exhausted) {
            self.items.put_back(items);
            return self.throttle.back_off(scope, why, now);
        }
        if items.len() > 1 {
            let half = items.split_off(items.len().div_ceil(2));
            self.items.put_back(items);
            return self.items.put_back(half);
        }
        for item in items {
            self.items.give_up(item, why.sentence.clone());
        }
        self.throttle.rejected(why);
    }

    /// Makes a request again that failed neither by its items' fault nor by the server's.
    pub(super) fn resend(&mut self, ticket: Ticket) {
        if let Some(items) = self.take_request(ticket) {
            self.items.put_back(items);
        }
    }

    /// Sends so many items in a request from now on, at least 1.
    pub(super) fn set_request_size(&mut self, items: usize) {
        self.limits.items = items.max(1);
    }

    /// Sends nothing more until [`Self::resume`]. Requests under way come to their end.
    pub(super) fn pause(&mut self) {
        self.throttle.pause();
    }

    /// Continues, also where it would have waited.
    pub(super) fn resume(&mut self) {
        self.throttle.resume();
    }

    /// Sends nothing before a moment, or before [`Self::resume`], for a reason of the owner's.
    pub(super) fn hold(&mut self, why: Untrusted, until: Option<Instant>) {
        self.throttle.hold(Backoff { why, until });
    }

    /// Ends the wait for a reason of the owner's: continues, unless it is paused or waits for the server.
    pub(super) fn release(&mut self) {
        self.throttle.release();
    }

    /// Stops and pauses: these requests are to be cancelled, and their items wait again.
    pub(super) fn stop(&mut self) -> Vec<Ticket> {
        self.throttle.pause();
        let requests = std::mem::take(&mut self.requests).into_iter();
        requests
            .map(|request| {
                self.items.put_back(request.items);
                request.ticket
            })
            .collect()
    }

    /// Sends items again that were given up, after all others.
    pub(super) fn retry_failed(&mut self) {
        let items = self.items.retry_failed();
        self.throttle.retried(&items);
    }

    /// Returns what was given up, as it happened.
    pub(super) fn failures(&self) -> &[FailedItem] {
        self.items.failures()
    }

    /// Returns how far it is.
    pub(super) fn tally(&self) -> BatchTally {
        self.items.tally()
    }

    /// Returns how many requests are under way.
    pub(super) fn requests(&self) -> usize {
        self.requests.len()
    }

    /// Returns what it does just now.
    pub(super) fn state(&self) -> BatchState<'_> {
        let idle = self.requests.is_empty() && self.items.unsaved() == 0;
        match self.throttle.backoff() {
            _ if idle && self.items.is_drained() => BatchState::Finished,
            _ if self.throttle.is_paused() => BatchState::Paused,
            Some(Backoff { why, until }) => BatchState::Held { why, until: *until },
            None => BatchState::Running,
        }
    }

    /// Returns when [`Self::send`] is to be called again without anything having happened: each second of a countdown,
    /// and its end.
    pub(super) fn due(&self, now: Instant) -> Option<Instant> {
        match self.state() {
            BatchState::Held { until: Some(until), .. } => Some(backoff::next_second(now, until)),
            _ => None,
        }
    }

    /// Takes a request out of those under way.
    fn take_request(&mut self, ticket: Ticket) -> Option<Vec<u32>> {
        let at = self.requests.iter().position(|request| request.ticket == ticket)?;
        Some(self.requests.swap_remove(at).items)
    }
}
