//! All tables of keys of the tab, for the list of all keys.

use crate::ui::key_table::ListedKeys;

/// Returns the tables; `enter_newline`: Enter inserts a newline.
pub(crate) fn listed_keys(enter_newline: bool) -> Vec<ListedKeys> {
    [
        super::keys::listed_keys(enter_newline),
        super::conversation_list::keys::listed_keys(),
        super::marks::keys::listed_keys(),
        super::params_keys::listed_keys(),
        super::tool_command_dialog::listed_keys(),
    ]
    .concat()
}
