//! Describes what went wrong in a sentence: makes a [`Failure`] of an error response, or of an answer that cannot be
//! used.

mod kind;
mod transport;

pub(super) use self::transport::{causes, certificate_problem, nothing_listens, transport, unreachable};

use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{StatusCode, Url};

use self::kind::{kind_of_response, kind_without_status};
use super::headers::header;
use super::nan_filter::without_nan;
use super::redact::Secrets;
use super::{endpoints, retry_after};
use crate::api::advice::Advice;
use crate::api::call::{Failure, FailureKind, cut_off_sentence};
use crate::api::error::{ApiError, read_error};
use crate::api::job::Dialect;
use crate::settings::{Endpoint, limits, parts, url_origin};
use crate::text::Untrusted;

/// Headers that are shown. Every other one may hold a secret.
const SHOWN_HEADERS: &[&str] = &[
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

/// Bytes of the longest name of a field that a sentence may contain.
const MAX_FIELD_NAME_BYTES: usize = 64;

/// Advice where nothing is known of what the server refuses.
const CHANGE_ANYTHING: &str = "change the text, the settings or the model, and try again";

/// The same for a fine-tune, which has no text.
const CHANGE_JOB: &str = "change the files, the settings or the model, and try again";

/// Characters of a server's text that a sentence may quote.
const MAX_EXCERPT_CHARS: usize = 200;

/// Bytes of a body that are enough to describe a failure: one more than are searched for an error, which shows that the
/// body is longer than that.
pub(super) const BODY_START: usize = limits::ERROR_BODY + 1;

/// Phrases by which a server's message says how long to wait.
const WAIT_PHRASES: &[&str] = &["try again in", "retry after", "retry in", "wait "];

/// Returns the failure of a call whose task panicked.
pub(super) fn bug() -> Failure {
    Failure::new(FailureKind::Bug, "benchtop itself failed on this answer; see the log for details, then try again")
}

/// Returns the failure of an answer that ended early.
pub(super) fn cut_off(why: &str) -> Failure {
    Failure::new(FailureKind::CutOff, cut_off_sentence(why))
}

/// Returns the failure of an answer of which nothing came for as long as the idle limit.
pub(super) fn idle(limit: Duration) -> Failure {
    Failure::new(
        FailureKind::Timeout,
        format!("no data for {} s; the connection was closed, the part received is kept", limit.as_secs_f64().ceil()),
    )
}

/// Returns the failure of a request whose response headers did not come in time.
pub(super) fn no_headers(limit: Duration) -> Failure {
    Failure::new(
        FailureKind::Timeout,
        format!("the server did not answer within {} s; try again later", limit.as_secs_f64().ceil()),
    )
}

/// Returns the failure of an event of a stream that is not JSON, or not what the interface specifies.
pub(super) fn unreadable_event(why: &str, data: &[u8], endpoint: &Endpoint) -> Failure {
    Failure { body: shown_body(data, endpoint), ..Failure::new(FailureKind::Malformed, why) }
}

/// Returns the failure of a stream of which no event could be read; `first` is the failure of its first event.
pub(super) fn unreadable_stream(count: u64, first: Failure) -> Failure {
    let what =
        if count == 1 { "the stream's only event".to_owned() } else { format!("none of the stream's {count} events") };
    let verb = if count == 1 { "cannot" } else { "can" };
    let sentence = format!(
        "{what} {verb} be read ({}); set Stream to false in the parameters and try again, or choose another server",
        first.sentence.line()
    );
    Failure { sentence: sentence.into(), ..first }
}

/// Returns the failure of an answer that is compressed in a way that benchtop does not know.
pub(super) fn unknown_coding(names: &str) -> Failure {
    let names: String = names.chars().take(MAX_EXCERPT_CHARS).collect();
    let sentence = format!(
        "the server compresses its answers as {names:?}, which was not requested and cannot be read; \
         turn compression off on the server, or use gzip"
    );
    Failure::new(FailureKind::Malformed, sentence)
}

/// Returns the failure of an answer that is over a limit, or not what the interface specifies.
pub(super) fn malformed(what: &str) -> Failure {
    unreadable_answer(what, Advice::RetryOrChooseProfile.words())
}

/// Returns the failure of an answer that no server of this interface would send.
fn not_this_api(what: &str, endpoint: &Endpoint) -> Failure {
    unreadable_answer(what, base_url_advice(endpoint))
}

fn unreadable_answer(what: &str, advice: &str) -> Failure {
    Failure::new(FailureKind::Malformed, with_advice(&format!("the answer cannot be read: {what}"), advice))
}

/// Returns advice for a base URL that seems to lead to something other than the interface.
fn base_url_advice(endpoint: &Endpoint) -> &'static str {
    if parts(&endpoint.base_url).0.ends_with("/v1") {
        "check the base URL"
    } else {
        "check that the base URL ends in /v1"
    }
}

/// Returns the failure of an answer of more than `limit` bytes.
pub(super) fn too_large(limit: usize) -> Failure {
    malformed(&format!("it is larger than {} MiB", limit >> 20))
}

/// Returns the failure of a stream with a line or an event above [`limits::SSE_LINE`].
pub(super) fn event_too_long() -> Failure {
    malformed(&format!("a line or event of the stream is longer than {} MiB", limits::SSE_LINE >> 20))
}

/// Says that an answer has more tokens than [`limits::ANSWER_TOKENS`].
pub(super) fn too_many_tokens() -> String {
    let most = limits::ANSWER_TOKENS / 1_000_000;
    format!("it contains more than {most} million tokens and alternatives; request fewer logprobs")
}

/// Returns the failure of a body that is no answer of the interface, with the beginning of what it says.
pub(super) fn not_an_answer(what: &str, body: &[u8], endpoint: &Endpoint) -> Failure {
    let text = first_text(body, endpoint);
    let mut failure = match text.trim_start().chars().next() {
        Some('<') => not_this_api(&format!("{} sent a web page", parts(&endpoint.base_url).0), endpoint),
        Some('{' | '[') => not_this_api(what, endpoint),
        Some(_) => not_this_api(&format!("the server said only {:?}", excerpt(&text)), endpoint),
        None => not_this_api("it is empty", endpoint),
    };
    failure.body = shorten(text);
    failure
}

/// Returns the message in a body that is text, or its first words.
fn excerpt(body: &str) -> String {
    let mut words: String = read_error(body.as_bytes()).message.chars().take(MAX_EXCERPT_CHARS).collect();
    if words.is_empty() {
        words = body.trim().chars().take(MAX_EXCERPT_CHARS).collect();
    }
    words
}

/// Returns the failure of an answer in the right form that contains none of the `what`s that were asked for.
pub(super) fn empty_answer(what: &str, body: &[u8], endpoint: &Endpoint) -> Failure {
    let sentence = format!("the server's answer contains no {what}s; try again, or choose another model or profile");
    Failure { body: shown_body(body, endpoint), ..Failure::new(FailureKind::Malformed, sentence) }
}

/// Returns the beginning of a body as text without secrets, as much as is searched for an error.
fn first_text(body: &[u8], endpoint: &Endpoint) -> String {
    Secrets::of(endpoint).redacted_start(body, limits::ERROR_BODY)
}

/// Returns the beginning of a body without secrets, as much as is shown.
fn shown_body(body: &[u8], endpoint: &Endpoint) -> Untrusted {
    shorten(first_text(body, endpoint))
}

fn shorten(mut text: String) -> Untrusted {
    text.truncate(text.floor_char_boundary(limits::ERROR_BODY_SHOWN));
    text.into()
}

/// Returns the failure of a request that was answered with a status other than 2xx.
pub(super) fn error_response(
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
    path: &str,
    endpoint: &Endpoint,
) -> Failure {
    let text = first_text(body, endpoint);
    let error = read_error(text.as_bytes());
    let kind = match kind_of_response(status, &error) {
        // The server has files, but not this one.
        FailureKind::Unsupported if is_below(path, endpoints::FILES) && is_about_file(&error) => FailureKind::Refused,
        kind => kind,
    };
    let wait = retry_after::requested_wait(status, headers, &error.message);
    let sentence = if status.is_redirection() {
        redirect_sentence(status, headers)
    } else {
        // A wait is mentioned only once no other attempt follows.
        let is_waiting = kind == FailureKind::RateLimit && wait.is_some();
        let advice = if is_waiting { String::new() } else { advice_unless_given(kind, &error) };
        let (what, advice) = describe_error(status, kind, &advice, path, endpoint);
        let words = if error.message.is_empty() { String::new() } else { format!(": {}", error.message) };
        with_advice(&format!("{} {what}{words}", status.as_u16()), advice)
    };
    let mut failure = Failure::new(kind, sentence);
    failure.status = Some(status.as_u16());
    failure.code = error.code.clone().map(Untrusted::new);
    failure.request_id = header(headers, "x-request-id").map(Untrusted::new);
    failure.retry_after = wait;
    failure.headers = shown_headers(headers);
    failure.body = shorten(text);
    failure
}

/// Says that the server redirects, and to which server if it names one.
fn redirect_sentence(status: StatusCode, headers: &HeaderMap) -> String {
    let place = header(headers, "location").and_then(|location| url_origin(&location));
    let place = place.map(|origin| format!(" to {origin}")).unwrap_or_default();
    let code = status.as_u16();
    format!("{code} redirect{place}; redirects are not followed with a key, so correct the base URL")
}

/// Returns what an error response means, and what to do: `advice`, or something more specific.
fn describe_error<'a>(
    status: StatusCode,
    kind: FailureKind,
    advice: &'a str,
    path: &str,
    endpoint: &Endpoint,
) -> (String, &'a str) {
    let code = status.as_u16();
    let (what, next) = match kind {
        FailureKind::Auth if endpoint.key.is_none() => ("the server requires a key", Advice::AddKey.words()),
        FailureKind::Auth => ("the server rejected this key", advice),
        FailureKind::Quota if code == 402 => ("the server requires payment", advice),
        FailureKind::Quota => ("the quota is used up", advice),
        FailureKind::RateLimit => ("rate limit", advice),
        FailureKind::TooLong => ("too long for the model", advice),
        FailureKind::Unsupported => match optional_endpoint(path) {
            Some(name) => return (no_support(name), Advice::ChooseProfile.words()),
            None => ("the server does not support this", base_url_advice(endpoint)),
        },
        FailureKind::Server => ("server error", advice),
        FailureKind::Timeout => ("the server timed out", advice),
        _ if code == 404 && is_below(path, endpoints::FILES) => {
            ("the server has no such file", Advice::ListFiles.words())
        }
        _ if matches!(code, 403 | 404) => ("the server refused the request", Advice::ChooseModel.words()),
        _ if advice == CHANGE_ANYTHING && has_no_settings(path) => ("the server refused the request", ""),
        _ if advice == CHANGE_ANYTHING && is_of_jobs(path) => ("the server refused the request", CHANGE_JOB),
        _ => ("the server refused the request", advice),
    };
    (what.to_owned(), next)
}

/// Rewrites the failure of a path that the server lacks although its base URL is known to be right.
pub(super) fn name_missing_endpoint(why: &mut Failure, url: &Url, path: &str) {
    let is_missing = why.kind == FailureKind::Unsupported && optional_endpoint(path).is_none();
    if let Some(status) = why.status.filter(|_| is_missing) {
        let what = format!("{status} this server has no {}", url.path());
        why.sentence = with_advice(&what, Advice::ChooseProfile.words()).into();
    }
}

/// Completes the failure of the last attempt: how many there were, and how long the server asks to wait before another.
pub(super) fn given_up(mut why: Failure, attempts: u8) -> Failure {
    let sentence = why.sentence.line();
    if let Some(wait) = why.retry_after.filter(|_| !contains_any(&sentence, WAIT_PHRASES)) {
        let wait = format!("the server asks to wait {} s", wait.as_secs_f64().ceil());
        why.sentence = with_advice(&sentence, &wait).into();
    }
    why.set_attempts(attempts);
    why
}

/// Completes the failure of an attempt after which the server asks for a longer wait than benchtop makes.
pub(super) fn too_long_a_wait(mut why: Failure, asked: Duration, attempts: u8) -> Failure {
    why.attempts = attempts;
    let sentence = why.sentence.line();
    let wait = if contains_any(&sentence, WAIT_PHRASES) {
        "this is longer than benchtop waits automatically".to_owned()
    } else {
        let minutes = asked.as_secs().div_ceil(60);
        format!("the server asks to wait {minutes} min, longer than benchtop waits automatically")
    };
    why.sentence = with_advice(&sentence, &wait).into();
    why
}

/// Returns the failure of an answer that is an error, as an event of a stream or as a body under a good status.
pub(super) fn error_in_answer(body: &[u8], path: &str, endpoint: &Endpoint) -> Failure {
    let text = first_text(body, endpoint);
    // Python writes NaN in errors, too. Plain text keeps its words.
    let is_json = text.trim_start().starts_with('{');
    let error = if is_json { read_error(&without_nan(text.as_bytes().into())) } else { read_error(text.as_bytes()) };
    let status = error.code.as_deref().and_then(|code| code.parse::<u16>().ok());
    let status = status.and_then(|code| StatusCode::from_u16(code).ok()).filter(|status| !status.is_success());
    let kind = status.map_or_else(|| kind_without_status(&error), |status| kind_of_response(status, &error));
    let words = if error.message.is_empty() { "the server gave no reason" } else { &error.message };
    let sentence = match optional_endpoint(path).filter(|_| kind == FailureKind::Unsupported) {
        Some(name) => with_advice(&format!("{}: {words}", no_support(name)), Advice::ChooseProfile.words()),
        None => {
            let what = format!("the server ended the answer with an error: {words}");
            with_advice(&what, &advice_unless_given(kind, &error))
        }
    };
    let mut failure = Failure::new(kind, sentence);
    failure.retry_after = retry_after::wait_in_message(&error.message);
    failure.code = error.code.clone().map(Untrusted::new);
    failure.body = shorten(text);
    failure
}

/// Appends advice to a sentence, which may end in a server's own words and their punctuation.
pub(super) fn with_advice(what: &str, advice: &str) -> String {
    let what = what.trim_end_matches(['.', ' ', ';', ',', ':']);
    if advice.is_empty() {
        return what.to_owned();
    }
    if what.ends_with(['!', '?']) { format!("{what} {advice}") } else { format!("{what}; {advice}") }
}

/// Returns what a path is for if many servers do not have it; `None` for paths that every server should have.
fn optional_endpoint(path: &str) -> Option<&'static str> {
    match path {
        endpoints::MODERATIONS => Some("moderation"),
        endpoints::FILES => Some("files"),
        endpoints::EMBEDDINGS => Some("embeddings"),
        _ => None,
    }
}

fn no_support(name: &str) -> String {
    format!("this server does not support {name}")
}

/// Returns whether a path is that of an entry of a list.
fn is_below(path: &str, list: &str) -> bool {
    path.strip_prefix(list).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns whether a request has neither a text nor settings: a file, or the end of a fine-tune.
fn has_no_settings(path: &str) -> bool {
    path == endpoints::FILES || is_below(path, endpoints::FILES) || path.ends_with("/cancel")
}

/// Returns whether a request creates a fine-tune.
fn is_of_jobs(path: &str) -> bool {
    [Dialect::FineTunes, Dialect::FineTuning].into_iter().any(|dialect| dialect.path() == path)
}

/// Returns whether an error is about one file, not about the endpoint.
fn is_about_file(error: &ApiError) -> bool {
    error.message.to_ascii_lowercase().contains("file")
}

/// Returns advice on an error; empty if the server's own message gives it.
fn advice_unless_given(kind: FailureKind, error: &ApiError) -> String {
    let phrases: &[&str] = match kind {
        FailureKind::Quota => &["check your", "add ", "top up", "upgrade", "purchase", "recharge"],
        FailureKind::RateLimit => &["try again", "retry", "wait"],
        FailureKind::Server | FailureKind::Timeout => &["try again", "retry"],
        FailureKind::TooLong => &["reduce", "shorten"],
        FailureKind::Refused => &["please ", "instead"],
        _ => &[],
    };
    if contains_any(&error.message, phrases) { String::new() } else { advice(kind, error) }
}

fn advice(kind: FailureKind, error: &ApiError) -> String {
    let next = match kind {
        FailureKind::Auth => Advice::CorrectKey.words(),
        FailureKind::Quota => "check the plan and billing of this account, or choose another profile",
        FailureKind::RateLimit => "wait a moment and try again",
        FailureKind::TooLong => "shorten the text, or request fewer tokens",
        FailureKind::Unsupported => Advice::ChooseProfile.words(),
        FailureKind::Server | FailureKind::Timeout => "try again",
        _ => {
            return match &error.param {
                Some(field) if field == "file" => "choose another file".to_owned(),
                Some(field) if field.len() <= MAX_FIELD_NAME_BYTES => format!("change {field} and try again"),
                _ => CHANGE_ANYTHING.to_owned(),
            };
        }
    };
    next.to_owned()
}

/// Returns whether a text contains one of these phrases, in upper or lower case.
fn contains_any(text: &str, phrases: &[&str]) -> bool {
    let text = text.to_lowercase();
    phrases.iter().any(|phrase| text.contains(phrase))
}

fn shown_headers(headers: &HeaderMap) -> Vec<(String, Untrusted)> {
    SHOWN_HEADERS.iter().filter_map(|name| Some(((*name).to_owned(), header(headers, name)?.into()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_fits_the_request() {
        let said = |base: &str, path: &str, code: u16, message: &str| {
            let body = format!("{{\"error\":{{\"message\":\"{message}\"}}}}");
            let (status, endpoint) = (StatusCode::from_u16(code).unwrap(), Endpoint::new(base, None));
            error_response(status, &HeaderMap::new(), body.as_bytes(), path, &endpoint).sentence.line().into_owned()
        };
        let without_v1 = said("http://h", endpoints::MODELS, 404, "Invalid URL (GET /models)");
        assert!(without_v1.ends_with("; check that the base URL ends in /v1"), "{without_v1}");
        for path in [endpoints::FILES, "/files/file-1", "/fine-tunes/ft-1/cancel", "/fine_tuning/jobs/ft-1/cancel"] {
            assert_eq!(
                said("http://h/v1", path, 400, "It has ended."),
                "400 the server refused the request: It has ended"
            );
        }
        for path in ["/fine-tunes", "/fine_tuning/jobs"] {
            let job = said("http://h/v1", path, 400, "It is odd.");
            assert!(job.ends_with(CHANGE_JOB), "{job}");
        }
        let busy = said("http://h/v1", "/moderations", 429, "Slow down.");
        assert_eq!(busy, "429 rate limit: Slow down; wait a moment and try again");
        let chat = said("http://h/v1", "/chat/completions", 400, "It is odd.");
        assert!(chat.ends_with(CHANGE_ANYTHING), "{chat}");
    }

    #[test]
    fn an_error_with_nan_in_it_is_read_and_a_text_about_nan_stays() {
        let endpoint = Endpoint::new("http://h/v1", None);
        let read = |body: &str| error_in_answer(body.as_bytes(), endpoints::FILES, &endpoint);
        let failure = read(r#"{"error":{"message":"diverged","code":429,"loss":NaN}}"#);
        assert_eq!(failure.kind, FailureKind::RateLimit);
        assert!(failure.sentence.line().contains("error: diverged"), "{}", failure.sentence.line());
        assert!(read("loss is NaN").sentence.line().contains("loss is NaN"));
    }
}
