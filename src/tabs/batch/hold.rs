//! What stops a whole run: which failures concern every text, how long it waits, when it asks for somebody.

use std::time::{Duration, Instant};

use crate::api::call::{Failure, FailureKind};
use crate::text::Untrusted;

/// So many texts given up in a row, without a good answer between them, are the run's matter and not theirs.
pub(super) const STREAK: u32 = 20;
/// After so many waits for a server that fails, somebody is to look at it.
pub(super) const RESTS: u32 = 8;
/// The first wait; each one after it is twice as long…
const FIRST: Duration = Duration::from_secs(5);
/// …up to this.
const MOST: Duration = Duration::from_mins(5);

/// Why nothing is sent, and until when.
#[derive(Debug)]
pub(super) struct Hold {
    pub(super) why: Untrusted,
    /// `None`: until somebody says so.
    pub(super) until: Option<Instant>,
}

/// What a failure is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// The texts of its request.
    Texts,
    /// Everything, and only somebody can change that.
    User,
    /// Everything, for a while.
    While,
    /// The server failed: for a while, or at these texts.
    Server,
}

/// What a failure is about.
pub(super) fn reach(why: &Failure) -> Reach {
    match why.kind {
        FailureKind::Auth | FailureKind::Quota | FailureKind::Unsupported => Reach::User,
        FailureKind::Offline | FailureKind::RateLimit => Reach::While,
        FailureKind::Server | FailureKind::Timeout | FailureKind::CutOff => Reach::Server,
        // There is no such model.
        FailureKind::Refused if why.status == Some(404) => Reach::User,
        FailureKind::TooLong | FailureKind::Refused | FailureKind::Malformed | FailureKind::Bug => Reach::Texts,
    }
}

/// How long the wait of this number (from 1) is. A server that asks for more gets it.
pub(super) fn rest(number: u32, asked: Option<Duration>) -> Duration {
    let grown = FIRST.saturating_mul(1 << number.saturating_sub(1).min(10)).min(MOST);
    asked.map_or(grown, |asked| asked.max(grown))
}

/// What is said when text after text is given up.
pub(super) fn streak(why: &Failure) -> Untrusted {
    let words = format!("{STREAK} texts in a row came to nothing, the last because {}", why.sentence.line());
    words.into()
}

/// The next moment at which a countdown to `until` shows another second.
pub(super) fn next_second(now: Instant, until: Instant) -> Instant {
    let left = until.saturating_duration_since(now);
    let part = Duration::from_nanos(u64::from(left.subsec_nanos()));
    let step = if part.is_zero() { Duration::from_secs(1) } else { part };
    (now + step).min(until)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end_somewhere() {
        let secs = |number| rest(number, None).as_secs();
        assert_eq!([secs(1), secs(2), secs(3), secs(7), secs(100)], [5, 10, 20, 300, 300]);
        assert_eq!(rest(1, Some(Duration::from_mins(1))).as_secs(), 60);
        assert_eq!(rest(7, Some(Duration::from_mins(1))).as_secs(), 300);
    }

    #[test]
    fn a_countdown_is_told_each_second() {
        let now = Instant::now();
        let until = now + Duration::from_millis(2_300);
        let first = next_second(now, until);
        assert_eq!(first, now + Duration::from_millis(300));
        assert_eq!(next_second(first, until), first + Duration::from_secs(1));
        assert_eq!(next_second(until, until), until, "never behind its end");
    }
}
