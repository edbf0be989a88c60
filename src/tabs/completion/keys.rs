//! What the tab's keys do: a table for each state of the text, for input, footer, help and palette.

use std::sync::LazyLock;

use super::state::State;
use crate::component::{Bindings, bind, bind_all, palette_entry};
use crate::ui::editing::UNDO;
use crate::ui::key_table::ListedKeys;

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
    Branches,
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
    /// Tries a refused run again at once.
    RetryNow,
    FindNext,
    Browse,
    /// Ctrl+X, which gives the next key another meaning.
    Prefix,
}

use Action as A;

/// Keys while the text has the caret.
pub(super) static WRITING: LazyLock<Bindings<Action, State>> = LazyLock::new(|| {
    Bindings::while_typing(
        "complete.text-box",
        vec![
            bind("ctrl-r", A::Run, "run", "run at the caret"),
            bind("ctrl-y alt-z", A::Redo, "redo", "redo").disabled_when(not_undone),
            bind("f4", A::External, "$EDITOR", "$EDITOR (also ^X ^E)").disabled_when(busy),
            bind("f6", A::NextPane, "settings", "next pane (tab indents here)"),
            bind("shift-tab", A::PreviousPane, "previous pane", "previous pane"),
            bind("esc", A::Browse, "browse", ""),
            bind("ctrl-x", A::Prefix, "", "").does(&["begin a key of two, such as ^X U"]),
            bind(UNDO, A::Undo, "", "").does(&["undo"]),
        ],
    )
});

/// Keys that come before all others where the text is: they end a countdown or a run.
pub(super) static RUNNING: LazyLock<Bindings<Action, State>> = LazyLock::new(|| {
    Bindings::while_typing(
        "complete.running",
        vec![bind("enter", A::RetryNow, "try now", ""), bind("esc", A::Stop, "stop", "")],
    )
});

/// Keys while words are looked for.
pub(super) static FINDING: LazyLock<Bindings<Action, State>> = LazyLock::new(|| {
    Bindings::new(
        "complete.finding",
        vec![
            bind_all([("n", A::FindNext), ("N", A::FindBack)], "next, previous match", "")
                .named(&["next-match", "previous-match"])
                .does(&["next match", "previous match"]),
        ],
    )
});

/// Keys while the text is looked at.
pub(super) static KEYS: LazyLock<Bindings<Action, State>> = LazyLock::new(|| {
    Bindings::grouped(
        "complete.text",
        vec![
            (
                "Run",
                vec![
                    bind("ctrl-r", A::Run, "run", "run at the caret").in_palette("run", "").disabled_when(busy),
                    bind("R", A::Again, "another", "run again from the same place")
                        .in_palette("again", "retry regenerate")
                        .disabled_when(not_generated),
                    palette_entry("stop", A::Stop, "stop", "", "esc").disabled_when(not_busy),
                    bind("s", A::Settings, "settings", "settings")
                        .in_palette("settings", "parameters temperature options"),
                    bind("m", A::Model, "model", "model"),
                    bind("C", A::Curl, "curl", "copy the request as curl")
                        .in_palette("curl", "http export")
                        .disabled_when(no_text),
                    bind("d", A::Details, "details", "details of a failure")
                        .in_palette("details", "error")
                        .titled("details of the failure")
                        .disabled_when(no_failure),
                ],
            ),
            (
                "Edit",
                vec![
                    bind("i enter", A::Write, "edit text", "edit the text").in_palette("write", "").disabled_when(busy),
                    bind("u", A::Undo, "undo", "undo a generated part or an edit")
                        .in_palette("undo", "")
                        .titled("undo the last part or edit")
                        .disabled_when(nothing_to_undo),
                    bind("U ctrl-y", A::Redo, "redo", "redo what was undone")
                        .in_palette("redo", "")
                        .titled("redo")
                        .disabled_when(not_undone),
                    bind("a", A::Accept, "accept", "accept: generated text becomes yours")
                        .in_palette("accept", "keep")
                        .titled("accept the generated text")
                        .disabled_when(not_generated),
                    bind("P", A::Presets, "presets", "presets")
                        .in_palette("presets", "templates samples")
                        .titled("presets and examples"),
                    bind("S", A::SavePreset, "save", "save as a preset").in_palette("save", "template"),
                    bind("n", A::New, "new", "new text; while finding: next match")
                        .in_palette("new", "")
                        .titled("new text")
                        .disabled_when(busy),
                    bind("f4", A::External, "$EDITOR", "$EDITOR")
                        .in_palette("external", "editor")
                        .titled("write in $EDITOR")
                        .disabled_when(busy),
                ],
            ),
            (
                "Branches and runs",
                vec![
                    bind_all([("<", A::Older), (">", A::Newer)], "branch", "previous, next branch")
                        .named(&["previous-branch", "next-branch"])
                        .does(&["previous branch", "next branch"])
                        .in_palette("older", "")
                        .titled("previous branch")
                        .disabled_when(not_generated),
                    palette_entry("newer", A::Newer, "next branch", "", ">").disabled_when(not_generated),
                    bind("D", A::Branches, "branches", "all branches side by side")
                        .in_palette("beside", "compare")
                        .disabled_when(not_generated),
                    bind("c", A::Compare, "compare", "compare models, settings or profiles")
                        .in_palette("compare", "diff"),
                    bind("r", A::Runs, "runs", "runs").in_palette("runs", "history").titled("all runs"),
                ],
            ),
            (
                "Probabilities",
                vec![
                    bind("p", A::Heat, "colour", "highlight unlikely tokens")
                        .named(&["highlight-unlikely"])
                        .in_palette("heat", "logprobs color"),
                    bind("t", A::Strip, "strip", "token strip on or off").in_palette("strip", "logprobs alternatives"),
                    bind("T", A::Tokenizer, "tokens", "tokens with their ids").in_palette("tokens", "tokenizer"),
                    bind("B", A::Biases, "biases", "biases of tokens").in_palette("biases", "logit"),
                ],
            ),
            (
                "Copy and send",
                vec![
                    bind("v", A::Select, "select", "select the generated part, then all"),
                    bind("y", A::Copy, "copy", "copy the selection, or the generated part")
                        .in_palette("copy", "clipboard yank")
                        .titled("copy the generated part")
                        .disabled_when(no_text),
                    bind("Y", A::CopyAll, "copy all", "copy the whole text")
                        .in_palette("all", "clipboard yank export")
                        .disabled_when(no_text),
                    bind("o", A::Offer, "send", "send to another tab")
                        .named(&["send-to-tab"])
                        .in_palette("offer", "share")
                        .titled("send the text to another tab")
                        .disabled_when(no_text),
                ],
            ),
            (
                "Find",
                vec![
                    bind("N", A::FindBack, "previous match", "previous match").named(&["previous-match"]),
                    bind("/", A::Find, "find", "find")
                        .in_palette("find", "search")
                        .titled("find in the text")
                        .disabled_when(no_text),
                ],
            ),
            (
                "Move",
                vec![
                    bind("h left", A::Left, "left", "caret left"),
                    bind("l right", A::Right, "right", "caret right"),
                    bind("k up", A::Up, "up", "caret up"),
                    bind("j down", A::Down, "down", "caret down"),
                    bind("g home", A::Top, "start", "start of the text"),
                    bind("G end", A::Bottom, "end", "end of the text"),
                    bind("pageup", A::PageUp, "page up", "page up"),
                    bind("pagedown", A::PageDown, "page down", "page down"),
                    bind("ctrl-u", A::HalfUp, "up", "half a page up"),
                    bind("ctrl-d", A::HalfDown, "down", "half a page down"),
                    bind("tab", A::NextPane, "next pane", "next pane"),
                    bind("shift-tab", A::PreviousPane, "previous pane", "previous pane"),
                ],
            ),
        ],
    )
});

fn no_text(state: &State) -> Option<&'static str> {
    state.text.buffer.is_empty().then_some("there is no text")
}

fn not_generated(state: &State) -> Option<&'static str> {
    state.text.history.last_generated().is_none().then_some("nothing has been generated yet")
}

fn not_busy(state: &State) -> Option<&'static str> {
    (!state.active.is_busy()).then_some("nothing is running")
}

fn busy(state: &State) -> Option<&'static str> {
    state.active.is_busy().then_some("a run is under way")
}

fn nothing_to_undo(state: &State) -> Option<&'static str> {
    busy(state).or_else(|| state.text.history.current().is_none().then_some("there is nothing to undo"))
}

fn not_undone(state: &State) -> Option<&'static str> {
    busy(state).or_else(|| state.text.history.next_step().is_none().then_some("nothing was undone"))
}

fn no_failure(state: &State) -> Option<&'static str> {
    state.failed_run().is_none().then_some("nothing has failed")
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![WRITING.listed(), RUNNING.listed(), FINDING.listed(), KEYS.listed()]
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        for table in [&super::KEYS, &super::WRITING, &super::RUNNING] {
            assert_eq!(table.keymap().clashes(), []);
        }
    }
}
