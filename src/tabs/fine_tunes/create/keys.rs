//! The keys of the page: those of its fields are handled by the form, and shown here.

use std::sync::LazyLock;

use super::CreatePage;
use super::fields::CREATE;
use crate::component::{Bindings, Hint, bind, bind_all};
use crate::tabs::fine_tunes::input_keys::{INPUT, InputKey};
use crate::ui::form::Kind;

/// What a key of the page does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Before,
    Next,
    Less,
    More,
    Enter,
    Reset,
    Check,
    Failure,
    Close,
}

use Action as A;

pub(super) static KEYS: LazyLock<Bindings<Action, CreatePage>> = LazyLock::new(|| {
    Bindings::new(vec![
        bind_all([("j", A::Next), ("k", A::Before)], "field", "field"),
        bind_all([("h", A::Less), ("l", A::More)], "±", "less, more"),
        bind("enter", A::Enter, "", "type or choose; on the last row, create the job").labelled(enter),
        bind("0", A::Reset, "default", "reset the field"),
        bind("ctrl-r", A::Check, "check", "check the settings"),
        bind("D", A::Failure, "", "details of a refusal"),
        bind("esc", A::Close, "", "back; the settings are kept"),
    ])
});

/// Returns what Enter does on a field.
fn enter(page: &CreatePage) -> &'static str {
    match page.form.kind() {
        _ if page.form.selected() == Some(CREATE) => "create the job",
        Some(Kind::Toggle) => "switch",
        Some(Kind::Choice) => "choose",
        _ => "type",
    }
}

/// Returns the keys for the footer.
pub(super) fn hints(page: &CreatePage) -> Vec<Hint> {
    if page.picker.is_some() {
        return INPUT.footer(&[InputKey::Choose(1), InputKey::Use], &());
    }
    if page.form.typing() {
        return INPUT.footer(&[InputKey::Done], &());
    }
    let actions: &[Action] = match page.form.kind() {
        _ if page.form.selected() == Some(CREATE) => &[A::Enter, A::Next],
        Some(Kind::Toggle | Kind::Text | Kind::Long | Kind::Choice) => &[A::Next, A::Enter, A::Reset, A::Check],
        Some(Kind::Number { .. }) => &[A::Next, A::Less, A::Enter, A::Reset, A::Check],
        Some(Kind::Shown) | None => &[A::Next, A::Check],
    };
    KEYS.footer(actions, page)
}
