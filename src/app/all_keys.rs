//! All tables of keys of the program.

use crate::component::all_keys as components;
use crate::tabs::all_keys as tabs;
use crate::ui::key_table::ListedKeys;
use crate::ui::widget_keys;

use super::keys::ShellKeys;
use super::{
    dialogs, missing_endpoint, models_page, pages, probe_dialog, profile_editor, profile_form, profile_test,
    profiles_page,
};

/// Returns the tables in force where Enter inserts a newline or does not: the shell's first, then those of tabs, dialogs
/// and widgets.
pub fn listed_keys(enter_newline: bool) -> Vec<ListedKeys> {
    [
        vec![ShellKeys::default().listed()],
        tabs::listed_keys(enter_newline),
        dialogs::listed_keys(),
        missing_endpoint::listed_keys(),
        models_page::listed_keys(),
        pages::listed_keys(),
        probe_dialog::listed_keys(),
        profile_editor::listed_keys(),
        profile_form::listed_keys(),
        profile_test::listed_keys(),
        profiles_page::listed_keys(),
        components::listed_keys(),
        widget_keys::tables(),
    ]
    .concat()
}
