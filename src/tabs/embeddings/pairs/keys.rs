//! The keys of the list of pairs.

use std::sync::LazyLock;

use super::{PairKind, PairsPane};
use crate::component::{Bindings, Motion, bind};
use crate::ui::key_table::ListedKeys;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Move(Motion),
    /// By columns.
    Scroll(isize),
    /// The threshold by hundredths.
    Threshold(i8),
    Duplicates,
    Open,
    Compute,
    Escape,
    Stop,
    Close,
}

use Action as A;

/// Actions in the footer.
pub(super) const FOOTER: [A; 5] = [A::Open, A::Threshold(1), A::Duplicates, A::Compute, A::Escape];

pub(super) static KEYS: LazyLock<Bindings<Action, PairsPane>> = LazyLock::new(|| {
    let open = |pane: &PairsPane| if pane.pairs().0.is_empty() { "compute" } else { "both texts" };
    let other = |pane: &PairsPane| if pane.kind == PairKind::Above { "near-duplicates" } else { "pairs" };
    Bindings::new(
        "embed.pairs",
        vec![
            bind("+ =", A::Threshold(1), "threshold", "raise the threshold").named(&["raise-threshold"]).shown("+ −"),
            bind("- _", A::Threshold(-1), "", "lower the threshold").named(&["lower-threshold"]),
            bind("d", A::Duplicates, "", "near-duplicates / pairs").labelled(other),
            bind("enter", A::Open, "", "show both texts, or compute the list").labelled(open),
            bind("s", A::Compute, "recompute", "recompute"),
            bind("j down", A::Move(Motion::Down), "", "down"),
            bind("k up", A::Move(Motion::Up), "", "up"),
            bind("pagedown ctrl-d", A::Move(Motion::PageDown), "", "page down"),
            bind("pageup ctrl-u", A::Move(Motion::PageUp), "", "page up"),
            bind("g home", A::Move(Motion::First), "", "first"),
            bind("G end", A::Move(Motion::Last), "", "last"),
            bind("l right", A::Scroll(1), "", "columns on the right").named(&["scroll-right"]),
            bind("h left", A::Scroll(-1), "", "columns on the left").named(&["scroll-left"]),
            bind("esc", A::Escape, "", "stop; back").labelled(|pane| pane.next_escape().1),
        ],
    )
});

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
