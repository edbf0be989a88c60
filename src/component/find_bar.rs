//! The line at the foot of a pane where words to find are typed.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

use super::{Hint, Motion};
use crate::text::Untrusted;
use crate::ui::line::Line;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;

/// What a key did to the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Find {
    /// Nothing: it is for the pane.
    Ignored,
    /// Nothing: it moves through what is found.
    Move(Motion),
    /// The words are others.
    Changed,
    /// They are typed, and stay.
    Done,
    /// They are given up: nothing is looked for.
    Cleared,
}

/// Columns of the words at least, beside what stands at the right.
const WORDS: u16 = 10;

/// Words to find, and whether they are being typed.
#[derive(Clone, Debug, Default)]
pub struct FindBar {
    line: Line,
    typing: bool,
}

impl FindBar {
    /// Begins to type, from the words that were there.
    pub fn open(&mut self) {
        self.typing = true;
    }

    /// Looks for these words, which nobody types.
    pub fn set(&mut self, words: &str) {
        *self = Self { line: Line::new(words), typing: false };
    }

    /// Ends typing; the words stay.
    pub fn keep(&mut self) {
        self.typing = false;
    }

    /// Looks for nothing any more.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the words; empty: nothing is looked for.
    pub fn words(&self) -> &str {
        self.line.text()
    }

    /// Whether letters are words just now.
    pub fn is_typing(&self) -> bool {
        self.typing
    }

    /// Whether it takes a row.
    pub fn is_shown(&self) -> bool {
        self.typing || !self.line.is_empty()
    }

    /// Returns the keys for the footer while words are typed, Esc apart.
    pub fn hints() -> Vec<Hint> {
        vec![Hint::new("⏎", "keep")]
    }

    /// Handles a key while words are typed.
    pub fn key(&mut self, key: KeyEvent) -> Find {
        match key.code {
            KeyCode::Enter => {
                self.keep();
                Find::Done
            }
            KeyCode::Esc => {
                self.clear();
                Find::Cleared
            }
            KeyCode::Up => Find::Move(Motion::Up),
            KeyCode::Down => Find::Move(Motion::Down),
            _ if self.line.key(key) => Find::Changed,
            _ => Find::Ignored,
        }
    }

    /// Takes pasted text; whether words are typed.
    pub fn paste(&mut self, text: &str) -> bool {
        if self.typing {
            self.line.paste(text);
        }
        self.typing
    }

    /// Draws it into a row; `right`: how many matches there are, or which one is shown.
    pub fn render(&self, frame: &mut Frame, row: Rect, right: &str, theme: &Theme) {
        let kept = if self.is_shown() { WORDS.min(row.width) } else { 0 };
        let right = cut(right, usize::from(row.width - kept));
        let columns = right.width() as u16;
        frame.buffer_mut().set_stringn(row.right() - columns, row.y, &right, usize::from(columns), theme.muted);
        if !self.is_shown() {
            return;
        }
        let row = Rect { width: row.width - columns - u16::from(columns > 0), ..row };
        frame.buffer_mut().set_stringn(row.x, row.y, "/", usize::from(row.width), theme.accent);
        let inner = Rect { x: row.x + 2.min(row.width), width: row.width.saturating_sub(2), height: 1, ..row };
        if self.typing {
            return self.line.render(frame, inner, theme.accent, true);
        }
        let words = Untrusted::from(self.words());
        let words = cut(&words.line(), usize::from(inner.width));
        frame.buffer_mut().set_stringn(inner.x, inner.y, words, usize::from(inner.width), theme.text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_with_enter_and_go_with_esc() {
        let mut find = FindBar::default();
        let press = |find: &mut FindBar, code| find.key(KeyEvent::from(code));
        find.open();
        assert_eq!(press(&mut find, KeyCode::Char('a')), Find::Changed);
        assert_eq!(press(&mut find, KeyCode::Down), Find::Move(Motion::Down));
        assert_eq!(press(&mut find, KeyCode::PageDown), Find::Ignored);
        assert_eq!(press(&mut find, KeyCode::Enter), Find::Done);
        assert!(!find.paste("b"), "nothing is typed");
        assert_eq!((find.words(), find.is_typing(), find.is_shown()), ("a", false, true));
        find.open();
        assert!(find.paste("b"));
        assert_eq!(find.words(), "ab");
        assert_eq!(press(&mut find, KeyCode::Esc), Find::Cleared);
        assert!(!find.is_shown());
    }
}
