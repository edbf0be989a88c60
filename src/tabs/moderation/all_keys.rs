//! All tables of keys of the tab, for the list of all keys.

use crate::ui::key_table::ListedKeys;

/// Returns the tables.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    [
        super::keys::listed_keys(),
        super::text_editing::listed_keys(),
        super::file::keys::listed_keys(),
        super::file::detail::listed_keys(),
        super::file::failures::listed_keys(),
        super::conversation::listed_keys(),
        super::evaluate::listed_keys(),
        super::check_history::listed_keys(),
        super::sentence_scores::keys::listed_keys(),
        super::thresholds_dialog::listed_keys(),
    ]
    .concat()
}
