//! Which theme fits the terminal: what the user chose, the colours it supports, and its background.

use super::{Depth, Kind, Rgb, Theme};

/// What is known of the terminal's background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Background {
    /// The terminal does not report it.
    #[default]
    Unknown,
    /// The terminal was asked and has not answered yet.
    Asked,
    /// This colour.
    Known(Rgb),
}

/// What determines the theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Appearance {
    /// The theme that the user chose; `None`: the one that fits the terminal. `NO_COLOR` takes precedence.
    pub choice: Option<Kind>,
    /// Colour support of the terminal.
    pub terminal: Terminal,
    /// Its background.
    pub background: Background,
}

impl Appearance {
    /// Returns the appearance of a theme over its own background, at a colour depth.
    pub fn fixed(kind: Kind, depth: Depth) -> Self {
        let terminal = match depth {
            Depth::None => Terminal { no_colour: true, ..Terminal::default() },
            Depth::True => Terminal { true_colour: true, ..Terminal::default() },
            Depth::Indexed => Terminal { indexed: true, ..Terminal::default() },
        };
        Self { choice: Some(kind), terminal, background: Background::Unknown }
    }

    /// Returns the theme.
    pub fn theme(&self) -> Theme {
        let depth = self.terminal.depth();
        let known = match self.background {
            Background::Known(background) => Some(background),
            Background::Unknown | Background::Asked => None,
        };
        let kind = match self.choice {
            Some(kind) => kind,
            None if !self.terminal.true_colour && !self.terminal.indexed => Kind::Ansi,
            None if known.is_some_and(|background| !background.is_dark()) => Kind::Light,
            None => Kind::Dark,
        };
        match (kind, known) {
            (Kind::Dark, Some(background)) if background.is_dark() => Theme::over_background(kind, depth, background),
            (Kind::Light, Some(background)) if !background.is_dark() => Theme::over_background(kind, depth, background),
            _ if self.choice.is_none() && self.background == Background::Asked => Theme::until_answered(kind, depth),
            _ => Theme::of(kind, depth),
        }
    }
}

/// What the environment says about the terminal's colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Terminal {
    /// Whether `NO_COLOR` is set and not empty.
    pub no_colour: bool,
    /// Whether it supports 16 million colours.
    pub true_colour: bool,
    /// Whether it supports 256 colours.
    pub indexed: bool,
}

impl Terminal {
    /// Returns how many colours may be used if it is none or more than sixteen.
    pub fn depth(&self) -> Depth {
        match self {
            Self { no_colour: true, .. } => Depth::None,
            Self { true_colour: true, .. } => Depth::True,
            _ => Depth::Indexed,
        }
    }

    /// Reads `NO_COLOR`, `COLORTERM` and `TERM`.
    pub fn from_env(var: impl Fn(&str) -> Option<String>) -> Self {
        let colorterm = var("COLORTERM").unwrap_or_default();
        let term = var("TERM").unwrap_or_default();
        Self {
            no_colour: var("NO_COLOR").is_some_and(|value| !value.is_empty()),
            true_colour: matches!(colorterm.as_str(), "truecolor" | "24bit") || term.ends_with("-direct"),
            indexed: term.contains("256color"),
        }
    }
}
