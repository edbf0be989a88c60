//! A chat call: streamed, or whole where the server or the request wants it so.

use std::collections::BTreeMap;
use std::pin::pin;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream;
use reqwest::Response;
use serde_json::Value;

use super::failure;
use super::http::{Http, Moved, Request, chunk, parse};
use super::perform::Outlet;
use super::sse::{self, SseError};
use crate::api::call::{Failure, Reply};
use crate::api::chat::{ChatChunk, ChatRequest, StreamOptions};
use crate::settings::{Endpoint, limits};

/// Most events that are handed on in one piece.
const BATCH: usize = 64;

/// Asks, and hands on the answer as it comes.
pub(super) async fn chat(
    http: &Http,
    endpoint: &Endpoint,
    mut asked: ChatRequest,
    outlet: &Outlet,
) -> Result<(), Failure> {
    let streamed = asked.stream == Some(true);
    if streamed && http.asks_usage(endpoint) {
        asked.stream_options = Some(StreamOptions { include_usage: true });
    }
    let request = Request::post("/chat/completions", body(&asked, endpoint));
    let response = match http.exchange(endpoint, &request, outlet).await {
        Err(why) if asked.stream_options.is_some() && refuses_usage(&why) => {
            http.never_ask_usage(endpoint);
            http.exchange(endpoint, &request.without("stream_options"), outlet).await?
        }
        answer => answer?,
    };
    if !streamed {
        let answer = http.json(endpoint, response, outlet).await?;
        outlet.reply(Reply::Chat(answer)).await;
        return Ok(());
    }
    stream(endpoint, response, outlet).await
}

/// The request as JSON, with the profile's extra fields where the request has none of its own.
fn body(asked: &ChatRequest, endpoint: &Endpoint) -> Value {
    let mut body = serde_json::to_value(asked).expect("a request of strings and numbers is always JSON");
    if let Value::Object(fields) = &mut body {
        for (name, value) in &endpoint.extra_body {
            fields.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    body
}

/// Whether the server's complaint is about `stream_options`.
fn refuses_usage(why: &Failure) -> bool {
    matches!(why.status, Some(400 | 422)) && (why.body.contains("stream_options") || why.body.contains("include_usage"))
}

/// Reads a streamed answer. Some servers send a whole one although a stream was asked for; some call a stream
/// `text/plain`: the first byte that is no white space tells which it is.
async fn stream(endpoint: &Endpoint, mut response: Response, outlet: &Outlet) -> Result<(), Failure> {
    let mut moved = Moved::new(None);
    let mut head = Vec::new();
    while head.iter().all(u8::is_ascii_whitespace) {
        match chunk(&mut response, endpoint).await? {
            Some(bytes) => head.extend_from_slice(&bytes),
            None => return Err(failure::cut_off("the server sent nothing")),
        }
        if head.len() > limits::JSON_BODY {
            return Err(failure::malformed("it is larger than 64 MiB"));
        }
    }
    if head.trim_ascii_start().starts_with(b"{") {
        while let Some(bytes) = chunk(&mut response, endpoint).await? {
            head.extend_from_slice(&bytes);
            moved.add(bytes.len(), outlet).await;
            if head.len() > limits::JSON_BODY {
                return Err(failure::malformed("it is larger than 64 MiB"));
            }
        }
        outlet.reply(Reply::Chat(parse(&head, endpoint)?)).await;
        return Ok(());
    }
    let first = stream::once(async { Ok(Bytes::from(head)) });
    let rest = stream::try_unfold(response, |mut response| async {
        Ok(chunk(&mut response, endpoint).await?.map(|bytes| (bytes, response)))
    });
    // What one read of the socket brought is handed on in one piece: a burst wakes the screen's thread once, not once
    // for each token.
    let mut batches = pin!(sse::events(Box::pin(first.chain(rest))).ready_chunks(BATCH));
    let mut answer = Answer::default();
    while let Some(batch) = batches.next().await {
        let mut gathered: Option<ChatChunk> = None;
        let mut ended = None;
        for event in batch {
            match event {
                Err(SseError::TooLong) => {
                    ended = Some(Err(failure::malformed("a line of the stream is longer than 8 MiB")));
                }
                Err(SseError::Bytes(why)) => ended = Some(answer.end(why)),
                Ok(event) if event.data.trim() == "[DONE]" => ended = Some(Ok(())),
                Ok(event) => {
                    moved.add(event.data.len(), outlet).await;
                    match read(&event.data, endpoint) {
                        Ok(chunk) => {
                            answer.see(&chunk);
                            gathered = Some(join(gathered, chunk));
                        }
                        Err(why) => ended = Some(answer.end(why)),
                    }
                }
            }
            if ended.is_some() {
                break;
            }
        }
        if let Some(chunk) = gathered {
            outlet.reply(Reply::ChatChunk(chunk)).await;
        }
        if let Some(end) = ended {
            return end;
        }
    }
    answer.end(failure::cut_off("the connection closed before the end"))
}

/// Two chunks as one: the parts of all choices in their order, the later counts.
fn join(first: Option<ChatChunk>, next: ChatChunk) -> ChatChunk {
    let Some(mut whole) = first else { return next };
    whole.choices.extend(next.choices);
    whole.usage = next.usage.or(whole.usage);
    if whole.model.is_empty() {
        whole.model = next.model;
    }
    whole
}

/// One event as a chunk; an error object, or what is no JSON, as a failure.
fn read(data: &str, endpoint: &Endpoint) -> Result<ChatChunk, Failure> {
    if let Ok(chunk) = serde_json::from_str::<ChatChunk>(data)
        && (!chunk.choices.is_empty() || chunk.usage.is_some())
    {
        return Ok(chunk);
    }
    match serde_json::from_str::<Value>(data) {
        Ok(value) if is_error(&value) => Err(failure::in_answer(&value, endpoint)),
        Ok(value) => Ok(serde_json::from_value(value).unwrap_or_default()),
        Err(_) => Err(failure::cut_off("an event of the stream is not whole")),
    }
}

fn is_error(value: &Value) -> bool {
    value.get("error").is_some_and(|error| !error.is_null())
        || value.get("object").and_then(Value::as_str) == Some("error")
        || value.get("detail").is_some()
}

/// Which choices have begun, and whether each has ended.
#[derive(Default)]
struct Answer(BTreeMap<u32, bool>);

impl Answer {
    fn see(&mut self, chunk: &ChatChunk) {
        for choice in &chunk.choices {
            *self.0.entry(choice.index).or_default() |= choice.finish_reason.is_some();
        }
    }

    /// The end without `[DONE]`: good if every choice that began has said why it ended, else this failure.
    fn end(&self, why: Failure) -> Result<(), Failure> {
        if !self.0.is_empty() && self.0.values().all(|ended| *ended) { Ok(()) } else { Err(why) }
    }
}
