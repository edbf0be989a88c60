//! What the keys of the tokenizer view do.

use std::sync::LazyLock;

use super::BiasChange;
use crate::component::{Bindings, Hint, bind, bind_all};
use crate::ui::key_table::ListedKeys;

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Left,
    Right,
    First,
    Last,
    Up,
    Down,
    PageUp,
    PageDown,
    RowStart,
    RowEnd,
    Ids,
    Bias(BiasChange),
    Close,
}

use Action as A;

/// Keys of the view; the state is whether it shows ids.
pub(super) static KEYS: LazyLock<Bindings<Action, bool>> = LazyLock::new(|| {
    Bindings::new(
        "complete.tokens",
        vec![
            bind_all([("left h", A::Left), ("right l", A::Right)], "token", "previous, next token")
                .does(&["previous token", "next token"]),
            bind("i #", A::Ids, "ids", "show ids, or hide them").labelled(|ids| if *ids { "hide ids" } else { "ids" }),
            bind("x", A::Bias(BiasChange::Never), "never", "never generate the token"),
            bind("+", A::Bias(BiasChange::Likelier), "likelier", "make the token likelier"),
            bind("*", A::Bias(BiasChange::Always), "always", "always generate the token"),
            bind(".", A::Bias(BiasChange::Remove), "no bias", "remove the token's bias"),
            bind("esc", A::Close, "back", "back"),
            bind_all([("up k", A::Up), ("down j", A::Down)], "row", "row above, below")
                .does(&["row above", "row below"]),
            bind_all([("g", A::First), ("G", A::Last)], "first, last", "first, last token")
                .does(&["first token", "last token"]),
            bind_all([("pageup", A::PageUp), ("pagedown", A::PageDown)], "page", "page up, down")
                .does(&["page up", "page down"]),
            bind_all([("home", A::RowStart), ("end", A::RowEnd)], "row's ends", "first, last of the row")
                .does(&["first of the row", "last of the row"]),
        ],
    )
});

/// Returns all keys, for the help page.
pub(crate) fn help() -> Vec<Hint> {
    KEYS.help()
}

/// Returns the keys for the footer; `ids`: the view shows them.
pub(crate) fn hints(ids: bool) -> Vec<Hint> {
    let bias = [BiasChange::Never, BiasChange::Likelier, BiasChange::Always, BiasChange::Remove].map(A::Bias);
    let shown = [&[A::Left, A::Ids][..], &bias, &[A::Close, A::Up, A::First]].concat();
    KEYS.footer(&shown, &ids)
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
