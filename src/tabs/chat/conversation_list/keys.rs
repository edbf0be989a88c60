//! The keys of the list of conversations.

use std::sync::LazyLock;

use super::ConversationsPane;
use crate::component::{Bindings, Motion, bind};
use crate::tabs::chat::action::Action;
use crate::ui::key_table::ListedKeys;

/// What a key of the list asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListAction {
    Move(Motion),
    Open,
    Rename,
    Trash,
    /// Brings back what is under the cursor; else undoes what the tab did last.
    Restore,
    Purge,
    /// The tab's own.
    Tab(Action),
}

use ListAction as L;

pub(super) static LIST: LazyLock<Bindings<ListAction, ConversationsPane>> = LazyLock::new(|| {
    let open = |list: &ConversationsPane| if list.items.is_on_trash() { "open or close the trash" } else { "open" };
    Bindings::new(
        "chat.conversations",
        vec![
            bind("enter l right", L::Open, "open", "open").labelled(open),
            bind("j down", L::Move(Motion::Down), "next", "next"),
            bind("k up", L::Move(Motion::Up), "previous", "previous"),
            bind("n", L::Tab(Action::New), "new", "new").named(&["new"]),
            bind("e", L::Rename, "rename", "rename"),
            bind("/", L::Tab(Action::Filter), "filter", "filter").named(&["filter"]),
            bind("x", L::Trash, "trash", "to the trash"),
            bind("u", L::Restore, "bring back", "bring back from the trash"),
            bind("X", L::Purge, "delete for good", "delete for good"),
            bind("m", L::Tab(Action::Model), "model", "model").named(&["model"]),
            bind("p", L::Tab(Action::System), "system", "system prompt").named(&["system"]),
            bind("t", L::Tab(Action::Params), "parameters", "parameters").named(&["parameters"]),
            bind("b", L::Tab(Action::SideList), "hide", "hide").named(&["side-list"]),
            bind("i", L::Tab(Action::Write), "write", "write").named(&["write"]),
            bind("g home", L::Move(Motion::First), "top", "top"),
            bind("G end", L::Move(Motion::Last), "end", "end"),
            bind("tab", L::Tab(Action::NextPane), "pane", "next pane").named(&["next-pane"]),
            bind("shift-tab", L::Tab(Action::PreviousPane), "pane", "previous pane").named(&["previous-pane"]),
        ],
    )
});

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![LIST.listed()]
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        assert_eq!(super::LIST.keymap().clashes(), []);
    }
}
