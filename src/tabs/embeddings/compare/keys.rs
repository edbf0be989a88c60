//! The keys of the comparison, and of the line where a length is typed.

use std::sync::LazyLock;

use super::ComparePane;
use crate::component::{Bindings, Motion, bind, bind_all};
use crate::ui::key_table::ListedKeys;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Model,
    Length,
    Again,
    Open,
    Move(Motion),
    Page(Motion),
    TakeLength,
    EndTyping,
    Close,
}

use Action as A;

/// Actions in the footer.
pub(super) const FOOTER: [A; 5] = [A::Again, A::Open, A::Move(Motion::Down), A::Model, A::Length];

pub(super) static KEYS: LazyLock<Bindings<Action, ComparePane>> = LazyLock::new(|| {
    let no_pairs = |pane: &ComparePane| (pane.moved_pairs() == 0).then_some("no pair has moved");
    let asked = |pane: &ComparePane| (!pane.can_ask_again()).then_some("the other model is not running");
    let moves = [
        ("j down", A::Move(Motion::Down)),
        ("k up", A::Move(Motion::Up)),
        ("g home", A::Move(Motion::First)),
        ("G end", A::Move(Motion::Last)),
    ];
    let pages = [("pagedown", A::Move(Motion::PageDown)), ("pageup", A::Move(Motion::PageUp))];
    let control_pages = [("ctrl-d", A::Page(Motion::PageDown)), ("ctrl-u", A::Page(Motion::PageUp))];
    Bindings::new(
        "embed.compare",
        vec![
            bind("m", A::Model, "another model", "compare with another model"),
            bind("d", A::Length, "fewer dimensions", "compare with fewer dimensions"),
            bind("ctrl-r", A::Again, "retry", "embed what the other model has not embedded yet").disabled_when(asked),
            bind("enter", A::Open, "both texts", "both texts of the pair").disabled_when(no_pairs),
            bind_all(moves, "move", "move")
                .does(&["next pair", "previous pair", "first pair", "last pair"])
                .shown("jk")
                .disabled_when(no_pairs),
            bind_all(pages, "page", "").does(&["page down", "page up"]),
            bind_all(control_pages, "page", "").named(&["page-down", "page-up"]).does(&["page down", "page up"]),
            bind("esc", A::Close, "back", ""),
        ],
    )
});

/// Keys while a length is typed.
pub(super) static LENGTH: LazyLock<Bindings<Action, ComparePane>> = LazyLock::new(|| {
    Bindings::while_typing(
        "embed.compare-length",
        vec![
            bind("enter", A::TakeLength, "compare", ""),
            bind("esc", A::EndTyping, "keep the length", ""),
            bind("ctrl-r", A::Again, "", "").does(&["embed what the other model has not embedded yet"]),
        ],
    )
});

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed(), LENGTH.listed()]
}
