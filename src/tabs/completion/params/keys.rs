//! The keys of the settings.

use std::sync::LazyLock;

use super::SettingsPane;
use crate::component::{Bindings, HasForm, bind, form_bindings};
use crate::ui::form::{Form, FormKey};
use crate::ui::key_table::ListedKeys;

/// What a key of the settings asks for. The form itself handles those that change a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Form(FormKey),
    Keep,
}

/// Keys of the settings.
pub(super) static KEYS: LazyLock<Bindings<Action, SettingsPane>> = LazyLock::new(|| {
    let mut list = form_bindings(Action::Form, "type a value, choose or switch", "");
    let keep = bind("D", Action::Keep, "keep", "keep these as the defaults of the model");
    list.push(keep.disabled_when(|settings: &SettingsPane| settings.form.why_typing()));
    Bindings::new("complete.settings", list)
});

impl HasForm for SettingsPane {
    fn form(&self) -> &Form {
        &self.form
    }
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
