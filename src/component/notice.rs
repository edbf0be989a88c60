//! Notices: short messages that disappear and are kept in Messages.

use crate::text::Untrusted;

/// A short message: a toast, and a line in Messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// How serious it is.
    pub level: Level,
    /// A sentence, which may contain text from outside.
    pub text: Untrusted,
    /// Its subject; `None`: no other notice has the same subject.
    pub about: Option<String>,
}

impl Notice {
    fn new(level: Level, text: Untrusted) -> Self {
        Self { level, text, about: None }
    }

    /// Creates a notice that informs.
    pub fn info(text: impl Into<Untrusted>) -> Self {
        Self::new(Level::Info, text.into())
    }

    /// Creates a notice of a success.
    pub fn ok(text: impl Into<Untrusted>) -> Self {
        Self::new(Level::Ok, text.into())
    }

    /// Creates a warning.
    pub fn warn(text: impl Into<Untrusted>) -> Self {
        Self::new(Level::Warn, text.into())
    }

    /// Creates a notice of a failure.
    pub fn error(text: impl Into<Untrusted>) -> Self {
        Self::new(Level::Error, text.into())
    }

    /// Sets its subject, in a word of the caller's choice: a later notice about the same subject replaces it on the
    /// screen.
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
