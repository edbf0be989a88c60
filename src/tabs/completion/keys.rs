//! The tab's keys, a table for each state: input map, footer and help at once.

use crate::ui::keys::Keymap;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Run,
    Again,
    Stop,
    Write,
    NextPane,
    PreviousPane,
    Undo,
    Redo,
    Accept,
    Heat,
    Older,
    Newer,
    Beside,
    Compare,
    Settings,
    Model,
    Presets,
    SavePreset,
    Strip,
    Tokenizer,
    Biases,
    Runs,
    Select,
    Copy,
    CopyAll,
    Curl,
    Offer,
    New,
    Details,
    External,
    Find,
    FindBack,
    Left,
    Right,
    Up,
    Down,
    Top,
    Bottom,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
}

use Action as A;

/// While the buffer has the caret.
pub(super) fn text() -> Keymap<Action> {
    Keymap::new(&[
        ("ctrl-r", A::Run, "run at the caret"),
        ("ctrl-y", A::Redo, "redo (^X u undoes)"),
        ("f4", A::External, "$EDITOR (also ^X ^E)"),
        ("f6", A::NextPane, "next pane (tab indents here)"),
        ("shift-tab", A::PreviousPane, "pane before"),
    ])
}

/// While the buffer is looked at.
pub(super) fn browse() -> Keymap<Action> {
    Keymap::new(&[
        ("ctrl-r", A::Run, "run at the caret"),
        ("R", A::Again, "run again from the same place"),
        ("i enter", A::Write, "edit the text"),
        ("u", A::Undo, "undo: the last generated part, or edit"),
        ("U ctrl-y", A::Redo, "redo"),
        ("<", A::Older, "candidate before"),
        (">", A::Newer, "candidate after"),
        ("D", A::Beside, "all candidates side by side"),
        ("c", A::Compare, "compare models, settings or profiles"),
        ("a", A::Accept, "accept: generated text becomes yours"),
        ("p", A::Heat, "colour by probability"),
        ("t", A::Strip, "token strip on or off"),
        ("T", A::Tokenizer, "tokens with their ids"),
        ("B", A::Biases, "biases of tokens"),
        ("s", A::Settings, "settings"),
        ("m", A::Model, "model"),
        ("P", A::Presets, "presets"),
        ("S", A::SavePreset, "save as a preset"),
        ("r", A::Runs, "runs"),
        ("v", A::Select, "select the generated part, then all"),
        ("y", A::Copy, "copy the selection, or the generated part"),
        ("Y", A::CopyAll, "copy the whole text"),
        ("C", A::Curl, "copy the request as curl"),
        ("o", A::Offer, "send to another tab"),
        ("n", A::New, "new text; while finding: next match"),
        ("N", A::FindBack, "match before"),
        ("/", A::Find, "find"),
        ("d", A::Details, "details of a failure"),
        ("f4", A::External, "$EDITOR"),
        ("h left", A::Left, "caret left"),
        ("l right", A::Right, "caret right"),
        ("k up", A::Up, "caret up"),
        ("j down", A::Down, "caret down"),
        ("g home", A::Top, "begin"),
        ("G end", A::Bottom, "end"),
        ("pageup", A::PageUp, "page up"),
        ("pagedown", A::PageDown, "page down"),
        ("ctrl-u", A::HalfUp, "half a page up"),
        ("ctrl-d", A::HalfDown, "half a page down"),
        ("tab", A::NextPane, "next pane"),
        ("shift-tab", A::PreviousPane, "pane before"),
    ])
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        for map in [super::text(), super::browse()] {
            assert_eq!(map.clashes(), []);
        }
    }
}
