//! Notices: short messages that go by, and are kept in the list of messages.

use crate::text::Untrusted;

/// Something said in passing (a toast, and a line in Messages).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How serious.
    pub level: Level,
    /// A sentence; may hold text from outside.
    pub text: Untrusted,
    /// What it is about; `None`: nothing that another notice could be about.
    pub about: Option<String>,
}

impl Notice {
    fn new(level: Level, text: Untrusted) -> Self {
        Self { level, text, about: None }
    }
    /// How something is done.
    pub fn info(text: impl Into<Untrusted>) -> Self {
        Self::new(Level::Info, text.into())
    }
    /// All is well.
    pub fn ok(text: impl Into<Untrusted>) -> Self {
        Self::new(Level::Ok, text.into())
    }
    /// Worth knowing.
    pub fn warn(text: impl Into<Untrusted>) -> Self {
        Self::new(Level::Warn, text.into())
    }
    /// Went wrong.
    pub fn error(text: impl Into<Untrusted>) -> Self {
        Self::new(Level::Error, text.into())
    }
    /// What it is about, in a word of the caller's own: a later notice about the same takes its place on the screen.
    #[must_use]
    pub fn about(self, subject: impl Into<String>) -> Self {
        Self { about: Some(subject.into()), ..self }
    }
}

/// How serious a notice is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// `·`
    Info,
    /// `✓`
    Ok,
    /// `!`
    Warn,
    /// `✕`
    Error,
}
