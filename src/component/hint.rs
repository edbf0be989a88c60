//! Keys and what they do, for the footer and the help page.

use crate::ui::keys::Keymap;

/// A key and what it does, for footer and help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// As shown: `⏎`, `^J`, `esc`.
    pub key: String,
    /// A word or two.
    pub does: String,
}

impl Hint {
    /// A hint.
    pub fn new(key: impl Into<String>, does: impl Into<String>) -> Self {
        Self { key: key.into(), does: does.into() }
    }

    /// A table of keys, all its lines in their order.
    pub fn table<A: Copy + PartialEq>(map: &Keymap<A>) -> Vec<Self> {
        map.bindings().iter().map(|binding| Self::new(binding.keys(), binding.does)).collect()
    }
}
