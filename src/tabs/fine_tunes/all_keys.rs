//! All tables of keys of the tab, for the list of all keys.

use crate::ui::key_table::ListedKeys;

/// Returns the tables.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    [
        super::keys::listed_keys(),
        super::details_page::listed_keys(),
        super::create::keys::listed_keys(),
        super::curves::keys::listed_keys(),
        super::evaluation::keys::listed_keys(),
        super::trial::keys::listed_keys(),
    ]
    .concat()
}
