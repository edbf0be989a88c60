//! The keys of the ranking: where the text is typed, and in the list.

use std::sync::LazyLock;

use super::QueryPane;
use crate::component::{Bindings, Motion, bind, bind_all};
use crate::ui::key_table::ListedKeys;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Rank,
    ToList,
    Type,
    Open,
    Move(Motion),
    Escape,
    Close,
}

use Action as A;

/// Actions in the footer while the text is typed.
pub(super) const TYPING_FOOTER: [A; 2] = [A::Rank, A::ToList];
/// Actions in the footer of the list.
pub(super) const LIST_FOOTER: [A; 3] = [A::Type, A::Open, A::Move(Motion::Down)];

/// Keys while the text is typed.
pub(super) static TYPING: LazyLock<Bindings<Action, QueryPane>> = LazyLock::new(|| {
    let no_list = |pane: &QueryPane| pane.ranked.is_empty().then_some("there is no ranking yet");
    Bindings::while_typing(
        "embed.query",
        vec![
            bind("enter ctrl-r", A::Rank, "rank", "rank the texts by similarity to the typed text"),
            bind("down up", A::ToList, "to the list", "").disabled_when(no_list),
            bind("esc", A::Escape, "back", ""),
        ],
    )
});

/// Keys of the list.
pub(super) static LIST: LazyLock<Bindings<Action, QueryPane>> = LazyLock::new(|| {
    let moves = [
        ("j down", A::Move(Motion::Down)),
        ("k up", A::Move(Motion::Up)),
        ("g home", A::Move(Motion::First)),
        ("G end", A::Move(Motion::Last)),
    ];
    let pages = [("pagedown ctrl-d", A::Move(Motion::PageDown)), ("pageup ctrl-u", A::Move(Motion::PageUp))];
    Bindings::new(
        "embed.query-list",
        vec![
            bind("ctrl-r", A::Rank, "rank", ""),
            bind("i e s /", A::Type, "another text", "type"),
            bind("enter", A::Open, "go to the text", "in the list: move the matrix cursor to this text"),
            bind_all(moves, "move", "move")
                .does(&["next text", "previous text", "first text", "last text"])
                .shown("jk"),
            bind_all(pages, "page", "").does(&["page down", "page up"]),
            bind("esc", A::Escape, "back", "to the list, then back"),
        ],
    )
});

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![TYPING.listed(), LIST.listed()]
}
