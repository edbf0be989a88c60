//! When the next frame is due: at once for what a key changed, at most 60 times a second for everything else, never for
//! nothing.

use std::time::{Duration, Instant};

/// The least time between two frames that no key asked for: 60 a second.
pub const FRAME: Duration = Duration::from_micros(16_667);

/// Knows when a frame is due. Pure: it is told the time.
#[derive(Debug, Default)]
pub struct FrameClock {
    last: Option<Instant>,
    due: Option<Instant>,
}

impl FrameClock {
    /// Something arrived that may wait for its turn.
    pub fn touch(&mut self, now: Instant) {
        let turn = self.last.map_or(now, |last| (last + FRAME).max(now));
        self.due = Some(self.due.map_or(turn, |due| due.min(turn)));
    }

    /// The user did something: its change is drawn at once.
    pub fn touch_now(&mut self, now: Instant) {
        self.due = Some(self.due.map_or(now, |due| due.min(now)));
    }

    /// The size changes: drags send many sizes, so the frame waits `settle` after the last of them.
    pub fn put_off(&mut self, now: Instant, settle: Duration) {
        self.due = Some(now + settle);
    }

    /// When to draw; `None`: nothing has changed.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// A frame was drawn.
    pub fn drawn(&mut self, now: Instant) {
        self.last = Some(now);
        self.due = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_changed_is_never_due() {
        let mut clock = FrameClock::default();
        assert_eq!(clock.due(), None);
        clock.touch(Instant::now());
        clock.drawn(Instant::now());
        assert_eq!(clock.due(), None);
    }

    #[test]
    fn replies_wait_for_their_turn_and_keys_do_not() {
        let (mut clock, start) = (FrameClock::default(), Instant::now());
        clock.touch(start);
        assert_eq!(clock.due(), Some(start), "the first frame waits for nothing");
        clock.drawn(start);
        let soon = start + Duration::from_millis(3);
        clock.touch(soon);
        assert_eq!(clock.due(), Some(start + FRAME));
        clock.touch(soon + Duration::from_millis(1));
        assert_eq!(clock.due(), Some(start + FRAME), "a second reply does not move it");
        clock.touch_now(soon);
        assert_eq!(clock.due(), Some(soon));
    }

    #[test]
    fn a_late_reply_is_drawn_at_once_and_a_resize_settles() {
        let (mut clock, start) = (FrameClock::default(), Instant::now());
        clock.drawn(start);
        let late = start + Duration::from_secs(1);
        clock.touch(late);
        assert_eq!(clock.due(), Some(late));
        clock.put_off(late, Duration::from_millis(30));
        assert_eq!(clock.due(), Some(late + Duration::from_millis(30)));
    }

    #[test]
    fn no_more_than_sixty_frames_a_second() {
        let (mut clock, start) = (FrameClock::default(), Instant::now());
        let mut frames = 0;
        for ms in 0..1000 {
            let now = start + Duration::from_millis(ms);
            clock.touch(now);
            if clock.due().is_some_and(|due| due <= now) {
                frames += 1;
                clock.drawn(now);
            }
        }
        assert!((50..=60).contains(&frames), "{frames}");
    }
}
