//! When what spins and counts on is drawn anew.

use std::time::{Duration, Instant};

use crate::component::Session;
use crate::ui::meter::{self, SPINNER_FRAME};

/// Between two frames of what counts on without a spinner.
const STILL_FRAME: Duration = Duration::from_millis(500);

/// When what spins and counts on was drawn, and is to be drawn next.
#[derive(Debug)]
pub(super) struct Animation {
    /// When the tab first came to the front: what spins is measured from there.
    started: Option<Instant>,
    /// The last tick; the next one is due a spinner's frame later.
    ticked: Option<Instant>,
    /// Whether things may move.
    motion: bool,
}

impl Animation {
    pub(super) fn new() -> Self {
        Self { started: None, ticked: None, motion: true }
    }

    /// Starts it when the tab first comes to the front.
    pub(super) fn start(&mut self, session: &Session, now: Instant) {
        self.started = Some(now);
        self.motion = session.motion;
    }

    /// A frame was due.
    pub(super) fn tick(&mut self, now: Instant) {
        self.ticked = Some(now);
    }

    /// Returns when the next frame is due while something spins.
    pub(super) fn due(&self) -> Option<Instant> {
        // Without motion only the seconds count on.
        let frame = if self.motion { SPINNER_FRAME } else { STILL_FRAME };
        self.ticked.map(|at| at + frame)
    }

    /// Returns the spinner's picture.
    pub(super) fn spinner(&self, session: &Session, now: Instant) -> &'static str {
        meter::spinner(now.saturating_duration_since(self.started.unwrap_or(now)), session.motion)
    }
}
