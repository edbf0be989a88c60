//! Which items of a run are sent when, and the outcome of them. Pure: it is told what happened and when.

use std::time::Instant;

use super::backoff::{self, Backoff, FailureScope, Throttle};
use super::items::{AcceptedItem, BatchItem, BatchLimits, BatchTally, FailedItem, ItemQueue, ItemStatus};
use super::requests::{AnsweredRequest, EndedRequest, FailedRequest, RequestLog, SentRequest};
use crate::api::call::Ticket;
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

/// A run.
#[derive(Debug)]
pub(super) struct Batch {
    limits: BatchLimits,
    items: ItemQueue,
    pub(super) requests: RequestLog,
    throttle: Throttle,
}

impl Batch {
    /// Creates a run over these items, in order; `skipped` rows had a result before.
    pub(super) fn new(limits: BatchLimits, items: impl IntoIterator<Item = BatchItem>, skipped: u64) -> Self {
        let items = ItemQueue::new(items.into_iter().collect(), skipped);
        Self { limits, items, requests: RequestLog::default(), throttle: Throttle::default() }
    }

    /// Adds an item after all others.
    pub(super) fn push(&mut self, item: BatchItem) {
        self.items.push(item);
    }

    /// Forgets the items before this place, all of which are done or given up.
    pub(super) fn forget_before(&mut self, place: u32) {
        self.items.forget_before(place);
        self.throttle.forget_before(place);
    }

    /// Returns how many items are not forgotten.
    #[cfg(test)]
    pub(super) fn kept(&self) -> usize {
        self.items.kept()
    }

    /// Sends what may be sent now: `ask` makes a request of the items at these places and names it.
    pub(super) fn send(&mut self, now: Instant, mut ask: impl FnMut(&[u32]) -> Ticket) {
        while self.requests.all().len() < self.throttle.slots(self.limits.requests, now)
            && self.items.unsaved() < UNSAVED
            && let Some(items) = self.items.next(&self.limits, self.throttle.is_probing())
        {
            let ticket = ask(&items);
            self.items.set(&items, ItemStatus::Sent);
            self.requests.insert(ticket, items, now);
        }
    }

    /// Takes a request that was answered well, and returns its items.
    pub(super) fn accept(&mut self, request: AnsweredRequest) -> Vec<AcceptedItem> {
        let items = request.into_items();
        self.items.set(&items, ItemStatus::Unsaved);
        self.throttle.note_answer();
        items.into_iter().map(AcceptedItem).collect()
    }

    /// Notes that these items' results are on disk.
    pub(super) fn note_saved(&mut self, items: &[u32]) {
        self.items.set(items, ItemStatus::Done);
    }

    /// Gives up an item of which an answer says nothing.
    pub(super) fn refuse(&mut self, item: AcceptedItem, why: Untrusted) {
        self.items.give_up(item.place(), why);
    }

    /// Splits requests that the server fails at before the run waits.
    pub(super) fn split_before_waiting(&mut self) {
        self.throttle.split_before_waiting();
    }

    /// Takes a request that failed. If that is about its items, one alone is given up, of several each half is asked
    /// about by itself; if it is about everything, all of it waits.
    pub(super) fn fail(&mut self, request: FailedRequest) {
        let (why, now) = (request.why().clone(), request.ended());
        let (scope, mut items) = (FailureScope::of(&why), request.into_items());
        let count = items.len();
        let exhausted = |first: &u32| scope == FailureScope::Server && self.throttle.is_exhausted(*first, count);
        if scope != FailureScope::Items && !items.first().is_some_and(exhausted) {
            self.items.put_back(items);
            return self.throttle.back_off(scope, &why, now);
        }
        if items.len() > 1 {
            let half = items.split_off(items.len().div_ceil(2));
            self.throttle.note_split(items[0], half[0]);
            self.items.put_back(items);
            return self.items.put_back(half);
        }
        for item in items {
            self.items.give_up(item, why.sentence.clone());
        }
        self.throttle.note_rejected(&why);
    }

    /// Makes a request again that failed neither by its items' fault nor by the server's.
    pub(super) fn resend<Outcome>(&mut self, request: EndedRequest<Outcome>) {
        self.items.put_back(request.into_items());
    }

    /// Makes a request again as requests of one item each.
    pub(super) fn resend_each<Outcome>(&mut self, request: EndedRequest<Outcome>) {
        for item in request.into_items() {
            self.items.put_back(vec![item]);
        }
    }

    /// Gives up all items of a request, and nothing waits for it. Returns them.
    pub(super) fn give_up(&mut self, request: FailedRequest) -> Vec<u32> {
        let why = request.why().sentence.clone();
        let items = request.into_items();
        for item in &items {
            self.items.give_up(*item, why.clone());
        }
        items
    }

    /// Sends so many items in a request from now on, at least 1.
    pub(super) fn set_request_size(&mut self, items: usize) {
        self.limits.items = items.max(1);
    }

    /// Has at most so many requests under way from now on; 0: sends nothing.
    pub(super) fn set_request_limit(&mut self, requests: usize) {
        self.limits.requests = requests;
    }

    /// Returns whether an item waits or is in a request under way.
    pub(super) fn is_left(&self, item: u32) -> bool {
        self.items.has_status(item, ItemStatus::Waiting) || self.items.has_status(item, ItemStatus::Sent)
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

    /// Sends nothing while the store does not save results; `None`: it saves them again. Other waits stay.
    pub(super) fn set_storage_refusal(&mut self, why: Option<Untrusted>) {
        self.throttle.set_storage_refusal(why);
    }

    /// Stops and pauses: these requests are to be cancelled, and their items wait again.
    pub(super) fn stop(&mut self) -> Vec<Ticket> {
        self.throttle.pause();
        let stopped = |SentRequest { ticket, items, .. }| {
            self.items.put_back(items);
            ticket
        };
        self.requests.take_all().into_iter().map(stopped).collect()
    }

    /// Sends items again that were given up, after all others.
    pub(super) fn retry_failed(&mut self) {
        let items = self.items.retry_failed();
        self.throttle.note_retried(&items);
    }

    /// Returns what was given up, as it happened.
    pub(super) fn failures(&self) -> &[FailedItem] {
        self.items.failures()
    }

    /// Takes what was given up since it was taken last; it cannot be sent again.
    pub(super) fn take_failures(&mut self) -> Vec<FailedItem> {
        self.items.take_failures()
    }

    /// Returns how far it is.
    pub(super) fn tally(&self) -> BatchTally {
        self.items.tally()
    }

    /// Returns whether no request is under way and all results that came are on disk.
    pub(super) fn is_idle(&self) -> bool {
        self.requests.all().is_empty() && self.items.unsaved() == 0
    }

    /// Returns what it does just now.
    pub(super) fn state(&self) -> BatchState<'_> {
        match self.throttle.backoff() {
            _ if self.is_idle() && self.items.is_drained() => BatchState::Finished,
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
}
