//! The keys of the parameter panel: for input, footer and help.

use std::sync::LazyLock;

use crate::component::{Bindings, Hint, Motion, bind, bind_all};
use crate::ui::form::{Form, Kind};

/// What a key of the parameter panel asks for. The form itself handles those that change a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParamsAction {
    Go(Motion),
    Less,
    More,
    Type,
    TypeHere,
    OpenFile,
    Reset,
    Keep,
    Model,
    System,
    NextPane,
    Close,
    Leave,
}

use ParamsAction as P;

/// Keys in the parameter panel.
pub(super) static PARAMS: LazyLock<Bindings<ParamsAction, Form>> = LazyLock::new(|| {
    Bindings::new(vec![
        bind_all([("j", P::Go(Motion::Down)), ("k", P::Go(Motion::Up))], "field", "field").disabled_when(typing),
        bind_all([("g", P::Go(Motion::First)), ("G", P::Go(Motion::Last))], "ends", "first, last field"),
        bind_all([("h", P::Less), ("l", P::More)], "±", "one step less, more").disabled_when(no_steps),
        bind("enter", P::Type, "type", "type a value, or switch yes and no; JSON is written in $EDITOR")
            .labelled(type_label),
        bind("i", P::TypeHere, "type here", "type a value, also JSON").disabled_when(not_long),
        bind("o", P::OpenFile, "open file", "read the definitions of tools from a file").disabled_when(not_tools),
        bind("0", P::Reset, "default", "back to the default").disabled_when(typing),
        bind("D", P::Keep, "keep", "keep these as the defaults of the model").disabled_when(typing),
        bind_all([("m", P::Model), ("p", P::System)], "model, system prompt", "model, system prompt"),
        bind("esc", P::Leave, "leave", "leave the field, then close"),
        bind("tab shift-tab", P::NextPane, "pane", ""),
        bind("t", P::Close, "close", ""),
    ])
});

/// Returns the keys for the footer: what they do to the field under the cursor.
pub(super) fn footer(form: &Form) -> Vec<Hint> {
    PARAMS.footer(&[P::Go(Motion::Down), P::Less, P::Type, P::TypeHere, P::OpenFile, P::Reset, P::Keep], form)
}

fn typing(form: &Form) -> Option<&'static str> {
    form.typing().then_some("a value is being typed")
}

fn no_steps(form: &Form) -> Option<&'static str> {
    typing(form)
        .or_else(|| matches!(form.kind(), Some(Kind::Toggle | Kind::Text | Kind::Long)).then_some("it has no steps"))
}

fn not_long(form: &Form) -> Option<&'static str> {
    typing(form).or_else(|| (form.kind() != Some(Kind::Long)).then_some("enter types it"))
}

fn not_tools(form: &Form) -> Option<&'static str> {
    typing(form).or_else(|| (form.selected() != Some("tools")).then_some("only tools are read from a file"))
}

fn type_label(form: &Form) -> &'static str {
    match form.kind() {
        _ if form.typing() => "done",
        Some(Kind::Toggle) => "switch",
        Some(Kind::Long) => "$EDITOR",
        _ => "type",
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        assert_eq!(super::PARAMS.keymap().clashes(), []);
    }
}
