//! The checks that every request must pass, of the `Host` header and the key, and the headers of every answer.
//!
//! Two checks separate a web page in the user's browser from the service. A page whose own name points at 127.0.0.1
//! (DNS rebinding) fails at `Host`. A page that calls 127.0.0.1 directly fails in the browser: a request with a key
//! needs a preflight, and the service answers none and sends no `Access-Control-Allow-Origin`, unlike the hosted
//! interface, whose `*` would let any page that learns the key read the answers.

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;

use super::caller::{Caller, PERSONAL};
use super::drain;
use super::limits::{ADDRESS, HEADERS};
use super::metrics::RequestRecord;
use super::reject::{Reject, short};
use super::secret;
use super::state::State as Shared;

/// The one path that needs no key, so that monitoring needs none.
pub(super) const HEALTH: &str = "/health";

/// Runs the checks, then the route, then adds the headers of every answer. A panic in a route becomes a 500.
pub(super) async fn handle_request(State(state): State<Shared>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let record = RequestRecord::new(&request, &state, started);
    let admitted = check_length(&request).and_then(|()| check_host(&request)).and_then(|()| match path.as_str() {
        HEALTH => Ok(Caller::personal()),
        _ => caller(request.headers(), &state),
    });
    let organisation = admitted.as_ref().map_or(PERSONAL, |caller| &caller.organisation).to_owned();
    let (mut request, unread) = drain::lend(request);
    let mut response = match admitted {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            AssertUnwindSafe(next.run(request)).catch_unwind().await.unwrap_or_else(|_| {
                tracing::error!(%method, path, "a route of the local service panicked");
                Reject::fault().into_response()
            })
        }
        Err(reject) => {
            drop(request);
            reject.into_response()
        }
    };
    unread.drain(&state);
    let elapsed = started.elapsed().as_millis() as u64;
    let id = secret::hex::<16>();
    // No query, no body, no key: the log must not reveal what was asked.
    tracing::debug!(%method, path, status = response.status().as_u16(), ms = elapsed, id, "answered");
    let headers = response.headers_mut();
    let text = |text: &str| HeaderValue::from_str(text).expect("labels, hex digits and numbers are header text");
    headers.insert(HeaderName::from_static("openai-version"), HeaderValue::from_static("2020-10-01"));
    headers.insert(HeaderName::from_static("openai-organization"), text(&organisation));
    headers.insert(HeaderName::from_static("openai-processing-ms"), text(&elapsed.max(1).to_string()));
    headers.insert(HeaderName::from_static("x-request-id"), text(&id));
    record.count_when_sent(state, response)
}

/// Answers a request for an unknown path.
pub(super) async fn unknown_url(request: Request) -> Reject {
    let (method, path) = (request.method(), short(request.uri().path(), 200));
    Reject::new(StatusCode::NOT_FOUND, format!("Invalid URL ({method} {path})"))
}

/// Answers a request with a method that the route does not have.
pub(super) async fn wrong_method(request: Request) -> Reject {
    let (method, path) = (request.method(), short(request.uri().path(), 200));
    let message =
        format!("Not allowed to {method} on {path}. (HINT: Perhaps you meant to use a different HTTP method?)");
    Reject::new(StatusCode::METHOD_NOT_ALLOWED, message)
}

/// Fails for a URL or headers that are too long. The HTTP library has larger limits of its own, but answers without an
/// explanation.
fn check_length(request: &Request) -> Result<(), Reject> {
    let address = request.uri().path_and_query().map_or(0, |all| all.as_str().len());
    if address > ADDRESS {
        let message = format!("The address of your request has {address} bytes, more than the {ADDRESS} allowed.");
        return Err(Reject::new(StatusCode::URI_TOO_LONG, message));
    }
    let headers = request.headers();
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if bytes > HEADERS.0 || headers.len() > HEADERS.1 {
        let message = format!(
            "Your request has {} headers of {bytes} bytes together; at most {} headers of {} bytes are allowed.",
            headers.len(),
            HEADERS.1,
            HEADERS.0
        );
        return Err(Reject::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, message));
    }
    Ok(())
}

/// Fails unless the request names this machine itself, at any port, and no other host.
fn check_host(request: &Request) -> Result<(), Reject> {
    let mut named = request.headers().get_all(header::HOST).iter().peekable();
    let absolute = request.uri().authority().map(axum::http::uri::Authority::as_str);
    let some = absolute.is_some() || named.peek().is_some();
    if some && absolute.is_none_or(is_loopback) && named.all(|host| host.to_str().is_ok_and(is_loopback)) {
        return Ok(());
    }
    let message = "The Host header of your request does not name this machine. The local service answers to \
                   127.0.0.1, localhost and [::1] alone, so that no web page can reach it under another name.";
    Err(Reject::new(StatusCode::FORBIDDEN, message))
}

/// Returns whether a host is `127.0.0.1`, `localhost` or `[::1]`, with or without a port.
fn is_loopback(host: &str) -> bool {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => (name, Some(port)),
        _ => (host, None),
    };
    let port_fits = port.is_none_or(|port| port.is_empty() || port.parse::<u16>().is_ok());
    port_fits && (name == "127.0.0.1" || name == "[::1]" || name.eq_ignore_ascii_case("localhost"))
}

/// Returns the caller. Fails if the key is not accepted, or another organisation is named than the key's.
fn caller(headers: &HeaderMap, state: &Shared) -> Result<Caller, Reject> {
    let caller = authenticate(headers, state)?;
    let Some(named) = headers.get("openai-organization").filter(|named| !named.is_empty()) else {
        return Ok(caller.clone());
    };
    if named.as_bytes() == caller.organisation_id().as_bytes() {
        return Ok(caller.clone());
    }
    let named = short(&String::from_utf8_lossy(named.as_bytes()), 100);
    let message = format!("No such organization: {named}.");
    Err(Reject::new(StatusCode::UNAUTHORIZED, message).code("invalid_organization"))
}

/// Returns the holder of the key in `Authorization: Bearer <key>`, with the scheme in any case. Fails if there is none
/// or it is not accepted.
fn authenticate<'a>(headers: &HeaderMap, state: &'a Shared) -> Result<&'a Caller, Reject> {
    let unauthorized = |message: String| Reject::new(StatusCode::UNAUTHORIZED, message);
    let sent = headers.get(header::AUTHORIZATION).map(HeaderValue::as_bytes).unwrap_or_default();
    let (scheme, key) = sent.split_at(sent.iter().position(|byte| *byte == b' ').unwrap_or(sent.len()));
    let key = key.trim_ascii();
    if !scheme.eq_ignore_ascii_case(b"bearer") || key.is_empty() {
        return Err(unauthorized(
            "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer \
             auth (i.e. Authorization: Bearer YOUR_KEY). `benchtop serve` names the file that holds the local \
             service's key."
                .into(),
        ));
    }
    state.keys().caller(key).ok_or_else(|| {
        let shown = str::from_utf8(key).map_or_else(|_| "****".into(), secret::mask);
        let message = format!(
            "Incorrect API key provided: {shown}. `benchtop serve` names the file that holds the local service's key."
        );
        unauthorized(message).code("invalid_api_key")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_pass() {
        for host in ["127.0.0.1", "127.0.0.1:8787", "localhost:1", "LOCALHOST", "[::1]", "[::1]:80", "localhost:"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "evil.example:8787",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "::1",
            "127.0.0.1:x",
            "127.0.0.1@evil.example",
            "127.0.0.2",
            "0.0.0.0",
            "[::1]x",
            "[::1]:80:80",
            "localhost:99999",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
