//! The keys of the map.

use std::sync::LazyLock;

use super::MapPane;
use crate::component::{Bindings, bind};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// To the next point that way: right, up.
    Go(i8, i8),
    /// Another part: right, up.
    Pan(i8, i8),
    Zoom(i8),
    All,
    Choose,
    /// To the next label alone, or the one before.
    Label(bool),
    Escape,
    AllLabels,
    Close,
}

use Action as A;

/// Actions in the footer.
pub(super) const FOOTER: [A; 7] =
    [A::Label(true), A::Zoom(1), A::Pan(-1, 0), A::Go(-1, 0), A::Choose, A::All, A::Escape];

pub(super) static KEYS: LazyLock<Bindings<Action, MapPane>> = LazyLock::new(|| {
    let choose = |map: &MapPane| if map.in_sight { "pair with nearest" } else { "select" };
    let no_labels = |map: &MapPane| map.data.labels.is_empty().then_some("these texts have no labels");
    Bindings::new(vec![
        bind("+ =", A::Zoom(1), "zoom", "closer").shown("+ −"),
        bind("- _", A::Zoom(-1), "", "farther"),
        bind("0", A::All, "all", "all points"),
        bind("left", A::Pan(-1, 0), "pan", "pan left").shown("←↑↓→"),
        bind("right", A::Pan(1, 0), "", "pan right"),
        bind("up", A::Pan(0, 1), "", "pan up"),
        bind("down", A::Pan(0, -1), "", "pan down"),
        bind("h", A::Go(-1, 0), "next point", "next point left").shown("hjkl"),
        bind("l", A::Go(1, 0), "", "next point right"),
        bind("k", A::Go(0, 1), "", "next point up"),
        bind("j", A::Go(0, -1), "", "next point down"),
        bind("enter", A::Choose, "", "both texts of it and its nearest; where it is out of sight: select")
            .labelled(choose),
        bind(".", A::Label(true), "one label", "next label alone, then all").shown(". ,").disabled_when(no_labels),
        bind(",", A::Label(false), "", "label before"),
        bind("esc", A::Escape, "back", "all labels; back"),
    ])
});
