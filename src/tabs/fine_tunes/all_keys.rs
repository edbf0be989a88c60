//! All tables of keys of the tab, for the list of all keys.

use crate::ui::key_table::ListedKeys;

/// Returns the tables; `enter_newline`: Enter inserts a newline.
pub(crate) fn listed_keys(enter_newline: bool) -> Vec<ListedKeys> {
    [
        super::keys::listed_keys(),
        super::details_page::listed_keys(),
        super::create::keys::listed_keys(),
        super::curves::keys::listed_keys(),
        super::evaluation::keys::listed_keys(),
        super::trial::keys::listed_keys(enter_newline),
    ]
    .concat()
}
