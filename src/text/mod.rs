//! Text from outside, made safe to show: one type, one sanitiser.
//!
//! Whatever a model, a server, a file, the environment or the clipboard says is [`Untrusted`]: it cannot be printed,
//! only [shown](Untrusted::screen) or taken [raw](Untrusted::raw) at the few places that copy, save or send it.

mod class;
mod sanitise;

use std::borrow::Cow;
use std::fmt;

pub use sanitise::{TAB, line, screen};

/// Text from outside. Has no `Display` and no `Deref`, so that it cannot reach the terminal by accident.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Untrusted(String);

impl Untrusted {
    /// Marks a text as coming from outside.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The bytes as they came: for copying, saving and sending only. `tests/layers.rs` lists who may.
    pub fn raw(&self) -> &str {
        &self.0
    }

    /// Safe to show over several lines; see [`screen`].
    pub fn screen(&self) -> Cow<'_, str> {
        screen(&self.0)
    }

    /// Safe to show on one line; see [`line()`].
    pub fn line(&self) -> Cow<'_, str> {
        line(&self.0)
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
