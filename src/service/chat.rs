//! `POST /v1/chat/completions`, whole and streamed.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use axum::Json;
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use tokio::sync::mpsc;

use super::ask::Ask;
use super::body::Whole;
use super::generate::{self, Piece, word};
use super::models;
use super::reject::Reject;
use super::state::State as Shared;
use super::voice;
use super::{secret, stream};
use crate::api::chat::{ChatChoice, ChatCompletion, ChatDelta};
use crate::api::usage::Usage;
use crate::engine::catalogue::{self, Kind};

/// Requests and tokens a minute that the headers speak of. They are the hosted interface's; here nothing is counted.
const REQUESTS: u64 = 3500;
const TOKENS: u64 = 250_000;

/// What all parts of one answer carry.
pub(super) struct Heading {
    pub(super) id: String,
    pub(super) created: i64,
    pub(super) model: String,
    pub(super) prompt_tokens: u64,
}

/// The route.
pub(super) async fn create(State(state): State<Shared>, Whole(body): Whole) -> Result<Response, Reject> {
    let ask = Ask::read(&body)?;
    let model = catalogue::find(&ask.model).ok_or_else(|| Reject::unknown_model(&ask.model))?;
    if !matches!(model.kind, Kind::Chat) {
        let message = "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you \
                       mean to use v1/completions?";
        return Err(Reject::new(StatusCode::NOT_FOUND, message).param("model"));
    }
    // Counting loads the model when it is first needed, which is no work for a thread that serves sockets.
    let engine = state.clone();
    let counted = tokio::task::spawn_blocking(move || {
        let prompt_tokens = engine.model().count_prompt(&voice::prompt(&ask));
        (ask, prompt_tokens)
    });
    let (ask, prompt_tokens) = counted.await.map_err(|_| Reject::fault())?;
    let most = room(prompt_tokens, ask.max_tokens, models::context(model))?;
    let heading = Heading {
        id: secret::id("chatcmpl-"),
        created: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64,
        model: model.dated.to_owned(),
        prompt_tokens,
    };
    let headers = headers(&heading, prompt_tokens + ask.max_tokens.unwrap_or(16) * u64::from(ask.n));
    let (choices, streamed, include_usage) = (ask.n, ask.stream, ask.include_usage);
    let pieces = generate::start(&state, ask, most)?;
    if streamed {
        let events = stream::events(heading, choices, include_usage, pieces, state.stopped());
        let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"))];
        return Ok((headers, kind, Body::from_stream(events)).into_response());
    }
    let answer = tokio::select! {
        answer = whole(heading, choices, pieces) => answer?,
        () = state.stopped() => return Err(Reject::stopping()),
    };
    Ok((headers, Json(answer)).into_response())
}

/// Gathers an answer to its end.
async fn whole(heading: Heading, choices: u32, mut pieces: mpsc::Receiver<Piece>) -> Result<ChatCompletion, Reject> {
    let mut texts = vec![String::new(); choices as usize];
    let mut finishes = vec![None; choices as usize];
    let mut written = 0;
    while let Some(piece) = pieces.recv().await {
        match piece {
            Piece::Text { choice, text } => texts[choice as usize].push_str(&text),
            Piece::End { choice, finish, tokens } => {
                finishes[choice as usize] = Some(word(finish).to_owned());
                written += tokens;
            }
        }
    }
    if finishes.contains(&None) {
        return Err(Reject::fault());
    }
    let choices = (0..).zip(texts).zip(finishes).map(|((index, text), finish_reason)| ChatChoice {
        message: ChatDelta { role: Some("assistant".into()), content: Some(text), ..ChatDelta::default() },
        finish_reason,
        index,
    });
    Ok(ChatCompletion {
        choices: choices.collect(),
        usage: Some(usage(heading.prompt_tokens, written)),
        id: heading.id,
        object: "chat.completion".into(),
        created: heading.created,
        model: heading.model,
    })
}

/// What an answer used.
pub(super) fn usage(prompt_tokens: u64, written: u64) -> Usage {
    Usage { prompt_tokens, completion_tokens: Some(written), total_tokens: prompt_tokens + written }
}

/// Tokens an answer may have, or the refusal clients know by its words and code.
fn room(prompt: u64, asked: Option<u64>, context: u64) -> Result<u64, Reject> {
    let total = prompt + asked.unwrap_or(0);
    let what = match asked {
        _ if prompt < context && total <= context => return Ok(asked.unwrap_or(context - prompt)),
        None => format!("your messages resulted in {prompt} tokens. Please reduce the length of the messages."),
        Some(asked) => format!(
            "you requested {total} tokens ({prompt} in the messages, {asked} in the completion). Please reduce the \
             length of the messages or completion."
        ),
    };
    let message = format!("This model's maximum context length is {context} tokens. However, {what}");
    Err(Reject::bad(message).param("messages").code("context_length_exceeded"))
}

/// The headers that answers of models carry besides those of every answer.
fn headers(heading: &Heading, tokens: u64) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut put = |name: &'static str, value: String| {
        let value = HeaderValue::from_str(&value).expect("model names and numbers are header text");
        headers.insert(HeaderName::from_static(name), value);
    };
    put("openai-model", heading.model.clone());
    put("cache-control", "no-cache, must-revalidate".into());
    for (what, limit, used) in [("requests", REQUESTS, 1), ("tokens", TOKENS, tokens.min(TOKENS))] {
        let names = match what {
            "requests" => {
                ["x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"]
            }
            _ => ["x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"],
        };
        let [limits, remaining, reset] = names;
        put(limits, limit.to_string());
        put(remaining, (limit - used).to_string());
        put(reset, go_duration(Duration::from_millis(used * 60_000 / limit)));
    }
    headers
}

/// A duration as the interface's headers write it: `17ms`, `1s`, `23m16.298s`.
fn go_duration(duration: Duration) -> String {
    let (seconds, millis) = (duration.as_secs(), duration.subsec_millis());
    if seconds == 0 {
        return format!("{millis}ms");
    }
    let fraction = match millis {
        0 => String::new(),
        _ => format!(".{millis:03}").trim_end_matches('0').to_owned(),
    };
    match seconds / 60 {
        0 => format!("{seconds}{fraction}s"),
        minutes => format!("{minutes}m{}{fraction}s", seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_is_shared_by_prompt_and_answer() {
        assert_eq!(room(97, None, 4097).ok(), Some(4000));
        assert_eq!(room(97, Some(4000), 4097).ok(), Some(4000));
        assert_eq!(room(4096, None, 4097).ok(), Some(1));
        let over = room(4012, Some(256), 4097).unwrap_err();
        assert_eq!(
            over.message,
            "This model's maximum context length is 4097 tokens. However, you requested 4268 tokens (4012 in the \
             messages, 256 in the completion). Please reduce the length of the messages or completion."
        );
        let over = room(4294, None, 4097).unwrap_err();
        assert_eq!(
            over.message,
            "This model's maximum context length is 4097 tokens. However, your messages resulted in 4294 tokens. \
             Please reduce the length of the messages."
        );
        assert_eq!((over.param, over.code), (Some("messages"), Some("context_length_exceeded")));
        assert!(room(4097, None, 4097).is_err(), "an answer needs a token");
        assert!(room(1, Some(u64::from(u32::MAX)), 4097).is_err());
    }

    #[test]
    fn durations_are_written_as_the_interface_writes_them() {
        let written = [17, 1000, 360_000, 1_396_298, 1500].map(|ms| go_duration(Duration::from_millis(ms)));
        assert_eq!(written, ["17ms", "1s", "6m0s", "23m16.298s", "1.5s"]);
    }
}
