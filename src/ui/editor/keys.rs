//! What the editing keys do in the text box, by whole graphemes.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_textarea::{CursorMove, TextArea};

use super::control::is_stand_in;
use super::{Edit, Editor, byte_of};
use crate::ui::editing::{EditAction, typed};
use crate::ui::words::{blank_end, character_end, character_start, word_end, word_start};

use EditAction as A;

impl Editor {
    /// Handles a key. Enter is not handled here: the owner decides whether it sends or breaks the line.
    pub fn key(&mut self, key: KeyEvent) -> Edit {
        if std::mem::take(&mut self.after_x) && EditAction::after_x(&key).is_some() {
            return changed(self.area.undo());
        }
        if key.code == KeyCode::Char('x') && key.modifiers.contains(KeyModifiers::CONTROL) {
            self.after_x = true;
            return Edit::Moved;
        }
        let Some(action) = EditAction::of(&key) else {
            let Some(char) = typed(&key) else { return Edit::Ignored };
            if is_stand_in(char) {
                self.bare();
            }
            self.insert(|area| area.insert_char(char));
            return Edit::Changed;
        };
        match action {
            A::Left => self.step(CursorMove::Back, self.before(character_start)),
            A::Right => self.step(CursorMove::Forward, self.behind(character_end)),
            A::WordLeft => self.step(CursorMove::Back, self.before(word_start)),
            A::WordRight => self.step(CursorMove::Forward, self.behind(word_end)),
            A::LineStart => self.step(CursorMove::Head, 1),
            A::LineEnd => self.step(CursorMove::End, 1),
            A::TextStart => self.step(CursorMove::Jump(0, 0), 1),
            A::TextEnd => {
                self.area.move_cursor(CursorMove::Bottom);
                self.step(CursorMove::End, 1)
            }
            A::Up => self.step(CursorMove::Up, 1),
            A::Down => self.step(CursorMove::Down, 1),
            A::PageUp | A::PageDown => Edit::Ignored,
            A::DeleteLeft => self.delete(false, self.before(character_start)),
            A::DeleteRight => self.delete(true, self.behind(character_end)),
            A::DeleteWordLeft => self.delete(false, self.before(word_start)),
            A::DeleteWordRight => self.delete(true, self.behind(word_end)),
            A::DeleteToBlank => self.delete(false, self.before(blank_end)),
            A::DeleteToLineStart => self.deleting(TextArea::delete_line_by_head),
            A::DeleteToLineEnd => self.deleting(TextArea::delete_line_by_end),
            A::Undo => changed(self.area.undo()),
        }
    }

    /// Breaks the line at the cursor.
    pub fn insert_newline(&mut self) {
        self.insert(TextArea::insert_newline);
    }

    /// Returns how many code points of its line stand between the cursor and the place that `start` finds before it; 1 at
    /// the beginning of the line: its line end.
    fn before(&self, start: fn(&str) -> usize) -> usize {
        let (before, _) = self.line().split_at(byte_of(self.line(), self.area.cursor().1));
        before[start(before)..].chars().count().max(1)
    }

    /// Returns the same for the place that `end` finds behind it.
    fn behind(&self, end: fn(&str) -> usize) -> usize {
        let (_, behind) = self.line().split_at(byte_of(self.line(), self.area.cursor().1));
        behind[..end(behind)].chars().count().max(1)
    }

    /// Deletes so many code points before or behind the cursor; where they are a part of a chip, all of it.
    fn delete(&mut self, forward: bool, length: usize) -> Edit {
        self.deleting(|area| {
            if length == 1 {
                return if forward { area.delete_next_char() } else { area.delete_char() };
            }
            if !forward {
                for _ in 0..length {
                    area.move_cursor(CursorMove::Back);
                }
            }
            area.delete_str(length)
        })
    }

    /// Moves the cursor, so many times.
    fn step(&mut self, to: CursorMove, times: usize) -> Edit {
        for _ in 0..times {
            self.area.move_cursor(to);
        }
        Edit::Moved
    }
}

fn changed(did: bool) -> Edit {
    if did { Edit::Changed } else { Edit::Ignored }
}

#[cfg(test)]
mod tests {
    use super::super::typed;
    use super::*;

    #[test]
    fn backspace_takes_what_a_reader_sees() {
        for text in ["e\u{301}", "👨‍👩‍👧", "🇵🇹", "👍🏽", "語"] {
            let mut editor = typed(&format!("a{text}"));
            editor.key(KeyEvent::from(KeyCode::Backspace));
            assert_eq!(editor.text(), "a");
        }
    }

    #[test]
    fn readline_keys_edit_and_undo() {
        let control = |char| KeyEvent::new(KeyCode::Char(char), KeyModifiers::CONTROL);
        let mut editor = typed("one two");
        editor.key(control('w'));
        assert_eq!(editor.text(), "one ");
        editor.key(control('x'));
        editor.key(KeyEvent::from(KeyCode::Char('u')));
        assert_eq!(editor.text(), "one two");
        editor.key(control('a'));
        editor.key(control('k'));
        assert_eq!(editor.text(), "");
        for undo in ['_', '/', '7'] {
            editor.key(control(undo));
            assert_eq!(editor.text(), "one two", "{undo}");
            editor.key(control('u'));
            assert_eq!(editor.text(), "");
        }
        for undo in [KeyEvent::from(KeyCode::Char('U')), control('u')] {
            editor.key(control('x'));
            editor.key(undo);
            assert_eq!(editor.text(), "one two");
            editor.key(control('e'));
            editor.key(control('u'));
            assert_eq!(editor.text(), "");
        }
    }
}
