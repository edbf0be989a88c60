//! The text box, over the textarea crate: readline keys, whole graphemes, soft wrap, long pastes as chips, the
//! terminal's own cursor.
//!
//! Fast enough up to some 200 kB of typed text (the crate wraps all of it again at each edit); a long paste, or a
//! longer text from elsewhere, is in it as a chip, `[pasted 312 lines, 18 kB]`, whose cost does not depend on its
//! length.

mod chip;
mod chips;
mod control;
mod draw;
mod keys;

use ratatui::layout::Rect;
use ratatui::style::Style;
use tui_textarea::{CursorMove, DataCursor, TextArea, WrapMode};
use unicode_width::UnicodeWidthStr;

use chip::Chips;
use chips::EXPAND_MOST;
pub use chips::PASTE_MOST;
use control::Controls;

use crate::text::Untrusted;

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The text has changed.
    Changed,
    /// Only the cursor moved.
    Moved,
    /// The key has no function here.
    Ignored,
}

/// A text box.
#[derive(Debug)]
pub struct Editor {
    area: TextArea<'static>,
    placeholder: &'static str,
    chips: Chips,
    controls: Controls,
    /// Whether Ctrl+X was pressed: the next key completes it.
    after_x: bool,
    /// The area, for clicks; set by arranging.
    drawn: Rect,
}

impl Editor {
    /// Creates an empty box that shows `placeholder` while it is empty.
    pub fn new(placeholder: &'static str) -> Self {
        let mut editor = Self {
            area: TextArea::default(),
            placeholder,
            chips: Chips::default(),
            controls: Controls::default(),
            after_x: false,
            drawn: Rect::ZERO,
        };
        editor.set_lines(Vec::new());
        editor
    }

    fn set_lines(&mut self, lines: Vec<String>) {
        self.area = TextArea::new(lines);
        self.after_x = false;
        self.drawn = Rect::ZERO;
        self.area.set_wrap_mode(WrapMode::WordOrGlyph);
        self.area.set_max_histories(10_000);
        self.area.set_cursor_line_style(Style::new());
        // The terminal's cursor is there; a drawn one would be a second.
        self.area.set_cursor_style(Style::new());
        self.area.set_placeholder_text(self.placeholder);
        self.area.set_placeholder_style(Style::new());
    }

    /// Returns the text, with every chip replaced by its paste.
    pub fn text(&self) -> String {
        self.chips.true_text(&self.lines())
    }

    /// Replaces the text; the cursor moves to its end. Only what is too long to edit (200 kB) becomes a chip, as a text
    /// that is set is to be edited.
    pub fn set_text(&mut self, text: &str) {
        self.chips.clear();
        self.controls = Controls::None;
        if text.len() > EXPAND_MOST {
            self.set_lines(Vec::new());
            self.paste_chip(text);
        } else {
            let text = self.taken_in(text);
            self.set_lines(text.split('\n').map(str::to_owned).collect());
            self.area.move_cursor(CursorMove::Bottom);
            self.area.move_cursor(CursorMove::End);
        }
    }

    /// Replaces the text by one from outside, unchanged; it is drawn safely.
    pub fn edit(&mut self, text: &Untrusted) {
        self.set_text(text.raw());
    }

    /// Inserts a text from outside unchanged, as if it were pasted. Fails with a sentence if it is too long.
    pub fn accept(&mut self, text: &Untrusted) -> Result<(), String> {
        self.paste(text.raw())
    }

    /// Returns whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.area.is_empty()
    }

    /// Returns the bytes of the text, without building it.
    pub fn len(&self) -> usize {
        let lines = self.lines();
        let shown: usize = lines.iter().map(|line| line.len() + 1).sum::<usize>() - 1;
        shown + self.chips.hidden(&lines)
    }

    /// Returns the word that ends at the cursor.
    pub fn word(&self) -> String {
        let before: String = self.line().chars().take(self.area.cursor().1).collect();
        before.rsplit(char::is_whitespace).next().unwrap_or_default().to_owned()
    }

    /// Replaces the word that ends at the cursor.
    pub fn replace_word(&mut self, text: &str) {
        let length = self.word().chars().count();
        self.go_to_column(self.area.cursor().1 - length);
        self.area.delete_str(length);
        self.insert_text(text);
    }

    /// Inserts a text at the cursor, however long it is.
    pub fn insert_text(&mut self, text: &str) {
        let text = self.taken_in(text);
        self.insert(|area| {
            area.insert_str(&text);
        });
    }

    /// Returns whether the cursor is on the first row.
    pub fn on_first_row(&self) -> bool {
        self.area.screen_cursor().row == 0
    }

    /// Returns whether the cursor is on the last row, as wrapped by [`Editor::arrange`].
    pub fn on_last_row(&self) -> bool {
        let row = self.area.screen_cursor().row;
        // For a row below the last one the crate returns the last one.
        self.area.screen_to_data(row + 1, 0) == self.area.screen_to_data(row, 0)
    }

    /// Returns the rows that the text needs at a width, counted up to `most`.
    pub fn rows(&self, width: u16, most: u16) -> u16 {
        let width = usize::from(width.max(1));
        let mut rows = 0;
        // Usually the beginning of a long line suffices.
        let enough = usize::from(most) * width * 2;
        for line in self.area.lines() {
            let begins = &line[..line.floor_char_boundary(enough)];
            let mut taken = 1 + begins.width() / width;
            if begins.len() < line.len() && rows + taken < usize::from(most) {
                taken = 1 + line.width() / width;
            }
            rows += taken;
            if rows >= usize::from(most) {
                return most;
            }
        }
        rows.max(1) as u16
    }

    /// Returns the line that contains the cursor.
    fn line(&self) -> &str {
        self.area.lines().get(self.area.cursor().0).map_or("", String::as_str)
    }

    /// Moves the cursor along its line to a column (code points).
    fn go_to_column(&mut self, column: usize) {
        let row = self.area.cursor().0;
        go_to(&mut self.area, row, column);
    }
}

/// Moves the cursor to a line and a column of it (code points).
fn go_to(area: &mut TextArea, row: usize, column: usize) {
    let most = |place: usize| u16::try_from(place).unwrap_or(u16::MAX);
    // The crate's steps go by columns of the screen, and miss code points without width.
    area.move_cursor(CursorMove::Jump(most(row), most(column)));
    // Its jump goes no further than 65,535; a deletion that is undone leaves the cursor after the deleted text.
    let DataCursor(from, at) = area.cursor();
    if from == row && at < column {
        area.delete_str(column - at);
        area.undo();
    } else if from < row {
        let between = area.lines()[from..row].iter().map(|line| line.chars().count() + 1).sum::<usize>();
        area.delete_str(between - at + column);
        area.undo();
    }
}

/// Returns the byte at which a line's column (characters) begins.
fn byte_of(line: &str, column: usize) -> usize {
    line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
}

#[cfg(test)]
fn typed(text: &str) -> Editor {
    use crossterm::event::{KeyCode, KeyEvent};
    let mut editor = Editor::new("");
    for char in text.chars() {
        editor.key(KeyEvent::from(KeyCode::Char(char)));
    }
    editor
}
