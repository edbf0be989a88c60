//! Requests over HTTP: base URL, key, JSON, limits. Redirects are never followed here.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Response, Url};
use secrecy::ExposeSecret;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::adapt::Knowledge;
use super::failure;
use super::headers::header;
use super::pool::Pools;
use super::progress::ProgressSender;
use super::random;
use super::retry::{Refusal, Retries, should_retry};
use super::surrogates;
use super::unpack::{self, UnpackError, unpacked};
use crate::api::call::{Failure, FailureKind, Progress};
use crate::api::capability::Finding;
use crate::api::job::Dialect;
use crate::api::probe::{AnswerField, Probe};
use crate::settings::{Endpoint, limits, parts};

/// A request, independent of the server.
pub(super) struct Request {
    method: Method,
    /// Path below the base URL, with its query.
    path: Cow<'static, str>,
    body: Option<Bytes>,
    /// Additional headers, which replace common ones of the same name.
    headers: HeaderMap,
    /// The same for every attempt, so that a server that knows the header creates something only once.
    idempotency: Option<String>,
}

impl Request {
    /// Creates a request without a body.
    pub(super) fn new(method: Method, path: impl Into<Cow<'static, str>>) -> Self {
        Self { method, path: path.into(), body: None, headers: HeaderMap::new(), idempotency: None }
    }

    /// Returns the path below the base URL.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Creates a POST of JSON.
    pub(super) fn post(path: impl Into<Cow<'static, str>>, body: impl Serialize) -> Self {
        Self { body: Some(json(&body)), idempotency: Some(random::idempotency_key()), ..Self::new(Method::POST, path) }
    }

    /// Creates a POST whose body is added later.
    pub(super) fn create(path: impl Into<Cow<'static, str>>) -> Self {
        Self { idempotency: Some(random::idempotency_key()), ..Self::new(Method::POST, path) }
    }

    /// Sets a header.
    pub(super) fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Changes the fields of the body, and the idempotency key: with the same key a server may repeat its refusal.
    pub(super) fn changed(mut self, change: impl FnOnce(&mut Map<String, Value>)) -> Self {
        let fields: Option<Map<String, Value>> =
            self.body.as_deref().and_then(|body| serde_json::from_slice(body).ok());
        if let Some(mut fields) = fields {
            change(&mut fields);
            self.body = Some(json(&fields));
        }
        self.idempotency = self.idempotency.map(|_| random::idempotency_key());
        self
    }
}

/// Encodes a name from outside (an id, a model) as one segment of a path. Fails if the name is empty, `.` or `..`.
pub(super) fn step(name: &str) -> Result<String, Failure> {
    const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    // As segments these would change the path.
    if matches!(name, "" | "." | "..") {
        return Err(Failure::new(
            FailureKind::Refused,
            format!("{name:?} cannot be a name on the server; choose another"),
        ));
    }
    Ok(utf8_percent_encode(name, PLAIN).to_string())
}

/// Serialises a body into a buffer of exactly its size: growing a buffer would leave smaller ones allocated.
fn json(body: &impl Serialize) -> Bytes {
    const STRINGS: &str = "a request of strings and numbers is always JSON";
    let mut size = Size(0);
    serde_json::to_writer(&mut size, body).expect(STRINGS);
    let mut bytes = Vec::with_capacity(size.0);
    serde_json::to_writer(&mut bytes, body).expect(STRINGS);
    bytes.into()
}

/// Counts the bytes that are written to it.
struct Size(usize);

impl io::Write for Size {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Connections, and facts about the servers.
#[derive(Default)]
pub(super) struct Http {
    pools: Pools,
    /// The facts about the servers.
    pub(super) knowledge: Knowledge,
    /// Base URLs at which an endpoint was found.
    found: Mutex<HashSet<String>>,
    /// Base URLs of servers with fine-tunes, and which interface they have.
    fine_tunes: Mutex<HashMap<String, Dialect>>,
}

impl Http {
    /// Returns the interface to fine-tunes that this server was found to have.
    pub(super) fn dialect(&self, endpoint: &Endpoint) -> Option<Dialect> {
        self.fine_tunes.lock().unwrap_or_else(PoisonError::into_inner).get(&endpoint.base_url).copied()
    }

    /// Remembers the interface to fine-tunes of this server.
    pub(super) fn remember(&self, dialect: Dialect, endpoint: &Endpoint) {
        let mut known = self.fine_tunes.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(endpoint.base_url.clone(), dialect);
    }

    /// Sends the request once, up to the headers of a good answer. Fails for any other answer or none.
    pub(super) async fn once(&self, endpoint: &Endpoint, request: &Request) -> Result<Response, Failure> {
        self.attempt(endpoint, request).await.map_err(|refusal| refusal.why)
    }

    /// Sends the request until there are the status and headers of a good answer, an error that no retry can avoid, or
    /// no attempt left. Each wait is reported before it begins.
    pub(super) async fn exchange(
        &self,
        endpoint: &Endpoint,
        request: &Request,
        sender: &ProgressSender,
    ) -> Result<Response, Failure> {
        let mut retries = Retries::default();
        loop {
            match self.attempt(endpoint, request).await {
                Ok(response) => {
                    self.knowledge.has(endpoint, &request.path, Finding::Available, sender).await;
                    self.knowledge.limits(endpoint, response.headers(), sender).await;
                    sender.send(opened(&response)).await;
                    return Ok(response);
                }
                Err(refusal) => {
                    if refusal.why.kind == FailureKind::Unsupported {
                        self.knowledge.has(endpoint, &request.path, Finding::Missing, sender).await;
                    }
                    retries.wait(refusal, sender).await?;
                }
            }
        }
    }

    /// Performs one attempt, up to the headers; reads the body of an error.
    async fn attempt(&self, endpoint: &Endpoint, request: &Request) -> Result<Response, Refusal> {
        let response = self.send(endpoint, request).await?;
        if response.status().is_success() {
            self.found.lock().unwrap_or_else(PoisonError::into_inner).insert(endpoint.base_url.clone());
            return Ok(response);
        }
        let mut refusal = refusal(response, &request.path, endpoint).await;
        let found = self.found.lock().unwrap_or_else(PoisonError::into_inner).contains(&endpoint.base_url);
        if let (true, Ok(url)) = (found, place(endpoint, &request.path)) {
            failure::absent(&mut refusal.why, &url, &request.path);
        }
        Err(refusal)
    }

    /// Performs one attempt, up to the headers, whatever the status. Fails if there is no response, or its compression
    /// is unknown.
    pub(super) async fn send(&self, endpoint: &Endpoint, request: &Request) -> Result<Response, Refusal> {
        let built = self.build(endpoint, request).map_err(Refusal::last)?;
        let response = answered(endpoint, built).await?;
        // An error is read even if its coding is unknown; its status counts in any case.
        if response.status().is_success() { unpacked(response).map_err(Refusal::last) } else { Ok(response) }
    }

    /// Builds the request to the URL of its path. Fails if the URL or a header is invalid.
    pub(super) fn build(&self, endpoint: &Endpoint, request: &Request) -> Result<reqwest::RequestBuilder, Failure> {
        self.build_at(endpoint, request, place(endpoint, &request.path)?, headers(endpoint)?)
    }

    /// Builds the request to any URL, with these headers; its own take precedence. Fails if no client can be created
    /// for the URL.
    pub(super) fn build_at(
        &self,
        endpoint: &Endpoint,
        request: &Request,
        url: Url,
        headers: HeaderMap,
    ) -> Result<reqwest::RequestBuilder, Failure> {
        let client = self.pools.pick(&url, endpoint)?;
        let mut builder = client.request(request.method.clone(), url).headers(headers).headers(request.headers.clone());
        if let Some(key) = &request.idempotency {
            builder = builder.header("idempotency-key", key);
        }
        if let Some(body) = &request.body {
            builder = builder.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        Ok(builder)
    }
}

/// Sends a request, up to the headers. Fails if none come within the limit, the connection fails, or the headers are
/// too long.
pub(super) async fn answered(endpoint: &Endpoint, request: reqwest::RequestBuilder) -> Result<Response, Refusal> {
    match tokio::time::timeout(endpoint.headers_limit, request.send()).await {
        Err(_) => Err(Refusal::again(failure::no_headers(endpoint.headers_limit))),
        Ok(Err(error)) => Err(Refusal::transport(&error, endpoint)),
        Ok(Ok(response)) => within(response),
    }
}

/// Returns the URL of a path of the interface. The base URL's query precedes that of the path. Fails if the base URL is
/// invalid.
pub(super) fn place(endpoint: &Endpoint, path: &str) -> Result<Url, Failure> {
    let ((base, with), (path, own)) = (parts(&endpoint.base_url), parts(path));
    let queries: Vec<&str> = with.into_iter().chain(own).collect();
    let mark = if queries.is_empty() { "" } else { "?" };
    Url::parse(&format!("{base}{path}{mark}{}", queries.join("&"))).map_err(|error| {
        Failure::new(FailureKind::Refused, format!("the base URL cannot be used: {error}; correct it in the profile"))
    })
}

/// Returns the progress message for the headers of a good answer.
pub(super) fn opened(response: &Response) -> Progress {
    Progress::Opened { request_id: header(response.headers(), "x-request-id").map(Into::into) }
}

/// Fails if the headers are over their limit.
pub(super) fn within(response: Response) -> Result<Response, Refusal> {
    let size: usize = response.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if size > limits::RESPONSE_HEADERS {
        let most = limits::RESPONSE_HEADERS >> 10;
        return Err(Refusal::last(failure::malformed(&format!("its headers are longer than {most} KiB"))));
    }
    Ok(response)
}

/// Builds the refusal for an error answer, with what can be read of its body; trouble with the body must not hide the
/// status.
pub(super) async fn refusal(response: Response, path: &str, endpoint: &Endpoint) -> Refusal {
    let (status, headers) = (response.status(), response.headers().clone());
    let body = match unpacked(response) {
        Ok(response) => first_bytes(response, endpoint.idle_limit.min(limits::ERROR_BODY_WAIT)).await,
        Err(_) => Vec::new(),
    };
    let why = failure::refused(status, &headers, &body, path, endpoint);
    let retry = should_retry(status.as_u16(), &headers, why.kind);
    Refusal { why, retry }
}

/// Reads a whole body of JSON: the bytes that have arrived, and the rest, within a limit in bytes; fixes lone
/// surrogates. Fails above the limit or if the connection is lost.
pub(super) async fn whole(
    mut body: Vec<u8>,
    mut response: Response,
    limit: usize,
    endpoint: &Endpoint,
    sender: &ProgressSender,
) -> Result<Vec<u8>, Failure> {
    let mut moved = TransferCounter::new(response.content_length());
    moved.add(body.len(), sender).await;
    while body.len() <= limit {
        let Some(bytes) = chunk(&mut response, endpoint).await? else {
            surrogates::replace(&mut body);
            return Ok(body);
        };
        body.extend_from_slice(&bytes);
        moved.add(bytes.len(), sender).await;
    }
    Err(failure::too_large(limit))
}

/// Parses a whole body after [`tell`]; also fails if it holds too many tokens.
pub(super) fn parse<T: DeserializeOwned>(
    body: &[u8],
    wanted: AnswerField,
    path: &str,
    endpoint: &Endpoint,
) -> Result<T, Failure> {
    let probe = tell(body, wanted, path, endpoint)?;
    // Checked before parsing, which takes many times the memory.
    if probe.tokens() > limits::ANSWER_TOKENS {
        return Err(failure::malformed(&failure::many_tokens()));
    }
    read(body)
}

/// Classifies a whole body. Fails if it is an error under a good status, or lacks what was wanted.
pub(super) fn tell(body: &[u8], wanted: AnswerField, path: &str, endpoint: &Endpoint) -> Result<Probe, Failure> {
    let probe = Probe::of(body).map_err(|error| {
        failure::no_answer(&format!("it is not the JSON that the API specifies ({error})"), body, endpoint)
    })?;
    if probe.is_error() {
        return Err(failure::in_answer(body, path, endpoint));
    }
    if !probe.holds(wanted) {
        let what = match wanted {
            AnswerField::Choices => "it contains no choices",
            AnswerField::Data => "it contains no list",
            AnswerField::Results => "it contains no results",
        };
        return Err(failure::no_answer(what, body, endpoint));
    }
    Ok(probe)
}

/// Parses JSON, or returns a failure that says what is wrong with it.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    decode(body).map_err(|error| failure::malformed(&error.to_string()))
}

/// Parses JSON; fails if it is malformed or of another type.
pub(super) fn decode<T: DeserializeOwned>(body: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(body).or_else(|error| {
        // A duplicate field is an error for the first way and none for the second, which takes more memory.
        let again = (body.len() <= limits::ERROR_BODY).then(|| serde_json::from_slice::<Value>(body));
        again.and_then(|value| serde_json::from_value(value.ok()?).ok()).ok_or(error)
    })
}

/// Returns the next bytes of a body, `None` at its end. Fails after the idle limit, or if the connection or the
/// compressed data is broken.
pub(super) async fn chunk(response: &mut Response, endpoint: &Endpoint) -> Result<Option<bytes::Bytes>, Failure> {
    match tokio::time::timeout(endpoint.idle_limit, response.chunk()).await {
        Err(_) => Err(failure::idle(endpoint.idle_limit)),
        Ok(Err(error)) => Err(match unpack::fault(&error) {
            Some(fault @ (UnpackError::Damaged | UnpackError::Bomb)) => failure::malformed(&fault.to_string()),
            Some(fault) => failure::cut_off(&fault.to_string()),
            None if error.is_timeout() => failure::cut_off("timed out"),
            None => failure::cut_off("the connection was lost"),
        }),
        Ok(Ok(bytes)) => Ok(bytes),
    }
}

/// Counts transferred bytes, and reports them now and then.
pub(super) struct TransferCounter {
    done: u64,
    total: Option<u64>,
    said: u64,
    at: Instant,
    /// Bytes after which progress is reported, regardless of the time.
    step: u64,
}

impl TransferCounter {
    pub(super) fn new(total: Option<u64>) -> Self {
        Self { done: 0, total, said: 0, at: Instant::now(), step: limits::MOVED_BYTES }
    }

    /// Counts the bytes of a file of any size: reports only some times a second.
    pub(super) fn of_file(done: u64, total: Option<u64>) -> Self {
        Self { done, step: u64::MAX, ..Self::new(total) }
    }

    /// Reports the progress.
    pub(super) async fn say(&mut self, sender: &ProgressSender) {
        self.said = self.done;
        self.at = Instant::now();
        sender.send(Progress::Moved { done: self.done, total: self.total }).await;
    }

    pub(super) async fn add(&mut self, bytes: usize, sender: &ProgressSender) {
        self.to(self.done + bytes as u64, sender).await;
    }

    /// Sets the bytes transferred in all.
    pub(super) async fn to(&mut self, done: u64, sender: &ProgressSender) {
        self.done = done;
        if self.done - self.said.min(self.done) >= self.step || self.at.elapsed() >= limits::MOVED_WAIT {
            self.say(sender).await;
        }
    }
}

/// Returns the headers of every request to the server. Fails if one of the profile's cannot be sent.
pub(super) fn headers(endpoint: &Endpoint) -> Result<HeaderMap, Failure> {
    let bad = |name: &str| {
        Failure::new(
            FailureKind::Refused,
            format!("the header {name} of this profile contains a character that cannot be sent; correct it"),
        )
    };
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    for (name, value) in &endpoint.headers {
        let mut value = HeaderValue::from_str(value).map_err(|_| bad(name))?;
        // A profile's header may hold a key.
        value.set_sensitive(true);
        headers.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad(name))?, value);
    }
    if let Some(organization) = &endpoint.organization {
        headers.insert("openai-organization", HeaderValue::from_str(organization).map_err(|_| bad("organization"))?);
    }
    if let Some(key) = &endpoint.key {
        let bearer = format!("Bearer {}", key.expose_secret());
        let mut value = HeaderValue::from_str(&bearer).map_err(|_| {
            Failure::new(FailureKind::Auth, "the key contains a character that cannot be sent; paste it again")
        })?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}

/// Returns the beginning of an error's body, as much as arrives in time.
async fn first_bytes(mut response: Response, wait: Duration) -> Vec<u8> {
    let mut body = Vec::new();
    let reading = async {
        while let Ok(Some(bytes)) = response.chunk().await {
            body.extend_from_slice(&bytes[..bytes.len().min(limits::ERROR_BODY - body.len())]);
            if body.len() == limits::ERROR_BODY {
                break;
            }
        }
    };
    // One limit for the whole body: a slow server must not hide its status.
    let _ = tokio::time::timeout(wait, reading).await;
    body
}
