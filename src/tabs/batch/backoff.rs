//! When a whole run waits: which failures concern every item, how long it waits, when the user has to act.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use crate::api::call::{Failure, FailureKind};
use crate::text::Untrusted;

/// After so many items given up in a row, without a good answer between them, the run waits for the user.
const REJECTED: u32 = 20;
/// After so many waits for a server that fails, the run waits for the user.
const WAITS: u32 = 8;
/// After so many waits, 75 seconds in all, for a server that cannot be reached and has never answered, the run waits for
/// the user.
const UNANSWERED_WAITS: u32 = 4;
/// A request that a server failed at so often, while it answered others, is split, and given up.
const TRIES: u8 = 3;
/// The first wait; each one after it is twice as long…
const FIRST: Duration = Duration::from_secs(5);
/// …up to this.
const MOST: Duration = Duration::from_mins(5);

/// Why nothing is sent, and until when.
#[derive(Debug)]
pub(super) struct Backoff {
    pub(super) why: Untrusted,
    /// `None`: until the user resumes.
    pub(super) until: Option<Instant>,
}

/// What a failure concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FailureScope {
    /// The items of its request.
    Items,
    /// Everything, until the user changes something.
    User,
    /// Everything, for a while.
    While,
    /// The server failed: for a while, or at these items.
    Server,
}

impl FailureScope {
    pub(super) fn of(why: &Failure) -> Self {
        match why.kind {
            FailureKind::Auth | FailureKind::Quota | FailureKind::Unsupported => Self::User,
            FailureKind::Offline | FailureKind::RateLimit => Self::While,
            FailureKind::Server | FailureKind::Timeout | FailureKind::CutOff => Self::Server,
            // 404 means that there is no such model.
            FailureKind::Refused if why.status == Some(404) => Self::User,
            FailureKind::TooLong
            | FailureKind::Refused
            | FailureKind::Malformed
            | FailureKind::Unreadable
            | FailureKind::Unwritable
            | FailureKind::Bug => Self::Items,
        }
    }
}

/// Decides whether a run may send: pauses, waits after failures, and one request that goes ahead after a wait.
#[derive(Debug, Default)]
pub(super) struct Throttle {
    paused: bool,
    /// Whether one request goes ahead of the others, to see whether the server answers again.
    probing: bool,
    server: Option<Backoff>,
    /// A reason of the owner's, besides the server's.
    own: Option<Backoff>,
    /// Why the store does not save results.
    storage: Option<Backoff>,
    /// Items given up since the last good answer.
    rejected: u32,
    /// Waits since the last good answer.
    waits: u32,
    /// Good answers so far.
    answers: u64,
    /// Of requests that a server failed at, by their first item: how often, and how many answers there were by then.
    tries: HashMap<u32, (u8, u64)>,
    /// Whether requests that the server fails at are split before the run waits.
    splits_before_waiting: bool,
}

impl Throttle {
    pub(super) fn pause(&mut self) {
        self.paused = true;
    }

    /// Continues, also where it would have waited.
    pub(super) fn resume(&mut self) {
        self.paused = false;
        (self.own, self.storage) = (None, None);
        self.probing |= self.server.take().is_some();
        (self.rejected, self.waits) = (0, 0);
    }

    pub(super) fn hold(&mut self, backoff: Backoff) {
        self.own = Some(backoff);
    }

    /// Waits while the store does not save results; `None`: it saves them again.
    pub(super) fn set_storage_refusal(&mut self, why: Option<Untrusted>) {
        self.storage = why.map(|why| Backoff { why, until: None });
    }

    /// Returns how many requests may be under way at a moment, of at most `most`.
    pub(super) fn slots(&mut self, most: usize, now: Instant) -> usize {
        if self.paused {
            return 0;
        }
        // A wait that is over is forgotten also where nothing may be sent, or its end would be waited for again and
        // again.
        let over = |backoff: &mut Backoff| backoff.until.is_some_and(|until| until <= now);
        self.probing |= self.server.take_if(over).is_some();
        self.own.take_if(over);
        match self.backoff() {
            None if self.probing => most.min(1),
            None => most,
            Some(_) => 0,
        }
    }

    pub(super) fn is_paused(&self) -> bool {
        self.paused
    }

    pub(super) fn is_probing(&self) -> bool {
        self.probing
    }

    /// Returns what it waits for: of several waits the one that ends last.
    pub(super) fn backoff(&self) -> Option<&Backoff> {
        let waits = [&self.server, &self.own, &self.storage].into_iter().flatten();
        waits.max_by_key(|backoff| (backoff.until.is_none(), backoff.until))
    }

    /// Notes a good answer.
    pub(super) fn note_answer(&mut self) {
        self.answers += 1;
        self.rejected = 0;
        if self.server.is_none() {
            (self.waits, self.probing) = (0, false);
        }
    }

    /// Notes that an item was given up; after many in a row the run waits for the user.
    pub(super) fn note_rejected(&mut self, why: &Failure) {
        self.rejected += 1;
        if self.rejected >= REJECTED {
            let why = format!("{REJECTED} texts in a row failed, the last because {}", why.sentence.line());
            self.server = Some(Backoff { why: why.into(), until: None });
        }
    }

    /// Notes that items which were given up are sent again.
    pub(super) fn note_retried(&mut self, items: &[u32]) {
        for item in items {
            self.tries.remove(item);
        }
        self.rejected = 0;
    }

    /// Forgets what it knows of requests whose first item is before this place.
    pub(super) fn forget_before(&mut self, place: u32) {
        self.tries.retain(|first, _| *first >= place);
    }

    /// Splits requests that the server fails at before the run waits.
    pub(super) fn split_before_waiting(&mut self) {
        self.splits_before_waiting = true;
    }

    /// Returns whether the server failed at a request of so many items often enough, answering others meanwhile;
    /// `first`: its first item.
    pub(super) fn is_exhausted(&mut self, first: u32, items: usize) -> bool {
        let (tries, answers) = self.tries.entry(first).or_insert((0, self.answers));
        let is_first = *tries == 0;
        let counts = is_first || *answers < self.answers;
        *tries += u8::from(counts);
        *answers = self.answers;
        // A request is split at its first failure, as one of its halves may be answered. The one that goes ahead after
        // a wait is not: each wait would be followed by new requests to a server that is down.
        let splits = counts && (!is_first || items > 1 && !self.probing);
        *tries >= TRIES || self.splits_before_waiting && splits
    }

    /// Notes that a request is split: its second half has failed as often as the first one, which keeps its first item.
    pub(super) fn note_split(&mut self, first: u32, second: u32) {
        if self.splits_before_waiting
            && let Some(tries) = self.tries.get(&first).copied()
        {
            self.tries.insert(second, tries);
        }
    }

    /// Waits after a failure that concerns everything: for a while, or for the user.
    pub(super) fn back_off(&mut self, scope: FailureScope, why: &Failure, now: Instant) {
        if self.server.as_ref().is_some_and(|backoff| backoff.until.is_none()) {
            return;
        }
        // Requests that fail together count as one failure.
        if self.server.is_none() {
            self.waits += 1;
        }
        let is_unreachable = why.kind == FailureKind::Offline && self.answers == 0;
        let tired =
            scope == FailureScope::Server && self.waits > WAITS || is_unreachable && self.waits > UNANSWERED_WAITS;
        let until = (scope != FailureScope::User && !tired).then(|| now + wait(self.waits, why.retry_after));
        let before = self.server.as_ref().and_then(|backoff| backoff.until);
        let until = until.map(|until| before.map_or(until, |before| before.max(until)));
        self.server = Some(Backoff { why: why.sentence.clone(), until });
    }
}

/// Returns how long the wait of this number (from 1) is. A server that asks for more gets it.
fn wait(number: u32, asked: Option<Duration>) -> Duration {
    let grown = FIRST.saturating_mul(1 << number.saturating_sub(1).min(10)).min(MOST);
    asked.map_or(grown, |asked| asked.max(grown))
}

/// Returns the next moment at which a countdown to `until` shows another second.
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
        let secs = |number| wait(number, None).as_secs();
        assert_eq!([secs(1), secs(2), secs(3), secs(7), secs(100)], [5, 10, 20, 300, 300]);
        assert_eq!(wait(1, Some(Duration::from_mins(1))).as_secs(), 60);
        assert_eq!(wait(7, Some(Duration::from_mins(1))).as_secs(), 300);
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
