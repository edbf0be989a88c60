//! Control characters in the text box: each is drawn as its picture (`␛`) but stays unchanged.
//!
//! The textarea crate gives them no column, so its lines contain a stand-in for each, a character at the end of the
//! private use area. A text that contains such a character itself gets no stand-ins: the text sent is always the text
//! entered.

use std::borrow::Cow;

use super::Editor;

/// Stands for NUL; the following ones stand for the others in order.
const FIRST: u32 = 0x10_ff00;

/// Whether other characters stand for the control characters in a box's lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Controls {
    /// The text has none.
    #[default]
    None,
    /// They are replaced by stand-ins.
    Replaced,
    /// They are not replaced: the text itself contains a stand-in.
    Kept,
}

/// Returns whether this character stands for a control character, or could.
pub(super) fn is_stand_in(char: char) -> bool {
    from_stand_in(char).is_some()
}

/// Returns the picture of the control character that one stands for.
pub(super) fn picture(char: char) -> Option<char> {
    match u32::from(from_stand_in(char)?) {
        0x7f => Some('␡'),
        control => char::from_u32(0x2400 + control),
    }
}

fn from_stand_in(char: char) -> Option<char> {
    char::from_u32(u32::from(char).checked_sub(FIRST)?).filter(|control| has_picture(*control))
}

/// Returns whether a character is drawn as a picture; tabs and line ends are not.
fn has_picture(char: char) -> bool {
    char.is_ascii_control() && !matches!(char, '\n' | '\t')
}

/// Replaces a text's control characters by their stand-ins. The carriage return of a `\r\n` is none.
fn to_stand_ins(text: &str) -> String {
    let stand_in = |(at, char): (usize, char)| {
        let ends = char == '\r' && text[at + 1..].starts_with('\n');
        let stand_in = char::from_u32(FIRST + u32::from(char)).filter(|_| has_picture(char) && !ends);
        stand_in.unwrap_or(char)
    };
    text.char_indices().map(stand_in).collect()
}

/// Returns a line with its stand-ins converted back.
fn without_stand_ins(line: &str) -> String {
    line.chars().map(|char| from_stand_in(char).unwrap_or(char)).collect()
}

impl Editor {
    /// Returns a text as the crate's lines have it: with stand-ins, unless it or the text before contains one itself.
    pub(super) fn with_stand_ins<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        if text.contains(is_stand_in) {
            self.drop_stand_ins();
        }
        if self.controls == Controls::Kept || !text.contains(has_picture) {
            return Cow::Borrowed(text);
        }
        self.controls = Controls::Replaced;
        Cow::Owned(to_stand_ins(text))
    }

    /// Converts all stand-ins back and uses none from now on.
    pub(super) fn drop_stand_ins(&mut self) {
        if self.controls == Controls::Replaced {
            let (cursor, anchor) = (self.area.cursor(), self.anchor);
            let lines = self.lines().into_owned();
            self.set_lines(lines);
            self.go_to(cursor);
            self.anchor = anchor;
        }
        self.controls = Controls::Kept;
    }

    /// Returns a part of the crate's text with its stand-ins converted back.
    pub(super) fn without_stand_ins(&self, part: &str) -> String {
        if self.controls == Controls::Replaced { without_stand_ins(part) } else { part.to_owned() }
    }

    /// Returns the lines with their stand-ins converted back, and with their chips' labels.
    pub(super) fn lines(&self) -> Cow<'_, [String]> {
        let lines = self.area.lines();
        if self.controls == Controls::Replaced {
            lines.iter().map(|line| without_stand_ins(line)).collect()
        } else {
            lines.into()
        }
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::super::editor_with;

    #[test]
    fn what_is_sent_is_what_came_in() {
        let stand_in = "\u{10ff1b}";
        for text in [
            "a\u{1b}[31mb\n\0\u{7f}\tc\r\nd\re\r",
            "x\u{10ff1b}\u{1b}y\n\u{7}",
            "\u{10ff09}\u{10ff0a} are no stand-ins",
        ] {
            let mut editor = editor_with("");
            editor.set_text(text);
            assert_eq!((editor.text(), editor.len()), (text.to_owned(), text.len()), "{text:?}");
            editor.set_text("");
            assert_eq!(editor.text(), "");
            editor.paste(text).unwrap();
            assert_eq!(editor.text(), text);
            for (key, expected) in [('a', text), ('x', ""), ('u', text), ('r', ""), ('u', text)] {
                editor.key(KeyEvent::new(KeyCode::Char('x'), KeyModifiers::CONTROL));
                editor.key(KeyEvent::from(KeyCode::Char(key)));
                assert_eq!(editor.text(), expected, "{key}");
            }
            assert_eq!(editor.take_copied().as_deref(), Some(text));
        }
        // A later one: the existing text stays unchanged, and so does the place of the cursor.
        let mut editor = editor_with("one ");
        editor.paste("two\u{1b}three").unwrap();
        editor.key(KeyEvent::from(KeyCode::Left));
        editor.paste(stand_in).unwrap();
        assert_eq!(editor.text(), format!("one two\u{1b}thre{stand_in}e"));
        let mut editor = editor_with("\u{10ff1b}");
        editor.paste("\u{1b}").unwrap();
        assert_eq!(editor.text(), "\u{10ff1b}\u{1b}");
    }

    #[test]
    fn a_picture_is_deleted_and_brought_back_as_one_character() {
        let mut editor = editor_with("a");
        editor.paste("\u{1b}").unwrap();
        editor.key(KeyEvent::from(KeyCode::Char('b')));
        editor.key(KeyEvent::from(KeyCode::Left));
        editor.key(KeyEvent::from(KeyCode::Backspace));
        assert_eq!(editor.text(), "ab");
        editor.key(KeyEvent::new(KeyCode::Char('x'), KeyModifiers::CONTROL));
        editor.key(KeyEvent::from(KeyCode::Char('u')));
        assert_eq!(editor.text(), "a\u{1b}b");
    }

    #[test]
    fn chips_hold_what_was_pasted() {
        let long = "li\u{1b}ne\u{10ff1b}\n".repeat(100);
        let mut editor = editor_with("");
        editor.paste("\u{7}").unwrap();
        editor.paste(&long).unwrap();
        assert_eq!((editor.text(), editor.len()), (format!("\u{7}{long}"), 1 + long.len()));
        assert_eq!(editor.expand_chip(), Ok(()));
        assert_eq!(editor.text(), format!("\u{7}{long}"));
    }
}
