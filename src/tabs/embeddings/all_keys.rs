//! All tables of keys of the tab, for the list of all keys.

use crate::ui::key_table::ListedKeys;

/// Returns the tables; `enter_newline`: Enter inserts a newline.
pub(crate) fn listed_keys(enter_newline: bool) -> Vec<ListedKeys> {
    [
        super::keys::listed_keys(enter_newline),
        super::query::keys::listed_keys(),
        super::compare::keys::listed_keys(),
        super::hygiene::keys::listed_keys(),
        super::map::keys::listed_keys(),
        super::pair::keys::listed_keys(),
        super::pairs::keys::listed_keys(),
    ]
    .concat()
}
