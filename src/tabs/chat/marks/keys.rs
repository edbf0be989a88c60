//! The keys of the page of marked answers.

use std::sync::LazyLock;

use crate::component::{Bindings, Motion, bind, motions};
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};

/// What a key of the page asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Move(Motion),
    Open,
    Unmark,
    Search,
    Export,
    Close,
    /// Takes back one step; the last one closes the page.
    Escape,
}

pub(super) static KEYS: LazyLock<Bindings<Action, ()>> = LazyLock::new(|| {
    let mut list = vec![
        bind("enter", Action::Open, "open", "open the conversation at this answer"),
        bind("u", Action::Unmark, "unmark", "take the mark back"),
        bind("/", Action::Search, "search", "search"),
        bind("E", Action::Export, "export", "export the answers shown as training rows"),
        bind("v q", Action::Close, "close", "close"),
        bind("esc", Action::Escape, "close", "").does(&["end the search, else close"]),
    ];
    list.extend(motions(Action::Move, "answer"));
    Bindings::new(KeyContext::new("chat.marks").used_in(KeyPlace::Dialog), list)
});

/// The actions in the footer.
pub(super) const FOOTER: [Action; 4] = [Action::Open, Action::Unmark, Action::Search, Action::Export];

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        assert_eq!(super::KEYS.keymap().clashes(), []);
    }
}
