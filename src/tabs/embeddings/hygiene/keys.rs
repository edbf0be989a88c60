//! The keys of the findings.

use std::sync::LazyLock;

use super::HygienePane;
use crate::component::{Bindings, Motion, bind, bind_all};
use crate::ui::key_table::ListedKeys;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Move(Motion),
    Open,
    Close,
}

use Action as A;

/// Actions in the footer.
pub(super) const FOOTER: [A; 2] = [A::Open, A::Move(Motion::Down)];

pub(super) static KEYS: LazyLock<Bindings<Action, HygienePane>> = LazyLock::new(|| {
    let no_text = |pane: &HygienePane| pane.selected_row().is_none().then_some("no text is affected");
    let moves = [
        ("j down", A::Move(Motion::Down)),
        ("k up", A::Move(Motion::Up)),
        ("g home", A::Move(Motion::First)),
        ("G end", A::Move(Motion::Last)),
    ];
    Bindings::new(
        "embed.hygiene",
        vec![
            bind("enter", A::Open, "cursor to the text", "cursor to the first text affected").disabled_when(no_text),
            bind_all(moves, "move", "move")
                .does(&["next text", "previous text", "first text", "last text"])
                .shown("jk"),
            bind("esc", A::Close, "back", ""),
        ],
    )
});

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
