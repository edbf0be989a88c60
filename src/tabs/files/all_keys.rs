//! All tables of keys of the tab, for the list of all keys.

use crate::ui::key_table::ListedKeys;

/// Returns the tables.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    [
        super::keys::listed_keys(),
        super::delete::listed_keys(),
        super::upload_plan::keys::listed_keys(),
        super::check::keys::listed_keys(),
        super::preview::keys::listed_keys(),
        super::preview::curve_plot::listed_keys(),
    ]
    .concat()
}
