//! Runs many requests over many items: sends them a few at a time, saves their results, charges them to the ledger.
//!
//! The owner makes the requests ([`BatchRunner::send`]) and reads the answers: [`BatchRunner::observe`] says what became of
//! a request, and the owner then [accepts](BatchRunner::accept), [fails](BatchRunner::fail) or
//! [resends](BatchRunner::resend) it. Results count as done when they are on disk.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::{Duration, Instant};

use super::outbox::ResultOutbox;
use super::requests::{NextAttempt, RequestLog};
use super::{Batch, Failed, Item, Limits, State, Tally};
use crate::api::call::{Call, Failure, FailureKind, Progress, Ticket};
use crate::component::{Charge, Cx};
use crate::record::{Record, Stored};
use crate::settings::ProfileId;
use crate::tabs::tab::RunMeter;
use crate::text::Untrusted;
use crate::ui::progress::Rate;

/// The result of one item, as the store keeps it.
pub trait BatchResult: Clone + Debug {
    /// Why a request failed that ended without an answer.
    const NO_ANSWER: &'static str;

    /// Returns the record that saves these results.
    fn record(results: Vec<Self>) -> Record;
}

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
    /// It goes on, or its end has come after its answer.
    Pending,
    /// Its answer has come: it is to be accepted, failed or resent.
    Answered(AnsweredRequest),
    /// It ended without an answer, for this reason: it is to be failed or resent. Also the items it asked about.
    Failed(Failure, Vec<u32>),
}

/// A run of many requests.
#[derive(Debug)]
pub struct BatchRunner<T> {
    batch: Batch,
    requests: RequestLog<()>,
    /// Requests whose answer has come and whose end has not.
    ending: BTreeSet<Ticket>,
    outbox: ResultOutbox<T>,
    rate: Rate,
    meter: Option<RunMeter>,
}

impl<T: BatchResult> BatchRunner<T> {
    /// A run over these items, in order; `skipped` rows had a result before.
    pub fn new(limits: Limits, items: impl IntoIterator<Item = Item>, skipped: u64) -> Self {
        Self {
            batch: Batch::new(limits, items, skipped),
            requests: RequestLog::default(),
            ending: BTreeSet::new(),
            outbox: ResultOutbox::default(),
            rate: Rate::default(),
            meter: None,
        }
    }

    /// Sends what may be sent now and saves what has come: `request` makes the call for these items.
    pub fn send(&mut self, cx: &mut Cx, mut request: impl FnMut(&[u32]) -> (ProfileId, Call)) {
        self.rate.feed(cx.now, self.batch.tally().done);
        let (requests, now) = (&mut self.requests, cx.now);
        self.batch.send(now, |items| {
            let (profile, call) = request(items);
            let ticket = cx.call_to(profile, call);
            requests.insert(ticket, (), now);
            ticket
        });
        self.outbox.save(cx);
    }

    /// Returns what became of a request; `None`: the call is not one of this run's.
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
                let why = why.unwrap_or_else(|| Failure::new(FailureKind::Malformed, T::NO_ANSWER));
                RequestEvent::Failed(why, items)
            }
            _ => RequestEvent::Pending,
        })
    }

    /// Takes the items of an answered request out of those under way. Each of them gets a [result](Self::add) or is
    /// [refused](Self::refuse).
    pub fn accept(&mut self, ticket: Ticket) -> Vec<u32> {
        self.batch.answered(ticket)
    }

    /// Adds the result of an item to those that are saved.
    pub fn add(&mut self, item: u32, result: T) {
        self.outbox.push(item, result);
    }

    /// Gives up an item of which the answer says nothing.
    pub fn refuse(&mut self, item: u32, why: Untrusted) {
        self.batch.refused(item, why);
    }

    /// Counts items as done that the owner has saved by itself.
    pub fn saved(&mut self, items: &[u32]) {
        self.batch.kept(items);
    }

    /// Notes that a request failed: its items are sent again in smaller requests, given up, or wait with all others.
    pub fn fail(&mut self, ticket: Ticket, why: &Failure, now: Instant) {
        self.batch.failed(ticket, why, now);
    }

    /// Sends a request once more whose failure is neither its items' fault nor the server's.
    pub fn resend(&mut self, ticket: Ticket) {
        self.batch.again(ticket);
    }

    /// Charges an answer to the ledger and to the footer's meter.
    pub fn charge(&mut self, charge: Charge, cx: &mut Cx) {
        let row = charge.row(cx);
        let meter = self.meter.get_or_insert_default();
        meter.prompt_tokens += row.prompt_tokens;
        meter.completion_tokens += row.completion_tokens;
        meter.estimated |= row.estimated;
        meter.cost += row.cost_nano.into();
        self.outbox.push_ledger(row);
    }

    /// Sends `items` items in a request from now on, at least 1.
    pub fn set_request_size(&mut self, items: usize) {
        self.batch.several(items);
    }

    /// Takes the store's answer and returns the results that are on disk now, each with its item; `None`: it is to
    /// somebody else. While the disk refuses results, nothing more is sent.
    pub fn stored(&mut self, ticket: Ticket, stored: &Stored) -> Option<Vec<(u32, T)>> {
        let held = self.outbox.refusal().is_some();
        let results = self.outbox.stored(ticket, stored)?;
        match self.outbox.refusal() {
            Some(why) => self.batch.hold(format!("what came could not be saved: {}", why.line()).into(), None),
            None if held => self.batch.release(),
            None => {}
        }
        self.batch.kept(&results.iter().map(|(item, _)| *item).collect::<Vec<_>>());
        Some(results)
    }

    /// Saves all that is not with the store yet: for a run that ends.
    pub fn flush(&mut self, cx: &mut Cx) {
        self.outbox.flush(cx);
    }

    /// Sends nothing more until [`Self::resume`]; requests under way come to their end.
    pub fn pause(&mut self) {
        self.batch.pause();
        self.rate.clear();
    }

    /// Goes on, also where it would have waited.
    pub fn resume(&mut self) {
        self.rate.clear();
        self.batch.resume();
    }

    /// Sends items again that were given up, and goes on.
    pub fn retry_failed(&mut self) {
        self.batch.retry();
        self.batch.resume();
    }

    /// Sends nothing before a moment, or before [`Self::resume`], for a reason of the owner's.
    pub fn hold(&mut self, why: Untrusted, until: Option<Instant>) {
        self.batch.hold(why, until);
    }

    /// Ends the wait for a reason of the owner's: goes on, unless it is paused or waits for the server.
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
    pub fn state(&self) -> State<'_> {
        self.batch.state()
    }

    /// Returns how far it is.
    pub fn tally(&self) -> Tally {
        self.batch.tally()
    }

    /// Returns how many requests are under way.
    pub fn requests(&self) -> usize {
        self.batch.flights()
    }

    /// Returns what was given up, in the order in which it was.
    pub fn failures(&self) -> &[Failed] {
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

    /// Returns tokens and cost of its answers so far; `None`: none has come.
    pub fn meter(&self) -> Option<RunMeter> {
        self.meter
    }

    /// Returns why the store does not save the results.
    pub fn refusal(&self) -> Option<&Untrusted> {
        self.outbox.refusal()
    }

    /// Returns how many results are not on disk.
    pub fn unsaved(&self) -> usize {
        self.outbox.len()
    }

    /// Whether all that has come is on disk, the ledger's rows included.
    pub fn is_saved(&self) -> bool {
        self.outbox.is_empty()
    }

    /// Returns when [`Self::send`] is to be called although nothing has happened: at each second of a countdown.
    pub fn due(&self, now: Instant) -> Option<Instant> {
        let retry = self.next_attempt().map(|_| now + Duration::from_secs(1));
        [self.batch.due(now), retry].into_iter().flatten().min()
    }
}
