//! What each key does in the text box: readline's keys, by whole graphemes.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tui_textarea::{CursorMove, TextArea};
use unicode_segmentation::UnicodeSegmentation;

use super::control::is_stand_in;
use super::{Edit, Editor, byte_of};

impl Editor {
    /// Handles a key. Enter is not handled here: the owner decides whether it sends or breaks the line.
    pub fn key(&mut self, key: KeyEvent) -> Edit {
        if std::mem::take(&mut self.after_x) && matches!(key.code, KeyCode::Char('u' | 'U')) {
            return changed(self.area.undo());
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        let word = control || alt;
        let area = &mut self.area;
        match key.code {
            KeyCode::Char('x') if control => {
                self.after_x = true;
                Edit::Moved
            }
            // Ctrl+_ and Ctrl+/ are the same byte, which is read as Ctrl+7 unless the terminal reports more.
            KeyCode::Char('_' | '/' | '7') if control => changed(area.undo()),
            KeyCode::Backspace if word => self.deleting(TextArea::delete_word),
            KeyCode::Char('w') if control => self.deleting(TextArea::delete_word),
            KeyCode::Backspace => self.delete_grapheme(false),
            KeyCode::Char('h') if control => self.delete_grapheme(false),
            KeyCode::Delete if word => self.deleting(TextArea::delete_next_word),
            KeyCode::Char('d') if alt => self.deleting(TextArea::delete_next_word),
            KeyCode::Delete => self.delete_grapheme(true),
            KeyCode::Char('k') if control => self.deleting(TextArea::delete_line_by_end),
            KeyCode::Char('u') if control => self.deleting(TextArea::delete_line_by_head),
            KeyCode::Char('a') if control => moved(area, CursorMove::Head),
            KeyCode::Char('e') if control => moved(area, CursorMove::End),
            KeyCode::Char('b') if alt => moved(area, CursorMove::WordBack),
            KeyCode::Char('f') if alt => moved(area, CursorMove::WordForward),
            KeyCode::Char('b') if control => moved(area, CursorMove::Back),
            KeyCode::Char('f') if control => moved(area, CursorMove::Forward),
            KeyCode::Left if word => moved(area, CursorMove::WordBack),
            KeyCode::Right if word => moved(area, CursorMove::WordForward),
            KeyCode::Left => self.step(false),
            KeyCode::Right => self.step(true),
            KeyCode::Up => moved(area, CursorMove::Up),
            KeyCode::Down => moved(area, CursorMove::Down),
            KeyCode::Home if control => moved(area, CursorMove::Top),
            KeyCode::End if control => moved(area, CursorMove::Bottom),
            KeyCode::Home => moved(area, CursorMove::Head),
            KeyCode::End => moved(area, CursorMove::End),
            KeyCode::Char(char) if !control && !alt => {
                if is_stand_in(char) {
                    self.bare();
                }
                self.insert(|area| area.insert_char(char));
                Edit::Changed
            }
            _ => Edit::Ignored,
        }
    }

    /// Breaks the line at the cursor.
    pub fn insert_newline(&mut self) {
        self.insert(TextArea::insert_newline);
    }

    /// Deletes a grapheme, or a chip.
    fn delete_grapheme(&mut self, forward: bool) -> Edit {
        let cursor = self.area.cursor();
        let line = &self.area.lines()[cursor.0];
        let at = byte_of(line, cursor.1);
        let grapheme = if forward { line[at..].graphemes(true).next() } else { line[..at].graphemes(true).next_back() };
        let length = grapheme.map_or(1, |grapheme| grapheme.chars().count());
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

    /// Moves the cursor one grapheme left or right.
    fn step(&mut self, forward: bool) -> Edit {
        let cursor = self.area.cursor();
        let line = &self.area.lines()[cursor.0];
        let at = byte_of(line, cursor.1);
        let grapheme = if forward { line[at..].graphemes(true).next() } else { line[..at].graphemes(true).next_back() };
        for _ in 0..grapheme.map_or(1, |grapheme| grapheme.chars().count()) {
            self.area.move_cursor(if forward { CursorMove::Forward } else { CursorMove::Back });
        }
        Edit::Moved
    }
}

fn changed(did: bool) -> Edit {
    if did { Edit::Changed } else { Edit::Ignored }
}

fn moved(area: &mut TextArea<'static>, to: CursorMove) -> Edit {
    area.move_cursor(to);
    Edit::Moved
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
