//! Keys and what they do, for the footer and the help page.

use unicode_width::UnicodeWidthStr as _;

use crate::ui::keys::Keymap;
use crate::ui::overlay::Confirm;

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

    /// Returns the keys of a question.
    pub fn of_question(question: &Confirm) -> Vec<Self> {
        question.footer().into_iter().map(|(key, does)| Self::new(key, does)).collect()
    }

    /// A table of keys, all its lines in their order.
    pub fn table<A: Copy + PartialEq>(map: &Keymap<A>) -> Vec<Self> {
        map.bindings().iter().map(|binding| Self::new(binding.keys(), binding.does)).collect()
    }
}

/// Returns the keys for the border of a dialog that is at most this wide: as many of its hints as there is room for, and always
/// what Esc does.
pub fn border(hints: &[Hint], escape: &str, width: u16) -> String {
    let escape = format!("esc {escape}");
    // The border and a blank stand at both sides.
    let room = usize::from(width).saturating_sub(6 + escape.width());
    let mut keys = String::new();
    for Hint { key, does } in hints {
        let words = format!("{key} {does}  ");
        if keys.width() + words.width() <= room {
            keys += &words;
        }
    }
    keys + &escape
}
