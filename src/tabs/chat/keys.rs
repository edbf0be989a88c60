//! The tab's keys, a table for each pane: input map, footer and help at once.

use crate::component::Hint;
use crate::ui::form::{Form, Kind};
use crate::ui::keys::Keymap;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Send,
    Newline,
    Submit,
    Stop,
    NextPane,
    PreviousPane,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    External,
    CopyBlock,
    CopyRaw,
    Offer,
    OfferAll,
    NextRole,
    ExpandPaste,
    NextDraft,
    Write,
    Enter,
    NextMessage,
    PreviousMessage,
    NextBlock,
    PreviousBlock,
    Top,
    Bottom,
    Regenerate,
    Edit,
    Continue,
    Older,
    Newer,
    SideBySide,
    Save,
    Model,
    System,
    Params,
    Fold,
    Reasoning,
    Raw,
    Follow,
    Find,
    FindBack,
    New,
    Trash,
    Undo,
    Details,
    SideList,
    Open,
    Rename,
    Filter,
    Purge,
    Down,
    Up,
    Probabilities,
    EndTrial,
    Mark,
    Ideal,
    Marks,
    Change,
    DeleteTurn,
    Curl,
}

use Action as A;

/// While the message box has the caret.
pub(super) fn composer() -> Keymap<Action> {
    Keymap::new(&[
        ("enter", A::Submit, "send"),
        ("ctrl-j", A::Newline, "newline"),
        ("alt-enter shift-enter", A::Newline, "newline, where the terminal can send it"),
        ("ctrl-r", A::Send, "send"),
        ("tab", A::NextPane, "transcript"),
        ("shift-tab", A::PreviousPane, "pane before"),
        ("f3", A::NextDraft, "another draft of this conversation"),
        ("f4", A::External, "$EDITOR (also ^X ^E)"),
        ("pageup", A::PageUp, "scroll up"),
        ("pagedown", A::PageDown, "scroll down"),
        ("ctrl-y", A::CopyBlock, "copy the selected block"),
        ("ctrl-o", A::NextRole, "role of this message"),
        ("ctrl-t", A::Params, "parameters"),
        ("ctrl-g", A::ExpandPaste, "show a pasted text in full"),
    ])
}

/// In the transcript.
pub(super) fn transcript() -> Keymap<Action> {
    Keymap::new(&[
        ("i", A::Write, "write"),
        ("enter", A::Enter, "write; while a retry waits: try now"),
        ("j down", A::NextMessage, "next message"),
        ("k up", A::PreviousMessage, "previous message"),
        ("J", A::NextBlock, "next code block"),
        ("K", A::PreviousBlock, "previous code block"),
        ("y ctrl-y", A::CopyBlock, "copy block"),
        ("Y", A::CopyRaw, "copy message, raw"),
        ("a", A::Mark, "mark an answer as good, or take it back"),
        ("A", A::Ideal, "write what the answer should have been"),
        ("v", A::Marks, "all marked answers: search, export"),
        ("O", A::Offer, "send message to another tab"),
        ("M", A::OfferAll, "send the conversation to another tab"),
        ("s", A::Save, "save block to a file"),
        ("r ctrl-r", A::Regenerate, "regenerate"),
        ("e", A::Edit, "edit and resend"),
        ("E", A::Change, "edit in place: nothing is sent"),
        ("X", A::DeleteTurn, "delete this message"),
        ("C", A::Curl, "copy the request as a curl command"),
        ("c", A::Continue, "continue a stopped answer"),
        ("<", A::Older, "version before"),
        (">", A::Newer, "version after"),
        ("D", A::SideBySide, "versions side by side"),
        ("m", A::Model, "model"),
        ("p", A::System, "system prompt"),
        ("t ctrl-t", A::Params, "parameters"),
        ("ctrl-o", A::NextRole, "role of the next message"),
        ("z", A::Fold, "fold or unfold"),
        ("o", A::Reasoning, "reasoning"),
        ("l", A::Probabilities, "probabilities"),
        ("R", A::Raw, "raw text"),
        ("f", A::Follow, "follow on or off"),
        ("/", A::Find, "find"),
        ("n", A::New, "new conversation; while finding: next match"),
        ("N", A::FindBack, "previous match"),
        ("x", A::Trash, "to the trash"),
        ("u", A::Undo, "undo: trash, delete, edit in place"),
        ("d", A::Details, "details of a failure"),
        ("b", A::SideList, "list"),
        ("g home", A::Top, "top"),
        ("G end", A::Bottom, "end"),
        ("pageup", A::PageUp, "page up"),
        ("pagedown", A::PageDown, "page down"),
        ("ctrl-u", A::HalfUp, "half a page up"),
        ("ctrl-d", A::HalfDown, "half a page down"),
        ("f4", A::External, "$EDITOR"),
        ("tab", A::NextPane, "next pane"),
        ("shift-tab", A::PreviousPane, "pane before"),
    ])
}

/// In the list of conversations.
pub(super) fn list() -> Keymap<Action> {
    Keymap::new(&[
        ("enter l right", A::Open, "open"),
        ("j down", A::Down, "next"),
        ("k up", A::Up, "previous"),
        ("n", A::New, "new"),
        ("e", A::Rename, "rename"),
        ("/", A::Filter, "filter"),
        ("x", A::Trash, "to the trash"),
        ("u", A::Undo, "bring back from the trash"),
        ("X", A::Purge, "delete for good"),
        ("m", A::Model, "model"),
        ("p", A::System, "system prompt"),
        ("t", A::Params, "parameters"),
        ("b", A::SideList, "hide"),
        ("i", A::Write, "write"),
        ("g home", A::Top, "top"),
        ("G end", A::Bottom, "end"),
        ("tab", A::NextPane, "next pane"),
        ("shift-tab", A::PreviousPane, "pane before"),
    ])
}

/// In the parameter panel: what the keys do to the field under the cursor.
pub(super) fn params(form: &Form) -> Vec<Hint> {
    let hint = Hint::new;
    if form.typing() {
        return vec![hint("⏎", "done")];
    }
    let field = hint("j k", "field");
    let default = hint("0", "default");
    match form.kind() {
        Some(Kind::Toggle) => vec![field, hint("⏎", "switch"), default],
        Some(Kind::Text) => vec![field, hint("⏎", "type"), default],
        _ => vec![field, hint("h l", "±"), hint("⏎", "type"), default],
    }
}

/// The parameter panel for the help page.
pub(super) fn params_help() -> Vec<Hint> {
    let hint = Hint::new;
    vec![
        hint("j k", "field"),
        hint("g G", "first, last field"),
        hint("h l", "one step less, more"),
        hint("⏎", "type a value; switch what is yes or no"),
        hint("0", "back to the default"),
        hint("m p", "model, system prompt"),
        hint("esc", "leave the field, then close"),
    ]
}

/// In the strip of probabilities.
pub(super) fn probe() -> Vec<Hint> {
    let hint = Hint::new;
    vec![hint("← →", "token"), hint("w W", "unsure ones"), hint("↑ ↓", "alternative"), hint("t", "parameters")]
}

/// While a question with two answers is open.
pub(super) fn question() -> Vec<Hint> {
    vec![Hint::new("←→", "choose"), Hint::new("⏎", "do it"), Hint::new("esc", "cancel")]
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things_in_a_pane() {
        for map in [super::composer(), super::transcript(), super::list()] {
            assert_eq!(map.clashes(), []);
        }
    }
}
