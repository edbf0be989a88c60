//! The paste guard: pasted text is text. Terminals that do not bracket pastes, or end one early (a paste that contains
//! the end mark), send the rest as typed keys, including Enter; such an Enter is a newline and sends nothing.

use std::time::{Duration, Instant};

/// Time after a paste in which Enter is a newline.
const PASTE_WINDOW: Duration = Duration::from_millis(120);
/// Keys closer together than this were not typed by a person.
const TYPING_GAP: Duration = Duration::from_millis(8);
/// Number of such keys in a row that count as a paste.
const BURST: u32 = 6;
/// Parts of a paste come closer together than this: a busy machine does not pass it on at once.
const PART_GAP: Duration = Duration::from_millis(40);

/// Watches keys and pastes.
#[derive(Debug, Default)]
pub(super) struct PasteGuard {
    /// Time of the last paste.
    pasted: Option<Instant>,
    /// Time of the last character.
    last: Option<Instant>,
    /// Number of characters in a row that came faster than a person types.
    run: u32,
    /// Whether a part of a paste began with the last character.
    after_gap: bool,
}

impl PasteGuard {
    /// Notes a bracketed paste.
    pub(super) fn note_paste(&mut self, now: Instant) {
        self.pasted = Some(now);
    }

    /// Notes a typed character.
    pub(super) fn note_char(&mut self, now: Instant) {
        let gap = self.last.map(|last| now.duration_since(last));
        let is_near = gap.is_some_and(|gap| gap < TYPING_GAP);
        // Two such gaps one after the other are typing.
        let goes_on = self.run >= BURST && !self.after_gap && gap.is_some_and(|gap| gap < PART_GAP);
        self.run = if is_near || goes_on { self.run.saturating_add(1) } else { 1 };
        self.after_gap = goes_on && !is_near;
        self.last = Some(now);
    }

    /// Notes Enter; returns whether it belongs to a paste, and so is a newline.
    pub(super) fn is_enter_pasted(&mut self, now: Instant) -> bool {
        let after = self.pasted.is_some_and(|at| now.duration_since(at) < PASTE_WINDOW);
        let burst = self.run >= BURST && self.last.is_some_and(|last| now.duration_since(last) < TYPING_GAP);
        if burst {
            // The paste continues after its newline.
            (self.last, self.pasted) = (Some(now), Some(now));
        } else {
            self.run = 0;
        }
        after || burst
    }
}

/// Returns pasted text as tabs get it: newlines are `\n`, and of the control characters only tab and newline are kept.
pub(super) fn clean(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    text.chars().filter(|&c| c == '\n' || c == '\t' || !c.is_control()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enter_right_after_a_paste_is_a_newline() {
        let (mut guard, start) = (PasteGuard::default(), Instant::now());
        guard.note_paste(start);
        assert!(guard.is_enter_pasted(start + Duration::from_millis(119)));
        assert!(!guard.is_enter_pasted(start + Duration::from_millis(120)));
    }

    #[test]
    fn enter_inside_a_burst_is_a_newline_and_after_typing_is_not() {
        let (mut guard, mut now) = (PasteGuard::default(), Instant::now());
        for _ in 0..5 {
            now += Duration::from_millis(1);
            guard.note_char(now);
        }
        assert!(!guard.is_enter_pasted(now), "five characters are a fast word");
        for _ in 0..6 {
            now += Duration::from_millis(7);
            guard.note_char(now);
        }
        assert!(guard.is_enter_pasted(now + Duration::from_millis(7)));
        for _ in 0..20 {
            now += Duration::from_millis(60);
            guard.note_char(now);
        }
        assert!(!guard.is_enter_pasted(now + Duration::from_millis(7)), "what follows the paste is typed");
    }

    #[test]
    fn a_paste_that_comes_in_parts_is_one() {
        let ms = Duration::from_millis;
        for (gaps, is_pasted) in [(&[39, 0][..], true), (&[40, 0], false), (&[9, 1, 30, 0], true), (&[9, 9], false)] {
            let (mut guard, mut now) = (PasteGuard::default(), Instant::now());
            (0..6).for_each(|_| guard.note_char(now));
            for gap in gaps {
                now += ms(*gap);
                guard.note_char(now);
            }
            assert_eq!(guard.is_enter_pasted(now), is_pasted, "{gaps:?}");
        }
    }

    #[test]
    fn a_paste_keeps_its_lines_and_loses_its_controls() {
        assert_eq!(clean("a\r\nb\rc\n\td\u{1b}[31me\u{7}\u{9b}"), "a\nb\nc\n\td[31me");
    }
}
