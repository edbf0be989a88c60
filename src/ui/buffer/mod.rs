//! The long text box: for 200,000 characters, with the time of a key proportional to what it changes.
//!
//! Text is stored by logical line, lines by block, and the beginnings of a line's rows are cached for the width of the
//! last frame: an edit wraps again from two rows before it until the rows equal the old ones. The view is anchored to
//! the byte at its top, so that no invisible row has to be wrapped. The buffer holds the unchanged bytes; they are
//! sanitised when drawn, and wrap as drawn. There is no history here: every [`Change`] contains what is needed to undo
//! it.

mod caret;
mod decoration;
mod draw;
mod glyph;
mod keys;
mod lines;
mod view;
mod wrap;

use std::ops::Range;

use ratatui::layout::Rect;

pub use decoration::{Decoration, Undecorated};
pub use keys::CaretStep;
use lines::TextLines;

pub use super::undo::Change;

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Edit {
    /// The text has changed.
    Changed(Change),
    /// The key was handled; only the caret, the selection or the view may have changed.
    Moved,
    /// The key has no function here.
    Ignored,
}

/// A long editable text.
///
/// Offsets are bytes of the whole text. The caret and the ends of the selection are between graphemes, and `\r\n` is
/// one line end.
#[derive(Debug)]
pub struct Buffer {
    lines: TextLines,
    caret: usize,
    /// The end of the selection that is not the caret.
    anchor: Option<usize>,
    /// The text that was copied, for the clipboard.
    copied: Option<String>,
    /// What a key deleted or copied last.
    deleted: String,
    /// How many characters the next one that is typed replaces; 0: none.
    replacing: usize,
    /// The column that moves up and down aim at.
    goal: Option<usize>,
    /// A byte of the row at the top of the view.
    top: usize,
    /// Whether the next frame shows the caret.
    reveal: bool,
    follow: bool,
    /// The area of the text, without gutter and without the caret's own column; set by arranging.
    area: Rect,
    /// The last column in which the caret may be.
    edge: u16,
    /// The visible bytes; set by arranging.
    visible: Range<usize>,
    /// How many bytes at the beginning and at the end are as they were at the last [`Self::take_changed`]; `None`: all.
    unchanged: Option<(usize, usize)>,
}

impl Default for Buffer {
    fn default() -> Self {
        Self::new()
    }
}

impl Buffer {
    /// Creates an empty text.
    pub fn new() -> Self {
        Self {
            lines: TextLines::new(""),
            caret: 0,
            anchor: None,
            copied: None,
            deleted: String::new(),
            replacing: 0,
            goal: None,
            top: 0,
            reveal: true,
            follow: false,
            area: Rect::new(0, 0, 80, 24),
            edge: 80,
            visible: 0..0,
            unchanged: None,
        }
    }

    /// Returns the whole text. It is assembled for the call, so do not call it for every frame.
    pub fn text(&self) -> String {
        self.slice(0..self.len())
    }

    /// Returns a part of the text. Ends within a character are moved to its beginning, those past the end of the text
    /// to the end.
    pub fn slice(&self, range: Range<usize>) -> String {
        let range = self.within(range);
        let mut text = String::with_capacity(range.len());
        self.lines.copy(range, &mut text);
        text
    }

    /// Returns the bytes of the text.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Returns whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Moves the ends of a range to character boundaries (code points) within the text.
    fn within(&self, range: Range<usize>) -> Range<usize> {
        let start = self.lines.floor(range.start);
        start..self.lines.floor(range.end).max(start)
    }

    /// Returns the position of the caret.
    pub fn caret(&self) -> usize {
        self.caret
    }

    /// Moves the caret to a position, or to the beginning of the character that contains it; clears the selection. The
    /// next frame shows it.
    pub fn set_caret(&mut self, at: usize) {
        self.caret = self.before(at);
        self.anchor = None;
        self.goal = None;
        self.reveal = true;
    }

    /// Returns the selection, which is never empty.
    pub fn selection(&self) -> Option<Range<usize>> {
        let anchor = self.anchor?;
        (anchor != self.caret).then(|| anchor.min(self.caret)..anchor.max(self.caret))
    }

    /// Selects a part, with the caret at its end, or nothing. The next frame shows the caret.
    pub fn select(&mut self, range: Option<Range<usize>>) {
        let Some(range) = range else {
            self.anchor = None;
            return;
        };
        self.set_caret(range.end);
        self.anchor = Some(self.before(range.start));
    }

    /// Takes the text that a key copied, for the clipboard.
    pub fn take_copied(&mut self) -> Option<String> {
        self.copied.take()
    }

    /// Replaces the text. The caret moves to its end; the next frame shows it.
    pub fn set_text(&mut self, text: &str) {
        self.lines = TextLines::new(text);
        self.unchanged = Some((0, 0));
        (self.top, self.visible) = (0, 0..0);
        self.set_caret(text.len());
    }

    /// Replaces a part of the text, for streaming and undo: the caret and the ends of the selection keep their places
    /// in the text. One within the part, or at either end of it, is then before the inserted text; see
    /// [`Self::splice_along`] for after it. The view stays where it is.
    pub fn splice(&mut self, range: Range<usize>, text: &str) {
        let range = self.within(range);
        let (start, end) = (range.start, range.end);
        let at = |at: usize, within| match at {
            at if at < start => at,
            at if at <= end => within,
            at => at - (end - start) + text.len(),
        };
        let around = (start, self.len() - end);
        let before = self.unchanged.unwrap_or(around);
        self.unchanged = Some((before.0.min(around.0), before.1.min(around.1)));
        self.lines.replace(range, text, self.area.width);
        self.top = at(self.top, start);
        self.visible = at(self.visible.start, start)..at(self.visible.end, start);
        self.caret = self.before(at(self.caret, start));
        self.anchor = self.anchor.map(|anchor| self.before(at(anchor, start)));
        self.goal = None;
    }

    /// Replaces a part like [`Self::splice`], but a caret within the part, or at either end of it, is then after the
    /// inserted text.
    pub fn splice_along(&mut self, range: Range<usize>, text: &str) {
        let range = self.within(range);
        let along = (range.start..=range.end).contains(&self.caret).then_some(range.start + text.len());
        self.splice(range, text);
        if let Some(along) = along {
            self.caret = self.behind(along);
        }
    }

    /// Inserts a text: it replaces the selection, and the caret is after it. The next frame shows the caret.
    pub fn insert(&mut self, text: &str) -> Change {
        self.exchange(self.selection().unwrap_or(self.caret..self.caret), text)
    }

    /// Inserts a text from the clipboard, as [`Self::insert`] does. Terminals paste line ends as bare returns: if there
    /// are no others, these become `\n`.
    pub fn paste(&mut self, text: &str) -> Change {
        if text.contains('\r') && !text.contains('\n') {
            return self.insert(&text.replace('\r', "\n"));
        }
        self.insert(text)
    }

    /// Performs an edit of the user: the caret moves to its end.
    fn exchange(&mut self, range: Range<usize>, text: &str) -> Change {
        let change = Change { at: range.start, removed: self.slice(range.clone()), inserted: text.to_owned() };
        self.splice(range, text);
        self.caret = self.behind(change.at + text.len());
        self.anchor = None;
        self.reveal = true;
        self.follow = false;
        change
    }

    /// Returns the part that has been edited since the last call; `None`: the text is as it was then.
    pub fn take_changed(&mut self) -> Option<Range<usize>> {
        let (before, after) = self.unchanged.take()?;
        Some(before..self.len() - after)
    }

    /// Returns the next occurrence of some words from a byte on, or the last one before it; wraps around the ends.
    /// Scans the whole text.
    pub fn find(&self, words: &str, from: usize, back: bool) -> Option<Range<usize>> {
        if words.is_empty() {
            return None;
        }
        let (text, from) = (self.text(), self.lines.floor(from));
        let (before, after) = text.split_at(from);
        let at = if back {
            before.rfind(words).or_else(|| text.rfind(words))
        } else {
            after.find(words).map(|at| from + at).or_else(|| text.find(words))
        };
        at.map(|at| at..at + words.len())
    }
}
