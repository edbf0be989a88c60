//! The time of the last event.

use std::time::Instant;

use crate::component::Cx;

/// The time of the last event.
#[derive(Debug, Default)]
pub(super) struct EventClock {
    /// Countdowns are told from there on; `None`: nothing has happened yet.
    pub(super) seen: Option<Instant>,
    /// The same in Unix milliseconds.
    pub(super) now_ms: i64,
}

impl EventClock {
    /// Takes the time of an event.
    pub(super) fn observe(&mut self, cx: &Cx) {
        (self.seen, self.now_ms) = (Some(cx.now), cx.unix_ms);
    }
}
