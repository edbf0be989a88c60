//! What the editing keys do in the text box, by whole graphemes.

use std::ops::{Range, RangeInclusive};
use std::time::Instant;

use crossterm::event::{KeyEvent, KeyModifiers};
use tui_textarea::{CursorMove, DataCursor};

use super::control::is_stand_in;
use super::{Edit, Editor, byte_of};
use crate::ui::editing::{EditAction, is_ctrl_x, typed};
use crate::ui::undo::UndoStack;
use crate::ui::words::{blank_end, character_end, character_start, next_word_start, word_end, word_start};

use EditAction as A;

impl Editor {
    /// Handles a key. Enter is not handled here: the owner decides whether it sends or breaks the line.
    pub fn key(&mut self, key: KeyEvent) -> Edit {
        if std::mem::take(&mut self.after_x) {
            if let Some(action) = EditAction::after_x(&key) {
                return self.carry_out(action, false);
            }
            // It was meant as a command: nothing is typed.
            if typed(&key).is_some() {
                return Edit::Ignored;
            }
        }
        if is_ctrl_x(&key) {
            self.after_x = true;
            return Edit::Moved;
        }
        let replace_count = std::mem::take(&mut self.replacing);
        match EditAction::of(&key) {
            Some(A::ReplaceNext) => {
                self.replacing = replace_count + 1;
                Edit::Moved
            }
            Some(action) => self.carry_out(action, key.modifiers.contains(KeyModifiers::SHIFT)),
            None => typed(&key).map_or(Edit::Ignored, |char| self.type_char(char, replace_count)),
        }
    }

    /// Types a character; if `replace_count` > 0, in place of as many after the cursor.
    fn type_char(&mut self, char: char, replace_count: usize) -> Edit {
        if is_stand_in(char) {
            self.drop_stand_ins();
        }
        if replace_count > 0 {
            return self.replace_next(char, replace_count);
        }
        self.insert(char.encode_utf8(&mut [0; 4]));
        Edit::Changed
    }

    /// Replaces each of `count` characters after the cursor in its line by `char`; the cursor ends before the last of
    /// them. Does nothing if the line has fewer.
    fn replace_next(&mut self, char: char, count: usize) -> Edit {
        self.deselect();
        let start = self.area.cursor();
        for _ in 0..count {
            let next = self.next_in_line();
            if next == self.area.cursor() {
                self.go_to(start);
                return Edit::Moved;
            }
            self.go_to(next);
        }
        self.replace(self.extended_over_chips(start..self.area.cursor()), &char.to_string().repeat(count));
        self.go_to(self.step_before(character_start));
        Edit::Changed
    }

    /// Carries out an editing action; `selects`: a movement extends the selection.
    fn carry_out(&mut self, action: EditAction, selects: bool) -> Edit {
        if self.move_by(action, selects) {
            return Edit::Moved;
        }
        match action {
            A::DeleteLeft => self.delete(self.step_before(character_start)),
            A::DeleteRight => self.delete(self.step_after(character_end)),
            A::DeleteWordLeft => self.delete_and_keep(self.step_before(word_start)),
            A::DeleteWordRight => self.delete_and_keep(self.step_after(word_end)),
            A::DeleteToBlank => self.delete_and_keep(self.step_before(blank_end)),
            A::DeleteToLineStart => self.delete_and_keep(self.step_before(|_| 0)),
            A::DeleteToLineEnd => self.delete_and_keep(self.step_after(str::len)),
            A::Newline => {
                self.insert("\n");
                Edit::Changed
            }
            A::DeleteSelection => self.selection().map_or(Edit::Ignored, |range| self.delete_and_keep(range.end)),
            A::DeleteLines => self.delete_lines(),
            A::CopyLines => {
                self.deleted = self.lines_text(&self.touched_rows());
                Edit::Moved
            }
            A::PasteDeletedAfter | A::PasteDeletedBefore => self.paste_deleted_beside(action == A::PasteDeletedAfter),
            A::PasteDeleted if self.deleted.is_empty() => Edit::Ignored,
            A::PasteDeleted => {
                let text = self.deleted.clone();
                self.insert_as_undo_step(&text);
                Edit::Changed
            }
            A::Undo => self.undo_redo(UndoStack::undo),
            A::Redo => self.undo_redo(UndoStack::redo),
            A::SelectAll => {
                self.move_to_end();
                self.anchor = Some(DataCursor(0, 0));
                Edit::Moved
            }
            A::Deselect => {
                self.deselect();
                Edit::Moved
            }
            A::IncludeNext => {
                let cursor = self.area.cursor();
                let Range { start, end } = self.selection().unwrap_or(cursor..cursor);
                self.go_to(end);
                self.anchor = Some(self.next_in_line());
                self.go_to(start);
                Edit::Moved
            }
            A::Copy => self.copy(),
            A::Cut => {
                let Some(range) = self.selection() else { return Edit::Ignored };
                self.copy();
                self.replace(range, "");
                Edit::Changed
            }
            // The owner of the box does the first three, `key` the fourth, `move_by` the others.
            A::PageUp
            | A::PageDown
            | A::External
            | A::ReplaceNext
            | A::Left
            | A::Right
            | A::LeftInLine
            | A::RightInLine
            | A::NextWord
            | A::NextWordInLine
            | A::NextLine
            | A::WordLeft
            | A::WordRight
            | A::LineStart
            | A::LineEnd
            | A::TextStart
            | A::TextEnd
            | A::Up
            | A::Down => Edit::Ignored,
        }
    }

    /// Moves the cursor, if the action is a movement; `selects`: it extends the selection. Returns whether it is one.
    fn move_by(&mut self, action: EditAction, selects: bool) -> bool {
        let anchor = selects.then(|| self.anchor.unwrap_or(self.area.cursor()));
        // A step collapses a selection to the end it points to.
        let selected = self.selection().filter(|_| !selects);
        match action {
            A::Left => self.go_to(selected.map_or_else(|| self.step_before(character_start), |range| range.start)),
            A::Right => self.go_to(selected.map_or_else(|| self.step_after(character_end), |range| range.end)),
            A::LeftInLine => self.go_to(self.step_before(character_start).max(self.line_range().start)),
            A::RightInLine => self.go_to(self.next_in_line()),
            A::NextWord => self.go_to(self.step_after(next_word_start)),
            A::NextWordInLine => self.go_to(self.step_after(next_word_start).min(self.line_range().end)),
            A::NextLine => self.go_to(self.next_line()),
            A::WordLeft => self.go_to(self.step_before(word_start)),
            A::WordRight => self.go_to(self.step_after(word_end)),
            A::LineStart => self.area.move_cursor(CursorMove::Head),
            A::LineEnd => self.area.move_cursor(CursorMove::End),
            A::TextStart => self.area.move_cursor(CursorMove::Jump(0, 0)),
            A::TextEnd => self.move_to_end(),
            A::Up => self.area.move_cursor(CursorMove::Up),
            A::Down => self.area.move_cursor(CursorMove::Down),
            _ => return false,
        }
        self.anchor = anchor;
        true
    }

    /// Breaks the line at the cursor.
    pub fn insert_newline(&mut self, now: Instant) {
        self.set_time(now);
        self.insert("\n");
    }

    /// Returns where `step` ends, going back from the cursor in its line; at the start of the line, the end of the
    /// previous one.
    fn step_before(&self, step: fn(&str) -> usize) -> DataCursor {
        let DataCursor(row, column) = self.area.cursor();
        let left = &self.line()[..byte_of(self.line(), column)];
        match row.checked_sub(1) {
            Some(above) if left.is_empty() => DataCursor(above, self.area.lines()[above].chars().count()),
            _ => DataCursor(row, left[..step(left)].chars().count()),
        }
    }

    /// Returns where `step` ends, going on from the cursor in its line; at the end of the line, the start of the next
    /// one.
    fn step_after(&self, step: fn(&str) -> usize) -> DataCursor {
        let DataCursor(row, column) = self.area.cursor();
        let right = &self.line()[byte_of(self.line(), column)..];
        if right.is_empty() && row + 1 < self.area.lines().len() {
            return DataCursor(row + 1, 0);
        }
        DataCursor(row, column + right[..step(right)].chars().count())
    }

    /// Returns where the character after the cursor ends, at most the end of the line.
    fn next_in_line(&self) -> DataCursor {
        self.step_after(character_end).min(self.line_range().end)
    }

    /// Returns the line of the cursor, without its break.
    fn line_range(&self) -> Range<DataCursor> {
        let row = self.area.cursor().0;
        DataCursor(row, 0)..DataCursor(row, self.line().chars().count())
    }

    /// Returns the beginning of the next line; in the last one, its end.
    fn next_line(&self) -> DataCursor {
        let next = DataCursor(self.area.cursor().0 + 1, 0);
        if next.0 < self.area.lines().len() { next } else { self.line_range().end }
    }

    /// Returns the numbers of the lines that the selection touches, else of the cursor's.
    fn touched_rows(&self) -> RangeInclusive<usize> {
        let cursor = self.area.cursor();
        let Range { start, end } = self.selection().unwrap_or(cursor..cursor);
        start.0..=end.0
    }

    /// Returns the text of lines, each with its break.
    fn lines_text(&self, rows: &RangeInclusive<usize>) -> String {
        self.area.lines()[rows.clone()].iter().flat_map(|line| [line.as_str(), "\n"]).collect()
    }

    /// Deletes the lines that the selection touches, else the cursor's, and keeps them.
    fn delete_lines(&mut self) -> Edit {
        let rows = self.touched_rows();
        let (first, last) = (*rows.start(), *rows.end());
        let end_of = |row: usize| DataCursor(row, self.area.lines()[row].chars().count());
        let range = if last + 1 < self.area.lines().len() {
            DataCursor(first, 0)..DataCursor(last + 1, 0)
        } else {
            // The last line has no break of its own: the one before it goes.
            first.checked_sub(1).map_or(DataCursor(0, 0), end_of)..end_of(last)
        };
        self.deleted = self.lines_text(&rows);
        self.deselect();
        if range.is_empty() {
            return Edit::Ignored;
        }
        self.replace(range, "");
        Edit::Changed
    }

    /// Does vim's `p` (`is_after`) or `P`: inserts what was deleted last beside the cursor; whole lines go below or
    /// above. The cursor ends before the last character, or at the first line inserted.
    fn paste_deleted_beside(&mut self, is_after: bool) -> Edit {
        if self.deleted.is_empty() {
            return Edit::Ignored;
        }
        self.deselect();
        let (line, text) = (self.line_range(), self.deleted.clone());
        let Some(lines) = text.strip_suffix('\n') else {
            if is_after {
                self.go_to(self.next_in_line());
            }
            self.insert_as_undo_step(&text);
            self.go_to(self.step_before(character_start));
            return Edit::Changed;
        };
        let row = line.start.0 + usize::from(is_after);
        if is_after {
            self.go_to(line.end);
            self.insert_as_undo_step(&format!("\n{lines}"));
        } else {
            self.go_to(line.start);
            self.insert_as_undo_step(&text);
        }
        self.go_to(DataCursor(row, 0));
        Edit::Changed
    }

    /// Deletes as [`Self::delete`] does, and keeps what it deletes for [`EditAction::PasteDeleted`].
    fn delete_and_keep(&mut self, to: DataCursor) -> Edit {
        let range = self.deletion(to);
        if !range.is_empty() {
            self.deleted = self.between(&range);
        }
        self.delete(to)
    }

    /// Returns what is deleted: the selection, else the text between the cursor and `to`; a chip is deleted whole.
    fn deletion(&self, to: DataCursor) -> Range<DataCursor> {
        let cursor = self.area.cursor();
        self.selection().unwrap_or_else(|| self.extended_over_chips(cursor.min(to)..cursor.max(to)))
    }

    /// Deletes the selection, else the text between the cursor and `to`.
    fn delete(&mut self, to: DataCursor) -> Edit {
        let range = self.deletion(to);
        if range.is_empty() {
            return Edit::Ignored;
        }
        self.replace(range, "");
        Edit::Changed
    }
}

#[cfg(test)]
mod tests {
    use std::iter;

    use crossterm::event::{KeyCode, KeyModifiers};
    use ratatui::layout::Rect;

    use super::super::editor_with;
    use super::*;

    const CONTROL: KeyModifiers = KeyModifiers::CONTROL;

    #[test]
    fn words_at_the_edge_of_a_wrapped_row_are_whole() {
        for (word, blank) in [("हम", " में "), ("cafe\u{301}", " "), ("👨‍👩‍👧", " 👍🏽 "), ("e\u{301}\u{301}", " ")]
        {
            let text = format!("{}{word}", iter::repeat_n(word, 8).collect::<Vec<_>>().join(blank) + blank);
            for width in 3..24 {
                let made = || {
                    let mut editor = editor_with("");
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
        let mut editor = editor_with("");
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
        editor.key(KeyEvent::new(KeyCode::Left, KeyModifiers::ALT));
        editor.key(KeyEvent::new(KeyCode::Right, KeyModifiers::ALT));
        editor.key(KeyEvent::new(KeyCode::Char('x'), CONTROL));
        editor.key(KeyEvent::from(KeyCode::Char('r')));
        assert_eq!(editor.text(), " one two", "nor what redo makes again");
        // Nor is there a limit to the lines.
        let lines = "\n".repeat(70_000);
        editor.set_text(&format!("{lines}ab"));
        editor.key(KeyEvent::new(KeyCode::Home, CONTROL));
        editor.go_to(DataCursor(70_000, 1));
        assert_eq!(editor.area.cursor(), (70_000, 1));
        editor.key(KeyEvent::from(KeyCode::Backspace));
        assert_eq!(editor.text(), format!("{lines}b"));
    }

    #[test]
    fn backspace_deletes_one_grapheme() {
        for text in ["e\u{301}", "👨‍👩‍👧", "🇵🇹", "👍🏽", "語"] {
            let mut editor = editor_with(&format!("a{text}"));
            editor.key(KeyEvent::from(KeyCode::Backspace));
            assert_eq!(editor.text(), "a");
        }
    }

    #[test]
    fn a_text_that_replaces_another_ends_ctrl_x() {
        let mut editor = editor_with("one");
        editor.key(KeyEvent::new(KeyCode::Char('x'), CONTROL));
        editor.set_text("from outside");
        editor.key(KeyEvent::from(KeyCode::Char('r')));
        assert_eq!(editor.text(), "from outsider");
    }

    #[test]
    fn readline_keys_edit_and_undo() {
        let control = |char| KeyEvent::new(KeyCode::Char(char), CONTROL);
        let mut editor = editor_with("one two");
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
