//! Text from outside, made safe to show: one type, one sanitiser.
//!
//! Whatever a model, a server, a file, the environment or the clipboard says is [`Untrusted`]: it cannot be printed,
//! only [shown](Untrusted::screen) or taken [raw](Untrusted::raw) at the few places that copy, save or send it. What has no
//! such type (what is typed, the pieces a parser hands out, last words) is made safe by hand where it is drawn.

mod class;
mod json;
mod sanitise;

use std::borrow::Cow;
use std::fmt;

pub(crate) use sanitise::{TAB, line, screen};

/// Text from outside. Has no `Display` and no `Deref`, so that it cannot reach the terminal by accident.
///
/// Anything can become one, which is always safe; what can be asked of it without showing it (its length, whether it is
/// this word) is here, so that few places need it raw.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Untrusted(String);

impl Untrusted {
    /// Marks a text as coming from outside.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The bytes as they came: for copying, saving, sending, counting and editing only. `tests/layers.rs` lists who may.
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// Safe to show over several lines.
    ///
    /// `\n` stays, `\r\n` becomes `\n`, tabs become spaces up to the next fourth column; other control characters become
    /// pictures (`␛`); invisible ones, and those that reorder text, become their number (`⟨U+202E⟩`).
    pub fn screen(&self) -> Cow<'_, str> {
        screen(&self.0)
    }

    /// Safe to show on one line: as [`Self::screen`], and line ends become `␊`.
    pub fn line(&self) -> Cow<'_, str> {
        line(&self.0)
    }

    /// The same as Markdown: a listing of JSON, an entry a line. `None`: it is no JSON.
    pub fn json_listing(&self) -> Option<Self> {
        json::indented(&self.0).map(|json| Self(format!("```json\n{json}\n```")))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether these words are in it.
    pub fn contains(&self, words: &str) -> bool {
        self.0.contains(words)
    }

    /// Appends text, in time that does not grow with what is there.
    pub fn push(&mut self, more: &str) {
        self.0.push_str(more);
    }

    /// Appends text from outside, in time that does not grow with what is there.
    pub fn append(&mut self, more: &Self) {
        self.0.push_str(&more.0);
    }

    /// What follows the first `from` bytes; nothing where that is behind the end or inside a character.
    #[must_use]
    pub fn after(&self, from: usize) -> Self {
        Self(self.0.get(from..).unwrap_or_default().to_owned())
    }

    /// Makes it empty.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

impl From<String> for Untrusted {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Untrusted {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl PartialEq<str> for Untrusted {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}

impl PartialEq<&str> for Untrusted {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

/// Says how long it is and nothing of what it says: what is debugged ends in logs.
impl fmt::Debug for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Untrusted({} bytes)", self.0.len())
    }
}

/// What a piece of code is, for colouring it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tint {
    /// Keywords and operators with a name.
    Keyword,
    /// Strings and other literals.
    String,
    /// Comments.
    Comment,
}
