//! Requests as HTTP: base URL, key, JSON, limits, retries. Redirects are never followed.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use backon::{BackoffBuilder, ExponentialBuilder};
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Certificate, Method, Response, Url};
use secrecy::ExposeSecret;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::perform::Outlet;
use super::{Exchange, Tap, failure};
use crate::api::call::{Failure, FailureKind, Progress};
use crate::settings::{Endpoint, limits};

/// A request, before it knows its server.
pub(super) struct Request {
    method: Method,
    path: &'static str,
    body: Option<Value>,
    /// The same for every attempt, so that a server that knows the header answers a create once.
    idempotency: Option<String>,
}

impl Request {
    /// Without a body.
    pub(super) fn new(method: Method, path: &'static str) -> Self {
        Self { method, path, body: None, idempotency: None }
    }

    /// A POST of JSON.
    pub(super) fn post(path: &'static str, body: Value) -> Self {
        let random = || RandomState::new().hash_one(path);
        let idempotency = Some(format!("benchtop-{:016x}{:016x}", random(), random()));
        Self { method: Method::POST, path, body: Some(body), idempotency }
    }

    /// The same request without a field of its body that the server refused.
    pub(super) fn without(mut self, field: &str) -> Self {
        if let Some(Value::Object(body)) = &mut self.body {
            body.remove(field);
        }
        self
    }
}

/// The connections: one pool for loopback, one for each proxy setting elsewhere, built when first needed.
pub(super) struct Http {
    loopback: OnceLock<reqwest::Client>,
    outside: Mutex<HashMap<Option<String>, reqwest::Client>>,
    tap: Option<Tap>,
    /// Base URLs of servers that refused `stream_options`.
    without_usage: Mutex<Vec<String>>,
}

impl Http {
    pub(super) fn new(tap: Option<Tap>) -> Self {
        Self {
            loopback: OnceLock::new(),
            outside: Mutex::new(HashMap::new()),
            tap,
            without_usage: Mutex::new(Vec::new()),
        }
    }

    /// Whether this server may be asked for usage in streams.
    pub(super) fn asks_usage(&self, endpoint: &Endpoint) -> bool {
        let refused = self.without_usage.lock().unwrap_or_else(PoisonError::into_inner);
        !refused.contains(&endpoint.base_url)
    }

    /// Remembers that it may not.
    pub(super) fn never_ask_usage(&self, endpoint: &Endpoint) {
        let mut refused = self.without_usage.lock().unwrap_or_else(PoisonError::into_inner);
        refused.push(endpoint.base_url.clone());
    }

    /// Sends the request until there is a good answer's status and headers, an error no retry can cure, or no attempt
    /// left. Each wait is announced before it begins.
    pub(super) async fn exchange(
        &self,
        endpoint: &Endpoint,
        request: &Request,
        outlet: &Outlet,
    ) -> Result<Response, Failure> {
        let mut waits = ExponentialBuilder::default()
            .with_min_delay(limits::RETRY_FIRST)
            .with_max_delay(limits::RETRY_MOST)
            .with_max_times(usize::from(limits::ATTEMPTS) - 1)
            .build();
        let mut attempt = 1;
        loop {
            let Refusal { why, retry } = match self.attempt(endpoint, request).await {
                Ok(response) => {
                    let request_id = failure::header(response.headers(), "x-request-id");
                    outlet.send(Progress::Opened { request_id }).await;
                    return Ok(response);
                }
                Err(refusal) => refusal,
            };
            let wait = match (retry, waits.next(), why.retry_after) {
                (true, Some(_), Some(asked)) if asked > limits::RETRY_AFTER_MOST => {
                    return Err(too_long_a_wait(why, asked));
                }
                (true, Some(_), Some(asked)) => asked,
                (true, Some(own), None) => own.mul_f64(jitter()),
                _ => return Err(why),
            };
            attempt += 1;
            let at = Instant::now() + wait;
            outlet.send(Progress::Retrying { attempt, of: limits::ATTEMPTS, at, why }).await;
            tokio::select! {
                () = tokio::time::sleep_until(at.into()) => {}
                () = outlet.hurry.notified() => {}
            }
        }
    }

    /// One attempt, up to the headers; an error answer's body is read here.
    async fn attempt(&self, endpoint: &Endpoint, request: &Request) -> Result<Response, Refusal> {
        let sent = Instant::now();
        let built = self.build(endpoint, request).map_err(Refusal::last)?;
        let answer = tokio::time::timeout(endpoint.headers_limit, built.send()).await;
        let status =
            answer.as_ref().ok().and_then(|answer| answer.as_ref().ok()).map(|response| response.status().as_u16());
        if let Some(tap) = &self.tap {
            tap(&Exchange {
                method: request.method.to_string(),
                path: request.path.to_owned(),
                status,
                took: sent.elapsed(),
            });
        }
        let response = match answer {
            Err(_) => return Err(Refusal::again(failure::no_headers(endpoint.headers_limit))),
            Ok(Err(error)) => {
                let retry = !error.is_builder();
                return Err(Refusal { why: failure::transport(&error, endpoint), retry });
            }
            Ok(Ok(response)) => response,
        };
        let size: usize = response.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
        if size > limits::RESPONSE_HEADERS {
            return Err(Refusal::last(failure::malformed("its headers are longer than 64 KiB")));
        }
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, headers) = (response.status(), response.headers().clone());
        // What can be read of the error's body; its own trouble must not hide the status.
        let body = first_bytes(response, 64 << 10, endpoint.idle_limit).await;
        let why = failure::refused(status, &headers, &body, endpoint);
        let retry = should_retry(status.as_u16(), &headers, why.kind);
        Err(Refusal { why, retry })
    }

    fn build(&self, endpoint: &Endpoint, request: &Request) -> Result<reqwest::RequestBuilder, Failure> {
        let url = format!("{}{}", endpoint.base_url, request.path);
        let url = Url::parse(&url).map_err(|error| {
            Failure::new(
                FailureKind::Refused,
                format!("the base URL cannot be used: {error}; correct it in the profile"),
            )
        })?;
        let client = self.connections(&url, endpoint)?;
        let mut builder = client.request(request.method.clone(), url).headers(headers(endpoint)?);
        if let Some(key) = &request.idempotency {
            builder = builder.header("idempotency-key", key);
        }
        if let Some(body) = &request.body {
            builder = builder.header(CONTENT_TYPE, "application/json").body(body.to_string());
        }
        Ok(builder)
    }

    /// The pool for a URL. Loopback never goes through a proxy, whatever the environment says.
    fn connections(&self, url: &Url, endpoint: &Endpoint) -> Result<reqwest::Client, Failure> {
        // The first caller installs it; a second finds it there.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let failed = |error: reqwest::Error| {
            Failure::new(FailureKind::Offline, format!("no connection can be made: {error}; check the proxy setting"))
        };
        if is_loopback(url) && url.scheme() == "http" {
            if let Some(client) = self.loopback.get() {
                return Ok(client.clone());
            }
            // No certificates: this pool never speaks TLS, and loading the platform's costs memory.
            let client = common().no_proxy().tls_certs_only([]).build().map_err(failed)?;
            return Ok(self.loopback.get_or_init(|| client).clone());
        }
        let key = if is_loopback(url) { Some("none".to_owned()) } else { endpoint.proxy.clone() };
        let mut pools = self.outside.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = pools.get(&key) {
            return Ok(client.clone());
        }
        let proxied = || {
            Ok(match key.as_deref() {
                Some("none") => common().no_proxy(),
                Some(proxy) => common().no_proxy().proxy(reqwest::Proxy::all(proxy)?),
                None => common(),
            })
        };
        // A machine without a certificate store: the roots that came with the program.
        let client = proxied().and_then(reqwest::ClientBuilder::build).or_else(|_| {
            let roots =
                webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().filter_map(|der| Certificate::from_der(der).ok());
            proxied().and_then(|builder: reqwest::ClientBuilder| builder.tls_certs_only(roots).build())
        });
        let client = client.map_err(failed)?;
        pools.insert(key, client.clone());
        Ok(client)
    }

    /// A whole JSON body within its limits.
    pub(super) async fn json<T: DeserializeOwned>(
        &self,
        endpoint: &Endpoint,
        mut response: Response,
        outlet: &Outlet,
    ) -> Result<T, Failure> {
        let mut body = Vec::new();
        let mut moved = Moved::new(response.content_length());
        while let Some(bytes) = chunk(&mut response, endpoint).await? {
            body.extend_from_slice(&bytes);
            if body.len() > limits::JSON_BODY {
                return Err(failure::malformed("it is larger than 64 MiB"));
            }
            moved.add(bytes.len(), outlet).await;
        }
        parse(&body, endpoint)
    }
}

/// Parses a whole body; an error object under a good status is a failure too.
pub(super) fn parse<T: DeserializeOwned>(body: &[u8], endpoint: &Endpoint) -> Result<T, Failure> {
    let value: Value =
        serde_json::from_slice(body).map_err(|error| failure::malformed(&format!("it is not JSON ({error})")))?;
    if value.get("error").is_some_and(|error| !error.is_null()) {
        return Err(failure::in_answer(&value, endpoint));
    }
    serde_json::from_value(value).map_err(|error| failure::malformed(&error.to_string()))
}

/// The next bytes of a body, `None` at its end, within the idle limit.
pub(super) async fn chunk(response: &mut Response, endpoint: &Endpoint) -> Result<Option<bytes::Bytes>, Failure> {
    match tokio::time::timeout(endpoint.idle_limit, response.chunk()).await {
        Err(_) => Err(failure::idle(endpoint.idle_limit)),
        Ok(Err(error)) => {
            let cause = if error.is_timeout() { "timed out" } else { "the connection was lost" };
            Err(failure::cut_off(cause))
        }
        Ok(Ok(bytes)) => Ok(bytes),
    }
}

/// Counts what has moved, and says so at most every 64 KiB or 100 ms.
pub(super) struct Moved {
    done: u64,
    total: Option<u64>,
    said: u64,
    at: Instant,
}

impl Moved {
    pub(super) fn new(total: Option<u64>) -> Self {
        Self { done: 0, total, said: 0, at: Instant::now() }
    }

    pub(super) async fn add(&mut self, bytes: usize, outlet: &Outlet) {
        self.done += bytes as u64;
        if self.done - self.said >= 64 << 10 || self.at.elapsed() >= Duration::from_millis(100) {
            self.said = self.done;
            self.at = Instant::now();
            outlet.send(Progress::Moved { done: self.done, total: self.total }).await;
        }
    }
}

/// An attempt that brought no good answer.
struct Refusal {
    why: Failure,
    retry: bool,
}

impl Refusal {
    fn last(why: Failure) -> Self {
        Self { why, retry: false }
    }

    fn again(why: Failure) -> Self {
        Self { why, retry: true }
    }
}

fn common() -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .connect_timeout(limits::CONNECT)
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .tcp_nodelay(true)
        .pool_idle_timeout(Duration::from_secs(30))
        .user_agent(concat!("benchtop/", env!("CARGO_PKG_VERSION")))
}

fn headers(endpoint: &Endpoint) -> Result<HeaderMap, Failure> {
    let bad = |name: &str| {
        Failure::new(
            FailureKind::Refused,
            format!("the header {name} of this profile holds a character that cannot be sent; correct it"),
        )
    };
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    for (name, value) in &endpoint.headers {
        let mut value = HeaderValue::from_str(value).map_err(|_| bad(name))?;
        // A profile's header may well be a key.
        value.set_sensitive(true);
        headers.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| bad(name))?, value);
    }
    if let Some(organization) = &endpoint.organization {
        headers.insert("openai-organization", HeaderValue::from_str(organization).map_err(|_| bad("organization"))?);
    }
    if let Some(key) = &endpoint.key {
        let bearer = format!("Bearer {}", key.expose_secret());
        let mut value = HeaderValue::from_str(&bearer).map_err(|_| {
            Failure::new(FailureKind::Auth, "the key holds a character that cannot be sent; paste it again")
        })?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    Ok(headers)
}

/// Whether a URL's host is this machine.
fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(|host| {
        let host = host.trim_matches(['[', ']']);
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    })
}

/// Whether another attempt may help. The server's own word counts most.
fn should_retry(status: u16, headers: &HeaderMap, kind: FailureKind) -> bool {
    match failure::header(headers, "x-should-retry").as_deref() {
        _ if kind == FailureKind::Quota => false,
        Some("true") => true,
        Some("false") => false,
        _ => matches!(status, 408 | 409 | 429 | 500 | 502..),
    }
}

/// The server asks for more patience than we have: say when.
fn too_long_a_wait(mut why: Failure, asked: Duration) -> Failure {
    why.sentence = format!(
        "{}; that is longer than benchtop waits by itself, so try again in {} min",
        why.sentence,
        asked.as_secs().div_ceil(60)
    );
    why
}

/// A factor of 0.75 to 1, so that many clients do not come back at the same moment.
fn jitter() -> f64 {
    0.75 + 0.25 * (RandomState::new().hash_one(0) % 1024) as f64 / 1024.0
}

/// At most `limit` bytes of a body, as many as come without trouble.
async fn first_bytes(mut response: Response, limit: usize, idle: Duration) -> Vec<u8> {
    let mut body = Vec::new();
    while body.len() < limit {
        match tokio::time::timeout(idle, response.chunk()).await {
            Ok(Ok(Some(bytes))) => body.extend_from_slice(&bytes[..bytes.len().min(limit - body.len())]),
            _ => break,
        }
    }
    body
}
