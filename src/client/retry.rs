//! Decides whether a request is sent again, and waits before it is.

use std::time::Instant;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use reqwest::header::HeaderMap;

use super::failure;
use super::headers::header;
use super::progress::ProgressSender;
use super::random;
use crate::api::call::{Failure, FailureKind, Progress};
use crate::settings::{Endpoint, limits};

/// A failed attempt.
pub(super) struct FailedAttempt {
    pub(super) why: Failure,
    /// Whether another attempt may help.
    pub(super) is_retryable: bool,
}

impl FailedAttempt {
    /// Creates a failure that another attempt cannot avoid.
    pub(super) fn permanent(why: Failure) -> Self {
        Self { why, is_retryable: false }
    }

    /// Creates a failure that another attempt may avoid.
    pub(super) fn retryable(why: Failure) -> Self {
        Self { why, is_retryable: true }
    }

    /// Creates the failure of an attempt without a response.
    pub(super) fn transport(error: &reqwest::Error, endpoint: &Endpoint) -> Self {
        let why = failure::transport(error, endpoint);
        // The next attempt would meet the same certificate.
        let is_permanent = error.is_builder() || failure::certificate_problem(error).is_some();
        let is_retryable = !is_permanent && why.kind != FailureKind::Malformed;
        Self { why, is_retryable }
    }
}

/// The attempts of one request.
pub(super) struct Retries {
    backoff: ExponentialBackoff,
    attempt: u8,
}

impl Default for Retries {
    fn default() -> Self {
        let backoff = ExponentialBuilder::default()
            .with_min_delay(limits::RETRY_FIRST)
            .with_max_delay(limits::RETRY_MOST)
            .with_max_times(usize::from(limits::ATTEMPTS) - 1);
        Self { backoff: backoff.build(), attempt: 1 }
    }
}

impl Retries {
    /// Announces the next attempt and waits until it is due. Fails with the failure of the last attempt if none is
    /// left, none can help, or the server asks to wait too long.
    pub(super) async fn wait_or_give_up(
        &mut self,
        failed: FailedAttempt,
        sender: &ProgressSender,
    ) -> Result<(), Failure> {
        let FailedAttempt { why, is_retryable } = failed;
        let Some(backoff) = self.backoff.next().filter(|_| is_retryable) else {
            return Err(failure::given_up(why, self.attempt));
        };
        let asked = why.retry_after.unwrap_or_default();
        if asked > limits::RETRY_AFTER_MOST {
            return Err(failure::too_long_a_wait(why, asked, self.attempt));
        }
        // Even `retry-after: 0` does not shorten our own backoff.
        let wait = asked.max(backoff.mul_f64(jitter()));
        self.attempt += 1;
        let at = Instant::now() + wait;
        // Subscribed before the wait is announced, so that no request to end it is missed.
        let retry_now = sender.retry_now.notified();
        sender.send(Progress::Retrying { attempt: self.attempt, of: limits::ATTEMPTS, at, why }).await;
        tokio::select! {
            () = tokio::time::sleep_until(at.into()) => {}
            () = retry_now => {}
        }
        Ok(())
    }
}

/// Returns whether another attempt may help. Failures that repeat whatever we do (bad request, key, quota, length) are
/// final; else the server's `x-should-retry` decides, else the status.
pub(super) fn should_retry(status: u16, headers: &HeaderMap, kind: FailureKind) -> bool {
    if matches!(kind, FailureKind::Quota | FailureKind::TooLong) || matches!(status, 400 | 401 | 403 | 404 | 422) {
        return false;
    }
    let verdict = header(headers, "x-should-retry").map(|verdict| verdict.trim().to_ascii_lowercase());
    match verdict.as_deref() {
        Some("true") => true,
        Some("false") => false,
        // 501 is final: the server does not have what was asked for.
        _ => matches!(status, 408 | 409 | 429 | 500 | 502..),
    }
}

/// Returns a factor of 0.75 to 1, so that many clients do not retry at the same moment.
fn jitter() -> f64 {
    0.75 + 0.25 * random::fraction()
}
