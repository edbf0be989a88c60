//! The keys of the page.

use std::sync::LazyLock;

use super::CreatePage;
use super::fields::CREATE;
use crate::component::{Bindings, HasForm, Hint, bind, form_bindings};
use crate::ui::form::{Form, FormKey};
use crate::ui::key_table::ListedKeys;

/// What a key of the page does. The form itself handles those that change a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Form(FormKey),
    Check,
    Failure,
}

pub(super) static KEYS: LazyLock<Bindings<Action, CreatePage>> = LazyLock::new(|| {
    let enter = "type or choose; on the last row, create the job";
    let mut list = form_bindings(Action::Form, enter, "back; the settings are kept");
    list.extend([
        bind("ctrl-r", Action::Check, "check", "check the settings"),
        bind("D", Action::Failure, "", "details of a refusal"),
    ]);
    Bindings::new("tune.create", list)
});

impl HasForm for CreatePage {
    fn form(&self) -> &Form {
        &self.form
    }

    fn enter_label(&self) -> Option<&'static str> {
        (self.form.selected() == Some(CREATE)).then_some("create the job")
    }
}

/// Returns the keys for the footer.
pub(super) fn hints(page: &CreatePage) -> Vec<Hint> {
    if page.form.typing() {
        return KEYS.footer(&[Action::Form(FormKey::Enter)], page);
    }
    if page.form.selected() == Some(CREATE) {
        return KEYS.footer(&[FormKey::Enter, FormKey::Next].map(Action::Form), page);
    }
    let field = [FormKey::Next, FormKey::Less, FormKey::Enter, FormKey::Reset].map(Action::Form);
    KEYS.footer(&[&field[..], &[Action::Check]].concat(), page)
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
