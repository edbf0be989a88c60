//! The keys of the map.

use std::sync::LazyLock;

use super::{MapMethod, MapPane};
use crate::component::{Bindings, bind};
use crate::ui::key_table::ListedKeys;

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
    /// By t-SNE, or by principal components.
    Method,
    /// Clusters instead of labels, or labels again.
    Groups,
    /// Wider beside the matrix, or narrower.
    Resize(bool),
    Escape,
    AllLabels,
    Close,
}

use Action as A;

/// Actions in the footer. What Esc does stands between them.
pub(super) const FOOTER: [A; 5] = [A::Zoom(1), A::Method, A::Choose, A::Label(true), A::Go(-1, 0)];

pub(super) static KEYS: LazyLock<Bindings<Action, MapPane>> = LazyLock::new(|| {
    let choose = |map: &MapPane| if map.in_sight { "pair with nearest" } else { "select" };
    let one = |map: &MapPane| match map.shown_groups() {
        Some(groups) if groups.clusters => "one cluster",
        _ => "one label",
    };
    let other = |map: &MapPane| if map.by_cluster { "labels" } else { "clusters" };
    let method = |map: &MapPane| if map.method == MapMethod::Tsne { "PCA" } else { "t-SNE" };
    let no_groups = |map: &MapPane| map.shown_groups().is_none().then_some("these texts have no labels");
    let no_labels = |map: &MapPane| map.data.labels.is_empty().then_some("these texts have no labels");
    Bindings::new(
        "embed.map",
        vec![
            bind("+ =", A::Zoom(1), "zoom", "zoom in").named(&["zoom-in"]).shown("+ −"),
            bind("- _", A::Zoom(-1), "", "zoom out").named(&["zoom-out"]),
            bind("0", A::All, "all", "all points"),
            bind("left", A::Pan(-1, 0), "pan", "pan left").named(&["pan-left"]).shown("←↑↓→"),
            bind("right", A::Pan(1, 0), "", "pan right").named(&["pan-right"]),
            bind("up", A::Pan(0, 1), "", "pan up").named(&["pan-up"]),
            bind("down", A::Pan(0, -1), "", "pan down").named(&["pan-down"]),
            bind("h", A::Go(-1, 0), "next point", "next point left").named(&["point-left"]).shown("hjkl"),
            bind("l", A::Go(1, 0), "", "next point right").named(&["point-right"]),
            bind("k", A::Go(0, 1), "", "next point up").named(&["point-up"]),
            bind("j", A::Go(0, -1), "", "next point down").named(&["point-down"]),
            bind(
                "enter",
                A::Choose,
                "",
                "show both texts: this one and its nearest; select it first if it is out of sight",
            )
            .labelled(choose),
            bind(".", A::Label(true), "", "only the next label or cluster, then all")
                .named(&["next-label"])
                .shown(". ,")
                .labelled(one)
                .disabled_when(no_groups),
            bind(",", A::Label(false), "", "only the previous label or cluster").named(&["previous-label"]),
            bind("t", A::Method, "", "by t-SNE, or by principal components").labelled(method),
            bind("c", A::Groups, "", "colours by cluster, or by label").labelled(other).disabled_when(no_labels),
            bind(">", A::Resize(true), "wider", "wider beside the matrix").named(&["wider"]),
            bind("<", A::Resize(false), "", "narrower beside the matrix").named(&["narrower"]),
            bind("esc", A::Escape, "back", "all labels; back"),
        ],
    )
});

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
