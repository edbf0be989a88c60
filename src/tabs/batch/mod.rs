//! A long list of texts sent in requests of some texts each, a few at a time: what is done, what is under way, how fast, and
//! how long it will take. Pauses, goes on after a restart, and keeps the order.
//!
//! Pure: it is told what happened and when, and says what to send. Texts are named by their place in the list that it was
//! begun with, so that results have their row whatever order the answers come in. After a restart its owner begins it
//! again with the texts that have no kept result.

mod backoff;
mod items;
mod outbox;
mod requests;
mod runner;
#[cfg(test)]
mod tests;

use std::time::Instant;

use self::backoff::{Backoff, FailureScope, Throttle};
use self::items::{ItemQueue, ItemStatus};
pub use self::requests::{NextAttempt, RequestLog, SentRequest};
pub use self::runner::{AnsweredRequest, BatchResult, BatchRunner, RequestEvent};
use crate::api::call::{Failure, Ticket};
use crate::text::Untrusted;

/// So many texts that have come and are not on disk yet are enough: no more are asked for until some are.
const UNSAVED: usize = 2_048;

/// What one run may have under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Requests at a time, at least 1.
    pub flights: usize,
    /// Texts in a request, at least 1.
    pub texts: usize,
    /// Bytes or tokens in a request, whichever the texts are weighed in. One text alone may weigh more.
    pub weight: u64,
}

/// One text of a run: each once, however many rows have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it weighs, in the measure of [`Limits::weight`].
    pub weight: u32,
    /// How many rows it stands for, at least 1.
    pub rows: u32,
}

/// How far a run is, in rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// In all.
    pub total: u64,
    /// Had a result before the run began.
    pub skipped: u64,
    /// Have one now, on disk, those before included.
    pub done: u64,
    /// Given up, each with a sentence in [`Batch::failures`].
    pub failed: u64,
    /// In requests under way.
    pub under_way: u64,
    /// Came, and are not on disk yet.
    pub unkept: u64,
}

impl Tally {
    /// Rows that are neither done nor given up.
    pub fn left(&self) -> u64 {
        self.total.saturating_sub(self.done + self.failed)
    }
}

/// What a run does just now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State<'a> {
    /// Sends, or waits for answers or the disk.
    Running,
    /// Somebody paused it. Requests under way come to their end.
    Paused,
    /// Something that concerns every text went wrong.
    Held {
        /// What, and what to do.
        why: &'a Untrusted,
        /// When it goes on by itself; `None`: when somebody says so.
        until: Option<Instant>,
    },
    /// Every text is done or given up.
    Finished,
}

/// A text that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Its place.
    pub item: u32,
    /// Why.
    pub why: Untrusted,
}

/// A request under way.
#[derive(Debug)]
struct Flight {
    ticket: Ticket,
    items: Vec<u32>,
}

/// A run.
#[derive(Debug)]
pub struct Batch {
    limits: Limits,
    items: ItemQueue,
    flights: Vec<Flight>,
    throttle: Throttle,
}

impl Batch {
    /// A run over these texts, in order; `skipped` rows had a result before.
    pub fn new(limits: Limits, items: impl IntoIterator<Item = Item>, skipped: u64) -> Self {
        let items = ItemQueue::new(items.into_iter().collect(), skipped);
        Self { limits, items, flights: Vec::new(), throttle: Throttle::default() }
    }

    /// Sends what may be sent now: `ask` makes a request of the texts at these places and names it.
    pub fn send(&mut self, now: Instant, mut ask: impl FnMut(&[u32]) -> Ticket) {
        while self.flights.len() < self.throttle.slots(self.limits.flights, now)
            && self.items.unsaved() < UNSAVED
            && let Some(items) = self.items.next(&self.limits, self.throttle.is_probing())
        {
            let ticket = ask(&items);
            self.items.set(&items, ItemStatus::Sent);
            self.flights.push(Flight { ticket, items });
        }
    }

    /// Returns the places a request asked about, in its order.
    pub fn asked(&self, ticket: Ticket) -> Option<&[u32]> {
        self.flights.iter().find(|flight| flight.ticket == ticket).map(|flight| &flight.items[..])
    }

    /// Notes that a request was answered well. Its texts count as done when they are [kept](Self::kept); one the answer has
    /// nothing of is [refused](Self::refused).
    pub fn answered(&mut self, ticket: Ticket) -> Vec<u32> {
        let Some(items) = self.land(ticket) else { return Vec::new() };
        self.items.set(&items, ItemStatus::Unsaved);
        self.throttle.answered();
        items
    }

    /// Notes that these texts' results are on disk.
    pub fn kept(&mut self, items: &[u32]) {
        let came: Vec<u32> = items.iter().copied().filter(|item| self.items.is(*item, ItemStatus::Unsaved)).collect();
        self.items.set(&came, ItemStatus::Done);
    }

    /// Gives up a text of which an answer says nothing.
    pub fn refused(&mut self, item: u32, why: Untrusted) {
        if self.items.is(item, ItemStatus::Unsaved) {
            self.items.give_up(item, why);
        }
    }

    /// Notes that a request failed. If that is about its texts, one alone is given up, of several each half is asked about
    /// by itself; if it is about everything, all of it waits.
    pub fn failed(&mut self, ticket: Ticket, why: &Failure, now: Instant) {
        let Some(mut items) = self.land(ticket) else { return };
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

    /// Makes a request again that failed neither by its texts' fault nor by the server's.
    pub fn again(&mut self, ticket: Ticket) {
        if let Some(items) = self.land(ticket) {
            self.items.put_back(items);
        }
    }

    /// Sends so many texts in a request from now on, at least 1.
    pub fn several(&mut self, texts: usize) {
        self.limits.texts = texts.max(1);
    }

    /// Sends nothing more until [`Self::resume`]. Requests under way come to their end.
    pub fn pause(&mut self) {
        self.throttle.pause();
    }

    /// Goes on, also where it would have waited.
    pub fn resume(&mut self) {
        self.throttle.resume();
    }

    /// Sends nothing before a moment, or before [`Self::resume`], for a reason of the owner's.
    pub fn hold(&mut self, why: Untrusted, until: Option<Instant>) {
        self.throttle.hold(Backoff { why, until });
    }

    /// Ends the wait for a reason of the owner's: goes on, unless it is paused or waits for the server.
    pub fn release(&mut self) {
        self.throttle.release();
    }

    /// Stops and pauses: these requests are to be cancelled, and their texts wait again.
    pub fn stop(&mut self) -> Vec<Ticket> {
        self.throttle.pause();
        let flights = std::mem::take(&mut self.flights).into_iter();
        flights
            .map(|flight| {
                self.items.put_back(flight.items);
                flight.ticket
            })
            .collect()
    }

    /// Sends texts again that were given up, after all others.
    pub fn retry(&mut self) {
        let items = self.items.retry_failed();
        self.throttle.retried(&items);
    }

    /// Returns what was given up, as it happened.
    pub fn failures(&self) -> &[Failed] {
        self.items.failures()
    }

    /// Returns how far it is.
    pub fn tally(&self) -> Tally {
        self.items.tally()
    }

    /// Returns how many requests are under way.
    pub fn flights(&self) -> usize {
        self.flights.len()
    }

    /// Returns what it does just now.
    pub fn state(&self) -> State<'_> {
        let idle = self.flights.is_empty() && self.items.unsaved() == 0;
        match self.throttle.backoff() {
            _ if idle && self.items.is_drained() => State::Finished,
            _ if self.throttle.is_paused() => State::Paused,
            Some(Backoff { why, until }) => State::Held { why, until: *until },
            None => State::Running,
        }
    }

    /// Returns when [`Self::send`] is to be called again without anything having happened: each second of a countdown, and
    /// its end.
    pub fn due(&self, now: Instant) -> Option<Instant> {
        match self.state() {
            State::Held { until: Some(until), .. } => Some(backoff::next_second(now, until)),
            _ => None,
        }
    }

    /// Takes a request out of those under way.
    fn land(&mut self, ticket: Ticket) -> Option<Vec<u32>> {
        let at = self.flights.iter().position(|flight| flight.ticket == ticket)?;
        Some(self.flights.swap_remove(at).items)
    }
}
