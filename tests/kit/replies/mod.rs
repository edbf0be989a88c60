//! Servers' answers, by interface; most are parsed by the program itself from what a server writes.

pub mod chat;
pub mod completions;
pub mod embeddings;
pub mod files;
pub mod jobs;
pub mod moderations;

use benchtop::api::call::{Call, Failure, FailureKind, Reply};
use benchtop::api::chat::ChatRequest;
use benchtop::api::completion::CompletionRequest;
use benchtop::api::embedding::{EmbeddingList, EmbeddingRequest};
use benchtop::api::moderation::{Moderation, ModerationRequest};
use serde_json::{Value, json};

/// Parses what a server writes.
pub fn read<T: serde::de::DeserializeOwned>(json: Value) -> T {
    serde_json::from_value(json).unwrap()
}

pub fn usage(prompt_tokens: u64, completion_tokens: u64) -> Value {
    let total_tokens = prompt_tokens + completion_tokens;
    json!({"prompt_tokens": prompt_tokens, "completion_tokens": completion_tokens, "total_tokens": total_tokens})
}

pub fn failure(kind: FailureKind, status: Option<u16>, sentence: &str) -> Failure {
    Failure { status, ..Failure::new(kind, sentence) }
}

pub fn offline() -> Failure {
    let why = "no connection to 127.0.0.1:9: connection refused; is the server running?";
    failure(FailureKind::Offline, None, why)
}

pub fn refused(status: u16, sentence: &str, body: &str) -> Failure {
    Failure { body: body.into(), ..failure(FailureKind::Refused, Some(status), sentence) }
}

/// A whole answer.
pub trait Answer {
    fn reply(self) -> Reply;
}

impl Answer for EmbeddingList {
    fn reply(self) -> Reply {
        Reply::Embeddings(self)
    }
}

impl Answer for Moderation {
    fn reply(self) -> Reply {
        Reply::Moderation(self)
    }
}

/// The request of a call.
pub trait Request: Sized {
    /// Returns the request if the call has this kind.
    fn of(call: Call) -> Option<Self>;
}

impl Request for Call {
    fn of(call: Call) -> Option<Self> {
        Some(call)
    }
}

impl Request for ChatRequest {
    fn of(call: Call) -> Option<Self> {
        if let Call::Chat(request) = call { Some(*request) } else { None }
    }
}

impl Request for CompletionRequest {
    fn of(call: Call) -> Option<Self> {
        if let Call::Complete(request) = call { Some(*request) } else { None }
    }
}

impl Request for EmbeddingRequest {
    fn of(call: Call) -> Option<Self> {
        if let Call::Embed(request) = call { Some(*request) } else { None }
    }
}

impl Request for ModerationRequest {
    fn of(call: Call) -> Option<Self> {
        if let Call::Moderate(request) = call { Some(*request) } else { None }
    }
}
