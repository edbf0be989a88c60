//! What went wrong, in sentences: from transport errors, statuses and error bodies to a [`Failure`].

use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{StatusCode, Url};

use super::headers::header;
use super::redact::Secrets;
use super::{endpoints, retry_after};
use crate::api::call::{Failure, FailureKind, TRIED};
use crate::api::error::{ApiError, read_error};
use crate::settings::{Endpoint, limits, origin, parts};
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

/// The longest name of a field that a sentence holds, bytes.
const FIELD: usize = 64;

/// Characters of a text in place of an answer that a sentence holds.
const WORDS: usize = 200;

/// A task of ours panicked.
pub(super) fn bug() -> Failure {
    Failure::new(FailureKind::Bug, "benchtop itself failed on this answer; see the log for details, then try again")
}

/// The answer broke off.
pub(super) fn cut_off(why: &str) -> Failure {
    Failure::new(FailureKind::CutOff, format!("the answer was cut off ({why}); the part received is kept"))
}

/// Nothing came for the idle limit.
pub(super) fn idle(limit: Duration) -> Failure {
    Failure::new(
        FailureKind::Timeout,
        format!("no data for {} s; the connection was closed, the part received is kept", limit.as_secs_f64().ceil()),
    )
}

/// No headers came in time.
pub(super) fn no_headers(limit: Duration) -> Failure {
    Failure::new(
        FailureKind::Timeout,
        format!("the server did not answer within {} s; try again later", limit.as_secs_f64().ceil()),
    )
}

/// An event of a stream that is not JSON, or not what the interface says.
pub(super) fn unread(why: &str, data: &[u8], endpoint: &Endpoint) -> Failure {
    let shown = Secrets::of(endpoint).body(&data[..data.len().min(limits::ERROR_BODY)]);
    Failure { body: cut(shown).into(), ..Failure::new(FailureKind::Malformed, why) }
}

/// No event of a stream could be read; `first` tells of the first one.
pub(super) fn none_read(count: u64, first: Failure) -> Failure {
    let what =
        if count == 1 { "the stream's only event".to_owned() } else { format!("none of the stream's {count} events") };
    let verb = if count == 1 { "cannot" } else { "can" };
    let sentence = format!(
        "{what} {verb} be read ({}); set Stream to false in the parameters and try again, or choose another server",
        first.sentence.line()
    );
    Failure { sentence: sentence.into(), ..first }
}

/// The answer is compressed in a way that is not known here.
pub(super) fn unknown_coding(names: &str) -> Failure {
    let names: String = names.chars().take(WORDS).collect();
    let sentence = format!(
        "the server compresses its answers as {names:?}, which was not requested and cannot be read; \
         turn compression off on the server, or use gzip"
    );
    Failure::new(FailureKind::Malformed, sentence)
}

/// Over a size limit, or not what the interface says.
pub(super) fn malformed(what: &str) -> Failure {
    unreadable(what, "try again, or choose another profile: Ctrl+P → Profile: choose")
}

/// What no server of the interface would send.
fn foreign(what: &str, endpoint: &Endpoint) -> Failure {
    unreadable(what, base_url_advice(endpoint))
}

fn unreadable(what: &str, next: &str) -> Failure {
    Failure::new(FailureKind::Malformed, then(&format!("the answer cannot be read: {what}"), next))
}

/// What to do where there seems to be another server.
fn base_url_advice(endpoint: &Endpoint) -> &'static str {
    if parts(&endpoint.base_url).0.ends_with("/v1") {
        "check the base URL"
    } else {
        "check that the base URL ends in /v1"
    }
}

/// Over a size limit, bytes.
pub(super) fn too_large(limit: usize) -> Failure {
    malformed(&format!("it is larger than {} MiB", limit >> 20))
}

/// Over the limit of tokens, in words.
pub(super) fn many_tokens() -> String {
    let most = limits::ANSWER_TOKENS / 1_000_000;
    format!("it contains more than {most} million tokens and alternatives; request fewer logprobs")
}

/// A body that is no answer, with what it says.
pub(super) fn no_answer(what: &str, body: &[u8], endpoint: &Endpoint) -> Failure {
    let shown = Secrets::of(endpoint).body(&body[..body.len().min(limits::ERROR_BODY)]);
    let mut failure = match shown.trim_start().chars().next() {
        Some('<') => foreign(&format!("{} sent a web page", parts(&endpoint.base_url).0), endpoint),
        Some('{' | '[') => foreign(what, endpoint),
        Some(_) => foreign(&format!("the server said only {:?}", words(&shown)), endpoint),
        None => foreign("it is empty", endpoint),
    };
    failure.body = cut(shown).into();
    failure
}

/// The first words of a body that is a text.
fn words(body: &str) -> String {
    let mut words: String = read_error(body.as_bytes()).message.chars().take(WORDS).collect();
    if words.is_empty() {
        words = body.trim().chars().take(WORDS).collect();
    }
    words
}

/// An answer in the right form with nothing in it, in place of at least one of what was asked for.
pub(super) fn nothing(what: &str, body: &[u8], endpoint: &Endpoint) -> Failure {
    let sentence = format!("the server's answer contains no {what}s; try again, or choose another model or profile");
    let shown = Secrets::of(endpoint).body(&body[..body.len().min(limits::ERROR_BODY)]);
    Failure { body: cut(shown).into(), ..Failure::new(FailureKind::Malformed, sentence) }
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
        return malformed(&format!("{place} does not answer with valid HTTP ({cause})"));
    }
    if let Some(what) = certificate(error) {
        return Failure::new(FailureKind::Offline, format!("the certificate of {place} is not accepted: {what}"));
    }
    if cause.contains("refused") {
        return Failure::new(FailureKind::Offline, format!("nothing is listening at {place}; is the server running?"));
    }
    Failure::new(FailureKind::Offline, format!("cannot reach {place}: {cause}; check the network and the base URL"))
}

/// Why a server's certificate is not accepted; `None`: the error is another one.
pub(super) fn certificate(error: &reqwest::Error) -> Option<String> {
    let cause = deepest(error);
    let what = cause.split_once("invalid peer certificate: ")?.1;
    let is = |words: &[&str]| words.iter().any(|words| what.contains(words));
    Some(match () {
        () if is(&["UnknownIssuer", "unknown issuer"]) => {
            "it was not issued by an authority that this machine trusts; for an authority of your own set ca_file in \
             the profile"
                .to_owned()
        }
        () if is(&["Expired", "expired"]) => "it has expired; the server needs a new one".to_owned(),
        () if is(&["NotValidYet", "not valid yet"]) => "it is not valid yet; check the clock".to_owned(),
        () if is(&["NotValidForName", "not valid for name"]) => {
            "it is for another host name; check the base URL".to_owned()
        }
        () if is(&["CaUsedAsEndEntity"]) => {
            "it is the certificate of an authority, which no server may use; the server needs one of its own".to_owned()
        }
        () => what.to_owned(),
    })
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
pub(super) fn refused(
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
    path: &str,
    endpoint: &Endpoint,
) -> Failure {
    // Before anything is cut: half a key would not be found.
    let body = Secrets::of(endpoint).body(body);
    let error = read_error(body.as_bytes());
    let kind = match kind(status, &error) {
        // The server has files, but not this one.
        FailureKind::Unsupported if is_of(path, endpoints::FILES) && about_file(&error) => FailureKind::Refused,
        kind => kind,
    };
    let mut failure = Failure::new(kind, sentence(status, kind, &error, headers, (path, endpoint)));
    failure.status = Some(status.as_u16());
    failure.code = error.code.clone().map(Untrusted::new);
    failure.request_id = header(headers, "x-request-id").map(Untrusted::new);
    failure.retry_after = retry_after::asked(status, headers, &error.message);
    failure.headers = shown(headers);
    failure.body = cut(body).into();
    failure
}

/// The server has no such endpoint, as its others work: its base URL is right.
pub(super) fn absent(why: &mut Failure, url: &Url, path: &str) {
    let is_absent = why.kind == FailureKind::Unsupported && unoffered(path).is_none();
    if let Some(status) = why.status.filter(|_| is_absent) {
        let what = format!("{status} this server has no {}", url.path());
        why.sentence = then(&what, "choose another profile: Ctrl+P → Profile: choose").into();
    }
}

/// All attempts were made: how many, and how long the server asks to wait before another one.
pub(super) fn given_up(mut why: Failure, attempts: u8) -> Failure {
    why.attempts = attempts;
    let mut sentence = why.sentence.line().into_owned();
    if let Some(wait) = why.retry_after.filter(|_| !speaks_of(&sentence, WAITING)) {
        sentence = then(&sentence, &format!("the server asks to wait {} s", wait.as_secs_f64().ceil()));
    }
    if attempts > 1 {
        sentence = format!("{sentence}{TRIED}{attempts} times)");
    }
    why.sentence = sentence.into();
    why
}

/// The server asks for more patience than we have.
pub(super) fn too_long_a_wait(mut why: Failure, asked: Duration, attempts: u8) -> Failure {
    why.attempts = attempts;
    let sentence = why.sentence.line();
    let wait = if speaks_of(&sentence, WAITING) {
        "this is longer than benchtop waits automatically".to_owned()
    } else {
        let minutes = asked.as_secs().div_ceil(60);
        format!("the server asks to wait {minutes} min, longer than benchtop waits automatically")
    };
    why.sentence = then(&sentence, &wait).into();
    why
}

/// Words by which a server says how long to wait.
const WAITING: &[&str] = &["try again in", "retry after", "retry in", "wait "];

/// Whether one of these phrases is in a sentence, whatever the case of its letters.
fn speaks_of(sentence: &str, phrases: &[&str]) -> bool {
    let sentence = sentence.to_lowercase();
    phrases.iter().any(|phrase| sentence.contains(phrase))
}

/// Whether a server's words say themselves what our advice for such a failure would say.
fn advises(kind: FailureKind, words: &str) -> bool {
    let phrases: &[&str] = match kind {
        FailureKind::Quota => &["check your", "add ", "top up", "upgrade", "purchase", "recharge"],
        FailureKind::RateLimit => &["try again", "retry", "wait", "slow down"],
        FailureKind::Server | FailureKind::Timeout => &["try again", "retry"],
        FailureKind::TooLong => &["reduce", "shorten"],
        FailureKind::Refused => &["please ", "instead"],
        _ => &[],
    };
    speaks_of(words, phrases)
}

/// An error that came as an event of a stream, or as a body under a good status.
pub(super) fn in_answer(body: &[u8], path: &str, endpoint: &Endpoint) -> Failure {
    let body = Secrets::of(endpoint).body(&body[..body.len().min(limits::ERROR_BODY)]);
    let error = read_error(body.as_bytes());
    let status = error.code.as_deref().and_then(|code| code.parse::<u16>().ok());
    let status = status.and_then(|code| StatusCode::from_u16(code).ok()).filter(|status| !status.is_success());
    let kind = match status {
        Some(status) => kind(status, &error),
        None => named(&error).or_else(|| like(&error)).unwrap_or(FailureKind::Server),
    };
    let words = if error.message.is_empty() { "the server gave no reason" } else { &error.message };
    let next = if advises(kind, words) { String::new() } else { advice(kind, &error) };
    let sentence = match unoffered(path).filter(|_| kind == FailureKind::Unsupported) {
        Some((what, next)) => then(&format!("{what}: {words}"), next),
        None => then(&format!("the server ended the answer with an error: {words}"), &next),
    };
    let mut failure = Failure::new(kind, sentence);
    failure.retry_after = retry_after::said(&error.message);
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

/// The kind that an error's code or type suggests, where no status says it.
fn like(error: &ApiError) -> Option<FailureKind> {
    let of = |name: &str| match name.to_ascii_lowercase().as_str() {
        "rate_limit_exceeded" | "rate_limit_error" | "ratelimiterror" | "throttling_error" | "requests" | "tokens" => {
            Some(FailureKind::RateLimit)
        }
        "invalid_api_key"
        | "invalid_organization"
        | "no_organization"
        | "mismatched_organization"
        | "auth_error"
        | "authentication_error"
        | "authenticationerror"
        | "permission_error"
        | "permissiondeniederror" => Some(FailureKind::Auth),
        "not_supported_error" => Some(FailureKind::Unsupported),
        "timeout_error" => Some(FailureKind::Timeout),
        "invalid_request_error"
        | "badrequesterror"
        | "bad_request_error"
        | "model_not_found"
        | "not_found_error"
        | "notfounderror" => Some(FailureKind::Refused),
        _ => None,
    };
    // One server says so under 200, and gives it no name.
    if error.message.to_ascii_lowercase().starts_with("unexpected endpoint") {
        return Some(FailureKind::Unsupported);
    }
    // The code is the finer word.
    error.code.as_deref().and_then(of).or_else(|| of(&error.kind))
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
        // The key is good, but not for this model, or the model not for this call.
        403 if is(error, "model_not_found") || error.message.contains("from this model") => FailureKind::Refused,
        401 | 403 => FailureKind::Auth,
        402 => FailureKind::Quota,
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
    (path, endpoint): (&str, &Endpoint),
) -> String {
    let code = status.as_u16();
    let words = if error.message.is_empty() { String::new() } else { format!(": {}", error.message) };
    if status.is_redirection() {
        let to = header(headers, "location").map(|to| origin(&to).to_owned()).unwrap_or_default();
        return format!("{code} redirect to {to}; redirects are not followed with a key, so correct the base URL");
    }
    let own = advice(kind, error);
    // How long to wait is said once no other attempt follows.
    let waits = kind == FailureKind::RateLimit && retry_after::asked(status, headers, &error.message).is_some();
    let own = if waits || advises(kind, &error.message) { "" } else { &own };
    let (what, next) = match kind {
        FailureKind::Auth if endpoint.key.is_none() => {
            ("the server requires a key", "add one: Ctrl+P → Profile: new key")
        }
        FailureKind::Auth => ("the server rejected this key", own),
        FailureKind::Quota if code == 402 => ("the server requires payment", own),
        FailureKind::Quota => ("the quota is used up", own),
        FailureKind::RateLimit => ("rate limit", own),
        FailureKind::TooLong => ("too long for the model", own),
        FailureKind::Unsupported => {
            unoffered(path).unwrap_or(("the server does not support this", base_url_advice(endpoint)))
        }
        FailureKind::Server => ("server error", own),
        FailureKind::Timeout => ("the server timed out", own),
        _ if code == 404 && is_of(path, endpoints::FILES) => ("the server has no such file", "refresh the list"),
        _ if matches!(code, 403 | 404) => ("the server refused the request", "choose another model: Ctrl+P → Model"),
        _ => ("the server refused the request", own),
    };
    then(&format!("{code} {what}{words}"), next)
}

/// What happened, and after it what to do next: a server's words may end as a sentence of their own.
fn then(what: &str, next: &str) -> String {
    let what = what.trim_end_matches(['.', ' ', ';', ',', ':']);
    if next.is_empty() {
        return what.to_owned();
    }
    if what.ends_with(['!', '?']) { format!("{what} {next}") } else { format!("{what}; {next}") }
}

/// What many servers do not have, and what to do then; `None`: it is one that every server should have.
fn unoffered(path: &str) -> Option<(&'static str, &'static str)> {
    match path {
        endpoints::MODERATIONS => {
            Some(("this server does not support moderation", "choose another profile: Ctrl+P → Profile: choose"))
        }
        endpoints::FILES => {
            Some(("this server does not support files", "choose another profile: Ctrl+P → Profile: choose"))
        }
        endpoints::EMBEDDINGS => {
            Some(("this server does not support embeddings", "choose another profile: Ctrl+P → Profile: choose"))
        }
        _ => None,
    }
}

/// Whether a path is that of one of those that a path lists.
fn is_of(path: &str, list: &str) -> bool {
    path.strip_prefix(list).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether an error is about one file, not about the endpoint.
fn about_file(error: &ApiError) -> bool {
    error.message.to_ascii_lowercase().contains("file")
}

/// What to do next.
fn advice(kind: FailureKind, error: &ApiError) -> String {
    let next = match kind {
        FailureKind::Auth => "paste the correct key: Ctrl+P → Profile: new key",
        FailureKind::Quota => "check the plan and billing of this account, or choose another profile",
        FailureKind::RateLimit => "wait a moment and try again",
        FailureKind::TooLong => "shorten the text, or request fewer tokens",
        FailureKind::Unsupported => "choose another profile: Ctrl+P → Profile: choose",
        FailureKind::Server | FailureKind::Timeout => "try again",
        _ => {
            return match &error.param {
                Some(field) if field.len() <= FIELD => format!("change {field} and try again"),
                _ => "change the text, the settings or the model, and try again".to_owned(),
            };
        }
    };
    next.to_owned()
}

fn shown(headers: &HeaderMap) -> Vec<(String, Untrusted)> {
    SHOWN.iter().filter_map(|name| Some(((*name).to_owned(), header(headers, name)?.into()))).collect()
}
