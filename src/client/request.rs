//! Builds requests: path, body, headers, and the URL of a path.

use std::borrow::Cow;
use std::io;

use bytes::Bytes;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use secrecy::ExposeSecret;
use serde::Serialize;
use serde_json::{Map, Value};

use super::random;
use crate::api::call::{Failure, FailureKind};
use crate::settings::{Endpoint, parts};

/// A request, independent of the server.
pub(super) struct Request {
    pub(super) method: Method,
    /// Path below the base URL, with its query.
    path: Cow<'static, str>,
    /// JSON.
    pub(super) body: Option<Bytes>,
    /// Additional headers, which replace common ones of the same name.
    pub(super) headers: HeaderMap,
    /// The same for every attempt, so that a server that knows the header creates something only once.
    pub(super) idempotency_key: Option<String>,
}

impl Request {
    /// Creates a request without a body.
    pub(super) fn new(method: Method, path: impl Into<Cow<'static, str>>) -> Self {
        Self { method, path: path.into(), body: None, headers: HeaderMap::new(), idempotency_key: None }
    }

    /// Returns the path below the base URL.
    pub(super) fn path(&self) -> &str {
        &self.path
    }

    /// Creates a POST of JSON.
    pub(super) fn post(path: impl Into<Cow<'static, str>>, body: impl Serialize) -> Self {
        Self { body: Some(json(&body)), ..Self::post_without_body(path) }
    }

    /// Creates a POST whose body is added later.
    pub(super) fn post_without_body(path: impl Into<Cow<'static, str>>) -> Self {
        Self { idempotency_key: Some(random::idempotency_key()), ..Self::new(Method::POST, path) }
    }

    /// Sets a header.
    pub(super) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }

    /// Changes the fields of the body. The idempotency key changes too: with the same key a server may repeat its
    /// refusal.
    pub(super) fn changed(mut self, change: impl FnOnce(&mut Map<String, Value>)) -> Self {
        let fields: Option<Map<String, Value>> =
            self.body.as_deref().and_then(|body| serde_json::from_slice(body).ok());
        if let Some(mut fields) = fields {
            change(&mut fields);
            self.body = Some(json(&fields));
        }
        self.idempotency_key = self.idempotency_key.map(|_| random::idempotency_key());
        self
    }
}

/// Encodes a name from outside (an id, a model) as one segment of a path. Fails if the name is empty, `.` or `..`.
pub(super) fn path_segment(name: &str) -> Result<String, Failure> {
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
    // As segments these would change the path.
    if matches!(name, "" | "." | "..") {
        return Err(Failure::new(
            FailureKind::Refused,
            format!("{name:?} cannot be a name on the server; choose another"),
        ));
    }
    Ok(utf8_percent_encode(name, ENCODED).to_string())
}

/// Serialises a body into a buffer of exactly its size: growing a buffer would leave smaller ones allocated.
fn json(body: &impl Serialize) -> Bytes {
    const SERIALIZABLE: &str = "a request of strings and numbers is always JSON";
    let mut size = ByteCounter(0);
    serde_json::to_writer(&mut size, body).expect(SERIALIZABLE);
    let mut bytes = Vec::with_capacity(size.0);
    serde_json::to_writer(&mut bytes, body).expect(SERIALIZABLE);
    bytes.into()
}

/// Counts the bytes that are written to it.
struct ByteCounter(usize);

impl io::Write for ByteCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the URL of a path of the interface. The base URL's query precedes that of the path. Fails if the base URL is
/// invalid.
pub(super) fn endpoint_url(endpoint: &Endpoint, path: &str) -> Result<Url, Failure> {
    let ((base, base_query), (path, query)) = (parts(&endpoint.base_url), parts(path));
    let queries: Vec<&str> = base_query.into_iter().chain(query).collect();
    let mark = if queries.is_empty() { "" } else { "?" };
    Url::parse(&format!("{base}{path}{mark}{}", queries.join("&"))).map_err(|error| {
        Failure::new(FailureKind::Refused, format!("the base URL cannot be used: {error}; correct it in the profile"))
    })
}

/// Returns the headers of every request to the server. Fails if one of the profile's cannot be sent.
pub(super) fn endpoint_headers(endpoint: &Endpoint) -> Result<HeaderMap, Failure> {
    let invalid = |name: &str| {
        Failure::new(
            FailureKind::Refused,
            format!("the header {name} of this profile contains a character that cannot be sent; correct it"),
        )
    };
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    for (name, value) in &endpoint.headers {
        let mut value = HeaderValue::from_str(value).map_err(|_| invalid(name))?;
        // A profile's header may contain a key.
        value.set_sensitive(true);
        headers.insert(HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid(name))?, value);
    }
    if let Some(organization) = &endpoint.organization {
        headers
            .insert("openai-organization", HeaderValue::from_str(organization).map_err(|_| invalid("organization"))?);
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
