//! Runs many requests over many items: sends them a few at a time.
//!
//! The owner makes the requests ([`BatchRunner::send`]) and reads the answers: [`BatchRunner::observe`] tells the
//! outcome of a request, and the owner then [accepts](BatchRunner::accept), [fails](BatchRunner::fail) or
//! [resends](BatchRunner::resend) it. Items count as done when their results are on disk: a [`ResultOutbox`] saves
//! them, or the owner does.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::items::{BatchItem, BatchLimits, BatchTally, FailedItem};
use super::outbox::{BatchResult, ResultOutbox};
use super::requests::{NextAttempt, RequestLog};
use super::schedule::{Batch, BatchState};
use crate::api::call::{Call, Failure, FailureKind, Progress, Ticket};
use crate::component::Cx;
use crate::record::Stored;
use crate::settings::ProfileId;
use crate::text::Untrusted;
use crate::ui::progress::Rate;

/// A request that was answered.
#[derive(Clone, Debug, PartialEq)]
pub struct AnsweredRequest {
    /// The ticket of its call.
    pub ticket: Ticket,
    /// The items it asked about, in its order.
    pub items: Vec<u32>,
    /// From the request to its answer.
    pub latency: Duration,
    /// The server's id of it; `None`: it sent none.
    pub request_id: Option<Untrusted>,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestEvent {
    /// The call continues, or the answer was handled before.
    Pending,
    /// Its answer has come: it is to be accepted, failed or resent.
    Answered(AnsweredRequest),
    /// It ended without an answer, for this reason: it is to be failed or resent. Also the items it asked about.
    Failed(Failure, Vec<u32>),
}

/// A run of many requests.
#[derive(Debug)]
pub struct BatchRunner {
    /// Why a request failed that ended without an answer.
    no_answer: &'static str,
    batch: Batch,
    requests: RequestLog<()>,
    /// Requests whose answer has come and whose end has not.
    ending: BTreeSet<Ticket>,
    rate: Rate,
}

impl BatchRunner {
    /// Creates a run over these items, in order; `skipped` rows had a result before.
    pub fn new(
        no_answer: &'static str,
        limits: BatchLimits,
        items: impl IntoIterator<Item = BatchItem>,
        skipped: u64,
    ) -> Self {
        Self {
            no_answer,
            batch: Batch::new(limits, items, skipped),
            requests: RequestLog::default(),
            ending: BTreeSet::new(),
            rate: Rate::default(),
        }
    }

    /// Sends what may be sent now: `request` makes the call for these items.
    pub fn send(&mut self, cx: &mut Cx, mut request: impl FnMut(&[u32]) -> (ProfileId, Call)) {
        self.rate.feed(cx.now, self.batch.tally().done);
        let (requests, now) = (&mut self.requests, cx.now);
        self.batch.send(now, |items| {
            let (profile, call) = request(items);
            let ticket = cx.call_to(profile, call);
            requests.insert(ticket, (), now);
            ticket
        });
    }

    /// Returns the outcome of a request; `None`: the call is not one of this run's.
    pub fn observe(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> Option<RequestEvent> {
        let Some(items) = self.batch.asked(ticket).map(<[u32]>::to_vec) else {
            let ours = match progress {
                Progress::Closed(_) => self.ending.remove(&ticket),
                _ => self.ending.contains(&ticket),
            };
            return ours.then_some(RequestEvent::Pending);
        };
        self.requests.observe(ticket, progress, cx.now);
        Some(match progress {
            Progress::Reply(_) => {
                let mut request = self.requests.take(ticket)?;
                self.ending.insert(ticket);
                let latency = cx.now.saturating_duration_since(request.started);
                RequestEvent::Answered(AnsweredRequest {
                    ticket,
                    items,
                    latency,
                    request_id: request.request_id.take(),
                })
            }
            Progress::Closed(end) => {
                self.requests.take(ticket);
                let why = end.clone().err();
                let why = why.unwrap_or_else(|| Failure::new(FailureKind::Malformed, self.no_answer));
                RequestEvent::Failed(why, items)
            }
            _ => RequestEvent::Pending,
        })
    }

    /// Takes the items of an answered request out of those under way. Each of them gets a result or is
    /// [refused](Self::refuse).
    pub fn accept(&mut self, ticket: Ticket) -> Vec<u32> {
        self.batch.answered(ticket)
    }

    /// Gives up an item of which the answer says nothing.
    pub fn refuse(&mut self, item: u32, why: Untrusted) {
        self.batch.refused(item, why);
    }

    /// Counts items as done whose results are on disk.
    pub fn saved(&mut self, items: &[u32]) {
        self.batch.saved(items);
    }

    /// Notes that a request failed: its items are sent again in smaller requests, given up, or wait with all others.
    pub fn fail(&mut self, ticket: Ticket, why: &Failure, now: Instant) {
        self.batch.failed(ticket, why, now);
    }

    /// Sends a request once more whose failure is neither its items' fault nor the server's.
    pub fn resend(&mut self, ticket: Ticket) {
        self.batch.resend(ticket);
    }

    /// Sends `items` items in a request from now on, at least 1.
    pub fn set_request_size(&mut self, items: usize) {
        self.batch.set_request_size(items);
    }

    /// Passes the store's answer to an outbox and returns the results that are on disk now, each with its item; `None`:
    /// it is to somebody else. While the disk refuses results, nothing more is sent.
    pub fn handle_stored<T: BatchResult>(
        &mut self,
        outbox: &mut ResultOutbox<T>,
        ticket: Ticket,
        stored: &Stored,
    ) -> Option<Vec<(u32, T)>> {
        let held = outbox.refusal().is_some();
        let results = outbox.handle_stored(ticket, stored)?;
        match outbox.refusal() {
            Some(why) => self.hold(format!("what came could not be saved: {}", why.line()).into(), None),
            None if held => self.release(),
            None => {}
        }
        self.saved(&results.iter().map(|(item, _)| *item).collect::<Vec<_>>());
        Some(results)
    }

    /// Sends nothing more until [`Self::resume`]; requests under way come to their end.
    pub fn pause(&mut self) {
        self.batch.pause();
        self.rate.clear();
    }

    /// Continues, also where it would have waited.
    pub fn resume(&mut self) {
        self.rate.clear();
        self.batch.resume();
    }

    /// Sends items again that were given up, and continues.
    pub fn retry_failed(&mut self) {
        self.batch.retry_failed();
        self.batch.resume();
    }

    /// Sends nothing before a moment, or before [`Self::resume`], for a reason of the owner's.
    pub fn hold(&mut self, why: Untrusted, until: Option<Instant>) {
        self.batch.hold(why, until);
    }

    /// Ends the wait for a reason of the owner's: continues, unless it is paused or waits for the server.
    pub fn release(&mut self) {
        self.batch.release();
    }

    /// Starts the attempts at once that requests wait for.
    pub fn hurry(&self, cx: &mut Cx) {
        self.requests.hurry(cx);
    }

    /// Cancels all requests and pauses; their items wait again.
    pub fn stop(&mut self, cx: &mut Cx) {
        for ticket in self.batch.stop() {
            cx.cancel(ticket);
        }
        (self.requests, self.ending) = Default::default();
        self.rate.clear();
    }

    /// Returns what it does just now.
    pub fn state(&self) -> BatchState<'_> {
        self.batch.state()
    }

    /// Returns how far it is.
    pub fn tally(&self) -> BatchTally {
        self.batch.tally()
    }

    /// Returns how many requests are under way.
    pub fn requests(&self) -> usize {
        self.batch.requests()
    }

    /// Returns what was given up, in the order in which it was.
    pub fn failures(&self) -> &[FailedItem] {
        self.batch.failures()
    }

    /// Returns the attempt that starts first of the requests that are retried.
    pub fn next_attempt(&self) -> Option<&NextAttempt> {
        self.requests.next_attempt()
    }

    /// Returns how many items are done a second, and how long those that are left take.
    pub fn pace(&self, now: Instant) -> (Option<f64>, Option<Duration>) {
        (self.rate.per_second(now), self.rate.left(now, self.tally().left()))
    }

    /// Returns when [`Self::send`] is to be called although nothing has happened: at each second of a countdown.
    pub fn due(&self, now: Instant) -> Option<Instant> {
        let retry = self.next_attempt().map(|_| now + Duration::from_secs(1));
        [self.batch.due(now), retry].into_iter().flatten().min()
    }
}
