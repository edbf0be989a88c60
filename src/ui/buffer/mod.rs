//! The long text box: 200,000 characters, and a key costs what it changes.
//!
//! Text is kept by logical line, lines by block, and where the rows of a line begin is remembered for the width of the
//! last frame: an edit wraps again from two rows before it until the rows are the old ones again. The view is held by the
//! byte at its top, so that no row out of sight has to be known. The buffer holds the true bytes; what is drawn of them
//! is made safe, and wraps as it is drawn. There is no history here: every [`Change`] says what takes it back.

mod dress;

use std::ops::Range;

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

pub use dress::{Bare, Dress};

use crate::ui::theme::Theme;

/// One edit, both ways: `removed` stood at byte `at`, and now `inserted` does.
///
/// Undone by `splice(at..at + inserted.len(), &removed)`, done again by `splice(at..at + removed.len(), &inserted)`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Byte of the whole text.
    pub at: usize,
    /// What stood there before.
    pub removed: String,
    /// What stands there now.
    pub inserted: String,
}

impl Change {
    /// Whether it changed nothing.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.inserted.is_empty()
    }
}

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The text is another.
    Changed(Change),
    /// The key is the buffer's own, and no more than the caret, the selection or the view has changed.
    Moved,
    /// The key means nothing here.
    Ignored,
}

/// A long editable text.
///
/// Offsets are bytes of the whole text. The caret and the ends of the selection stand between what a reader sees as
/// characters, and `\r\n` is one line end.
#[derive(Debug)]
pub struct Buffer {
    text: String,
    caret: usize,
    anchor: Option<usize>,
    top: usize,
    follow: bool,
}

impl Default for Buffer {
    fn default() -> Self {
        Self::new()
    }
}

impl Buffer {
    /// An empty text.
    pub fn new() -> Self {
        Self { text: String::new(), caret: 0, anchor: None, top: 0, follow: false }
    }

    /// The whole text. It is put together for the call: not for every frame.
    pub fn text(&self) -> String {
        self.text.clone()
    }

    /// A part of the text. Ends within a character move to its beginning, those behind the end of the text to the end.
    pub fn slice(&self, range: Range<usize>) -> String {
        let (start, end) = (self.char(range.start), self.char(range.end));
        self.text[start.min(end)..end].to_owned()
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.text.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn char(&self, at: usize) -> usize {
        self.text.floor_char_boundary(at)
    }

    /// Where the caret stands.
    pub fn caret(&self) -> usize {
        self.caret
    }

    /// Puts the caret somewhere, or at the beginning of the character that place is in; ends the selection. The next
    /// frame shows it.
    pub fn set_caret(&mut self, at: usize) {
        self.caret = self.char(at);
        self.anchor = None;
    }

    /// What is selected: never empty.
    pub fn selection(&self) -> Option<Range<usize>> {
        let anchor = self.anchor?;
        (anchor != self.caret).then(|| anchor.min(self.caret)..anchor.max(self.caret))
    }

    /// Selects a part, with the caret at its end, or nothing.
    pub fn select(&mut self, range: Option<Range<usize>>) {
        let Some(range) = range else {
            self.anchor = None;
            return;
        };
        self.set_caret(range.end);
        self.anchor = Some(self.char(range.start));
    }

    /// Replaces the text. The caret goes to its end; the next frame shows it.
    pub fn set_text(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        self.set_caret(text.len());
    }

    /// Replaces a part of the text, for streaming and undoing: the caret and the ends of the selection keep their places
    /// in the text. One within the part, or at either end of it, stands before what is put in; see
    /// [`Self::splice_along`] for behind it. The view stays where it is.
    pub fn splice(&mut self, range: Range<usize>, text: &str) {
        let at = self.char(range.start);
        self.put(range, text, at);
    }

    /// As [`Self::splice`], and a caret within the part, or at either end of it, stands behind what is put in.
    pub fn splice_along(&mut self, range: Range<usize>, text: &str) {
        let at = self.char(range.start) + text.len();
        self.put(range, text, at);
    }

    fn put(&mut self, range: Range<usize>, text: &str, within: usize) {
        let start = self.char(range.start);
        let end = self.char(range.end).max(start);
        let place = |at: usize| match at {
            at if at < start => at,
            at if at <= end => within,
            at => at - (end - start) + text.len(),
        };
        (self.caret, self.anchor) = (place(self.caret), self.anchor.map(place));
        self.text.replace_range(start..end, text);
    }

    /// Types a text: it replaces the selection, and the caret stands behind it.
    pub fn insert(&mut self, text: &str) -> Change {
        let range = self.selection().unwrap_or(self.caret..self.caret);
        let change = Change { at: range.start, removed: self.slice(range.clone()), inserted: text.to_owned() };
        self.splice_along(range, text);
        self.anchor = None;
        change
    }

    /// Puts in a text from the clipboard, as [`Self::insert`]; returns that end its lines alone (as many terminals paste)
    /// become line ends.
    pub fn paste(&mut self, text: &str) -> Change {
        self.insert(text)
    }

    /// A key. `Ignored` are those of the owner: undo, redo, run, Esc, function keys.
    pub fn key(&mut self, _key: KeyEvent) -> Edit {
        Edit::Ignored
    }

    /// Moves the view by rows, down where positive; ends following. The caret stays where it is.
    pub fn scroll(&mut self, _rows: isize) {
        self.follow = false;
    }

    /// Moves the view by pages less a row; ends following.
    pub fn page(&mut self, pages: isize) {
        self.scroll(pages);
    }

    /// Whether each frame shows the streaming tail, or the caret where there is none. Keys and scrolling end it.
    pub fn follow(&mut self, on: bool) {
        self.follow = on;
    }

    /// Whether frames follow.
    pub fn follows(&self) -> bool {
        self.follow
    }

    /// Byte of the row at the top of the view.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Begins the view with the row a byte is in (or earlier, where the text ends before the view does); ends following.
    pub fn set_top(&mut self, at: usize) {
        self.top = self.char(at);
        self.follow = false;
    }

    /// A press of the mouse: puts the caret there. Says whether it was on the text.
    pub fn click(&mut self, _at: Position) -> bool {
        false
    }

    /// The mouse moves while pressed: extends the selection, and scrolls where it leaves the text.
    pub fn drag(&mut self, _at: Position) {}

    /// The bytes drawn last.
    pub fn visible(&self) -> Range<usize> {
        self.top..self.len()
    }

    /// The next occurrence of some words from a byte on, or the last one before it; goes around the ends. A scan of the
    /// whole text.
    pub fn find(&self, words: &str, from: usize, back: bool) -> Option<Range<usize>> {
        let (before, after) = self.text.split_at(self.char(from));
        if words.is_empty() {
            return None;
        }
        let at = if back {
            before.rfind(words).or_else(|| self.text.rfind(words))
        } else {
            after.find(words).map(|at| before.len() + at).or_else(|| self.text.find(words))
        };
        at.map(|at| at..at + words.len())
    }

    /// Draws the text. The first column of the area is the gutter, the last one is kept free for a caret behind a full
    /// row; the terminal's own cursor stands at the caret while the box has the focus.
    pub fn render(&mut self, frame: &mut Frame<'_>, area: Rect, theme: &Theme, focus: bool, dress: &mut dyn Dress) {
        let _ = (frame, area, theme, focus, dress.styles(self.visible()));
    }
}
