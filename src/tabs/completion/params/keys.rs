//! The keys of the settings for the footer; the form handles them.

use std::sync::LazyLock;

use super::SettingsPane;
use crate::component::{Bindings, Component, bind, bind_all};
use crate::ui::form::Kind;

/// What a key does to the field under the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Down,
    Up,
    Less,
    More,
    Edit,
    Reset,
    Keep,
}

use Action as A;

/// Keys of the settings.
pub(super) static KEYS: LazyLock<Bindings<Action, SettingsPane>> = LazyLock::new(|| {
    let edit = |settings: &SettingsPane| match settings.form.kind() {
        _ if settings.typing() => "done",
        Some(Kind::Toggle) => "switch",
        Some(Kind::Choice) => "choose",
        _ => "type",
    };
    Bindings::new(vec![
        bind_all([("j down", A::Down), ("k up", A::Up)], "field", "next, previous field"),
        bind_all([("h", A::Less), ("l", A::More)], "±", "smaller, larger").disabled_when(no_steps),
        bind("enter", A::Edit, "type", "type a value, choose or switch").labelled(edit).disabled_when(only_shown),
        bind("0", A::Reset, "default", "reset to the default").disabled_when(only_shown),
        bind("D", A::Keep, "keep", "keep these as the defaults of the model"),
    ])
});

fn no_steps(settings: &SettingsPane) -> Option<&'static str> {
    let number = matches!(settings.form.kind(), Some(Kind::Number { .. }));
    (!number).then_some("this field is not a number")
}

fn only_shown(settings: &SettingsPane) -> Option<&'static str> {
    matches!(settings.form.kind(), Some(Kind::Shown) | None).then_some("this field is read-only")
}
