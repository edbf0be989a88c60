//! The times at which spinners and counters are drawn again.

use std::time::{Duration, Instant};

use crate::ui::meter::SPINNER_FRAME;

/// The time between two frames where only seconds are counted, without a spinner.
const STILL_FRAME: Duration = Duration::from_millis(500);

/// The clock of a spinner or a seconds counter: when it started, and when its next frame is due.
#[derive(Clone, Copy, Debug, Default)]
pub struct Animation {
    started: Option<Instant>,
    ticked: Option<Instant>,
    /// Whether spinners are shown; otherwise only seconds are counted.
    motion: bool,
}

impl Animation {
    /// Sets whether spinners are shown.
    pub fn set_motion(&mut self, motion: bool) {
        self.motion = motion;
    }

    /// Starts again with the first frame.
    pub fn start(&mut self, now: Instant) {
        (self.started, self.ticked) = (Some(now), Some(now));
    }

    /// Notes that a frame was due; the next one is due a frame later.
    pub fn tick(&mut self, now: Instant) {
        self.ticked = Some(now);
    }

    /// Starts the clock when something begins to move, and stops it when nothing does.
    pub fn update(&mut self, moves: bool, now: Instant) {
        self.started = moves.then(|| self.started.unwrap_or(now));
        self.ticked = Some(now);
    }

    /// Returns when the last tick was.
    pub fn ticked(&self) -> Option<Instant> {
        self.ticked
    }

    /// Returns when the next frame is due; `None`: the clock has not started.
    pub fn due(&self) -> Option<Instant> {
        self.ticked.map(|at| at + if self.motion { SPINNER_FRAME } else { STILL_FRAME })
    }

    /// Returns the time since it started.
    pub fn elapsed(&self, now: Instant) -> Duration {
        self.started.map_or(Duration::ZERO, |started| now.saturating_duration_since(started))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_follow_one_another_and_time_is_counted_from_the_start() {
        let (mut animation, now) = (Animation::default(), Instant::now());
        assert_eq!((animation.due(), animation.elapsed(now)), (None, Duration::ZERO));
        animation.update(false, now);
        animation.update(true, now + STILL_FRAME);
        animation.tick(now + 2 * STILL_FRAME);
        assert_eq!(animation.due(), Some(now + 3 * STILL_FRAME));
        animation.set_motion(true);
        assert_eq!(animation.due(), Some(now + 2 * STILL_FRAME + SPINNER_FRAME));
        assert_eq!(animation.elapsed(now + 3 * STILL_FRAME), 2 * STILL_FRAME);
        animation.update(false, now + 3 * STILL_FRAME);
        assert_eq!(animation.elapsed(now + 4 * STILL_FRAME), Duration::ZERO);
    }
}
