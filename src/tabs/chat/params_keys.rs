//! The keys of the parameter panel: for input, footer and help.

use std::sync::LazyLock;

use crate::component::{Bindings, Hint, bind, bind_all, form_bindings};
use crate::ui::form::{Form, FormKey};
use crate::ui::key_table::ListedKeys;

/// What a key of the parameter panel asks for. The form itself handles those that change a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParamsAction {
    Form(FormKey),
    OpenFile,
    Keep,
    Model,
    System,
    NextPane,
    Close,
}

use ParamsAction as P;

/// Keys in the parameter panel.
pub(super) static PARAMS: LazyLock<Bindings<ParamsAction, Form>> = LazyLock::new(|| {
    let enter = "type a value, or switch yes and no; JSON is written in $EDITOR";
    let mut list = form_bindings(P::Form, enter, "leave the field, then close");
    list.extend([
        bind("o", P::OpenFile, "open file", "read the definitions of tools from a file").disabled_when(not_tools),
        bind("D", P::Keep, "keep", "keep these as the defaults of the model").disabled_when(Form::why_typing),
        bind_all([("m", P::Model), ("p", P::System)], "model, system prompt", "model, system prompt")
            .does(&["model", "system prompt"]),
        bind("tab shift-tab", P::NextPane, "pane", ""),
        bind("t", P::Close, "close", ""),
    ]);
    Bindings::new("chat.parameters", list)
});

/// Returns the keys for the footer: what they do to the field under the cursor.
pub(super) fn footer(form: &Form) -> Vec<Hint> {
    let field = [FormKey::Next, FormKey::Less, FormKey::Enter, FormKey::Type].map(P::Form);
    PARAMS.footer(&[&field[..], &[P::OpenFile, P::Form(FormKey::Reset), P::Keep]].concat(), form)
}

fn not_tools(form: &Form) -> Option<&'static str> {
    form.why_typing().or_else(|| (form.selected() != Some("tools")).then_some("only tools are read from a file"))
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![PARAMS.listed()]
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        assert_eq!(super::PARAMS.keymap().clashes(), []);
    }
}
