//! Runs many requests over many items: sends them a few at a time.
//!
//! The owner makes the requests ([`BatchRunner::send`]), reads their answers and decides what follows
//! ([`BatchRunner::handle_progress`]). Items count as done when their results are on disk: a [`ResultOutbox`] saves
//! them, or the owner does.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::items::{AcceptedItem, BatchItem, BatchLimits, BatchTally, FailedItem};
use super::outbox::{BatchResult, ResultOutbox};
use super::requests::{AnsweredRequest, EndedRequest, FailedRequest, NextAttempt, SentRequest};
use super::schedule::{Batch, BatchState};
use crate::api::call::{Call, Failure, FailureKind, Progress, Ticket};
use crate::component::Cx;
use crate::record::Stored;
use crate::settings::ProfileId;
use crate::tabs::activity::ActivityOutcome;
use crate::text::Untrusted;
use crate::ui::progress::Rate;

/// What became of a request.
#[derive(Debug)]
pub enum RequestEvent {
    /// The call continues, or the answer was handled before.
    Pending,
    /// Its answer has come.
    Answered(AnsweredRequest),
    /// It ended without an answer.
    Failed(FailedRequest),
}

/// A run of many requests.
#[derive(Debug)]
pub struct BatchRunner {
    /// Why a request failed that ended without an answer.
    no_answer: &'static str,
    batch: Batch,
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
        Self { no_answer, batch: Batch::new(limits, items, skipped), ending: BTreeSet::new(), rate: Rate::default() }
    }

    /// Adds an item after all others, for a run whose items are not all known when it begins.
    pub fn push(&mut self, item: BatchItem) {
        self.batch.push(item);
    }

    /// Forgets the items before this place, all of which are done or given up, for a run over any number of items.
    pub fn forget_before(&mut self, place: u32) {
        self.batch.forget_before(place);
    }

    /// Sends what may be sent now: `request` makes the call for these items.
    pub fn send(&mut self, cx: &mut Cx, mut request: impl FnMut(&[u32]) -> (ProfileId, Call)) {
        self.rate.feed(cx.now, self.batch.tally().done);
        self.batch.send(cx.now, |items| {
            let (profile, call) = request(items);
            cx.call_to(profile, call)
        });
    }

    /// Takes the progress of a call and returns what became of its request; `None`: the call is not one of this run's.
    #[must_use]
    pub fn handle_progress(&mut self, ticket: Ticket, progress: &Progress, cx: &mut Cx) -> Option<RequestEvent> {
        let requests = &mut self.batch.requests;
        if !requests.note_progress(ticket, progress, cx.now) {
            let ours = match progress {
                Progress::Closed(_) => self.ending.remove(&ticket),
                _ => self.ending.contains(&ticket),
            };
            return ours.then_some(RequestEvent::Pending);
        }
        match progress {
            Progress::Reply(_) => {
                self.ending.insert(ticket);
                requests.end(ticket, (), cx.now).map(RequestEvent::Answered)
            }
            Progress::Closed(end) => {
                let why = end.clone().err();
                let why = why.unwrap_or_else(|| Failure::new(FailureKind::Malformed, self.no_answer));
                requests.end(ticket, why, cx.now).map(RequestEvent::Failed)
            }
            _ => Some(RequestEvent::Pending),
        }
    }

    /// Takes a request that was answered well, and returns its items.
    #[must_use]
    pub fn accept(&mut self, request: AnsweredRequest) -> Vec<AcceptedItem> {
        self.batch.accept(request)
    }

    /// Gives up an item of which the answer says nothing.
    pub fn refuse(&mut self, item: AcceptedItem, why: Untrusted) {
        self.batch.refuse(item, why);
    }

    /// Counts an item as done whose result its owner saves, and returns its place.
    pub fn note_saved(&mut self, item: AcceptedItem) -> u32 {
        self.batch.note_saved(&[item.place()]);
        item.place()
    }

    /// Takes a request that failed: its items are sent again in smaller requests, given up, or wait with all others.
    pub fn fail(&mut self, request: FailedRequest) {
        self.batch.fail(request);
    }

    /// Splits requests that the server fails at before the run waits: nobody watches it, who could take out the text
    /// that the server cannot handle.
    pub fn split_before_waiting(&mut self) {
        self.batch.split_before_waiting();
    }

    /// Sends a request once more that neither its items nor the server is to blame for.
    pub fn resend<Outcome>(&mut self, request: EndedRequest<Outcome>) {
        self.batch.resend(request);
    }

    /// Sends the items of a request once more, each in a request of its own whatever the size of requests is.
    pub fn resend_each<Outcome>(&mut self, request: EndedRequest<Outcome>) {
        self.batch.resend_each(request);
    }

    /// Gives up all items of a failed request at once, and returns them: unlike [`Self::fail`] it neither sends them
    /// again nor lets the run wait.
    pub fn give_up(&mut self, request: FailedRequest) -> Vec<u32> {
        self.batch.give_up(request)
    }

    /// Sends `items` items in a request from now on, at least 1.
    pub fn set_request_size(&mut self, items: usize) {
        self.batch.set_request_size(items);
    }

    /// Sets how many requests may be under way at a time; 0: nothing more is sent.
    pub fn set_request_limit(&mut self, requests: usize) {
        self.batch.set_request_limit(requests);
    }

    /// Passes the store's answer to an outbox and returns the results that are on disk now, each with its item; `None`:
    /// it is to somebody else. While the disk refuses results, nothing more is sent.
    pub fn handle_stored<T: BatchResult>(
        &mut self,
        outbox: &mut ResultOutbox<T>,
        ticket: Ticket,
        stored: &Stored,
    ) -> Option<Vec<(u32, T)>> {
        let results = outbox.handle_stored(ticket, stored)?;
        let why = outbox.refusal().map(|why| format!("the results could not be saved: {}", why.line()).into());
        self.batch.set_storage_refusal(why);
        self.batch.note_saved(&results.iter().map(|(item, _)| *item).collect::<Vec<_>>());
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

    /// Starts the attempts at once that requests wait for.
    pub fn retry_now(&self, cx: &mut Cx) {
        self.batch.requests.retry_now(cx);
    }

    /// Cancels all requests and pauses; their items wait again.
    pub fn stop(&mut self, cx: &mut Cx) {
        for ticket in self.batch.stop() {
            cx.cancel(ticket);
        }
        self.ending.clear();
        self.rate.clear();
    }

    /// Returns what it does just now.
    pub fn state(&self) -> BatchState<'_> {
        self.batch.state()
    }

    /// Returns whether no request is under way and all results that came are on disk.
    pub fn is_idle(&self) -> bool {
        self.batch.is_idle()
    }

    /// Returns how it ended, when it does not go on by itself.
    pub fn outcome(&self) -> ActivityOutcome {
        let BatchTally { done, skipped, failed, .. } = self.tally();
        match self.state() {
            BatchState::Held { .. } => ActivityOutcome::Failed,
            BatchState::Finished if failed > 0 && done == skipped => ActivityOutcome::Failed,
            BatchState::Finished if failed > 0 => ActivityOutcome::EndedWithFailures,
            BatchState::Finished => ActivityOutcome::Ended,
            BatchState::Running | BatchState::Paused => ActivityOutcome::Stopped,
        }
    }

    /// Returns how far it is.
    pub fn tally(&self) -> BatchTally {
        self.batch.tally()
    }

    /// Returns the requests under way with their items, the oldest first.
    pub fn requests(&self) -> &[SentRequest] {
        self.batch.requests.all()
    }

    /// Takes what was given up since it was taken last; it cannot be sent again.
    pub fn take_failures(&mut self) -> Vec<FailedItem> {
        self.batch.take_failures()
    }

    /// Returns what was given up, in the order in which it was.
    pub fn failures(&self) -> &[FailedItem] {
        self.batch.failures()
    }

    /// Returns whether an item waits or is in a request under way.
    pub fn is_left(&self, item: u32) -> bool {
        self.batch.is_left(item)
    }

    /// Returns the attempt that starts first of the requests that are retried.
    pub fn next_attempt(&self) -> Option<&NextAttempt> {
        self.batch.requests.next_attempt()
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
