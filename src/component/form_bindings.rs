//! The keys of a form, for the table of the page or pane that it is on.

use super::{Binding, bind, bind_all};
use crate::ui::form::{FORM, Form, FormKey};

/// The state of a page or pane with a form.
pub trait HasForm {
    /// Returns the form.
    fn form(&self) -> &Form;

    /// Returns what Enter does on the selected field, where that is not what its kind says.
    fn enter_label(&self) -> Option<&'static str> {
        None
    }
}

impl HasForm for Form {
    fn form(&self) -> &Form {
        self
    }
}

/// Returns the bindings of a form, with what Enter and Esc do there for the help page.
pub fn form_bindings<A: Copy + PartialEq, S: HasForm>(
    action: fn(FormKey) -> A,
    enter: &'static str,
    close: &'static str,
) -> Vec<Binding<A, S>> {
    // The form itself handles them: their context is the form's.
    let one = |key: FormKey, label, help| bind(key.keys(), action(key), label, help).of_context(FORM, key.names());
    let two = |first: FormKey, second: FormKey, label, help| {
        bind_all([(first.keys(), action(first)), (second.keys(), action(second))], label, help)
            .of_context(FORM, first.names())
    };
    let while_typing = |state: &S| state.form().why_typing();
    vec![
        two(FormKey::Next, FormKey::Previous, "field", "next, previous field").disabled_when(while_typing),
        two(FormKey::First, FormKey::Last, "ends", "first, last field").disabled_when(while_typing),
        two(FormKey::Less, FormKey::More, "±", "one step less, more")
            .disabled_when(|state| state.form().why_no_steps()),
        one(FormKey::Enter, "", enter)
            .labelled(|state: &S| state.enter_label().unwrap_or_else(|| state.form().enter_label()))
            .disabled_when(|state| state.form().why_read_only()),
        one(FormKey::Type, "type here", "type the value in its row").disabled_when(|state| state.form().why_not_long()),
        one(FormKey::Reset, "default", "reset to the default").disabled_when(|state| state.form().why_no_default()),
        one(FormKey::Switch, "", "").disabled_when(while_typing),
        one(FormKey::Close, "", close),
    ]
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent};

    use super::*;
    use crate::component::{Bindings, Hint};
    use crate::ui::form::{Field, Kind};

    const FIELD: Field = Field {
        name: "n",
        label: "N",
        kind: Kind::Number { min: 0.0, max: 9.0, step: 1.0, whole: true },
        value: String::new(),
        default: "1",
        help: "",
        optional: false,
    };

    #[test]
    fn the_footer_shows_the_keys_that_do_something_to_the_selected_field() {
        let table: Bindings<FormKey, Form> = Bindings::new("test", form_bindings(|key| key, "type", "close"));
        assert_eq!(table.keymap().clashes(), []);
        let shown = |form: &Form| {
            let actions = [FormKey::Next, FormKey::Less, FormKey::Enter, FormKey::Type, FormKey::Reset];
            let words = |hint: Hint| format!("{} {}", hint.key, hint.does);
            table.footer(&actions, form).into_iter().map(words).collect::<Vec<_>>().join("  ")
        };
        let of = |kind| shown(&Form::new(vec![Field { kind, ..FIELD }]));
        assert_eq!(of(FIELD.kind), "j k field  h l ±  ⏎ type  0 default");
        assert_eq!(of(Kind::Toggle), "j k field  ⏎ switch  0 default");
        assert_eq!(of(Kind::Text), "j k field  ⏎ type  0 default");
        assert_eq!(of(Kind::Long), "j k field  ⏎ $EDITOR  i type here  0 default");
        assert_eq!(of(Kind::Choice), "j k field  ⏎ choose  0 default");
        assert_eq!(of(Kind::Shown), "j k field");
        let mut form = Form::new(vec![FIELD]);
        form.key(KeyEvent::from(KeyCode::Enter));
        assert_eq!(shown(&form), "⏎ done");
    }
}
