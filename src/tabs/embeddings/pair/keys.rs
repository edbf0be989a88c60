//! The keys of the page of a pair.

use std::sync::LazyLock;

use super::PairPane;
use crate::component::{Bindings, bind, bind_all};
use crate::ui::key_table::ListedKeys;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// The next text beside the first one, or the one before.
    Other(bool),
    Swap,
    /// By lines.
    Scroll(isize),
    Close,
}

use Action as A;

/// Actions in the footer.
pub(super) const FOOTER: [A; 3] = [A::Other(true), A::Swap, A::Scroll(1)];

pub(super) static KEYS: LazyLock<Bindings<Action, PairPane>> = LazyLock::new(|| {
    Bindings::new(
        "embed.pair",
        vec![
            bind_all([("h left", A::Other(false)), ("l right", A::Other(true))], "other text", "other text")
                .named(&["previous-text", "next-text"])
                .does(&["previous text", "next text"]),
            bind("<", A::Swap, "swap", "swap"),
            bind_all([("j down", A::Scroll(1)), ("k up", A::Scroll(-1))], "scroll", "scroll")
                .named(&["scroll-down", "scroll-up"])
                .does(&["scroll down", "scroll up"]),
            bind_all([("pagedown", A::Scroll(10)), ("pageup", A::Scroll(-10))], "page", "")
                .named(&["page-down", "page-up"])
                .does(&["page down", "page up"]),
            bind("enter", A::Close, "back", ""),
        ],
    )
});

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
