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

use std::ops::Range;
use std::time::Instant;

use ratatui::layout::Rect;
use ratatui::style::Style;
use tui_textarea::{CursorMove, DataCursor, TextArea, WrapMode};
use unicode_width::UnicodeWidthStr;

use chip::Chips;
use chips::EXPAND_MOST;
pub use chips::PASTE_MOST;
use control::Controls;

use super::undo::{Change, UndoStack};
use super::vim;
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
    /// The end of the selection that is not the cursor.
    anchor: Option<DataCursor>,
    /// The text that was copied, for the clipboard.
    copied: Option<String>,
    /// What a key deleted or copied last, in the crate's text.
    deleted: String,
    /// What undo takes back, in bytes of the crate's lines: the crate would take back each character by itself.
    undo: UndoStack,
    /// Whether Ctrl+X was pressed: the next key completes it.
    after_x: bool,
    /// How many characters the next one that is typed replaces.
    replacing: usize,
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
            anchor: None,
            copied: None,
            deleted: String::new(),
            undo: UndoStack::default(),
            after_x: false,
            replacing: 0,
            drawn: Rect::ZERO,
        };
        editor.set_lines(Vec::new());
        editor
    }

    fn set_lines(&mut self, lines: Vec<String>) {
        self.area = TextArea::new(lines);
        self.undo = UndoStack::default();
        self.anchor = None;
        self.deleted.clear();
        self.after_x = false;
        self.drawn = Rect::ZERO;
        self.area.set_wrap_mode(WrapMode::WordOrGlyph);
        // For `go_to`.
        self.area.set_max_histories(1);
        self.area.set_cursor_line_style(Style::new());
        // The terminal's cursor is there; a drawn one would be a second.
        self.area.set_cursor_style(Style::new());
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
            let text = self.with_stand_ins(text);
            self.set_lines(text.split('\n').map(str::to_owned).collect());
            self.move_to_end();
        }
    }

    fn move_to_end(&mut self) {
        self.area.move_cursor(CursorMove::Bottom);
        self.area.move_cursor(CursorMove::End);
    }

    /// Replaces the text by one from outside, unchanged; it is drawn safely.
    pub fn edit(&mut self, text: &Untrusted) {
        self.set_text(text.raw());
    }

    /// Inserts a text from outside unchanged, as if it were pasted. Fails with a sentence if it is too long.
    pub fn accept(&mut self, text: &Untrusted) -> Result<(), String> {
        self.deselect();
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
        let DataCursor(row, column) = self.area.cursor();
        self.anchor = Some(DataCursor(row, column - self.word().chars().count()));
        self.insert_text(text);
    }

    /// Inserts a text at the cursor, or in place of the selection, however long it is.
    pub fn insert_text(&mut self, text: &str) {
        let text = self.with_stand_ins(text);
        self.insert_as_undo_step(&text);
    }

    /// Notes what time it is: after a pause, what is typed is a step of undo of its own.
    pub fn set_time(&mut self, now: Instant) {
        self.undo.set_time(now);
    }

    /// Returns whether Ctrl+X was pressed, which gives the next key another meaning.
    pub fn is_after_x(&self) -> bool {
        self.after_x
    }

    /// Ends Ctrl+X, after which the next key would be a command: that key went elsewhere.
    pub fn end_ctrl_x(&mut self) {
        self.after_x = false;
    }

    /// Drops the selection, so that what is inserted replaces nothing.
    pub fn deselect(&mut self) {
        self.anchor = None;
    }

    /// Takes the text that a key copied, for the clipboard.
    pub fn take_copied(&mut self) -> Option<String> {
        self.copied.take()
    }

    /// Copies the selection.
    fn copy(&mut self) -> Edit {
        let Some(range) = self.selection() else { return Edit::Ignored };
        self.deleted = self.between(&range);
        self.copied = Some(self.chips.true_text(&[self.without_stand_ins(&self.deleted)]));
        Edit::Moved
    }

    /// Returns the selection, which is never empty and has no part of a chip.
    fn selection(&self) -> Option<Range<DataCursor>> {
        let (anchor, cursor) = (self.anchor?, self.area.cursor());
        (anchor != cursor).then(|| self.extended_over_chips(anchor.min(cursor)..anchor.max(cursor)))
    }

    /// Inserts a text as a step of undo of its own.
    fn insert_as_undo_step(&mut self, text: &str) {
        self.undo.end_step();
        self.insert(text);
        self.undo.end_step();
    }

    /// Inserts a text in place of the selection, or at the cursor: inside a chip's label after it, so that typing never
    /// destroys a paste.
    fn insert(&mut self, text: &str) {
        let cursor = self.area.cursor();
        let end = self.extended_over_chips(cursor..cursor).end;
        self.replace(self.selection().unwrap_or(end..end), text);
    }

    /// Replaces a part of the text; the cursor is then after the new one.
    fn replace(&mut self, range: Range<DataCursor>, text: &str) {
        let change = Change { at: self.offset(range.start), removed: self.between(&range), inserted: text.to_owned() };
        self.after_x = false;
        self.apply(range.start, &change);
        self.undo.add(change);
    }

    /// Takes the last step back, or makes it again. The cursor is then after the text that came back; as in vim, where
    /// boxes have its modes, before it.
    fn undo_redo(&mut self, step: fn(&mut UndoStack) -> Option<Change>) -> Edit {
        let Some(change) = step(&mut self.undo) else { return Edit::Ignored };
        let at = self.place(change.at);
        self.apply(at, &change);
        if vim::is_enabled() {
            self.go_to(at);
        }
        Edit::Changed
    }

    /// Makes a change at its place.
    fn apply(&mut self, at: DataCursor, change: &Change) {
        self.go_to(at);
        self.area.delete_str(change.removed.chars().count());
        // The crate drops one return before each line end, and one at the text's end.
        let mut inserted = change.inserted.replace("\r\n", "\r\r\n");
        if inserted.ends_with('\r') {
            inserted.push('\r');
        }
        self.area.insert_str(inserted);
        self.anchor = None;
    }

    /// Returns a part of the crate's text.
    fn between(&self, range: &Range<DataCursor>) -> String {
        if range.is_empty() {
            return String::new();
        }
        let lines = &self.area.lines()[range.start.0..=range.end.0];
        let last = &lines[lines.len() - 1];
        let text = lines.join("\n");
        let end = text.len() - last.len() + byte_of(last, range.end.1);
        text[byte_of(&lines[0], range.start.1)..end].to_owned()
    }

    /// Returns the byte of the crate's text at a place.
    fn offset(&self, place: DataCursor) -> usize {
        let lines = self.area.lines();
        lines[..place.0].iter().map(|line| line.len() + 1).sum::<usize>() + byte_of(&lines[place.0], place.1)
    }

    /// Returns the place of a byte of the crate's text.
    fn place(&self, offset: usize) -> DataCursor {
        let (mut row, mut rest) = (0, offset);
        let lines = self.area.lines();
        while rest > lines[row].len() {
            rest -= lines[row].len() + 1;
            row += 1;
        }
        DataCursor(row, lines[row][..rest].chars().count())
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

    /// Moves the cursor to a line and a column of it (code points).
    fn go_to(&mut self, to: DataCursor) {
        let DataCursor(row, column) = to;
        if self.area.cursor() == to {
            return;
        }
        let most = |place: usize| u16::try_from(place).unwrap_or(u16::MAX);
        // The crate's steps go by columns of the screen, and miss code points without width.
        self.area.move_cursor(CursorMove::Jump(most(row), most(column)));
        // Its jump goes no further than 65,535; a deletion that is undone leaves the cursor after the deleted text.
        let DataCursor(from, at) = self.area.cursor();
        if from == row && at < column {
            self.area.delete_str(column - at);
            self.area.undo();
        } else if from < row {
            let between = self.area.lines()[from..row].iter().map(|line| line.chars().count() + 1).sum::<usize>();
            self.area.delete_str(between - at + column);
            self.area.undo();
        }
    }
}

/// Returns the byte at which a line's column (characters) begins.
fn byte_of(line: &str, column: usize) -> usize {
    line.char_indices().nth(column).map_or(line.len(), |(at, _)| at)
}

#[cfg(test)]
fn editor_with(text: &str) -> Editor {
    use crossterm::event::{KeyCode, KeyEvent};
    let mut editor = Editor::new("");
    for char in text.chars() {
        editor.key(KeyEvent::from(KeyCode::Char(char)));
    }
    editor
}
