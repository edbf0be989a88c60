//! What the keys of the list of presets do.

use std::sync::LazyLock;

use super::{PresetPrompt, Presets, examples};
use crate::component::{Bindings, Motion, bind, motions};
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};

/// What a key in the list does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Load,
    Save,
    Rename,
    Delete,
    Undelete,
    Filter,
    Move(Motion),
    /// Takes what is typed.
    Done,
    Replace,
    KeepBoth,
    /// Leaves what is typed or asked, the filter, or the list.
    Escape,
}

use Action as A;

/// Keys of the list.
pub(super) static KEYS: LazyLock<Bindings<Action, Presets>> = LazyLock::new(|| {
    let mut list = vec![
        bind("enter", A::Load, "load", "load the preset").disabled_when(none_shown),
        bind("S", A::Save, "save", "save prompt and settings as a preset"),
        bind("e", A::Rename, "rename", "rename the preset").disabled_when(no_own),
        bind("x delete", A::Delete, "delete", "delete the preset").disabled_when(no_own),
        bind("u", A::Undelete, "restore", "restore the deleted preset").disabled_when(not_deleted),
        bind("/", A::Filter, "filter", "filter by words").disabled_when(why_too_few),
    ];
    list.extend(motions(A::Move, "preset"));
    list.push(bind("esc", A::Escape, "back", ""));
    Bindings::new("complete.presets", list)
});

/// Keys while a line is typed.
pub(super) static TYPING: LazyLock<Bindings<Action, Presets>> = LazyLock::new(|| {
    let done = |presets: &Presets| if let Some(PresetPrompt::Name(_)) = presets.prompt { "save" } else { "rename" };
    Bindings::while_typing(
        KeyContext::new("complete.preset-name").used_in(KeyPlace::Dialog),
        vec![bind("enter", A::Done, "done", "").labelled(done), bind("esc", A::Escape, "cancel", "")],
    )
});

/// Keys while it is asked what becomes of a preset whose name is taken.
pub(super) static NAME_TAKEN: LazyLock<Bindings<Action, Presets>> = LazyLock::new(|| {
    Bindings::new(
        KeyContext::new("complete.preset-name-taken").used_in(KeyPlace::Dialog),
        vec![
            bind("r", A::Replace, "replace", ""),
            bind("b", A::KeepBoth, "keep both", ""),
            bind("esc", A::Escape, "cancel", ""),
        ],
    )
});

fn none_shown(presets: &Presets) -> Option<&'static str> {
    presets.list.selected_item().is_none().then_some("no preset matches")
}

fn no_own(presets: &Presets) -> Option<&'static str> {
    presets
        .list
        .selected_item()
        .is_none_or(|preset| examples::is_example(preset.id))
        .then_some("examples cannot be changed")
}

fn not_deleted(presets: &Presets) -> Option<&'static str> {
    presets.gone.is_none().then_some("nothing was deleted")
}

fn why_too_few(presets: &Presets) -> Option<&'static str> {
    presets.is_short().then_some("the list is short")
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed(), TYPING.listed(), NAME_TAKEN.listed()]
}
