//! When a request is sent again, and how long that waits.

use std::time::Instant;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use reqwest::header::HeaderMap;

use super::failure;
use super::headers::header;
use super::progress::ProgressSender;
use super::random;
use crate::api::call::{Failure, FailureKind, Progress};
use crate::settings::{Endpoint, limits};

/// An attempt that brought no good answer.
pub(super) struct Refusal {
    pub(super) why: Failure,
    /// Whether another attempt may help.
    pub(super) retry: bool,
}

impl Refusal {
    pub(super) fn last(why: Failure) -> Self {
        Self { why, retry: false }
    }

    pub(super) fn again(why: Failure) -> Self {
        Self { why, retry: true }
    }

    /// There was no answer.
    pub(super) fn transport(error: &reqwest::Error, endpoint: &Endpoint) -> Self {
        let why = failure::transport(error, endpoint);
        // The certificate is the same the next time.
        let lasts = error.is_builder() || failure::certificate(error).is_some();
        let retry = !lasts && why.kind != FailureKind::Malformed;
        Self { why, retry }
    }
}

/// The attempts at one request.
pub(super) struct Retries {
    waits: ExponentialBackoff,
    attempt: u8,
}

impl Default for Retries {
    fn default() -> Self {
        let waits = ExponentialBuilder::default()
            .with_min_delay(limits::RETRY_FIRST)
            .with_max_delay(limits::RETRY_MOST)
            .with_max_times(usize::from(limits::ATTEMPTS) - 1);
        Self { waits: waits.build(), attempt: 1 }
    }
}

impl Retries {
    /// Waits until the next attempt is due, which is announced before; or says that there is none.
    pub(super) async fn wait(&mut self, refusal: Refusal, sender: &ProgressSender) -> Result<(), Failure> {
        let Refusal { why, retry } = refusal;
        let wait = match (retry, self.waits.next(), why.retry_after) {
            (true, Some(_), Some(asked)) if asked > limits::RETRY_AFTER_MOST => {
                return Err(failure::too_long_a_wait(why, asked, self.attempt));
            }
            // A server that asks for none is not asked again at once either.
            (true, Some(own), asked) => asked.unwrap_or_default().max(own.mul_f64(jitter())),
            _ => return Err(failure::given_up(why, self.attempt)),
        };
        self.attempt += 1;
        let at = Instant::now() + wait;
        // Listens from before the wait is announced, and only for this wait.
        let hurried = sender.hurry.notified();
        sender.send(Progress::Retrying { attempt: self.attempt, of: limits::ATTEMPTS, at, why }).await;
        tokio::select! {
            () = tokio::time::sleep_until(at.into()) => {}
            () = hurried => {}
        }
        Ok(())
    }
}

/// Whether another attempt may help. The server's own word counts, but not against what it answered: what is wrong with
/// the request or the key is still wrong the next time.
pub(super) fn should_retry(status: u16, headers: &HeaderMap, kind: FailureKind) -> bool {
    let word = header(headers, "x-should-retry").map(|word| word.trim().to_ascii_lowercase());
    match word.as_deref() {
        _ if matches!(kind, FailureKind::Quota | FailureKind::TooLong) => false,
        _ if matches!(status, 400 | 401 | 403 | 404 | 422) => false,
        Some("true") => true,
        Some("false") => false,
        _ => matches!(status, 408 | 409 | 429 | 500 | 502..),
    }
}

/// A factor of 0.75 to 1, so that many clients do not come back at the same moment.
fn jitter() -> f64 {
    0.75 + 0.25 * random::fraction()
}
