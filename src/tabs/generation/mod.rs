//! One streamed run, whatever tab it belongs to: where it stands, what came, how fast, what it used.

pub mod params;
pub mod strip;

use std::time::{Duration, Instant};

use crate::api::call::{Failure, Progress, Reply, Ticket};
use crate::api::chat::ChatDelta;
use crate::api::usage::Usage;
use crate::text::Untrusted;
use crate::tokens;

/// Where a run stands.
#[derive(Clone, Debug, PartialEq)]
pub enum Phase {
    /// Asked; no byte of an answer yet.
    Waiting,
    /// An attempt failed; the next one is due.
    Retrying {
        /// The attempt that comes, 2-based.
        attempt: u8,
        /// Attempts in all.
        of: u8,
        /// When it starts.
        at: Instant,
        /// When this was said, for the countdown's bar.
        since: Instant,
        /// What went wrong.
        why: Failure,
    },
    /// Text arrives.
    Streaming,
}

/// A run in flight.
#[derive(Clone, Debug)]
pub struct Run {
    /// The call.
    pub ticket: Ticket,
    /// Where it stands.
    pub phase: Phase,
    /// When it was asked.
    pub started: Instant,
    /// When the first text came.
    pub first_text: Option<Instant>,
    /// When anything last came.
    pub last_news: Instant,
    /// The server's counts, once it has sent some.
    pub usage: Option<Usage>,
    /// Model the server says it used; empty until it says so.
    pub model: Untrusted,
    /// `x-request-id`.
    pub request_id: Option<Untrusted>,
    /// Tokens of the text so far, all choices, an estimate: at least one a piece, more where a server sends big pieces.
    pub tokens: u64,
}

/// What a piece of progress brought.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// Nothing to add to a text; the phase may be another.
    Phase,
    /// Text for choices, in order of arrival.
    Parts(Vec<Part>),
    /// The end.
    Closed(Result<(), Failure>),
}

/// Text for one choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// 0-based choice.
    pub choice: u32,
    /// Answer text, may be empty.
    pub content: Untrusted,
    /// Reasoning text, may be empty.
    pub reasoning: Untrusted,
    /// Why the choice ended, with its last part.
    pub finish_reason: Option<Untrusted>,
}

impl Run {
    /// A run asked for now.
    pub fn new(ticket: Ticket, now: Instant) -> Self {
        Self {
            ticket,
            phase: Phase::Waiting,
            started: now,
            first_text: None,
            last_news: now,
            usage: None,
            model: Untrusted::default(),
            request_id: None,
            tokens: 0,
        }
    }

    /// Takes in what the client says.
    pub fn progress(&mut self, progress: Progress, now: Instant) -> News {
        self.last_news = now;
        match progress {
            Progress::Retrying { attempt, of, at, why } => {
                self.phase = Phase::Retrying { attempt, of, at, since: now, why };
                News::Phase
            }
            Progress::Opened { request_id } => {
                self.request_id = request_id;
                self.phase = Phase::Waiting;
                News::Phase
            }
            Progress::Moved { .. } | Progress::Reply(Reply::Models(_) | Reply::Completion(_)) => News::Phase,
            Progress::Closed(end) => News::Closed(end),
            Progress::Reply(Reply::ChatChunk(chunk)) => {
                self.heard(chunk.model, chunk.usage);
                let parts =
                    chunk.choices.into_iter().map(|choice| part(choice.index, choice.delta, choice.finish_reason));
                self.parts(parts.collect(), now)
            }
            Progress::Reply(Reply::Chat(whole)) => {
                self.heard(whole.model, whole.usage);
                let parts =
                    whole.choices.into_iter().map(|choice| part(choice.index, choice.message, choice.finish_reason));
                self.parts(parts.collect(), now)
            }
        }
    }

    fn heard(&mut self, model: String, usage: Option<Usage>) {
        if self.model.is_empty() {
            self.model = model.into();
        }
        // Some servers send running totals in every chunk: the last one counts.
        self.usage = usage.or(self.usage);
    }

    fn parts(&mut self, parts: Vec<Part>, now: Instant) -> News {
        let texts = parts.iter().flat_map(|part| [&part.content, &part.reasoning]).filter(|text| !text.is_empty());
        let came: u64 = texts.map(|text| if text.len() <= 16 { 1 } else { tokens::estimate(text.raw()).max(1) }).sum();
        if came > 0 {
            self.tokens += came;
            self.first_text.get_or_insert(now);
            self.phase = Phase::Streaming;
        }
        News::Parts(parts)
    }

    /// From asking to the first text; `None`: none came.
    pub fn to_first(&self) -> Option<Duration> {
        self.first_text.map(|first| first - self.started)
    }

    /// Tokens a second since the first text; `None` while there is less than half a second to judge by.
    pub fn rate(&self, now: Instant) -> Option<f64> {
        let spent = now.saturating_duration_since(self.first_text?).as_secs_f64();
        (spent >= 0.5 && self.tokens > 1).then(|| self.tokens as f64 / spent)
    }
}

fn part(choice: u32, delta: ChatDelta, finish_reason: Option<String>) -> Part {
    Part {
        choice,
        content: delta.content.unwrap_or_default().into(),
        reasoning: delta.reasoning_content.unwrap_or_default().into(),
        finish_reason: finish_reason.map(Untrusted::new),
    }
}
