//! Long texts that are shown in the box as a chip: inserting them, and keeping them whole when the text beside them is
//! edited.

use std::ops::Range;

use tui_textarea::DataCursor;

use super::Editor;
use crate::ui::meter;

/// A paste of more characters than this becomes a chip.
const CHIP_CHARS: usize = 2_000;
/// A paste of more lines than this becomes a chip.
const CHIP_LINES: usize = 20;
/// A paste of more bytes than this is refused.
pub const PASTE_MOST: usize = 10_000_000;
/// A paste of more bytes than this is not expanded: the crate wraps the whole text again at each edit.
pub(super) const EXPAND_MOST: usize = 200_000;

impl Editor {
    /// Pastes a text; a long one as a chip. Fails with a sentence if it is too long.
    pub fn paste(&mut self, text: &str) -> Result<(), String> {
        if text.len() > PASTE_MOST {
            let size = meter::bytes(text.len() as u64);
            return Err(format!("the paste of {size} is over 10 MB and was left out; send it as a file instead"));
        }
        if is_long(text) {
            self.paste_chip(text);
        } else {
            self.insert_text(text);
        }
        Ok(())
    }

    /// Replaces a chip by its text: the last one that begins at or before the cursor, else the first one. Fails with a
    /// sentence if there is none, or if its text is too long to edit (200 kB).
    pub fn expand_chip(&mut self) -> Result<(), &'static str> {
        let DataCursor(row, column) = self.area.cursor();
        let lines = self.area.lines().iter().enumerate();
        let spans = lines.flat_map(|(row, line)| self.chips.spans(line).map(move |(span, text)| (row, span, text)));
        let place = |(row, span, _): &(usize, Range<usize>, &str)| (*row, span.start);
        let mut chips: Vec<_> = spans.collect();
        chips.sort_by_key(place);
        let before = chips.partition_point(|chip| place(chip) <= (row, column));
        let chip = chips.into_iter().nth(before.saturating_sub(1));
        let Some((row, span, text)) = chip else { return Err("no pasted text to expand") };
        if text.len() > EXPAND_MOST {
            return Err("the pasted text is too long to be edited here; it is sent in full");
        }
        let text = text.to_owned();
        self.go_to(DataCursor(row, span.end));
        self.anchor = Some(DataCursor(row, span.start));
        self.insert_text(&text);
        Ok(())
    }

    /// Returns whether the text has a chip.
    pub fn has_chip(&self) -> bool {
        self.area.lines().iter().any(|line| self.chips.spans(line).next().is_some())
    }

    pub(super) fn paste_chip(&mut self, text: &str) {
        let label = self.chips.add(text, self.area.lines());
        self.insert_as_undo_step(&label);
    }

    /// Returns a part of the text, extended to the whole of each chip whose label it would cut.
    pub(super) fn extended_over_chips(&self, part: Range<DataCursor>) -> Range<DataCursor> {
        let around = |DataCursor(row, column): DataCursor| {
            let line = self.area.lines().get(row).map_or("", String::as_str);
            let span = self.chips.spans(line).find(|(span, _)| span.start < column && column < span.end);
            let span = span.map_or(column..column, |(span, _)| span);
            DataCursor(row, span.start)..DataCursor(row, span.end)
        };
        around(part.start).start..around(part.end).end
    }
}

fn is_long(text: &str) -> bool {
    text.chars().nth(CHIP_CHARS).is_some() || text.lines().nth(CHIP_LINES).is_some()
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

    use super::super::editor_with;
    use super::*;

    #[test]
    fn a_long_paste_is_a_chip_over_the_true_text() {
        let long = "line\n".repeat(312);
        let mut editor = editor_with("see: ");
        editor.paste(&long).unwrap();
        assert_eq!(editor.area.lines(), ["see: [pasted 312 lines, 1.6 kB]"]);
        assert_eq!(editor.text(), format!("see: {long}"));
        editor.key(KeyEvent::from(KeyCode::Left));
        editor.key(KeyEvent::from(KeyCode::Char('!')));
        assert_eq!(editor.text(), format!("see: {long}!"), "typing inside the label goes behind it");
        editor.key(KeyEvent::from(KeyCode::Backspace));
        editor.key(KeyEvent::from(KeyCode::Backspace));
        assert_eq!(editor.text(), "see: ", "one backspace takes the chip");
        editor.paste(&long).unwrap();
        assert!(editor.has_chip());
        assert_eq!(editor.expand_chip(), Ok(()));
        assert!(!editor.has_chip());
        assert_eq!(editor.text(), format!("see: {long}"));
        assert!(editor.area.lines().len() > 300);
    }

    #[test]
    fn the_paste_before_the_cursor_is_expanded_else_the_one_after_it() {
        let first = "first\n".repeat(30);
        let second = "second\n".repeat(40);
        let mut editor = editor_with("> ");
        assert_eq!(editor.expand_chip(), Err("no pasted text to expand"));
        editor.paste(&first).unwrap();
        editor.insert_text(" and\n");
        editor.paste(&second).unwrap();
        editor.insert_text(" too");
        let whole = editor.text();
        assert_eq!(editor.expand_chip(), Ok(()));
        assert_eq!((editor.area.lines()[0].as_str(), editor.text()), ("> [pasted 30 lines, 180 B] and", whole.clone()));
        editor.key(KeyEvent::new(KeyCode::Home, KeyModifiers::CONTROL));
        assert_eq!(editor.expand_chip(), Ok(()));
        assert_eq!((editor.area.lines()[0].as_str(), editor.text()), ("> first", whole));
        let mut editor = editor_with("x");
        editor.paste(&"x".repeat(EXPAND_MOST + 1)).unwrap();
        assert!(editor.expand_chip().is_err_and(|why| why.contains("too long")));
        assert!(editor.has_chip());
    }

    #[test]
    fn a_deleted_paste_comes_back_whole_with_undo() {
        let long = "line\n".repeat(312);
        let mut editor = editor_with("see ");
        editor.paste(&long).unwrap();
        editor.key(KeyEvent::from(KeyCode::Backspace));
        assert_eq!(editor.text(), "see ");
        assert_eq!(editor.len(), 4);
        editor.key(KeyEvent::new(KeyCode::Char('x'), KeyModifiers::CONTROL));
        editor.key(KeyEvent::from(KeyCode::Char('u')));
        assert_eq!(editor.text(), format!("see {long}"));
        assert_eq!(editor.len(), 4 + long.len());
    }

    #[test]
    fn a_deletion_beside_a_chip_takes_no_other_text() {
        let long = "line\n".repeat(312);
        let control = |char| KeyEvent::new(KeyCode::Char(char), KeyModifiers::CONTROL);
        let made = || {
            let mut editor = editor_with("abc ");
            editor.paste(&long).unwrap();
            for char in " tail".chars() {
                editor.key(KeyEvent::from(KeyCode::Char(char)));
            }
            editor
        };
        let mut editor = made();
        for _ in 0..2 {
            editor.key(KeyEvent::from(KeyCode::Left));
        }
        editor.key(control('u'));
        assert_eq!(editor.text(), "il");
        let mut editor = made();
        editor.key(KeyEvent::from(KeyCode::Home));
        editor.key(KeyEvent::from(KeyCode::Right));
        editor.key(control('k'));
        assert_eq!(editor.text(), "a");
        let mut editor = made();
        for _ in 0..2 {
            editor.key(control('w'));
        }
        assert_eq!(editor.text(), "abc ", "the word behind the chip, then the chip");
    }

    #[test]
    fn a_paste_that_quotes_a_label_is_sent_as_it_is() {
        let first = "line\n".repeat(312);
        let second = format!("[pasted 312 lines, 1.6 kB]\n{}", "more\n".repeat(40));
        let mut editor = editor_with("");
        editor.paste(&second).unwrap();
        editor.paste(&first).unwrap();
        assert_eq!(editor.text(), format!("{second}{first}"));
    }

    #[test]
    fn a_text_that_comes_back_can_be_edited() {
        let long = "line\n".repeat(312);
        let mut editor = editor_with("before");
        editor.set_text(&long);
        assert_eq!(editor.area.lines().len(), 313);
        editor.key(KeyEvent::from(KeyCode::Backspace));
        assert_eq!(editor.text(), long.trim_end(), "it is text, not a chip");
        let most = "x".repeat(EXPAND_MOST);
        editor.set_text(&most);
        assert_eq!(editor.area.lines(), [most.as_str()]);
        let more = most + "x";
        editor.set_text(&more);
        assert!(editor.area.lines()[0].starts_with("[pasted "));
        assert_eq!(editor.text(), more);
    }
}
