//! Keys and what they do, for the footer and the help page.

use unicode_width::UnicodeWidthStr as _;

use crate::ui::editing;
use crate::ui::keys::Keymap;
use crate::ui::overlay::Confirm;
use crate::ui::picker;

/// The heading on the help page above the keys of panes and pages that are not in use.
pub const ELSEWHERE: &str = "Elsewhere in this tab";

/// Keys below a heading of the help page; without any, the heading is one of all groups after it.
pub type HelpGroup = (&'static str, Vec<Hint>);

/// The keys of what covers a tab, for the help page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DialogHelp {
    /// Those of a dialog; the help page lists those of the tab after them. Empty: no dialog is open.
    Dialog(Vec<HelpGroup>),
    /// Those of a [`FindBar`](super::FindBar), which takes all keys: those of the tab do nothing.
    FindBar,
}

impl From<Vec<HelpGroup>> for DialogHelp {
    fn from(keys: Vec<HelpGroup>) -> Self {
        Self::Dialog(keys)
    }
}

/// Returns the help page of a tab from its parts, each with whether it is in use: the keys of those come first, those of
/// the others below [`ELSEWHERE`].
pub fn help_in_use_first(parts: impl IntoIterator<Item = (bool, Vec<HelpGroup>)>) -> Vec<HelpGroup> {
    let (in_use, others): (Vec<_>, Vec<_>) = parts.into_iter().partition(|(in_use, _)| *in_use);
    let groups = |parts: Vec<(bool, Vec<HelpGroup>)>| parts.into_iter().flat_map(|(_, groups)| groups);
    let others: Vec<_> = groups(others).filter(|(_, hints)| !hints.is_empty()).collect();
    let heading = (!others.is_empty()).then(|| (ELSEWHERE, Vec::new()));
    groups(in_use).chain(heading).chain(others).collect()
}

/// A key and what it does, for footer and help.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// As shown: `⏎`, `^J`, `esc`.
    pub key: String,
    /// A word or two.
    pub does: String,
}

impl Hint {
    /// Creates a hint.
    pub fn new(key: impl Into<String>, does: impl Into<String>) -> Self {
        Self { key: key.into(), does: does.into() }
    }

    /// Returns the key and what it does.
    pub fn as_pair(&self) -> (&str, &str) {
        (&self.key, &self.does)
    }

    /// Returns the keys of a question.
    pub fn of_question(question: &Confirm) -> Vec<Self> {
        question.footer().into_iter().map(|(key, does)| Self::new(key, does)).collect()
    }

    /// Returns the keys of a question, for the help page.
    pub fn help_of_question(question: &Confirm) -> Vec<Self> {
        question.help().into_iter().map(|(key, does)| Self::new(key, does)).collect()
    }

    /// Returns the keys of a picker; `verb` is what Enter does.
    pub fn of_picker(verb: &'static str) -> [Self; 2] {
        picker::hints(verb).map(|(key, does)| Self::new(key, does))
    }

    /// Returns the keys of a picker, for the help page; `verb` is what Enter does.
    pub fn help_of_picker(verb: &'static str) -> Vec<Self> {
        picker::help(verb).into_iter().map(|(key, does)| Self::new(key, does)).collect()
    }

    /// Returns the keys that are the same in every box for a text of several lines.
    pub fn of_text_box() -> Vec<Self> {
        editing::help().into_iter().map(|(key, does)| Self::new(key, does)).collect()
    }

    /// Returns the keys that undo and redo in every box for a text.
    pub fn of_undo() -> Vec<Self> {
        editing::undo_help().into_iter().map(|(key, does)| Self::new(key, does)).collect()
    }

    /// Returns the keys that may follow Ctrl+X in a text box, most used first.
    pub fn after_ctrl_x() -> Vec<Self> {
        editing::after_x_keys().into_iter().map(|(key, does)| Self::new(key, does)).collect()
    }

    /// Returns all keys of a keymap, in the order of its rows.
    pub fn table<A: Copy + PartialEq>(map: &Keymap<A>) -> Vec<Self> {
        map.rows().iter().map(|row| Self::new(row.shown_keys(), row.description)).collect()
    }
}

/// Returns the keys for the border of a dialog of at most this width: as many of its hints as there is space for, and
/// always what Esc does.
pub fn border(hints: &[Hint], escape: &str, width: u16) -> String {
    let escape = format!("esc {escape}");
    // The border and a blank are at both sides, and a blank before and after the keys.
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
