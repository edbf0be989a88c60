//! The keys of all widgets, for the list of all keys.

use super::key_table::ListedKeys;
use super::{editing, form, overlay, picker};

/// Returns the tables of keys of all widgets.
pub fn tables() -> Vec<ListedKeys> {
    let [text_box, after_prefix] = editing::listed_keys();
    let [form, form_value] = form::listed_keys();
    vec![text_box, after_prefix, form, form_value, picker::listed_keys(), overlay::listed_keys()]
}
