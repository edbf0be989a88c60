//! What went wrong, in sentences: from transport errors, statuses and error bodies to a [`Failure`].

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::HeaderMap;
use secrecy::ExposeSecret;

use crate::api::call::{Failure, FailureKind};
use crate::api::error::{ApiError, from_value, read_error};
use crate::settings::{Endpoint, limits};

/// Headers worth showing; everything else may hold a secret.
const SHOWN: &[&str] = &[
    "content-type",
    "content-length",
    "date",
    "openai-model",
    "openai-organization",
    "openai-processing-ms",
    "openai-version",
    "retry-after",
    "retry-after-ms",
    "server",
    "x-ratelimit-limit-requests",
    "x-ratelimit-limit-tokens",
    "x-ratelimit-remaining-requests",
    "x-ratelimit-remaining-tokens",
    "x-ratelimit-reset-requests",
    "x-ratelimit-reset-tokens",
    "x-request-id",
    "x-should-retry",
];

/// A task of ours panicked.
pub(super) fn bug() -> Failure {
    Failure::new(FailureKind::Bug, "benchtop itself failed on this answer; the log says where. try again")
}

/// The answer broke off.
pub(super) fn cut_off(why: &str) -> Failure {
    Failure::new(FailureKind::CutOff, format!("the answer was cut off ({why}); what came is kept"))
}

/// Nothing came for the idle limit.
pub(super) fn idle(limit: Duration) -> Failure {
    Failure::new(
        FailureKind::Timeout,
        format!("no data for {} s; the connection was closed, what came is kept", limit.as_secs_f64().ceil()),
    )
}

/// No headers came in time.
pub(super) fn no_headers(limit: Duration) -> Failure {
    Failure::new(
        FailureKind::Timeout,
        format!("the server did not answer within {} s; try again later", limit.as_secs_f64().ceil()),
    )
}

/// Over a size limit, or not what the interface says.
pub(super) fn malformed(what: &str) -> Failure {
    Failure::new(
        FailureKind::Malformed,
        format!("the answer cannot be read: {what}; check that the base URL ends in /v1"),
    )
}

/// The request never got an answer.
pub(super) fn transport(error: &reqwest::Error, endpoint: &Endpoint) -> Failure {
    let place = origin(&endpoint.base_url);
    if error.is_timeout() {
        return Failure::new(
            FailureKind::Timeout,
            format!("{place} did not accept a connection in time; check the network"),
        );
    }
    if error.is_builder() {
        return Failure::new(
            FailureKind::Refused,
            format!("the request to {place} cannot be made: {}", deepest(error)),
        );
    }
    let cause = deepest(error);
    if cause.contains("refused") {
        return Failure::new(FailureKind::Offline, format!("nothing answers at {place}; is the server running?"));
    }
    Failure::new(FailureKind::Offline, format!("cannot reach {place}: {cause}; check the network and the base URL"))
}

/// The last cause of an error: the one that says something.
fn deepest(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// Scheme, host and port of a URL.
fn origin(url: &str) -> String {
    let rest = url.split_once("://").map_or(0, |(scheme, _)| scheme.len() + 3);
    let end = url[rest..].find('/').map_or(url.len(), |at| rest + at);
    url[..end].to_owned()
}

/// An answer that is not 2xx.
pub(super) fn refused(status: StatusCode, headers: &HeaderMap, body: &[u8], endpoint: &Endpoint) -> Failure {
    let error = read_error(body);
    let kind = kind(status, &error);
    let mut failure = Failure::new(kind, sentence(status, kind, &error, headers, endpoint));
    failure.status = Some(status.as_u16());
    failure.code.clone_from(&error.code);
    failure.request_id = header(headers, "x-request-id");
    failure.retry_after = retry_after(headers, &error.message);
    failure.headers = shown(headers);
    failure.body = String::from_utf8_lossy(&body[..body.len().min(limits::ERROR_BODY_SHOWN)]).into_owned();
    scrub(failure, endpoint)
}

/// An error that came as an event of a stream, or as a body under a good status.
pub(super) fn in_answer(value: &serde_json::Value, endpoint: &Endpoint) -> Failure {
    let error = from_value(value);
    let status = error.code.as_deref().and_then(|code| code.parse::<u16>().ok());
    let status = status.and_then(|code| StatusCode::from_u16(code).ok()).unwrap_or(StatusCode::OK);
    let kind = if status.is_success() && error.kind != "insufficient_quota" {
        FailureKind::Server
    } else {
        kind(status, &error)
    };
    let words = if error.message.is_empty() { "the server gave no reason" } else { &error.message };
    let mut failure = Failure::new(kind, format!("the server ended the answer with an error: {words}"));
    failure.code.clone_from(&error.code);
    failure.body = value.to_string().chars().take(limits::ERROR_BODY_SHOWN).collect();
    scrub(failure, endpoint)
}

/// Which kind of failure a status and an error body mean.
fn kind(status: StatusCode, error: &ApiError) -> FailureKind {
    let code = error.code.as_deref().unwrap_or_default();
    let is = |name: &str| code == name || error.kind == name;
    if is("insufficient_quota") {
        return FailureKind::Quota;
    }
    if is("context_length_exceeded")
        || is("exceed_context_size_error")
        || error.message.contains("maximum context length")
    {
        return FailureKind::TooLong;
    }
    match status.as_u16() {
        401 | 403 => FailureKind::Auth,
        404 if is("model_not_found") || error.message.to_ascii_lowercase().contains("model") => FailureKind::Refused,
        404 | 405 | 501 => FailureKind::Unsupported,
        408 => FailureKind::Timeout,
        429 => FailureKind::RateLimit,
        500.. => FailureKind::Server,
        _ => FailureKind::Refused,
    }
}

/// What happened and what to do next.
fn sentence(
    status: StatusCode,
    kind: FailureKind,
    error: &ApiError,
    headers: &HeaderMap,
    endpoint: &Endpoint,
) -> String {
    let code = status.as_u16();
    let words =
        if error.message.is_empty() { String::new() } else { format!(": {}", error.message.trim_end_matches('.')) };
    if status.is_redirection() {
        let to = header(headers, "location").map(|to| origin(&to)).unwrap_or_default();
        return format!("{code} redirect to {to}; redirects are not followed with a key, so correct the base URL");
    }
    match kind {
        FailureKind::Auth if endpoint.key.is_none() => {
            format!("{code} the server wants a key{words}; give this profile one")
        }
        FailureKind::Auth => format!("{code} the server does not take this key{words}; check the profile's key"),
        FailureKind::Quota => format!("{code} the quota is used up{words}; check the plan and billing of this account"),
        FailureKind::RateLimit => match retry_after(headers, &error.message) {
            Some(wait) => format!("{code} rate limit; the server asks to wait {} s", wait.as_secs_f64().ceil()),
            None => format!("{code} rate limit{words}; wait a little and try again"),
        },
        FailureKind::TooLong => {
            format!("{code} too long for the model{words}; shorten the text or start a new conversation")
        }
        FailureKind::Unsupported => {
            format!("{code} the server does not offer this{words}; check the base URL (it ends in /v1)")
        }
        FailureKind::Server => format!("{code} the server failed{words}; try again"),
        FailureKind::Timeout => format!("{code} the server gave up waiting{words}; try again"),
        _ => format!("{code} the server refused the request{words}; change it and try again"),
    }
}

/// How long the server asks to wait: `retry-after-ms`, `retry-after` (seconds or a date), or words in the message.
fn retry_after(headers: &HeaderMap, message: &str) -> Option<Duration> {
    let millis = header(headers, "retry-after-ms").and_then(|text| text.trim().parse::<f64>().ok());
    let seconds = || header(headers, "retry-after").and_then(|text| seconds_or_date(text.trim()));
    let said = || {
        let rest = message.split_once("try again in ")?.1;
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let number: f64 = rest[..end].parse().ok()?;
        Some(if rest[end..].starts_with("ms") { number / 1000.0 } else { number })
    };
    let seconds = millis.map(|ms| ms / 1000.0).or_else(seconds).or_else(said)?;
    Duration::try_from_secs_f64(seconds.max(0.0)).ok()
}

/// `120`, `1.5`, or an HTTP date, as seconds from now.
fn seconds_or_date(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().or_else(|| {
        let then = jiff::fmt::rfc2822::parse(text).ok()?;
        Some(then.timestamp().as_second() as f64 - jiff::Timestamp::now().as_second() as f64)
    })
}

/// A header as text.
pub(super) fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}

fn shown(headers: &HeaderMap) -> Vec<(String, String)> {
    SHOWN.iter().filter_map(|name| Some(((*name).to_owned(), header(headers, name)?))).collect()
}

/// Removes the key from what a server echoed back.
fn scrub(mut failure: Failure, endpoint: &Endpoint) -> Failure {
    let Some(key) = endpoint.key.as_ref().map(ExposeSecret::expose_secret).filter(|key| key.len() >= 4) else {
        return failure;
    };
    let mask = key
        .char_indices()
        .rev()
        .nth(3)
        .filter(|_| key.len() > 12)
        .map_or("…".to_owned(), |(at, _)| format!("…{}", &key[at..]));
    let texts =
        [Some(&mut failure.sentence), Some(&mut failure.body), failure.code.as_mut(), failure.request_id.as_mut()];
    for text in texts.into_iter().flatten().chain(failure.headers.iter_mut().map(|(_, value)| value)) {
        if text.contains(key) {
            *text = text.replace(key, &mask);
        }
    }
    failure
}
