//! Statistics of answers: counts for `GET /metrics`, and a line per request if a log is written.
//!
//! Neither contains anything of a request's content: paths are counted by their route, and a line has no query, no body
//! and no key.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Instant;

use axum::Json;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{MatchedPath, Request, State as Shared};
use axum::http::{Method, header};
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use serde_json::json;

use super::reject::short;
use super::request_log::{LogSink, LogWriter};
use super::state::State;

/// Methods that are counted by name.
const METHODS: [&str; 7] = ["GET", "POST", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"];
/// Characters of a path in a line.
const PATH: usize = 200;

/// The status under which a request is counted whose caller disconnected before the answer was complete.
const ABANDONED: u16 = 499;

/// Counts since the service began.
#[derive(Default)]
pub(super) struct Metrics {
    /// By method, route and status.
    requests: Mutex<BTreeMap<(&'static str, String, u16), u64>>,
    usage: TokenUsage,
    log: Option<LogWriter>,
}

/// Tokens that a request used. A route puts it into the extensions of its response and adds to it while the body is
/// sent.
#[derive(Clone, Default)]
pub(super) struct TokenUsage(Arc<(AtomicU64, AtomicU64)>);

impl TokenUsage {
    /// Starts with a prompt of that many tokens.
    pub(super) fn prompt(tokens: u64) -> Self {
        let usage = Self::default();
        usage.add((tokens, 0));
        usage
    }

    /// Adds tokens that were written.
    pub(super) fn add_completion(&self, tokens: u64) {
        self.add((0, tokens));
    }

    fn add(&self, (prompt, completion): (u64, u64)) {
        self.0.0.fetch_add(prompt, Ordering::Relaxed);
        self.0.1.fetch_add(completion, Ordering::Relaxed);
    }

    fn tokens(&self) -> (u64, u64) {
        (self.0.0.load(Ordering::Relaxed), self.0.1.load(Ordering::Relaxed))
    }
}

impl Metrics {
    /// Creates empty counts; writes a line per request to `log`. Fails if the log's thread does not start.
    pub(super) fn new(log: Option<LogSink>) -> io::Result<Self> {
        Ok(Self { log: log.map(LogWriter::start).transpose()?, ..Self::default() })
    }

    /// Waits until the lines so far are written, but only for a moment.
    pub(super) async fn flush(&self) {
        if let Some(log) = &self.log {
            log.flush().await;
        }
    }

    fn count(&self, record: &RequestRecord, status: u16, tokens: Option<(u64, u64)>) {
        let key = (record.method, record.route.clone(), status);
        *self.requests.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default() += 1;
        self.usage.add(tokens.unwrap_or_default());
        if let Some(log) = &self.log {
            let (now, ms) = (jiff::Timestamp::now(), record.started.elapsed().as_millis());
            let tokens = tokens.map_or_else(|| "-".into(), |(prompt, completion)| format!("{prompt}+{completion}"));
            log.write(format!("{now:.3} {} {} {status} {ms} {tokens}\n", record.method, record.path));
        }
    }
}

/// What a request asked for, in words that may be counted and logged. If it is dropped before there is an answer, as
/// when the caller disconnects, it is counted as abandoned.
pub(super) struct RequestRecord {
    /// `None`: recorded elsewhere.
    state: Option<State>,
    started: Instant,
    method: &'static str,
    /// The route's pattern; there are few.
    route: String,
    path: String,
}

impl RequestRecord {
    /// Reads a request's head.
    pub(super) fn new(request: &Request, state: &State, started: Instant) -> Self {
        let route = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str).to_owned();
        // An unknown path may hold anything, even a key.
        let is_key = |word: &str| word.starts_with("sk-") || state.keys().caller(word.as_bytes()).is_some();
        let path = if route == "other" { route.clone() } else { log_path(request.uri().path(), is_key) };
        Self { state: Some(state.clone()), started, method: method(request.method()), route, path }
    }

    /// Counts the request and writes its line once the answer's body is sent or dropped.
    pub(super) fn count_when_sent(mut self, state: State, response: Response) -> Response {
        self.state = None;
        let status = response.status().as_u16();
        let usage = response.extensions().get::<TokenUsage>().cloned();
        let length = response.headers().get(header::CONTENT_LENGTH);
        let left = length.and_then(|length| length.to_str().ok()?.parse().ok());
        // The body of an answer to HEAD, or an empty one, is never read.
        let ended = self.method == "HEAD" || left == Some(0);
        response.map(|body| Body::new(CountedBody { body, state, record: self, status, usage, left, ended }))
    }
}

impl Drop for RequestRecord {
    fn drop(&mut self) {
        if let Some(state) = self.state.take() {
            state.metrics().count(self, ABANDONED, None);
        }
    }
}

fn method(method: &Method) -> &'static str {
    METHODS.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

/// Returns a path as a line shows it: without blanks and control characters, and with words that look like a key
/// masked.
fn log_path(path: &str, is_key: impl Fn(&str) -> bool) -> String {
    let word = |word: &str| match word {
        key if is_key(key) => if key.starts_with("sk-") { "sk-****" } else { "****" }.to_owned(),
        word => word.replace(' ', "%20"),
    };
    let words: Vec<String> = path.split('/').map(word).collect();
    short(&words.join("/"), PATH).replace(|c: char| !c.is_ascii_graphic() && c != '…', "?")
}

/// A body that is counted when it ends.
struct CountedBody {
    body: Body,
    state: State,
    record: RequestRecord,
    status: u16,
    usage: Option<TokenUsage>,
    /// Bytes still to be read; `None`: unknown. After the last one the body is not polled again.
    left: Option<u64>,
    /// Whether it was read to its end, or failed.
    ended: bool,
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &frame
            && let (Some(data), Some(left)) = (frame.data_ref(), &mut self.left)
        {
            *left = left.saturating_sub(data.len() as u64);
        }
        self.ended |= self.left == Some(0) || matches!(frame, Poll::Ready(None | Some(Err(_))));
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for CountedBody {
    fn drop(&mut self) {
        let status = if self.ended || self.body.is_end_stream() { self.status } else { ABANDONED };
        self.state.metrics().count(&self.record, status, self.usage.as_ref().map(TokenUsage::tokens));
    }
}

/// Answers `GET /health`; needs no key.
pub(super) async fn health() -> Json<serde_json::Value> {
    Json(json!({"status": "ok"}))
}

/// Answers `GET /metrics`, in the text format of Prometheus.
pub(super) async fn metrics(Shared(state): Shared<State>) -> Response {
    let mut out = String::new();
    let mut family = |name: &str, kind: &str, help: &str, samples: &[(String, u64)]| {
        let _ = writeln!(out, "# HELP benchtop_{name} {help}\n# TYPE benchtop_{name} {kind}");
        for (labels, value) in samples {
            let _ = writeln!(out, "benchtop_{name}{labels} {value}");
        }
    };
    let requests: Vec<(String, u64)> = {
        let requests = state.metrics().requests.lock().unwrap_or_else(PoisonError::into_inner);
        let labels = |method: &str, route: &str, status: u16| {
            format!("{{method=\"{method}\",path=\"{route}\",status=\"{status}\"}}")
        };
        requests.iter().map(|((method, route, status), count)| (labels(method, route, *status), *count)).collect()
    };
    family("requests_total", "counter", "Requests answered, by method, route and status.", &requests);
    let (prompt, completion) = state.metrics().usage.tokens();
    let tokens = [("{kind=\"prompt\"}".into(), prompt), ("{kind=\"completion\"}".into(), completion)];
    family("tokens_total", "counter", "Tokens read and written.", &tokens);
    let one = |count: usize| [(String::new(), count as u64)];
    family("answers_live", "gauge", "Answers being written.", &one(state.live()));
    family("queue_length", "gauge", "Other requests waiting for a turn.", &one(state.queued()));
    let jobs: Vec<(String, u64)> =
        state.jobs().counts().into_iter().map(|(status, count)| (format!("{{state=\"{status}\"}}"), count)).collect();
    family("jobs", "gauge", "Fine-tune jobs of all organisations, by state.", &jobs);
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], out).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_in_a_line_is_one_word_without_keys() {
        let log_path = |path: &str| super::log_path(path, |word| word == "own" || word.starts_with("sk-"));
        assert_eq!(log_path("/v1/models/ada"), "/v1/models/ada");
        assert_eq!(log_path("/v1/sk-secret/x"), "/v1/sk-****/x");
        assert_eq!(log_path("/v1/own/owner"), "/v1/****/owner");
        assert_eq!(log_path("/a b\u{1b}[31m"), "/a%20b?[31m");
        assert_eq!(log_path(&"x".repeat(300)).chars().count(), PATH + 1);
    }
}
