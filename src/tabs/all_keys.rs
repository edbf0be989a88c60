//! All tables of keys of the tabs, for the list of all keys.

use crate::ui::key_table::ListedKeys;

/// Returns the tables; `enter_newline`: Enter inserts a newline.
pub(crate) fn listed_keys(enter_newline: bool) -> Vec<ListedKeys> {
    [
        super::chat::all_keys::listed_keys(enter_newline),
        super::completion::all_keys::listed_keys(),
        super::moderation::all_keys::listed_keys(),
        super::embeddings::all_keys::listed_keys(enter_newline),
        super::files::all_keys::listed_keys(),
        super::fine_tunes::all_keys::listed_keys(enter_newline),
        super::columns::listed_keys(),
        super::generation::strip::listed_keys(),
        super::texts::chooser::listed_keys(),
        super::texts::lists::listed_keys(),
    ]
    .concat()
}
