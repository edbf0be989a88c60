//! Requests under way: when each was sent, what the server calls it, when its next attempt starts. And those that have
//! ended.

use std::time::Instant;

use crate::api::call::{Failure, Progress, Ticket};
use crate::component::Cx;
use crate::text::Untrusted;

/// The attempt that follows a failed one.
#[derive(Clone, Debug, PartialEq)]
pub struct NextAttempt {
    /// Its number, from 2.
    pub attempt: u8,
    /// Attempts in all.
    pub of: u8,
    /// When it starts.
    pub at: Instant,
    /// When the one before it failed.
    pub since: Instant,
    /// Why the one before it failed.
    pub why: Failure,
}

/// A request under way.
#[derive(Clone, Debug)]
pub struct SentRequest {
    /// The ticket of its call.
    pub ticket: Ticket,
    /// The items it asks about, in its order.
    pub items: Vec<u32>,
    /// When it was sent.
    pub started: Instant,
    /// The attempt it waits for.
    pub retry: Option<NextAttempt>,
    /// The server's id of it.
    pub request_id: Option<Untrusted>,
}

/// A request that has ended. It is not under way any more; its items are in no other request until the
/// [runner](super::BatchRunner) takes it.
#[derive(Debug)]
#[must_use = "its items are neither done nor sent again until the runner takes it"]
pub struct EndedRequest<Outcome> {
    sent: SentRequest,
    ended: Instant,
    outcome: Outcome,
}

/// A request whose answer has come: the runner accepts it or sends it again.
pub type AnsweredRequest = EndedRequest<()>;

/// A request that failed, and why: the runner sends it again or gives it up.
pub type FailedRequest = EndedRequest<Failure>;

impl<Outcome> EndedRequest<Outcome> {
    /// Returns the items it asked about, in its order.
    pub fn items(&self) -> &[u32] {
        &self.sent.items
    }

    pub(super) fn into_items(self) -> Vec<u32> {
        self.sent.items
    }
}

impl AnsweredRequest {
    /// Returns the milliseconds from the request to its answer.
    pub fn latency_ms(&self) -> u32 {
        let latency = self.ended.saturating_duration_since(self.sent.started);
        u32::try_from(latency.as_millis()).unwrap_or(u32::MAX)
    }

    /// Returns the server's id of it; `None`: it sent none.
    pub fn request_id(&self) -> Option<&Untrusted> {
        self.sent.request_id.as_ref()
    }

    /// Makes it a request that failed, as its answer is of no use.
    pub fn reject(self, why: Failure) -> FailedRequest {
        EndedRequest { sent: self.sent, ended: self.ended, outcome: why }
    }
}

impl FailedRequest {
    /// Returns why it failed.
    pub fn why(&self) -> &Failure {
        &self.outcome
    }

    /// Returns when it failed.
    pub(super) fn ended(&self) -> Instant {
        self.ended
    }
}

/// The requests under way, the oldest first.
#[derive(Debug, Default)]
pub(super) struct RequestLog(Vec<SentRequest>);

impl RequestLog {
    /// Adds a request that is sent at `now`.
    pub(super) fn insert(&mut self, ticket: Ticket, items: Vec<u32>, now: Instant) {
        self.0.push(SentRequest { ticket, items, started: now, retry: None, request_id: None });
    }

    /// Notes what the progress of a call says of its attempts and its id. Returns whether it is one of these.
    pub(super) fn note_progress(&mut self, ticket: Ticket, progress: &Progress, now: Instant) -> bool {
        let Some(request) = self.0.iter_mut().find(|request| request.ticket == ticket) else { return false };
        match progress {
            Progress::Retrying { attempt, of, at, why } => {
                request.retry = Some(NextAttempt { attempt: *attempt, of: *of, at: *at, since: now, why: why.clone() });
            }
            Progress::Opened { request_id } => {
                request.retry = None;
                request.request_id.clone_from(request_id);
            }
            Progress::Adapted(_)
            | Progress::Learned(_)
            | Progress::Moved { .. }
            | Progress::Reply(_)
            | Progress::Closed(_) => {}
        }
        true
    }

    /// Removes a request that has ended, and returns it with its outcome.
    pub(super) fn end<Outcome>(
        &mut self,
        ticket: Ticket,
        outcome: Outcome,
        now: Instant,
    ) -> Option<EndedRequest<Outcome>> {
        let at = self.0.iter().position(|request| request.ticket == ticket)?;
        Some(EndedRequest { sent: self.0.remove(at), ended: now, outcome })
    }

    /// Removes all requests.
    pub(super) fn take_all(&mut self) -> Vec<SentRequest> {
        std::mem::take(&mut self.0)
    }

    /// Returns all requests.
    pub(super) fn all(&self) -> &[SentRequest] {
        &self.0
    }

    /// Returns the attempt that starts first.
    pub(super) fn next_attempt(&self) -> Option<&NextAttempt> {
        self.0.iter().filter_map(|request| request.retry.as_ref()).min_by_key(|retry| retry.at)
    }

    /// Starts the attempts that are waited for at once.
    pub(super) fn retry_now(&self, cx: &mut Cx) {
        for request in self.0.iter().filter(|request| request.retry.is_some()) {
            cx.retry_now(request.ticket);
        }
    }
}
