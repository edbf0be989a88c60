//! All tables of keys that every tab uses, for the list of all keys.

use crate::ui::key_table::ListedKeys;

/// Returns the tables.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    [
        super::editor_dialog::listed_keys(),
        super::find_bar::listed_keys(),
        super::line_prompt::listed_keys(),
        super::path_input::listed_keys(),
        super::path_prompt::listed_keys(),
        super::picture_dialog::listed_keys(),
        super::question::listed_keys(),
        super::scroll::listed_keys(),
        super::text_viewer::listed_keys(),
    ]
    .concat()
}
