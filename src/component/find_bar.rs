//! The line at the foot of a pane in which a text to find, or to filter by, is typed.

use std::sync::LazyLock;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr as _;

use super::{Bindings, HelpGroup, Hint, Motion, bind, bind_all};
use crate::text::{Untrusted, count};
use crate::ui::key_table::{KeyContext, ListedKeys};
use crate::ui::rule::cut;
use crate::ui::text_field::TextField;
use crate::ui::theme::Theme;

/// What a key does while the text is typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FindKey {
    Keep,
    Clear,
    Move(Motion),
}

static KEYS: LazyLock<Bindings<FindKey, ()>> = LazyLock::new(|| {
    let (up, down) = (FindKey::Move(Motion::Up), FindKey::Move(Motion::Down));
    Bindings::while_typing(
        KeyContext::new("find-bar").ignoring_shift(),
        vec![
            bind("enter", FindKey::Keep, "keep", "keep the text and leave the field"),
            bind("alt-enter ctrl-enter", FindKey::Keep, "", ""),
            bind_all(
                [("up ctrl-up alt-up", up), ("down ctrl-down alt-down", down)],
                "move",
                "up, down in what is found",
            )
            .does(&["up in what is found", "down in what is found"]),
            bind("esc", FindKey::Clear, "clear", "remove the text"),
        ],
    )
});

/// What a key did to the find bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindBarEvent {
    /// The key has no function here; the pane may handle it.
    Ignored,
    /// The user wants to move through what was found; the text is unchanged.
    Moved(Motion),
    /// The text has changed.
    Changed,
    /// Typing has ended, and the text is kept.
    Submitted,
    /// Typing has ended, and the text was removed.
    Cancelled,
}

/// The fewest columns that the text keeps beside the match count.
const MIN_TEXT_COLUMNS: u16 = 10;

/// A text to find, and whether it is being typed.
#[derive(Clone, Debug, Default)]
pub struct FindBar {
    line: TextField,
    typing: bool,
}

impl FindBar {
    /// Starts typing, after the text that is there.
    pub fn start_typing(&mut self) {
        self.typing = true;
    }

    /// Ends typing and keeps the text.
    pub fn stop_typing(&mut self) {
        self.typing = false;
    }

    /// Replaces the text and ends typing.
    pub fn set_text(&mut self, text: &str) {
        *self = Self { line: TextField::new(text), typing: false };
    }

    /// Removes the text and ends typing.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Returns the text; while it is empty nothing is searched for.
    pub fn text(&self) -> &str {
        self.line.text()
    }

    /// Returns whether the text is being typed.
    pub fn is_typing(&self) -> bool {
        self.typing
    }

    /// Returns whether the bar needs a row of the pane.
    pub fn is_shown(&self) -> bool {
        self.typing || !self.line.is_empty()
    }

    /// Returns the keys for the footer while the text is typed, without Esc.
    pub fn hints() -> Vec<Hint> {
        KEYS.footer(&[FindKey::Keep], &())
    }

    /// Returns the keys of a bar in which words are typed, below their heading on the help page.
    pub fn help_group() -> HelpGroup {
        ("Words to find", Self::help())
    }

    /// Returns the keys for the help page while the text is typed.
    pub fn help() -> Vec<Hint> {
        [KEYS.help(), Hint::of_undo()].concat()
    }

    /// Returns what is said of a filter: `12 found`.
    pub fn found(rows: usize) -> String {
        format!("{} found", count(rows as u64))
    }

    /// Returns which match is shown, and of how many: `2 of 12`; `None`: no match is shown.
    pub fn place(nth: Option<usize>, of: usize) -> String {
        match nth {
            _ if of == 0 => "no match".to_owned(),
            Some(nth) => format!("{} of {}", count(nth as u64), count(of as u64)),
            None => Self::found(of),
        }
    }

    /// Handles a key while the text is typed.
    pub fn key(&mut self, key: KeyEvent) -> FindBarEvent {
        match KEYS.find(&key) {
            Some(FindKey::Keep) => {
                self.stop_typing();
                FindBarEvent::Submitted
            }
            Some(FindKey::Clear) => {
                self.clear();
                FindBarEvent::Cancelled
            }
            Some(FindKey::Move(motion)) => FindBarEvent::Moved(motion),
            None if self.line.key(key) => FindBarEvent::Changed,
            None => FindBarEvent::Ignored,
        }
    }

    /// Pastes into the text while it is being typed. Returns whether it is.
    pub fn paste(&mut self, text: &str) -> bool {
        if self.typing {
            self.line.paste(text);
        }
        self.typing
    }

    /// Draws the bar into a row; `match_count` says how many matches there are, or which one is shown.
    pub fn render(&self, frame: &mut Frame, row: Rect, match_count: &str, theme: &Theme) {
        let text_columns = if self.is_shown() { MIN_TEXT_COLUMNS.min(row.width) } else { 0 };
        let match_count = cut(match_count, usize::from(row.width - text_columns));
        let columns = match_count.width() as u16;
        frame.buffer_mut().set_stringn(row.right() - columns, row.y, &match_count, usize::from(columns), theme.muted);
        if !self.is_shown() {
            return;
        }
        let row = Rect { width: row.width - columns - u16::from(columns > 0), ..row };
        frame.buffer_mut().set_stringn(row.x, row.y, "/", usize::from(row.width), theme.accent);
        let inner = Rect { x: row.x + 2.min(row.width), width: row.width.saturating_sub(2), height: 1, ..row };
        if self.typing {
            return self.line.render(frame, inner, theme.accent, true);
        }
        let text = Untrusted::from(self.text());
        let text = cut(&text.line(), usize::from(inner.width));
        frame.buffer_mut().set_stringn(inner.x, inner.y, text, usize::from(inner.width), theme.text);
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyCode;

    use super::*;

    #[test]
    fn no_key_means_two_things() {
        assert_eq!(KEYS.keymap().clashes(), []);
    }

    #[test]
    fn enter_keeps_the_text_and_esc_removes_it() {
        let mut find = FindBar::default();
        let press = |find: &mut FindBar, code| find.key(KeyEvent::from(code));
        find.start_typing();
        assert_eq!(press(&mut find, KeyCode::Char('a')), FindBarEvent::Changed);
        assert_eq!(press(&mut find, KeyCode::Down), FindBarEvent::Moved(Motion::Down));
        assert_eq!(press(&mut find, KeyCode::PageDown), FindBarEvent::Ignored);
        assert_eq!(press(&mut find, KeyCode::Enter), FindBarEvent::Submitted);
        assert!(!find.paste("b"), "nothing is typed");
        assert_eq!((find.text(), find.is_typing(), find.is_shown()), ("a", false, true));
        find.start_typing();
        assert!(find.paste("b"));
        assert_eq!(find.text(), "ab");
        assert_eq!(press(&mut find, KeyCode::Esc), FindBarEvent::Cancelled);
        assert!(!find.is_shown());
    }
}
