//! How the terminal is used, beside its colours.

/// What tells the user of a task that ended while another window had the focus.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notify {
    /// Nothing.
    Off,
    /// The terminal's bell.
    Bell,
    /// The bell, and a notification where the terminal can show one.
    #[default]
    On,
}

impl Notify {
    /// All of them.
    const ALL: [Self; 3] = [Self::Off, Self::Bell, Self::On];

    /// Returns its name in the config file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Bell => "bell",
            Self::On => "on",
        }
    }

    /// Returns the one with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|notify| notify.name() == name)
    }
}

/// How the terminal is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalUse {
    /// Whether only ASCII characters are drawn beside text.
    pub ascii: bool,
    /// Whether the window's title is set.
    pub title: bool,
    /// What tells of a task that ended.
    pub notify: Notify,
}

/// What the config file says of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TerminalConfig {
    pub(super) ascii: Option<bool>,
    pub(super) title: Option<bool>,
    pub(super) notify: Option<Notify>,
}

impl TerminalConfig {
    /// Returns how the terminal is used; `ascii` is what flag and environment say.
    pub(super) fn over(self, ascii: Option<bool>) -> TerminalUse {
        TerminalUse {
            ascii: ascii.or(self.ascii).unwrap_or(false),
            title: self.title.unwrap_or(true),
            notify: self.notify.unwrap_or_default(),
        }
    }
}
