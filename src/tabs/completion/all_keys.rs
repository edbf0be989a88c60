//! All tables of keys of the tab, for the list of all keys.

use crate::ui::key_table::ListedKeys;

/// Returns the tables.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    [
        super::keys::listed_keys(),
        super::params::keys::listed_keys(),
        super::biases::keys::listed_keys(),
        super::presets::keys::listed_keys(),
        super::compare::keys::listed_keys(),
        super::tokenizer::keys::listed_keys(),
        super::runs::keys::listed_keys(),
    ]
    .concat()
}
