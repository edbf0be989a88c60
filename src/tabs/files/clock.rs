//! The time of the last event.

use std::time::Instant;

use jiff::tz::TimeZone;

use crate::component::Cx;

/// The time of the last event, and the zone that times are shown in.
#[derive(Debug)]
pub(super) struct EventClock {
    pub(super) zone: TimeZone,
    /// Countdowns are told from there on; `None`: nothing has happened yet.
    pub(super) seen: Option<Instant>,
    /// The same, Unix milliseconds.
    pub(super) now_ms: i64,
}

impl Default for EventClock {
    fn default() -> Self {
        Self { zone: TimeZone::system(), seen: None, now_ms: 0 }
    }
}

impl EventClock {
    /// Takes the time of an event.
    pub(super) fn sync(&mut self, cx: &Cx) {
        (self.seen, self.now_ms) = (Some(cx.now), cx.unix_ms);
    }
}
