//! Requests under way, and those that wait for their turn.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use super::results::Judge;
use crate::api::call::{Call, Failure, Progress, Reply, Ticket};
use crate::api::moderation::{Moderation, ModerationRequest, Texts};
use crate::component::Cx;
use crate::record::TextKey;
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// Requests at once.
const AT_ONCE: usize = 8;
/// Texts of one request.
pub(super) const MOST: usize = 256;

/// What a run checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// What has no result yet; if all have, all of it.
    New,
    /// The column under the cursor.
    Column,
}

/// Texts to be shown to a model, in one request.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ask {
    pub(super) judge: Judge,
    pub(super) texts: Vec<(TextKey, Untrusted)>,
    /// The request with several texts that was refused, of which it is a part.
    pub(super) parted: Option<Ticket>,
}

impl Ask {
    /// The request.
    pub(super) fn request(&self) -> ModerationRequest {
        let text = |(_, text): &(TextKey, Untrusted)| text.raw().to_owned();
        let input = match self.texts.as_slice() {
            [one] => Texts::One(text(one)),
            many => Texts::Many(many.iter().map(text).collect()),
        };
        let model = Some(self.judge.1.raw().to_owned()).filter(|model| !model.is_empty());
        ModerationRequest { input, model }
    }

    /// The same as requests of one text each; `parted`: of which request they are the parts, if that tells something.
    pub(super) fn parts(self, parted: Option<Ticket>) -> impl Iterator<Item = Self> {
        let judge = self.judge;
        self.texts.into_iter().map(move |text| Self { judge: judge.clone(), texts: vec![text], parted })
    }
}

/// A refused attempt, and when the next one comes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Retry {
    pub(super) attempt: u8,
    pub(super) of: u8,
    pub(super) at: Instant,
    pub(super) since: Instant,
    pub(super) why: Failure,
}

/// A request under way.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    pub(super) ticket: Ticket,
    pub(super) ask: Ask,
    pub(super) started: Instant,
    pub(super) retry: Option<Retry>,
    pub(super) request_id: Option<Untrusted>,
    /// The answer, and when it came.
    pub(super) answer: Option<(Moderation, Instant)>,
}

/// How it ended.
#[derive(Debug)]
pub(super) struct Landed {
    pub(super) flight: Flight,
    pub(super) end: Result<(), Failure>,
}

/// All of them.
#[derive(Debug, Default)]
pub(super) struct Flights {
    queue: VecDeque<Ask>,
    under_way: Vec<Flight>,
}

impl Flights {
    /// Sends it, at once or when there is room.
    pub(super) fn send(&mut self, ask: Ask, cx: &mut Cx) {
        self.queue.push_back(ask);
        self.go_on(cx);
    }

    /// As many go off as there is room for.
    pub(super) fn go_on(&mut self, cx: &mut Cx) {
        while self.under_way.len() < AT_ONCE
            && let Some(ask) = self.queue.pop_front()
        {
            let profile = ProfileId(ask.judge.0.clone());
            let ticket = cx.call_to(profile, Call::Moderate(Box::new(ask.request())));
            let flight = Flight { ticket, ask, started: cx.now, retry: None, request_id: None, answer: None };
            self.under_way.push(flight);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.under_way.is_empty() && self.queue.is_empty()
    }

    pub(super) fn under_way(&self) -> &[Flight] {
        &self.under_way
    }

    /// Whether a text waits for a judge's word.
    pub(super) fn awaits(&self, key: &TextKey, judge: &Judge) -> bool {
        let asks = self.queue.iter().chain(self.under_way.iter().map(|flight| &flight.ask));
        let mut with = asks.filter(|ask| ask.judge == *judge).flat_map(|ask| &ask.texts);
        with.any(|(other, _)| other == key)
    }

    /// News of a call; the one of these that has ended with it.
    pub(super) fn progress(&mut self, ticket: Ticket, progress: Progress, now: Instant) -> Option<Landed> {
        let at = self.under_way.iter().position(|flight| flight.ticket == ticket)?;
        let flight = &mut self.under_way[at];
        match progress {
            Progress::Retrying { attempt, of, at, why } => {
                flight.retry = Some(Retry { attempt, of, at, since: now, why });
            }
            Progress::Opened { request_id } => {
                flight.retry = None;
                flight.request_id = request_id;
            }
            Progress::Reply(Reply::Moderation(answer)) => flight.answer = Some((answer, now)),
            Progress::Reply(_) | Progress::Moved { .. } => {}
            Progress::Closed(end) => return Some(Landed { flight: self.under_way.remove(at), end }),
        }
        None
    }

    /// Stops all. Those that waited for another attempt, with why.
    pub(super) fn stop(&mut self, cx: &mut Cx) -> Vec<(Ask, Failure)> {
        self.queue.clear();
        let flights = std::mem::take(&mut self.under_way);
        for flight in &flights {
            cx.cancel(flight.ticket);
        }
        flights.into_iter().filter_map(|flight| Some((flight.ask, flight.retry?.why))).collect()
    }

    /// Ends the countdowns.
    pub(super) fn hurry(&self, cx: &mut Cx) {
        let counting: Vec<Ticket> = self.counting().map(|(flight, _)| flight.ticket).collect();
        for ticket in &counting {
            cx.hurry(*ticket);
        }
    }

    /// Those that wait for another attempt.
    pub(super) fn counting(&self) -> impl Iterator<Item = (&Flight, &Retry)> {
        self.under_way.iter().filter_map(|flight| Some((flight, flight.retry.as_ref()?)))
    }

    /// When the oldest of them was asked.
    pub(super) fn since(&self) -> Option<Instant> {
        self.under_way.iter().map(|flight| flight.started).min()
    }
}

/// Requests with several texts that were refused, whose texts are now asked one by one: only where each of them is answered
/// alone was it the list that the server did not like.
#[derive(Debug, Default)]
pub(super) struct Doubts(HashMap<Ticket, usize>);

impl Doubts {
    /// A list of so many texts was refused.
    pub(super) fn begin(&mut self, list: Ticket, texts: usize) {
        self.0.insert(list, texts);
    }

    /// One of its texts was answered alone, or was not. Whether that was the last one, and all were answered.
    pub(super) fn settle(&mut self, list: Ticket, answered: bool) -> bool {
        let Some(left) = self.0.get_mut(&list) else { return false };
        *left -= 1;
        let last = *left == 0;
        if last || !answered {
            self.0.remove(&list);
        }
        last && answered
    }
}
