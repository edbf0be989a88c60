//! A field for one line of text: filters, names, the palette.

use std::ops::Range;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use secrecy::zeroize::Zeroizing;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::editing::{EditAction, typed};
use super::rule::cut;
use super::undo::{Change, UndoStack};
use super::words::{blank_end, character_end, character_start, next_word_start, word_end, word_start};
use crate::text::{self, Untrusted};

/// The most bytes of a line.
pub const MOST: usize = 8_192;

/// A field with a line of text and a cursor.
#[derive(Clone, Default)]
pub struct TextField {
    /// Overwritten when it is freed, as it may be a secret.
    text: Zeroizing<String>,
    /// Byte offset, on a grapheme's border.
    cursor: usize,
    /// Shown as dots.
    secret: bool,
    /// What a key deleted last; of a secret nothing.
    deleted: String,
    /// What undo takes back; of a secret nothing, which would be a copy of it.
    undo: UndoStack,
}

/// Equal are fields that look equal, whatever was typed before.
impl PartialEq for TextField {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, self.cursor, self.secret) == (&other.text, other.cursor, other.secret)
    }
}

impl Eq for TextField {}

impl TextField {
    /// Creates a line with a text, cursor at its end.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { cursor: text.len(), text: Zeroizing::new(text), ..Self::default() }
    }

    /// Creates a line with a text from outside, unchanged; it is drawn safely.
    pub fn edit(text: &Untrusted) -> Self {
        Self::new(text.raw())
    }

    /// Creates an empty line whose text is never shown.
    pub fn secret() -> Self {
        // With enough capacity from the start it is never moved, which would leave a copy.
        Self { secret: true, text: Zeroizing::new(String::with_capacity(MOST)), ..Self::default() }
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Handles a key; returns whether the text changed. Enter, Esc, Tab, up and down are ignored.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        use EditAction as A;
        let before = self.text.len();
        let action = EditAction::of(&key).map(|action| match action {
            // Where the words of a secret begin and end would tell something about it.
            A::WordLeft if self.secret => A::LineStart,
            A::WordRight | A::NextWord | A::NextWordInLine if self.secret => A::LineEnd,
            A::DeleteWordLeft | A::DeleteToBlank if self.secret => A::DeleteToLineStart,
            A::DeleteWordRight if self.secret => A::DeleteToLineEnd,
            other => other,
        });
        match action {
            Some(A::Left | A::LeftInLine) => self.cursor = self.step_before(character_start),
            Some(A::Right | A::RightInLine) => self.cursor = self.step_after(character_end),
            Some(A::WordLeft) => self.cursor = self.step_before(word_start),
            Some(A::WordRight) => self.cursor = self.step_after(word_end),
            Some(A::NextWord | A::NextWordInLine) => self.cursor = self.step_after(next_word_start),
            Some(A::LineStart | A::TextStart) => self.cursor = 0,
            Some(A::LineEnd | A::TextEnd | A::NextLine) => self.cursor = self.text.len(),
            Some(A::DeleteLeft) => self.delete(self.step_before(character_start), self.cursor),
            Some(A::DeleteRight) => self.delete(self.cursor, self.step_after(character_end)),
            Some(A::DeleteWordLeft) => self.delete_and_keep(self.step_before(word_start), self.cursor),
            Some(A::DeleteWordRight) => self.delete_and_keep(self.cursor, self.step_after(word_end)),
            Some(A::DeleteToBlank) => self.delete_and_keep(self.step_before(blank_end), self.cursor),
            Some(A::DeleteToLineStart) => self.delete_and_keep(0, self.cursor),
            Some(A::DeleteToLineEnd) => self.delete_and_keep(self.cursor, self.text.len()),
            Some(A::PasteDeleted | A::PasteDeletedAfter | A::PasteDeletedBefore) => {
                let deleted = self.deleted.clone();
                self.paste(&deleted);
            }
            Some(A::Undo) => self.undo_redo(UndoStack::undo),
            Some(A::Redo) => self.undo_redo(UndoStack::redo),
            // The others need several lines or a selection.
            Some(_) => {}
            None => {
                if let Some(char) = typed(&key) {
                    self.replace(self.cursor..self.cursor, char.encode_utf8(&mut [0; 4]));
                }
            }
        }
        self.text.len() != before
    }

    /// Pastes a text: line breaks become spaces; what would make the line longer than [`MOST`] is dropped.
    pub fn paste(&mut self, text: &str) {
        let room = MOST.saturating_sub(self.text.len());
        let end = (0..=room.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let text = Zeroizing::new(text[..end].replace(['\n', '\r'], " "));
        self.undo.end_step();
        self.replace(self.cursor..self.cursor, &text);
        self.undo.end_step();
    }

    /// Deletes from one byte to another and moves the cursor there.
    fn delete(&mut self, from: usize, to: usize) {
        self.replace(from..to, "");
    }

    /// Deletes from one byte to another, and keeps what it deletes, unless that is a part of a secret.
    fn delete_and_keep(&mut self, from: usize, to: usize) {
        if !self.secret && from < to {
            self.deleted = self.text[from..to].to_owned();
        }
        self.delete(from, to);
    }

    /// Replaces a part of the text; the cursor is then after the new one.
    fn replace(&mut self, range: Range<usize>, text: &str) {
        if !self.secret {
            let removed = self.text[range.clone()].to_owned();
            self.undo.add(Change { at: range.start, removed, inserted: text.to_owned() });
        }
        self.cursor = range.start + text.len();
        self.text.replace_range(range, text);
    }

    /// Takes the last step back, or makes it again.
    fn undo_redo(&mut self, step: fn(&mut UndoStack) -> Option<Change>) {
        if let Some(Change { at, removed, inserted }) = step(&mut self.undo) {
            self.text.replace_range(at..at + removed.len(), &inserted);
            self.cursor = at + inserted.len();
        }
    }

    /// Returns the byte before the cursor that `step` finds.
    fn step_before(&self, step: fn(&str) -> usize) -> usize {
        step(&self.text[..self.cursor])
    }

    /// Returns the byte after the cursor that `step` finds.
    fn step_after(&self, step: fn(&str) -> usize) -> usize {
        self.cursor + step(&self.text[self.cursor..])
    }

    /// Draws it into the first row of `area`, scrolled so that the cursor is visible, and places the terminal's cursor.
    pub fn render(&self, frame: &mut Frame, area: Rect, style: Style, focus: bool) {
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        // The text is kept unchanged; it may have been pasted, so it is drawn safely.
        let shown = |part: &str| {
            if self.secret { "•".repeat(part.graphemes(true).count()) } else { text::line(part).into_owned() }
        };
        let width = usize::from(area.width);
        // Back from the cursor while there is space.
        let from = if focus { self.cursor } else { 0 };
        let (mut start, mut used) = (from, 1);
        for (at, grapheme) in self.text[..from].grapheme_indices(true).rev() {
            used += shown(grapheme).width();
            if used > width {
                break;
            }
            start = at;
        }
        let words = shown(&self.text[start..]);
        let words = if focus { words } else { cut(&words, width) };
        frame.buffer_mut().set_stringn(area.x, area.y, words, width, style);
        if focus {
            if start > 0 && width > 2 {
                // As wide as what it stands for.
                let first = self.text[start..].graphemes(true).next().map_or(0, |grapheme| shown(grapheme).width());
                frame.buffer_mut().set_stringn(area.x, area.y, format!("{:<first$}", "…"), width, style);
            }
            let x = shown(&self.text[start..self.cursor]).width();
            frame.set_cursor_position(Position::new(area.x + x.min(width - 1) as u16, area.y));
        }
    }
}

/// Debug output ends in logs: a secret's text is left out.
impl std::fmt::Debug for TextField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = if self.secret { "…" } else { self.text() };
        f.debug_struct("TextField").field("text", &text).field("cursor", &self.cursor).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyModifiers};

    use super::*;

    #[test]
    fn what_was_pasted_is_shown_made_safe_and_a_secret_not_at_all() {
        use ratatui::Terminal;
        use ratatui::backend::TestBackend;
        let shown = |mut line: TextField| {
            line.paste("a\u{202e}b\u{9b}2J");
            let mut terminal = Terminal::new(TestBackend::new(30, 1)).unwrap();
            terminal.draw(|frame| line.render(frame, frame.area(), Style::default(), true)).unwrap();
            terminal.backend().to_string()
        };
        let text = shown(TextField::default());
        assert!(text.contains('a') && !text.contains(['\u{202e}', '\u{9b}']), "{text:?}");
        let text = shown(TextField::secret());
        assert!(text.contains("•••") && !text.contains(['a', 'b', 'J']), "{text:?}");
    }

    #[test]
    fn it_edits_by_grapheme_and_by_word() {
        let mut line = TextField::new("one two 👍🏽");
        line.key(KeyEvent::from(KeyCode::Backspace));
        assert_eq!(line.text(), "one two ");
        line.key(KeyEvent::new(KeyCode::Char('w'), KeyModifiers::CONTROL));
        assert_eq!(line.text(), "one ");
        line.key(KeyEvent::from(KeyCode::Home));
        assert!(line.key(KeyEvent::from(KeyCode::Char('x'))));
        assert_eq!(line.text(), "xone ");
    }

    #[test]
    fn readline_keys_go_and_delete_by_word() {
        let control = |code| KeyEvent::new(code, KeyModifiers::CONTROL);
        let alt = |code| KeyEvent::new(code, KeyModifiers::ALT);
        let text = "one  two-thrée\u{3000}vier";
        // Keys, the text after them, and where the cursor is then.
        let cases = [
            (vec![alt(KeyCode::Char('b'))], text, text.len() - 4),
            (vec![alt(KeyCode::Left), control(KeyCode::Left)], text, "one  two-".len()),
            (vec![control(KeyCode::Char('a')), alt(KeyCode::Char('f'))], text, 3),
            (vec![KeyEvent::from(KeyCode::Home), control(KeyCode::Right), alt(KeyCode::Right)], text, 8),
            (vec![control(KeyCode::Char('a')), control(KeyCode::Char('f'))], text, 1),
            (vec![control(KeyCode::Char('a')), control(KeyCode::Char('e'))], text, text.len()),
            (vec![alt(KeyCode::Backspace)], "one  two-thrée\u{3000}", text.len() - 4),
            (vec![control(KeyCode::Char('w'))], "one  two-thrée\u{3000}", text.len() - 4),
            (vec![control(KeyCode::Char('w')), control(KeyCode::Char('w'))], "one  ", 5),
            (vec![control(KeyCode::Char('a')), alt(KeyCode::Char('d'))], "  two-thrée\u{3000}vier", 0),
            (vec![alt(KeyCode::Char('b')), control(KeyCode::Char('k'))], "one  two-thrée\u{3000}", text.len() - 4),
            (vec![alt(KeyCode::Char('b')), control(KeyCode::Char('u'))], "vier", 0),
        ];
        for (keys, after, cursor) in cases {
            let mut line = TextField::new(text);
            for key in &keys {
                line.key(*key);
            }
            assert_eq!((line.text(), line.cursor), (after, cursor), "{keys:?}");
        }
    }

    #[test]
    fn a_secret_says_nothing_of_its_words_and_is_not_moved() {
        let mut line = TextField::secret();
        line.paste("sk-one two");
        let place = line.text.as_ptr();
        for char in "three".repeat(100).chars() {
            line.key(KeyEvent::from(KeyCode::Char(char)));
        }
        assert_eq!(line.text.as_ptr(), place);
        line.key(KeyEvent::new(KeyCode::Char('b'), KeyModifiers::ALT));
        assert_eq!(line.cursor, 0);
        assert!(!format!("{line:?}").contains("one"));
        // Nor does deleting to a blank.
        line.key(KeyEvent::from(KeyCode::End));
        line.key(KeyEvent::new(KeyCode::Char('w'), KeyModifiers::CONTROL));
        assert!(line.is_empty());
    }
}
