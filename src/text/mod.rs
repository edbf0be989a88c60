//! Text from outside, made safe to show: one type, one sanitiser.
//!
//! Text from a model, a server, a file, the environment or the clipboard is [`Untrusted`]: it cannot be printed, only
//! [shown](Untrusted::screen), or taken [raw](Untrusted::raw) at the few places that copy, save or send it. Text
//! without that type (typed text, slices from a parser, messages at the program's end) is sanitised explicitly where it
//! is drawn.

mod class;
mod json;
mod json_tokens;
mod number;
mod sanitise;

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

pub(crate) use json_tokens::JsonTokens;
pub use number::{count, grouped};
pub(crate) use sanitise::{TAB, line, screen};

/// Text from outside. Has no `Display` and no `Deref`, so that it cannot reach the terminal by accident.
///
/// Anything can be converted into it, which is always safe. What can be asked without showing the text (its length,
/// whether it equals a word) is here, so that few places need it raw. Clones share the text, however long it is;
/// appending to a shared one copies it.
#[derive(Clone, Default)]
pub struct Untrusted(Option<Arc<String>>);

impl Untrusted {
    /// Returns an empty text to refer to.
    pub fn none() -> &'static Self {
        static NONE: Untrusted = Untrusted(None);
        &NONE
    }

    /// Marks a text as coming from outside.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self((!text.is_empty()).then(|| Arc::new(text)))
    }

    /// Returns the text as it came: for copying, saving, sending, counting and editing only. `tests/layers.rs` lists
    /// the files that may call it.
    pub fn raw(&self) -> &str {
        self.0.as_ref().map_or("", |text| text)
    }

    /// Returns the text made safe to show over several lines.
    ///
    /// `\n` stays, `\r\n` becomes `\n`, tabs become spaces up to the next fourth column; other control characters
    /// become pictures (`␛`); invisible ones, and those that reorder text, become their number (`⟨U+202E⟩`).
    pub fn screen(&self) -> Cow<'_, str> {
        screen(self.raw())
    }

    /// Returns the text made safe to show on one line: as [`Self::screen`], and line ends become `␊`.
    pub fn line(&self) -> Cow<'_, str> {
        line(self.raw())
    }

    /// Returns the text as a Markdown code block of indented JSON. `None`: it is not JSON, or too long or deep.
    pub fn json_listing(&self) -> Option<Self> {
        json::indented(self.raw()).map(|json| format!("```json\n{json}\n```").into())
    }

    /// Returns whether the text is empty.
    pub fn is_empty(&self) -> bool {
        self.raw().is_empty()
    }

    /// Returns the length in bytes.
    pub fn len(&self) -> usize {
        self.raw().len()
    }

    /// Returns whether `words` occur in the text.
    pub fn contains(&self, words: &str) -> bool {
        self.raw().contains(words)
    }

    /// Appends text, in time that does not grow with what is there.
    pub fn push(&mut self, more: &str) {
        if !more.is_empty() {
            Arc::make_mut(self.0.get_or_insert_default()).push_str(more);
        }
    }

    /// Appends text from outside, in time that does not grow with what is there. An empty text becomes a clone.
    pub fn append(&mut self, more: &Self) {
        if self.is_empty() {
            self.clone_from(more);
        } else {
            self.push(more.raw());
        }
    }

    /// Returns what follows the first `from` bytes; an empty text if `from` is past the end or inside a character.
    #[must_use]
    pub fn after(&self, from: usize) -> Self {
        self.part(from..self.len().max(from))
    }

    /// Returns the beginning, of at most so many bytes, cut between two characters.
    #[must_use]
    pub fn beginning(&self, most: usize) -> Self {
        self.part(0..self.raw().floor_char_boundary(most))
    }

    /// Returns a part of the text, by bytes; an empty text if the range is past the end or cuts a character.
    #[must_use]
    pub fn part(&self, range: Range<usize>) -> Self {
        if range == (0..self.len()) { self.clone() } else { self.raw().get(range).unwrap_or_default().into() }
    }

    /// Releases memory that was reserved for more text, if that is a large share of it and the text is not shared.
    pub fn shrink(&mut self) {
        if let Some(text) = self.0.as_mut().and_then(Arc::get_mut)
            && text.capacity() / 4 * 3 > text.len()
        {
            text.shrink_to_fit();
        }
    }

    /// Returns the bytes that are reserved for the text.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> usize {
        self.0.as_ref().map_or(0, |text| text.capacity())
    }

    /// Empties the text.
    pub fn clear(&mut self) {
        self.0 = None;
    }
}

impl PartialEq for Untrusted {
    fn eq(&self, other: &Self) -> bool {
        let shared = self.0.as_ref().zip(other.0.as_ref()).is_some_and(|(one, other)| Arc::ptr_eq(one, other));
        shared || self.raw() == other.raw()
    }
}

impl Eq for Untrusted {}

impl Hash for Untrusted {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.raw().hash(state);
    }
}

impl From<String> for Untrusted {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl From<&str> for Untrusted {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl PartialEq<str> for Untrusted {
    fn eq(&self, other: &str) -> bool {
        self.raw() == other
    }
}

impl PartialEq<&str> for Untrusted {
    fn eq(&self, other: &&str) -> bool {
        self.raw() == *other
    }
}

/// Prints the length, not the text: debug output ends in logs.
impl fmt::Debug for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Untrusted({} bytes)", self.len())
    }
}

/// What a piece of code is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tint {
    /// Keywords and operators with a name.
    Keyword,
    /// Strings and other literals.
    String,
    /// Comments.
    Comment,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_finished_gives_back_what_was_reserved_for_more() {
        let mut text = Untrusted::default();
        for _ in 0..70_000 {
            text.push("x");
        }
        assert!(text.capacity() > 130_000);
        let shared = text.clone();
        text.shrink();
        assert_eq!(text.len(), 70_000, "others have it too");
        drop(shared);
        text.shrink();
        assert_eq!((text.len(), text.capacity()), (70_000, 70_000));
    }
}
