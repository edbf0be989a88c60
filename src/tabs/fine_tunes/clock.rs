//! Converts an instant into the time of the wall clock: a frame knows only the instant.

use std::time::Instant;

use crate::component::Cx;

/// A moment, and what the wall clock said then.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WallClock(Option<(Instant, i64)>);

impl WallClock {
    /// Takes the time of an event.
    pub(super) fn observe(&mut self, cx: &Cx) {
        self.0 = Some((cx.now, cx.unix_ms));
    }

    /// Returns the moment of the last event; spinners count from there.
    pub(super) fn observed(&self, now: Instant) -> Instant {
        self.0.map_or(now, |(at, _)| at)
    }

    /// Returns a moment in Unix seconds.
    pub(super) fn unix(&self, now: Instant) -> i64 {
        let (at, unix_ms) = self.0.unwrap_or((now, 0));
        let passed = i64::try_from(now.saturating_duration_since(at).as_millis()).unwrap_or(0);
        (unix_ms + passed) / 1000
    }
}
