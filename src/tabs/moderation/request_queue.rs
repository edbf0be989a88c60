//! Requests under way, and those that wait for their turn.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use super::model_ref::ModelRef;
use crate::api::call::{Call, Failure, Progress, Reply, Ticket};
use crate::api::moderation::{Moderation, ModerationRequest, Texts};
use crate::component::Cx;
use crate::record::TextKey;
use crate::settings::ProfileId;
use crate::tabs::batch::{NextAttempt, RequestLog, SentRequest};
use crate::text::Untrusted;

/// Requests at once.
const AT_ONCE: usize = 8;
/// Texts of one request at most.
pub(super) const BATCH: usize = 256;

/// Texts to be checked by a model, in one request.
#[derive(Clone, Debug)]
pub(super) struct CheckRequest {
    pub(super) model: ModelRef,
    pub(super) texts: Vec<(TextKey, Untrusted)>,
    /// The refused request with several texts of which this is a part.
    pub(super) part_of: Option<Ticket>,
    /// The answer, and when it came.
    pub(super) answer: Option<(Moderation, Instant)>,
}

impl CheckRequest {
    pub(super) fn new(model: ModelRef, texts: Vec<(TextKey, Untrusted)>) -> Self {
        Self { model, texts, part_of: None, answer: None }
    }

    /// Returns what is sent.
    pub(super) fn body(&self) -> ModerationRequest {
        let text = |(_, text): &(TextKey, Untrusted)| text.raw().to_owned();
        let input = match self.texts.as_slice() {
            [one] => Texts::One(text(one)),
            many => Texts::Many(many.iter().map(text).collect()),
        };
        let model = Some(self.model.model.raw().to_owned()).filter(|model| !model.is_empty());
        ModerationRequest { input, model }
    }

    /// Returns whether a text is to be checked by a model with it.
    fn has(&self, key: &TextKey, model: &ModelRef) -> bool {
        self.model == *model && self.texts.iter().any(|(other, _)| other == key)
    }

    /// Returns the same as requests of one text each; `part_of`: the refused request, if their answers tell why.
    pub(super) fn split(self, part_of: Option<Ticket>) -> impl Iterator<Item = Self> {
        let model = self.model;
        self.texts.into_iter().map(move |text| Self { part_of, ..Self::new(model.clone(), vec![text]) })
    }
}

/// A request that has ended, and how.
#[derive(Debug)]
pub(super) struct CompletedRequest {
    pub(super) sent: SentRequest<CheckRequest>,
    pub(super) end: Result<(), Failure>,
}

/// The requests under way and those that wait.
#[derive(Debug, Default)]
pub(super) struct RequestQueue {
    waiting: VecDeque<CheckRequest>,
    sent: RequestLog<CheckRequest>,
}

impl RequestQueue {
    /// Sends a request, at once or when there is room.
    pub(super) fn send(&mut self, request: CheckRequest, cx: &mut Cx) {
        self.waiting.push_back(request);
        self.send_waiting(cx);
    }

    /// Sends as many as there is room for.
    pub(super) fn send_waiting(&mut self, cx: &mut Cx) {
        while self.sent.all().len() < AT_ONCE
            && let Some(request) = self.waiting.pop_front()
        {
            let profile = ProfileId(request.model.profile.clone());
            let ticket = cx.call_to(profile, Call::Moderate(Box::new(request.body())));
            self.sent.insert(ticket, request, cx.now);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sent.all().is_empty() && self.waiting.is_empty()
    }

    /// Returns the request under way that checks a text with a model.
    pub(super) fn find(&self, key: &TextKey, model: &ModelRef) -> Option<&SentRequest<CheckRequest>> {
        self.sent.all().iter().find(|sent| sent.purpose.has(key, model))
    }

    /// Returns whether a text is to be checked by a model.
    pub(super) fn is_waiting_for(&self, key: &TextKey, model: &ModelRef) -> bool {
        self.find(key, model).is_some() || self.waiting.iter().any(|request| request.has(key, model))
    }

    /// Takes a part of the answer to a call. Returns the request that has ended with it.
    pub(super) fn handle_progress(
        &mut self,
        ticket: Ticket,
        progress: Progress,
        now: Instant,
    ) -> Option<CompletedRequest> {
        let sent = self.sent.observe(ticket, &progress, now)?;
        match progress {
            Progress::Reply(Reply::Moderation(answer)) => sent.purpose.answer = Some((answer, now)),
            Progress::Closed(end) => return self.sent.take(ticket).map(|sent| CompletedRequest { sent, end }),
            _ => {}
        }
        None
    }

    /// Stops all. Returns those that waited for another attempt, with why.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> Vec<(CheckRequest, Failure)> {
        self.waiting.clear();
        self.sent.cancel(cx).into_iter().filter_map(|sent| Some((sent.purpose, sent.retry?.why))).collect()
    }

    /// Ends the countdowns: tries now.
    pub(super) fn hurry(&self, cx: &mut Cx) {
        self.sent.hurry(cx);
    }

    /// Returns the first countdown to another attempt.
    pub(super) fn next_attempt(&self) -> Option<&NextAttempt> {
        self.sent.retrying().next().map(|(_, retry)| retry)
    }

    /// Returns when the oldest request was sent.
    pub(super) fn since(&self) -> Option<Instant> {
        self.sent.all().iter().map(|sent| sent.started).min()
    }
}

/// Whether servers take several texts in one request: of each refused request how many of its texts, sent one by one,
/// are not answered yet. Only where each of them is answered alone was it the list that the server did not take.
#[derive(Debug, Default)]
pub(super) struct BatchSupport(HashMap<Ticket, usize>);

impl BatchSupport {
    /// Takes in that a request of so many texts was refused.
    pub(super) fn refused(&mut self, request: Ticket, texts: usize) {
        self.0.insert(request, texts);
    }

    /// Takes in that one of its texts was answered alone, or was not. Returns whether that was the last one, and all
    /// were answered.
    pub(super) fn settle(&mut self, request: Ticket, answered: bool) -> bool {
        let Some(left) = self.0.get_mut(&request) else { return false };
        *left -= 1;
        let last = *left == 0;
        if last || !answered {
            self.0.remove(&request);
        }
        last && answered
    }
}
