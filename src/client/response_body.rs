//! Reads the body of a response: as bytes, as JSON, or as the events of a stream.

use std::time::Duration;

use bytes::Bytes;
use eventsource_stream::Event;
use futures_util::stream::{self, Stream, StreamExt};
use reqwest::Response;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::failure::{self, BODY_START};
use super::progress::{ProgressSender, TransferCounter};
use super::sse::{self, SseError};
use super::surrogates;
use super::unpack::{UnpackError, unpack_error};
use crate::api::call::Failure;
use crate::api::probe::{AnswerField, Probe};
use crate::api::probed::Probed;
use crate::settings::{Endpoint, limits};

/// Reads a whole body of JSON: the bytes that have arrived, and the rest. Replaces lone surrogates. Fails above `limit`
/// bytes, or if the connection is lost.
pub(super) async fn read_body(
    mut body: Vec<u8>,
    mut response: Response,
    limit: usize,
    endpoint: &Endpoint,
    sender: &ProgressSender,
) -> Result<Vec<u8>, Failure> {
    let mut counter = TransferCounter::new(response.content_length());
    counter.add(body.len(), sender).await;
    while body.len() <= limit {
        let Some(bytes) = next_chunk(&mut response, endpoint).await? else {
            surrogates::replace(&mut body);
            return Ok(body);
        };
        body.extend_from_slice(&bytes);
        counter.add(bytes.len(), sender).await;
    }
    Err(failure::too_large(limit))
}

/// The tokens of a longer body or event, which may be too many, are counted before it is parsed: parsing takes many
/// times the memory.
pub(super) const UNCOUNTED_BYTES: usize = 1 << 20;

/// Parses a whole body. Fails if it is not JSON, is an error under a good status, lacks the field that is wanted, or
/// contains too many tokens.
pub(super) fn parse_answer<T: DeserializeOwned>(
    body: &[u8],
    wanted: AnswerField,
    path: &str,
    endpoint: &Endpoint,
) -> Result<T, Failure> {
    if wanted == AnswerField::Choices && body.len() > UNCOUNTED_BYTES {
        let probe = check_answer(check_json(body, endpoint)?, body, wanted, path, endpoint)?;
        if probe.tokens() > limits::ANSWER_TOKENS {
            return Err(failure::malformed(&failure::too_many_tokens()));
        }
        return parse_json(body);
    }
    match decode_json(body) {
        Ok(Probed { probe, value }) => check_answer(probe, body, wanted, path, endpoint).map(|_| value),
        Err(error) => {
            check_answer(check_json(body, endpoint)?, body, wanted, path, endpoint)?;
            Err(failure::malformed(&error.to_string()))
        }
    }
}

/// Checks what a whole body is. Fails if it is an error under a good status, or lacks the field that is wanted.
pub(super) fn check_answer(
    probe: Probe,
    body: &[u8],
    wanted: AnswerField,
    path: &str,
    endpoint: &Endpoint,
) -> Result<Probe, Failure> {
    if probe.is_error() {
        return Err(failure::error_in_answer(body, path, endpoint));
    }
    if !probe.holds(wanted) {
        let what = match wanted {
            AnswerField::Choices => "it contains no choices",
            AnswerField::Data => "it contains no list",
            AnswerField::Results => "it contains no results",
        };
        return Err(failure::not_an_answer(what, body, endpoint));
    }
    Ok(probe)
}

/// Classifies a whole body. Fails if it is not JSON.
pub(super) fn check_json(body: &[u8], endpoint: &Endpoint) -> Result<Probe, Failure> {
    Probe::of(body).map_err(|error| {
        failure::not_an_answer(&format!("it is not the JSON that the API specifies ({error})"), body, endpoint)
    })
}

/// Parses a whole body that may be of several kinds, and classifies it. Fails if it is not JSON or of another type.
pub(super) fn parse_probed<T: DeserializeOwned>(body: &[u8], endpoint: &Endpoint) -> Result<Probed<T>, Failure> {
    decode_json(body).or_else(|error| {
        check_json(body, endpoint)?;
        Err(failure::malformed(&error.to_string()))
    })
}

/// Parses JSON. The failure says what is wrong with it.
pub(super) fn parse_json<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    decode_json(body).map_err(|error| failure::malformed(&error.to_string()))
}

/// Parses JSON. Fails if it is malformed or of another type.
pub(super) fn decode_json<T: DeserializeOwned>(body: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(body).or_else(|error| {
        // Reading into a `Value` first accepts duplicate fields, but takes more memory.
        let again =
            (error.is_data() && body.len() <= limits::ERROR_BODY).then(|| serde_json::from_slice::<Value>(body));
        again.and_then(|value| serde_json::from_value(value.ok()?).ok()).ok_or(error)
    })
}

/// Returns the next bytes of a body, `None` at its end. Fails after the idle limit, or if the connection or the
/// compressed data is broken.
pub(super) async fn next_chunk(response: &mut Response, endpoint: &Endpoint) -> Result<Option<Bytes>, Failure> {
    match tokio::time::timeout(endpoint.idle_limit, response.chunk()).await {
        Err(_) => Err(failure::idle(endpoint.idle_limit)),
        Ok(Err(error)) => Err(match unpack_error(&error) {
            Some(cause @ (UnpackError::Damaged | UnpackError::Bomb)) => failure::malformed(&cause.to_string()),
            Some(cause) => failure::cut_off(&cause.to_string()),
            None if error.is_timeout() => failure::cut_off("timed out"),
            None => failure::cut_off("the connection was lost"),
        }),
        Ok(Ok(bytes)) => Ok(bytes),
    }
}

/// Reads a body up to its first byte that is no white space. Returns the bytes from there on that have arrived; `None`
/// if there are none. Fails if more white space comes than a body may be long.
pub(super) async fn skip_white_space(response: &mut Response, endpoint: &Endpoint) -> Result<Option<Bytes>, Failure> {
    let mut skipped = 0;
    while let Some(bytes) = next_chunk(response, endpoint).await? {
        let rest = bytes.trim_ascii_start();
        if !rest.is_empty() {
            return Ok(Some(bytes.slice_ref(rest)));
        }
        skipped += bytes.len();
        if skipped > limits::JSON_BODY {
            return Err(failure::too_large(limits::JSON_BODY));
        }
    }
    Ok(None)
}

/// Parses the events of a body: of the bytes that have arrived, and of those that follow.
pub(super) fn events_of(
    head: Bytes,
    response: Response,
    endpoint: &Endpoint,
) -> impl Stream<Item = Result<Event, SseError<Failure>>> {
    let first = stream::once(async { Ok(head) });
    let rest = stream::try_unfold(response, |mut response| async {
        Ok(next_chunk(&mut response, endpoint).await?.map(|bytes| (bytes, response)))
    });
    sse::events::<_, Bytes, Failure>(Box::pin(first.chain(rest)))
}

/// Reads the beginning of an error's body, as much as arrives in time.
pub(super) async fn read_error_body(mut response: Response, wait: Duration) -> Vec<u8> {
    let mut body = Vec::new();
    let reading = async {
        while let Ok(Some(bytes)) = response.chunk().await {
            body.extend_from_slice(&bytes[..bytes.len().min(BODY_START - body.len())]);
            if body.len() == BODY_START {
                break;
            }
        }
    };
    // One limit for the whole body: a slow server must not hide its status.
    let _ = tokio::time::timeout(wait, reading).await;
    body
}
