//! What went wrong, in sentences: from transport errors, statuses and error bodies to a [`Failure`].

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::HeaderMap;

use super::scrub::Secrets;
use crate::api::call::{Failure, FailureKind};
use crate::api::error::{ApiError, read_error};
use crate::settings::{Endpoint, limits, origin};
use crate::text::Untrusted;

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

/// Over a size limit, bytes.
pub(super) fn too_large(limit: usize) -> Failure {
    malformed(&format!("it is larger than {} MiB", limit >> 20))
}

/// A body that is no answer, with what it says.
pub(super) fn no_answer(what: &str, body: &[u8], endpoint: &Endpoint) -> Failure {
    let mut failure = if body.trim_ascii_start().starts_with(b"<") {
        malformed(&format!("{} sent a web page", endpoint.base_url))
    } else {
        malformed(what)
    };
    failure.body = cut(Secrets::of(endpoint).body(&body[..body.len().min(limits::ERROR_BODY)])).into();
    failure
}

/// The first of a text, for the details view.
fn cut(mut text: String) -> String {
    text.truncate(text.floor_char_boundary(limits::ERROR_BODY_SHOWN));
    text
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
    if is_garbled(error) {
        return malformed(&format!("{place} does not answer as HTTP does ({cause})"));
    }
    if cause.contains("refused") {
        return Failure::new(FailureKind::Offline, format!("nothing answers at {place}; is the server running?"));
    }
    Failure::new(FailureKind::Offline, format!("cannot reach {place}: {cause}; check the network and the base URL"))
}

/// Whether what came was no HTTP, or more headers than are taken.
fn is_garbled(error: &reqwest::Error) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(this) = cause {
        if this.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse) {
            return true;
        }
        cause = this.source();
    }
    false
}

/// The last cause of an error: the one that says something.
fn deepest(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    cause.to_string()
}

/// An answer that is not 2xx.
pub(super) fn refused(status: StatusCode, headers: &HeaderMap, body: &[u8], endpoint: &Endpoint) -> Failure {
    // Before anything is cut: half a key would not be found.
    let body = Secrets::of(endpoint).body(body);
    let error = read_error(body.as_bytes());
    let kind = kind(status, &error);
    let mut failure = Failure::new(kind, sentence(status, kind, &error, headers, endpoint));
    failure.status = Some(status.as_u16());
    failure.code = error.code.clone().map(Untrusted::new);
    failure.request_id = header(headers, "x-request-id").map(Untrusted::new);
    failure.retry_after = retry_after(headers, &error.message);
    failure.headers = shown(headers);
    failure.body = cut(body).into();
    failure
}

/// An error that came as an event of a stream, or as a body under a good status.
pub(super) fn in_answer(body: &[u8], endpoint: &Endpoint) -> Failure {
    let body = Secrets::of(endpoint).body(&body[..body.len().min(limits::ERROR_BODY)]);
    let error = read_error(body.as_bytes());
    let status = error.code.as_deref().and_then(|code| code.parse::<u16>().ok());
    let status = status.and_then(|code| StatusCode::from_u16(code).ok()).filter(|status| !status.is_success());
    let kind = match status {
        Some(status) => kind(status, &error),
        None => named(&error).unwrap_or(FailureKind::Server),
    };
    let words = if error.message.is_empty() { "the server gave no reason" } else { &error.message };
    let mut failure = Failure::new(kind, format!("the server ended the answer with an error: {words}"));
    failure.code = error.code.clone().map(Untrusted::new);
    failure.body = cut(body).into();
    failure
}

/// The kind that an error itself names.
fn named(error: &ApiError) -> Option<FailureKind> {
    if is(error, "insufficient_quota") {
        return Some(FailureKind::Quota);
    }
    let too_long = is(error, "context_length_exceeded")
        || is(error, "exceed_context_size_error")
        || error.message.contains("maximum context length");
    too_long.then_some(FailureKind::TooLong)
}

/// Whether an error bears a name, as its code or its type.
fn is(error: &ApiError, name: &str) -> bool {
    error.code.as_deref() == Some(name) || error.kind == name
}

/// Which kind of failure a status and an error body mean.
fn kind(status: StatusCode, error: &ApiError) -> FailureKind {
    if let Some(kind) = named(error) {
        return kind;
    }
    match status.as_u16() {
        401 | 403 => FailureKind::Auth,
        404 if is(error, "model_not_found") || error.message.to_ascii_lowercase().contains("model") => {
            FailureKind::Refused
        }
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
        let to = header(headers, "location").map(|to| origin(&to).to_owned()).unwrap_or_default();
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
    let said = || spoken(message.split_once("try again in ")?.1);
    let seconds = millis.map(|ms| ms / 1000.0).or_else(seconds).or_else(said)?;
    Duration::try_from_secs_f64(seconds.max(0.0)).ok()
}

/// A wait as servers say it, in seconds: `20s`, `6m0s`, `1h2m3.5s`, `250ms`, `20 seconds`.
fn spoken(text: &str) -> Option<f64> {
    let (mut rest, mut sum) = (text, None);
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let Ok(number) = rest[..digits].parse::<f64>() else { return sum };
        rest = rest[digits..].trim_start();
        let letters = rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len());
        let unit = match &rest[..letters] {
            "h" | "hour" | "hours" => 3600.0,
            "m" | "min" | "minute" | "minutes" => 60.0,
            "s" | "sec" | "second" | "seconds" => 1.0,
            "ms" | "millisecond" | "milliseconds" => 1e-3,
            "us" | "µs" | "μs" => 1e-6,
            "ns" => 1e-9,
            // A number of something else, or of nothing: seconds, if it is the first.
            _ => return sum.or(Some(number)),
        };
        sum = Some(sum.unwrap_or(0.0) + number * unit);
        rest = rest[letters..].trim_start();
    }
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

fn shown(headers: &HeaderMap) -> Vec<(String, Untrusted)> {
    SHOWN.iter().filter_map(|name| Some(((*name).to_owned(), header(headers, name)?.into()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_read_as_servers_say_them() {
        for (text, seconds) in [
            ("20s.", Some(20.0)),
            ("6m0s. Visit the 2 pages", Some(360.0)),
            ("1h2m3s", Some(3723.0)),
            ("1m30.5s", Some(90.5)),
            ("250ms", Some(0.25)),
            ("20 seconds", Some(20.0)),
            ("2 minutes and more", Some(120.0)),
            ("7", Some(7.0)),
            ("20s 5 requests", Some(20.0)),
            ("a while", None),
        ] {
            assert_eq!(spoken(text), seconds, "{text}");
        }
    }
}
