//! What the editing keys do in the text box, by whole graphemes.

use crossterm::event::KeyEvent;
use tui_textarea::{CursorMove, DataCursor, TextArea};

use super::control::is_stand_in;
use super::{Edit, Editor, byte_of, go_to};
use crate::ui::editing::{EditAction, is_ctrl_x, typed};
use crate::ui::words::{blank_end, character_end, character_start, word_end, word_start};

use EditAction as A;

impl Editor {
    /// Handles a key. Enter is not handled here: the owner decides whether it sends or breaks the line.
    pub fn key(&mut self, key: KeyEvent) -> Edit {
        if std::mem::take(&mut self.after_x)
            && let Some(action) = EditAction::after_x(&key)
        {
            return self.carry_out(action);
        }
        if is_ctrl_x(&key) {
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
        self.carry_out(action)
    }

    /// Carries out an editing action.
    fn carry_out(&mut self, action: EditAction) -> Edit {
        match action {
            A::Left => self.go_back(self.chars_before(character_start)),
            A::Right => self.go_forward(self.chars_after(character_end)),
            A::WordLeft => self.go_back(self.chars_before(word_start)),
            A::WordRight => self.go_forward(self.chars_after(word_end)),
            A::LineStart => self.moving(&[CursorMove::Head]),
            A::LineEnd => self.moving(&[CursorMove::End]),
            A::TextStart => self.moving(&[CursorMove::Jump(0, 0)]),
            A::TextEnd => self.moving(&[CursorMove::Bottom, CursorMove::End]),
            A::Up => self.moving(&[CursorMove::Up]),
            A::Down => self.moving(&[CursorMove::Down]),
            A::PageUp | A::PageDown => Edit::Ignored,
            A::DeleteLeft => self.delete_before(self.chars_before(character_start)),
            A::DeleteRight => self.delete_after(self.chars_after(character_end)),
            A::DeleteWordLeft => self.delete_before(self.chars_before(word_start)),
            A::DeleteWordRight => self.delete_after(self.chars_after(word_end)),
            A::DeleteToBlank => self.delete_before(self.chars_before(blank_end)),
            A::DeleteToLineStart => self.deleting(TextArea::delete_line_by_head),
            A::DeleteToLineEnd => self.deleting(TextArea::delete_line_by_end),
            A::Undo => changed(self.area.undo()),
            A::Redo => changed(self.area.redo()),
        }
    }

    /// Breaks the line at the cursor.
    pub fn insert_newline(&mut self) {
        self.insert(TextArea::insert_newline);
    }

    /// Returns how many code points before the cursor are stepped over by `by`; 0 only at the beginning of the line.
    fn chars_before(&self, by: fn(&str) -> usize) -> usize {
        let (before, _) = self.line().split_at(byte_of(self.line(), self.area.cursor().1));
        before[by(before)..].chars().count()
    }

    /// Returns how many code points after the cursor are stepped over by `by`; 0 only at the end of the line.
    fn chars_after(&self, by: fn(&str) -> usize) -> usize {
        let (_, after) = self.line().split_at(byte_of(self.line(), self.area.cursor().1));
        after[..by(after)].chars().count()
    }

    /// Moves the cursor back by code points; 0: to the end of the line before.
    fn go_back(&mut self, chars: usize) -> Edit {
        let DataCursor(row, column) = self.area.cursor();
        if chars > 0 {
            self.go_to_column(column - chars);
        } else if let Some(before) = row.checked_sub(1) {
            let end = self.area.lines()[before].chars().count();
            go_to(&mut self.area, before, end);
        }
        Edit::Moved
    }

    /// Moves the cursor on by code points; 0: to the beginning of the line after.
    fn go_forward(&mut self, chars: usize) -> Edit {
        let DataCursor(row, column) = self.area.cursor();
        if chars > 0 {
            self.go_to_column(column + chars);
        } else if row + 1 < self.area.lines().len() {
            go_to(&mut self.area, row + 1, 0);
        }
        Edit::Moved
    }

    /// Deletes code points before the cursor; 0: the line end before it. Where they are a part of a chip, all of it.
    fn delete_before(&mut self, chars: usize) -> Edit {
        self.deleting(|area| {
            if chars == 0 {
                return area.delete_char();
            }
            let DataCursor(row, column) = area.cursor();
            go_to(area, row, column - chars);
            area.delete_str(chars)
        })
    }

    /// Deletes code points after the cursor; 0: the line end after it. Where they are a part of a chip, all of it.
    fn delete_after(&mut self, chars: usize) -> Edit {
        self.deleting(|area| if chars == 0 { area.delete_next_char() } else { area.delete_str(chars) })
    }

    /// Moves the cursor.
    fn moving(&mut self, moves: &[CursorMove]) -> Edit {
        for to in moves {
            self.area.move_cursor(*to);
        }
        Edit::Moved
    }
}

fn changed(did: bool) -> Edit {
    if did { Edit::Changed } else { Edit::Ignored }
}

#[cfg(test)]
mod tests {
    use std::iter;

    use crossterm::event::{KeyCode, KeyModifiers};
    use ratatui::layout::Rect;

    use super::super::typed;
    use super::*;

    const CONTROL: KeyModifiers = KeyModifiers::CONTROL;

    #[test]
    fn words_at_the_edge_of_a_wrapped_row_are_whole() {
        for (word, blank) in [("हम", " में "), ("cafe\u{301}", " "), ("👨‍👩‍👧", " 👍🏽 "), ("e\u{301}\u{301}", " ")]
        {
            let text = format!("{}{word}", iter::repeat_n(word, 8).collect::<Vec<_>>().join(blank) + blank);
            for width in 3..24 {
                let made = || {
                    let mut editor = typed("");
                    editor.set_text(&text);
                    editor.arrange(Rect::new(0, 0, width, 10));
                    editor
                };
                let places = |key: KeyEvent, mut editor: Editor| {
                    let mut places = Vec::new();
                    while places.last() != Some(&editor.area.cursor()) {
                        places.push(editor.area.cursor());
                        editor.key(key);
                        editor.arrange(Rect::new(0, 0, width, 10));
                    }
                    places
                };
                let ends = |text: &str| text.chars().count();
                let mut expected = vec![DataCursor(0, ends(&text))];
                while let Some(DataCursor(_, end @ 1..)) = expected.last().copied() {
                    let before = &text[..byte_of(&text, end)];
                    expected.push(DataCursor(0, ends(&before[..word_start(before)])));
                }
                let back = KeyEvent::new(KeyCode::Left, KeyModifiers::ALT);
                assert_eq!(places(back, made()), expected, "{text} in {width} columns");
                let mut editor = made();
                let mut left = text.as_str();
                while !left.is_empty() {
                    editor.key(KeyEvent::new(KeyCode::Char('w'), CONTROL));
                    editor.arrange(Rect::new(0, 0, width, 10));
                    left = &left[..blank_end(left)];
                    assert_eq!(editor.text(), left, "in {width} columns");
                }
            }
        }
    }

    #[test]
    fn a_long_line_is_crossed_beyond_the_reach_of_the_crates_jump() {
        let mut editor = typed("");
        let long = "x".repeat(99_990);
        editor.set_text(&format!("{long} one two"));
        editor.arrange(Rect::new(0, 0, 80, 10));
        for column in [99_995, 99_991, 0] {
            editor.key(KeyEvent::new(KeyCode::Left, KeyModifiers::ALT));
            assert_eq!(editor.area.cursor(), (0, column));
        }
        editor.key(KeyEvent::new(KeyCode::Right, KeyModifiers::ALT));
        assert_eq!(editor.area.cursor(), (0, 99_990));
        editor.key(KeyEvent::new(KeyCode::Char('w'), CONTROL));
        assert_eq!(editor.text(), " one two");
        editor.key(KeyEvent::new(KeyCode::Char('_'), CONTROL));
        assert_eq!(editor.text(), format!("{long} one two"), "the cursor's way is not what undo takes back");
        // Nor is there a limit to the lines.
        let lines = "\n".repeat(70_000);
        editor.set_text(&format!("{lines}ab"));
        editor.key(KeyEvent::new(KeyCode::Home, CONTROL));
        go_to(&mut editor.area, 70_000, 1);
        assert_eq!(editor.area.cursor(), (70_000, 1));
        editor.key(KeyEvent::from(KeyCode::Backspace));
        assert_eq!(editor.text(), format!("{lines}b"));
    }

    #[test]
    fn backspace_takes_what_a_reader_sees() {
        for text in ["e\u{301}", "👨‍👩‍👧", "🇵🇹", "👍🏽", "語"] {
            let mut editor = typed(&format!("a{text}"));
            editor.key(KeyEvent::from(KeyCode::Backspace));
            assert_eq!(editor.text(), "a");
        }
    }

    #[test]
    fn a_text_that_replaces_another_ends_the_chord() {
        let mut editor = typed("one");
        editor.key(KeyEvent::new(KeyCode::Char('x'), CONTROL));
        editor.set_text("from outside");
        editor.key(KeyEvent::from(KeyCode::Char('r')));
        assert_eq!(editor.text(), "from outsider");
    }

    #[test]
    fn readline_keys_edit_and_undo() {
        let control = |char| KeyEvent::new(KeyCode::Char(char), CONTROL);
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
            editor.key(control('x'));
            assert_eq!(editor.key(KeyEvent::from(KeyCode::Char('r'))), Edit::Changed);
            assert_eq!(editor.text(), "", "it is made again");
        }
    }
}
