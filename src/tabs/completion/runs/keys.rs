//! What the keys of the list of runs do.

use std::sync::LazyLock;

use super::Runs;
use crate::component::{Bindings, Motion, bind, motions};
use crate::ui::key_table::ListedKeys;

/// What a key in the list does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Open,
    Filter,
    Move(Motion),
    /// Shows all runs again, or closes the list.
    Escape,
}

use Action as A;

/// Keys of the list.
pub(super) static KEYS: LazyLock<Bindings<Action, Runs>> = LazyLock::new(|| {
    let mut list = vec![
        bind("enter", A::Open, "open", "open the run").disabled_when(none_found),
        bind("/", A::Filter, "filter", "filter by words").disabled_when(why_too_few),
    ];
    list.extend(motions(A::Move, "run").into_iter().map(|motion| motion.disabled_when(one_found)));
    list.push(bind("esc", A::Escape, "back", ""));
    Bindings::new("complete.runs", list)
});

fn none_found(runs: &Runs) -> Option<&'static str> {
    (runs.count() == 0).then_some("there is no run to open")
}

fn one_found(runs: &Runs) -> Option<&'static str> {
    (runs.count() < 2).then_some("there is no other run")
}

fn why_too_few(runs: &Runs) -> Option<&'static str> {
    (runs.all() < 2).then_some("the list is short")
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
