//! When a run outside the tabs ends although texts are left: nobody watches it, who could resume it or stop it.

use std::time::Instant;

use super::schedule::BatchState;
use crate::api::call::{Failure, FailureKind};
use crate::text::Untrusted;

/// After so many waits for a server without an answer between them the run ends: 75 seconds…
const WAITS: u32 = 4;
/// …and some 15 minutes for one that answers, but with its rate limit.
const RATE_LIMIT_WAITS: u32 = 8;

/// What a run does that nobody watches.
#[derive(Clone, Debug, PartialEq)]
pub enum UnwatchedState {
    /// It goes on.
    Running,
    /// It begins to wait for a server that fails.
    Waits {
        /// Why.
        why: Untrusted,
        /// Until when.
        until: Instant,
    },
    /// It has to end.
    GivesUp(Failure),
}

/// Decides whether a run that nobody watches waits for a server that fails.
#[derive(Debug, Default)]
pub struct UnwatchedRun {
    /// Whether an answer has come.
    has_answer: bool,
    /// Waits since the last answer.
    waits: u32,
    until: Option<Instant>,
    /// Why a request failed last.
    failure: Option<Failure>,
}

impl UnwatchedRun {
    /// Notes that an answer has come.
    pub fn note_answer(&mut self) {
        (self.has_answer, self.waits) = (true, 0);
    }

    /// Notes that a request has failed.
    pub fn note_failure(&mut self, why: Failure) {
        self.failure = Some(why);
    }

    /// Returns why a request failed last.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Returns what the run does in this state: it waits for a server that has answered before, and for nothing that
    /// needs its user. `is_idle`: no request is under way and no result is to be saved. `refusal`: why the store does
    /// not save its results.
    pub fn judge(
        &mut self,
        state: BatchState<'_>,
        is_idle: bool,
        refusal: Option<&Untrusted>,
        now: Instant,
    ) -> UnwatchedState {
        let BatchState::Held { why, until } = state else { return UnwatchedState::Running };
        if refusal.is_some() {
            return UnwatchedState::GivesUp(Failure::new(FailureKind::CutOff, why.clone()));
        }
        // Requests under way come to their end: their answers may be paid for.
        if !is_idle {
            return UnwatchedState::Running;
        }
        if let Some(until) = until.filter(|_| self.has_answer) {
            let is_waiting = self.until.is_some_and(|until| until > now);
            self.until = Some(until);
            if is_waiting {
                return UnwatchedState::Running;
            }
            self.waits += 1;
            let is_limited = self.failure.as_ref().is_some_and(|why| why.kind == FailureKind::RateLimit);
            let most = if is_limited { RATE_LIMIT_WAITS } else { WAITS };
            if self.waits <= most {
                return UnwatchedState::Waits { why: why.clone(), until };
            }
        }
        let failure = self.failure.clone().unwrap_or_else(|| Failure::new(FailureKind::Malformed, why.clone()));
        UnwatchedState::GivesUp(Failure { sentence: why.clone(), ..failure })
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_waits_a_few_times_for_a_server_that_has_answered_before() {
        let (mut run, mut now, why) = (UnwatchedRun::default(), Instant::now(), Untrusted::from("no connection"));
        run.note_failure(Failure::new(FailureKind::Offline, "no connection"));
        let given_up = UnwatchedState::GivesUp(Failure::new(FailureKind::Offline, "no connection"));
        let held = |now: Instant| BatchState::Held { why: &why, until: Some(now + Duration::from_secs(5)) };
        assert_eq!(run.judge(held(now), true, None, now), given_up, "it has never answered");
        run.note_answer();
        for _ in 0..WAITS {
            assert!(matches!(run.judge(held(now), true, None, now), UnwatchedState::Waits { .. }));
            assert_eq!(run.judge(held(now), true, None, now), UnwatchedState::Running, "said once");
            now += Duration::from_secs(6);
        }
        assert_eq!(run.judge(held(now), true, None, now), given_up);
        run.note_answer();
        now += Duration::from_secs(6);
        assert!(matches!(run.judge(held(now), true, None, now), UnwatchedState::Waits { .. }));
        assert_eq!(run.judge(BatchState::Running, true, None, now), UnwatchedState::Running);
    }

    #[test]
    fn it_waits_longer_for_a_rate_limit() {
        let (mut run, mut now, why) = (UnwatchedRun::default(), Instant::now(), Untrusted::from("rate limit"));
        run.note_answer();
        run.note_failure(Failure::new(FailureKind::RateLimit, "rate limit"));
        let mut waits = 0;
        while matches!(
            run.judge(BatchState::Held { why: &why, until: Some(now + Duration::from_secs(5)) }, true, None, now),
            UnwatchedState::Waits { .. }
        ) {
            waits += 1;
            now += Duration::from_secs(6);
        }
        assert_eq!(waits, RATE_LIMIT_WAITS);
    }

    #[test]
    fn it_does_not_end_before_its_requests() {
        let (mut run, now, why) = (UnwatchedRun::default(), Instant::now(), Untrusted::from("the key is refused"));
        let held = BatchState::Held { why: &why, until: None };
        assert_eq!(run.judge(held, false, None, now), UnwatchedState::Running);
        assert!(matches!(run.judge(held, true, None, now), UnwatchedState::GivesUp(_)));
    }

    #[test]
    fn it_waits_for_nothing_that_needs_its_user() {
        let (mut run, now, why) = (UnwatchedRun::default(), Instant::now(), Untrusted::from("the key is refused"));
        run.note_answer();
        run.note_failure(Failure::new(FailureKind::Auth, "refused"));
        let held = BatchState::Held { why: &why, until: None };
        let UnwatchedState::GivesUp(failure) = run.judge(held, true, None, now) else { panic!("it waits") };
        assert_eq!((failure.kind, failure.sentence.line()), (FailureKind::Auth, "the key is refused".into()));
        let UnwatchedState::GivesUp(failure) = run.judge(held, false, Some(&"disk full".into()), now) else {
            panic!("it waits")
        };
        assert_eq!(failure.kind, FailureKind::CutOff);
    }
}
