//! Requests under way: when each was sent, what the server calls it, when its next attempt starts.

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

/// A request under way; `P` is what its owner knows of it.
#[derive(Clone, Debug)]
pub struct SentRequest<P> {
    /// The ticket of its call.
    pub ticket: Ticket,
    /// What it asks for.
    pub purpose: P,
    /// When it was sent.
    pub started: Instant,
    /// The attempt it waits for.
    pub retry: Option<NextAttempt>,
    /// The server's id of it.
    pub request_id: Option<Untrusted>,
}

/// The requests under way, the oldest first.
#[derive(Debug)]
pub struct RequestLog<P>(Vec<SentRequest<P>>);

impl<P> Default for RequestLog<P> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<P> RequestLog<P> {
    /// Adds a request that is sent at `now`.
    pub fn insert(&mut self, ticket: Ticket, purpose: P, now: Instant) {
        self.0.push(SentRequest { ticket, purpose, started: now, retry: None, request_id: None });
    }

    /// Notes what the progress of a call says of its attempts and its id. Returns the request, if it is one of these.
    pub fn observe(&mut self, ticket: Ticket, progress: &Progress, now: Instant) -> Option<&mut SentRequest<P>> {
        let request = self.0.iter_mut().find(|request| request.ticket == ticket)?;
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
        Some(request)
    }

    /// Removes a request that is answered or has ended.
    pub fn take(&mut self, ticket: Ticket) -> Option<SentRequest<P>> {
        let at = self.0.iter().position(|request| request.ticket == ticket)?;
        Some(self.0.remove(at))
    }

    /// Returns all requests.
    pub fn all(&self) -> &[SentRequest<P>] {
        &self.0
    }

    /// Returns those that wait for another attempt.
    pub fn retrying(&self) -> impl Iterator<Item = (&SentRequest<P>, &NextAttempt)> {
        self.0.iter().filter_map(|request| Some((request, request.retry.as_ref()?)))
    }

    /// Returns the attempt that starts first.
    pub fn next_attempt(&self) -> Option<&NextAttempt> {
        self.retrying().map(|(_, retry)| retry).min_by_key(|retry| retry.at)
    }

    /// Starts the attempts that are waited for at once.
    pub fn hurry(&self, cx: &mut Cx) {
        self.retrying().for_each(|(request, _)| cx.hurry(request.ticket));
    }

    /// Cancels all requests and returns them.
    pub fn cancel(&mut self, cx: &mut Cx) -> Vec<SentRequest<P>> {
        let requests = std::mem::take(&mut self.0);
        for request in &requests {
            cx.cancel(request.ticket);
        }
        requests
    }
}
