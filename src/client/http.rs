//! Sends requests and retries them, up to the headers of the response. Redirects are never followed here.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use reqwest::header::{CONTENT_TYPE, HeaderMap};
use reqwest::{Response, Url};

use super::failure;
use super::headers::header;
use super::knowledge::Knowledge;
use super::pool::Pools;
use super::progress::ProgressSender;
use super::request::{Request, endpoint_headers, endpoint_url};
use super::response_body::read_error_body;
use super::retry::{FailedAttempt, Retries, should_retry};
use super::unpack::unpack;
use crate::api::call::{Failure, FailureKind, Progress};
use crate::api::capability::Finding;
use crate::api::job::Dialect;
use crate::settings::{Endpoint, limits};

/// Sends requests; holds the connections and what is known of the servers.
#[derive(Default)]
pub(super) struct Http {
    pools: Pools,
    pub(super) knowledge: Knowledge,
    /// Base URLs at which a request has succeeded.
    working: Mutex<HashSet<String>>,
    /// Base URLs of servers with fine-tunes, and the interface that each has.
    dialects: Mutex<HashMap<String, Dialect>>,
}

impl Http {
    /// Returns the interface to fine-tunes that this server was found to have.
    pub(super) fn known_dialect(&self, endpoint: &Endpoint) -> Option<Dialect> {
        self.dialects.lock().unwrap_or_else(PoisonError::into_inner).get(&endpoint.base_url).copied()
    }

    /// Remembers the interface to fine-tunes of this server.
    pub(super) fn remember_dialect(&self, dialect: Dialect, endpoint: &Endpoint) {
        let mut known = self.dialects.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(endpoint.base_url.clone(), dialect);
    }

    /// Performs one attempt, up to the headers of a good answer. Fails for any other answer or none.
    pub(super) async fn send_once(&self, endpoint: &Endpoint, request: &Request) -> Result<Response, Failure> {
        self.attempt(endpoint, request, &Takeover::of(endpoint)).await.map_err(|failed| failed.why)
    }

    /// Sends the request until there are the status and headers of a good answer, an error that no retry can avoid, or
    /// no attempt left. Each wait is reported before it begins.
    pub(super) async fn exchange(
        &self,
        endpoint: &Endpoint,
        request: &Request,
        sender: &ProgressSender,
    ) -> Result<Response, Failure> {
        let (mut retries, takeover) = (Retries::default(), Takeover::of(endpoint));
        loop {
            match self.attempt(endpoint, request, &takeover).await {
                Ok(response) => {
                    self.knowledge.learn_endpoint(endpoint, request.path(), Finding::Available, sender).await;
                    self.knowledge.learn_rate_limits(endpoint, response.headers(), sender).await;
                    sender.send(opened(&response)).await;
                    return Ok(response);
                }
                Err(failed) => {
                    if failed.why.kind == FailureKind::Unsupported {
                        self.knowledge.learn_endpoint(endpoint, request.path(), Finding::Missing, sender).await;
                    }
                    retries.wait_or_give_up(failed, sender).await?;
                }
            }
        }
    }

    /// Performs one attempt, up to the headers of a good answer. Fails for any other answer or none, or if the answer's
    /// compression is unknown.
    async fn attempt(
        &self,
        endpoint: &Endpoint,
        request: &Request,
        takeover: &Takeover,
    ) -> Result<Response, FailedAttempt> {
        let response = takeover.send(endpoint, || self.build(endpoint, request)).await?;
        if response.status().is_success() {
            let response = unpack(response).map_err(FailedAttempt::permanent)?;
            self.working.lock().unwrap_or_else(PoisonError::into_inner).insert(endpoint.base_url.clone());
            return Ok(response);
        }
        let mut failed = read_error_response(response, request.path(), endpoint).await;
        let is_working = self.working.lock().unwrap_or_else(PoisonError::into_inner).contains(&endpoint.base_url);
        if let (true, Ok(url)) = (is_working, endpoint_url(endpoint, request.path())) {
            failure::name_missing_endpoint(&mut failed.why, &url, request.path());
        }
        Err(failed)
    }

    /// Builds the request to the URL of its path. Fails if the URL or a header is invalid.
    pub(super) fn build(&self, endpoint: &Endpoint, request: &Request) -> Result<reqwest::RequestBuilder, Failure> {
        self.build_at(endpoint, request, endpoint_url(endpoint, request.path())?, endpoint_headers(endpoint)?)
    }

    /// Builds the request to any URL with these headers; the request's own take precedence. Fails if no client can be
    /// created for the URL.
    pub(super) fn build_at(
        &self,
        endpoint: &Endpoint,
        request: &Request,
        url: Url,
        headers: HeaderMap,
    ) -> Result<reqwest::RequestBuilder, Failure> {
        let client = self.pools.client_for(&url, endpoint)?;
        let mut builder = client.request(request.method.clone(), url).headers(headers).headers(request.headers.clone());
        if let Some(key) = &request.idempotency_key {
            builder = builder.header("idempotency-key", key);
        }
        if let Some(body) = &request.body {
            builder = builder.header(CONTENT_TYPE, "application/json").body(body.clone());
        }
        Ok(builder)
    }
}

/// How long one call waits for another process to take over the local service.
pub(super) struct Takeover {
    until: Instant,
}

impl Takeover {
    /// Starts the wait now; it lasts [`Endpoint::takeover_limit`].
    pub(super) fn of(endpoint: &Endpoint) -> Self {
        Self { until: Instant::now() + endpoint.takeover_limit }
    }

    /// Builds a request and sends it; repeats this while nobody answers and the wait has not ended. Fails as
    /// [`send_within_limits`] does, or if the request cannot be built.
    pub(super) async fn send(
        &self,
        endpoint: &Endpoint,
        build: impl Fn() -> Result<reqwest::RequestBuilder, Failure>,
    ) -> Result<Response, FailedAttempt> {
        loop {
            let request = build().map_err(FailedAttempt::permanent)?;
            match send_within_limits(endpoint, request).await {
                Err(failed) if self.goes_on_after(&failed) => tokio::time::sleep(limits::TAKEOVER_PAUSE).await,
                sent => return sent,
            }
        }
    }

    /// Returns whether another process may still answer the next attempt.
    pub(super) fn goes_on_after(&self, failed: &FailedAttempt) -> bool {
        failed.why.kind == FailureKind::Offline && Instant::now() < self.until
    }
}

/// Sends a request and waits for the headers of the response. Fails if none come within the limit, the connection
/// fails, or the headers are too long.
pub(super) async fn send_within_limits(
    endpoint: &Endpoint,
    request: reqwest::RequestBuilder,
) -> Result<Response, FailedAttempt> {
    match tokio::time::timeout(endpoint.headers_limit, request.send()).await {
        Err(_) => Err(FailedAttempt::retryable(failure::no_headers(endpoint.headers_limit))),
        Ok(Err(error)) => Err(FailedAttempt::transport(&error, endpoint)),
        Ok(Ok(response)) => check_header_size(response),
    }
}

/// Returns the progress message for the headers of a good answer.
pub(super) fn opened(response: &Response) -> Progress {
    Progress::Opened { request_id: header(response.headers(), "x-request-id").map(Into::into) }
}

/// Returns the response, or fails if its headers are over their limit.
pub(super) fn check_header_size(response: Response) -> Result<Response, FailedAttempt> {
    let size: usize = response.headers().iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
    if size > limits::RESPONSE_HEADERS {
        let most = limits::RESPONSE_HEADERS >> 10;
        return Err(FailedAttempt::permanent(failure::malformed(&format!("its headers are longer than {most} KiB"))));
    }
    Ok(response)
}

/// Reads the body of an error response and returns the failed attempt. A problem with the body must not hide the
/// status.
pub(super) async fn read_error_response(response: Response, path: &str, endpoint: &Endpoint) -> FailedAttempt {
    let (status, headers) = (response.status(), response.headers().clone());
    let body = match unpack(response) {
        Ok(response) => read_error_body(response, endpoint.idle_limit.min(limits::ERROR_BODY_WAIT)).await,
        Err(_) => Vec::new(),
    };
    let why = failure::error_response(status, &headers, &body, path, endpoint);
    let is_retryable = should_retry(status.as_u16(), &headers, why.kind);
    FailedAttempt { why, is_retryable }
}
