//! What the keys of the comparison do.

use std::sync::LazyLock;

use crate::component::{Bindings, Hint, bind};
use crate::tabs::columns::Columns;
use crate::ui::key_table::ListedKeys;

/// What a key asks of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Run,
    Add,
    Remove,
    Model,
    Profile,
    Settings,
    Copy,
}

use Action as A;

/// Keys of the page.
pub(crate) static KEYS: LazyLock<Bindings<Action, ()>> = LazyLock::new(|| {
    Bindings::new(
        "complete.compare",
        vec![
            bind("ctrl-r", A::Run, "run all", "run all columns"),
            bind("m", A::Model, "model", "choose this column's model"),
            bind("P", A::Profile, "profile", "switch this column to the next profile"),
            bind("s", A::Settings, "settings", "open this column's settings"),
            bind("a", A::Add, "add, remove", "add a column like this one").shown("a X"),
            bind("X", A::Remove, "remove", "remove this column"),
            bind("y", A::Copy, "copy", "copy this column's text"),
        ],
    )
});

/// Returns every key of the page, for help.
pub(crate) fn help() -> Vec<Hint> {
    [KEYS.help(), Columns::hints()].concat()
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
