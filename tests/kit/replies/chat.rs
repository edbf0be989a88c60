//! Streams of chat.

use std::time::{Duration, Instant};

use benchtop::api::call::{Call, Failure, FailureKind, Progress, Reply, Ticket};
use benchtop::api::chat::ChatRequest;
use benchtop::app::Effect;
use benchtop::record::{Record, Turn};
use serde_json::{Value, json};

use crate::kit::records;

fn event(json: Value) -> Progress {
    Progress::Reply(Reply::ChatChunk(super::read(json)))
}

/// Returns a part of one choice, as a server writes it.
pub fn choice(json: Value) -> Progress {
    event(json!({"choices": [json]}))
}

pub fn chunk(text: &str) -> Progress {
    choice(json!({"index": 0, "delta": {"content": text}}))
}

/// Returns text and reasoning of one choice; empty ones are left out.
pub fn part(index: u32, text: &str, reasoning: &str) -> Progress {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    choice(json!({"index": index, "delta": {"content": some(text), "reasoning_content": some(reasoning)}}))
}

/// Returns the end of a choice.
pub fn end(index: u32, reason: &str) -> Progress {
    choice(json!({"index": index, "delta": {}, "finish_reason": reason}))
}

/// Returns token counts as a server writes them.
pub fn usage(usage: Value) -> Progress {
    event(json!({"choices": [], "usage": usage}))
}

pub fn failure(sentence: &str, status: Option<u16>) -> Failure {
    super::failure(FailureKind::RateLimit, status, sentence)
}

/// Returns a retry in nine seconds, as the server asked.
pub fn retrying(now: Instant) -> Progress {
    let why = failure("rate limit: the server asks to wait 12 s", Some(429));
    Progress::Retrying { attempt: 2, of: 3, at: now + Duration::from_secs(9), why }
}

/// Returns the first chat request among some effects.
pub fn call(effects: &[Effect]) -> Option<(Ticket, &ChatRequest)> {
    effects.iter().find_map(|effect| match effect {
        Effect::Call(ticket, _, Call::Chat(request)) => Some((*ticket, &**request)),
        _ => None,
    })
}

/// Returns all turns stored by some effects.
pub fn turns(effects: &[Effect]) -> Vec<Turn> {
    let turn = |record| if let Record::Turn(turn) = record { Some(*turn) } else { None };
    records(effects).into_iter().filter_map(turn).collect()
}
