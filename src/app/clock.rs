//! Decides when the next frame is due: at once for what a key changed and for text that arrives, unless text was drawn
//! less than a frame ago; at most 60 times a second for everything else; never without a change.

use std::time::{Duration, Instant};

/// The least time between two frames with new text, and between any frame and one that no key asked for: 60 a second.
pub const FRAME: Duration = Duration::from_micros(16_667);

/// Decides when a frame is due. The time is an argument.
///
/// Only frames with new text delay text. Other frames (for a spinner, a clock, a "saved" mark) may come several times a
/// second, and each would delay the next token.
#[derive(Debug, Default)]
pub struct FrameClock {
    /// Time of the last frame.
    last: Option<Instant>,
    /// Time of the last frame with new text.
    last_text: Option<Instant>,
    /// Whether the next frame has new text.
    has_text: bool,
    due: Option<Instant>,
}

impl FrameClock {
    /// Requests a frame for a change that is not text of an answer, at least a frame after the last one.
    pub fn touch(&mut self, now: Instant) {
        self.request(self.last, FRAME, now);
    }

    /// Requests a frame for text of an answer, at least a frame after the last text.
    pub fn touch_text(&mut self, now: Instant) {
        self.has_text = true;
        self.request(self.last_text, FRAME, now);
    }

    /// Requests a frame for a spinner or a clock. While text arrives it is drawn with the text, so that it needs no
    /// frame of its own.
    pub fn touch_tick(&mut self, now: Instant) {
        self.request(self.last, FRAME * 2, now);
    }

    /// Requests a frame at once, for a change made by the user.
    pub fn touch_now(&mut self, now: Instant) {
        self.request(None, FRAME, now);
    }

    /// Requests a frame at least `gap` after `last`.
    fn request(&mut self, last: Option<Instant>, gap: Duration, now: Instant) {
        let wanted = last.map_or(now, |last| (last + gap).max(now));
        self.due = Some(self.due.map_or(wanted, |due| due.min(wanted)));
    }

    /// Delays the frame after a change of size: dragging an edge of the window sends many sizes.
    pub fn delay(&mut self, now: Instant, delay: Duration) {
        self.due = Some(now + delay);
    }

    /// Returns when to draw; `None`: nothing has changed.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }

    /// Notes that a frame was drawn.
    pub fn note_drawn(&mut self, now: Instant) {
        self.last = Some(now);
        if std::mem::take(&mut self.has_text) {
            self.last_text = Some(now);
        }
        self.due = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn nothing_changed_is_never_due() {
        let mut clock = FrameClock::default();
        assert_eq!(clock.due(), None);
        clock.touch(Instant::now());
        clock.note_drawn(Instant::now());
        assert_eq!(clock.due(), None);
    }

    #[test]
    fn replies_wait_for_their_turn_and_keys_do_not() {
        let (mut clock, start) = (FrameClock::default(), Instant::now());
        clock.touch(start);
        assert_eq!(clock.due(), Some(start), "the first frame waits for nothing");
        clock.note_drawn(start);
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
        clock.note_drawn(start);
        let late = start + Duration::from_secs(1);
        clock.touch(late);
        assert_eq!(clock.due(), Some(late));
        clock.delay(late, Duration::from_millis(30));
        assert_eq!(clock.due(), Some(late + Duration::from_millis(30)));
    }

    #[test]
    fn text_right_after_a_frame_without_text_is_drawn_at_once() {
        let start = Instant::now();
        let touches: [fn(&mut FrameClock, Instant); 3] =
            [FrameClock::touch_tick, FrameClock::touch, FrameClock::touch_now];
        for other in touches {
            let mut clock = FrameClock::default();
            clock.touch_text(start);
            clock.note_drawn(start);
            let later = start + FRAME * 3;
            other(&mut clock, later);
            assert_eq!(clock.due(), Some(later));
            clock.note_drawn(later);
            clock.touch_text(later + MS);
            assert_eq!(clock.due(), Some(later + MS));
            clock.note_drawn(later + MS);
            clock.touch_text(later + MS * 2);
            assert_eq!(clock.due(), Some(later + MS + FRAME), "text waits for text");
        }
    }

    #[test]
    fn text_that_a_key_brought_to_the_screen_counts_as_drawn() {
        let (mut clock, start) = (FrameClock::default(), Instant::now());
        clock.touch_text(start);
        clock.note_drawn(start);
        clock.touch_text(start + MS);
        clock.touch_now(start + MS * 2);
        assert_eq!(clock.due(), Some(start + MS * 2));
        clock.note_drawn(start + MS * 2);
        clock.touch_text(start + MS * 3);
        assert_eq!(clock.due(), Some(start + MS * 2 + FRAME));
    }

    #[test]
    fn a_spinner_moves_with_the_text_while_text_arrives_and_by_itself_when_none_does() {
        let (mut clock, start) = (FrameClock::default(), Instant::now());
        clock.touch_text(start);
        clock.note_drawn(start);
        clock.touch_tick(start + MS * 19);
        assert_eq!(clock.due(), Some(start + FRAME * 2));
        clock.touch_text(start + MS * 20);
        assert_eq!(clock.due(), Some(start + MS * 20), "the next token takes it along");
        clock.note_drawn(start + MS * 20);
        assert_eq!(clock.due(), None);
        let late = start + Duration::from_millis(145);
        clock.touch_tick(late);
        assert_eq!(clock.due(), Some(late));
    }

    /// Calls `touch` each millisecond of a second. Returns how many frames were drawn.
    fn frames(touch: impl Fn(&mut FrameClock, Instant)) -> u32 {
        let (mut clock, start) = (FrameClock::default(), Instant::now());
        let mut frames = 0;
        for ms in 0..1000 {
            let now = start + MS * ms;
            touch(&mut clock, now);
            if clock.due().is_some_and(|due| due <= now) {
                frames += 1;
                clock.note_drawn(now);
            }
        }
        frames
    }

    #[test]
    fn no_more_than_sixty_frames_a_second() {
        let text = frames(FrameClock::touch_text);
        assert!((50..=60).contains(&text), "{text}");
        let others = frames(FrameClock::touch);
        assert!((50..=60).contains(&others), "{others}");
        let all = frames(|clock, now| {
            clock.touch_tick(now);
            clock.touch(now);
            clock.touch_text(now);
        });
        assert!((50..=60).contains(&all), "what arrives together is drawn together: {all}");
    }
}
