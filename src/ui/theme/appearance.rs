//! Which theme fits the terminal: what the user chose, the colours it supports, and its background.

use super::{Depth, Kind, OwnTheme, Rgb, Theme};

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

/// A theme that the user chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A built-in one.
    BuiltIn(Kind),
    /// One of the user's own, by its place in [`Appearance::own`].
    Own(usize),
}

/// What determines the theme.
#[derive(Clone, Debug, PartialEq)]
pub struct Appearance {
    /// The theme that the user chose; `None`: the one that fits the terminal. `NO_COLOR` takes precedence.
    pub choice: Option<Choice>,
    /// The user's own themes.
    pub own: Vec<OwnTheme>,
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
        Self { choice: Some(Choice::BuiltIn(kind)), own: Vec::new(), terminal, background: Background::Unknown }
    }

    /// Returns the choice with this name; built-in themes come first.
    pub fn named(&self, name: &str) -> Option<Choice> {
        let own = || self.own.iter().position(|own| own.name() == name).map(Choice::Own);
        Kind::named(name).map(Choice::BuiltIn).or_else(own)
    }

    /// Returns the name of a choice; `None`: there is no such theme.
    pub fn name(&self, choice: Choice) -> Option<&str> {
        match choice {
            Choice::BuiltIn(kind) => Some(kind.name()),
            Choice::Own(at) => self.own.get(at).map(OwnTheme::name),
        }
    }

    /// Returns every choice, built-in themes first, with its name.
    pub fn choices(&self) -> impl Iterator<Item = (Choice, &str)> {
        let own = self.own.iter().enumerate().map(|(at, own)| (Choice::Own(at), own.name()));
        Kind::ALL.into_iter().map(|kind| (Choice::BuiltIn(kind), kind.name())).chain(own)
    }

    /// Returns the theme.
    pub fn theme(&self) -> Theme {
        self.theme_of(self.choice)
    }

    /// Returns the theme that a choice gives.
    pub fn theme_of(&self, choice: Option<Choice>) -> Theme {
        let depth = self.terminal.depth();
        let has_16_colours = !self.terminal.true_colour && !self.terminal.indexed;
        let choice = match choice {
            Some(Choice::BuiltIn(kind)) => Some(kind),
            Some(Choice::Own(at)) => match self.own.get(at) {
                Some(own) if depth != Depth::None && !has_16_colours => {
                    return Theme::with_surfaces(own.base(), depth, &own.roles, true);
                }
                own => own.map(OwnTheme::base),
            },
            None => None,
        };
        let known = match self.background {
            Background::Known(background) => Some(background),
            Background::Unknown | Background::Asked => None,
        };
        let kind = match choice {
            Some(kind) => kind,
            None if has_16_colours => Kind::Ansi,
            None if known.is_some_and(|background| !background.is_dark()) => Kind::Light,
            None => Kind::Dark,
        };
        match (kind, known) {
            (Kind::Dark, Some(background)) if background.is_dark() => Theme::over_background(kind, depth, background),
            (Kind::Light, Some(background)) if !background.is_dark() => Theme::over_background(kind, depth, background),
            _ if choice.is_none() && self.background == Background::Asked => Theme::until_answered(kind, depth),
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
