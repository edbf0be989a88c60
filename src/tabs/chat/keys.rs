//! The tab's keys, a table for each pane: for input, footer, help and palette.

use std::sync::LazyLock;

use crossterm::event::KeyEvent;

pub(super) use super::action::Action;
use super::empty_state::LOAD_EXAMPLE;
use super::key_reasons::{
    already_begun, complete, no_calls, no_comparison, no_find, no_mention, no_newer_prompt, no_older_prompt, no_paste,
    no_undo, not_at_rest, not_busy, not_in_trash, nothing_said,
};
use super::state::State;
use crate::component::{Bindings, Command, Hint, bind, bind_all, palette_entry};
use crate::ui::key_table::ListedKeys;

use Action as A;

/// The key that takes away what lies uppermost, in every pane.
pub(super) static ESCAPE: LazyLock<Bindings<(), State>> = LazyLock::new(|| {
    Bindings::while_typing(
        "chat.escape",
        vec![bind("esc", (), "", "").named(&["escape"]).does(&["close what lies uppermost, else leave or stop"])],
    )
});

/// Keys while the message box has the caret, where Enter sends.
static COMPOSER: LazyLock<Bindings<Action, State>> =
    LazyLock::new(|| composer_with("enter", "ctrl-j", "alt-enter shift-enter"));
/// Keys while the message box has the caret, where Enter inserts a newline.
static COMPOSER_NEWLINES: LazyLock<Bindings<Action, State>> =
    LazyLock::new(|| composer_with("alt-enter", "enter ctrl-j", "shift-enter"));

/// Returns the keys of the message box in force.
pub(super) fn composer(enter_newline: bool) -> &'static Bindings<Action, State> {
    if enter_newline { &COMPOSER_NEWLINES } else { &COMPOSER }
}

/// Returns the keys of the message box with those that send and those that insert a newline, in any terminal and in
/// some.
fn composer_with(
    submit: &'static str,
    newline: &'static str,
    newline_in_some: &'static str,
) -> Bindings<Action, State> {
    Bindings::while_typing(
        "chat.composer",
        vec![
            bind(submit, A::Submit, "send", "send").labelled(send_label),
            bind("esc", A::Stop, "stop", "").labelled(stop_label),
            bind(newline, A::Newline, "newline", "newline"),
            bind(newline_in_some, A::Newline, "newline", "newline, if the terminal supports it"),
            bind("ctrl-r", A::Send, "send", "send").does(&["send, also where Enter inserts a newline"]),
            bind("tab", A::NextPane, "transcript", "transcript; behind @ and the beginning of a path: attach a file"),
            bind("shift-tab", A::PreviousPane, "previous pane", "previous pane"),
            bind("f3", A::NextDraft, "draft", "another draft of this conversation").in_palette("draft", ""),
            bind("f4", A::External, "$EDITOR", "$EDITOR (also ^X ^E)")
                .in_palette("external", "editor vim compose")
                .titled("write in $EDITOR"),
            bind("pageup", A::PageUp, "scroll", "scroll up"),
            bind("pagedown", A::PageDown, "scroll", "scroll down"),
            bind("ctrl-y", A::CopyBlock, "copy", "copy the selected block"),
            bind("ctrl-o", A::NextRole, "role", "role of this message"),
            bind("ctrl-t", A::Params, "parameters", "parameters").named(&["parameters"]),
            bind("f6", A::Result, "result", "result of a tool call: from a file or a command").disabled_when(no_calls),
            bind("ctrl-g", A::ExpandPaste, "show paste", "show a pasted text in full")
                .in_palette("expand", "paste")
                .disabled_when(no_paste),
        ],
    )
}

/// Keys that act where the text in the message box allows it, and else edit it or do what the other tables say.
static COMPOSER_TEXT: LazyLock<Bindings<Action, State>> = LazyLock::new(|| {
    Bindings::while_typing(
        "chat.composer-first",
        vec![
            bind("tab", A::AttachMentioned, "attach", "").disabled_when(no_mention),
            bind("up", A::PreviousExample, "previous example", "").disabled_when(already_begun),
            bind("down", A::NextExample, "next example", "").disabled_when(already_begun),
            bind("up", A::OlderPrompt, "older prompt", "").disabled_when(no_older_prompt),
            bind("down", A::NewerPrompt, "newer prompt", "").disabled_when(no_newer_prompt),
        ],
    )
});

/// Returns the action of a key in the message box.
pub(super) fn find_in_composer(key: &KeyEvent, enter_newline: bool, state: &State) -> Option<Action> {
    COMPOSER_TEXT.find_enabled(key, state).or_else(|| composer(enter_newline).find(key))
}

/// Returns actions of the message box as hints.
pub(super) fn composer_footer(actions: &[Action], state: &State) -> Vec<Hint> {
    composer(state.composer.enter_newline).footer(actions, state)
}

fn send_label(state: &State) -> &'static str {
    match () {
        () if state.conversation().is_retrying() => "try now",
        () if state.composer.result_of.is_some() => "result",
        () if state.offers_examples() => LOAD_EXAMPLE,
        () => "send",
    }
}

fn stop_label(state: &State) -> &'static str {
    if state.conversation().is_retrying() { "give up" } else { "stop" }
}

fn enter_label(state: &State) -> &'static str {
    if state.conversation().is_retrying() { "try now" } else { "write" }
}

/// Keys in the transcript.
pub(super) static TRANSCRIPT: LazyLock<Bindings<Action, State>> = LazyLock::new(|| {
    Bindings::grouped(
        "chat.transcript",
        vec![
            (
                "",
                vec![
                    bind("i", A::Write, "write", "write")
                        .in_palette("write", "compose type send")
                        .titled("write a message"),
                    bind("enter", A::Enter, "write", "write; while a retry waits: try now").labelled(enter_label),
                    bind("esc", A::Stop, "stop", "").labelled(stop_label),
                    palette_entry("stop", A::Stop, "stop the answer", "cancel abort interrupt", "esc")
                        .disabled_when(not_busy),
                    bind("j down", A::NextMessage, "message", "next message"),
                    bind("k up", A::PreviousMessage, "message", "previous message"),
                    bind("J", A::NextBlock, "code block", "next code block"),
                    bind("K", A::PreviousBlock, "code block", "previous code block"),
                    bind("g home", A::Top, "top", "top")
                        .in_palette("top", "beginning start")
                        .titled("to the first message")
                        .disabled_when(nothing_said),
                    bind("G end", A::Bottom, "end", "end")
                        .in_palette("end", "bottom last newest")
                        .titled("to the end")
                        .disabled_when(nothing_said),
                    bind("pageup", A::PageUp, "page up", "page up"),
                    bind("pagedown", A::PageDown, "page down", "page down"),
                    bind("ctrl-u", A::HalfUp, "half a page", "half a page up"),
                    bind("ctrl-d", A::HalfDown, "half a page", "half a page down"),
                    bind("f", A::Follow, "follow", "follow on or off")
                        .in_palette("follow", "scroll")
                        .titled("follow the answer, or stop following it")
                        .disabled_when(nothing_said),
                    bind("tab", A::NextPane, "pane", "next pane"),
                    bind("shift-tab", A::PreviousPane, "pane", "previous pane"),
                ],
            ),
            (
                "Answers",
                vec![
                    bind("r ctrl-r", A::Regenerate, "regenerate", "regenerate")
                        .in_palette("regenerate", "retry again")
                        .titled("regenerate the last answer")
                        .disabled_when(not_at_rest),
                    bind("c", A::Continue, "continue", "continue a stopped answer")
                        .in_palette("continue", "resume more")
                        .titled("continue the last answer")
                        .disabled_when(complete),
                    bind("<", A::Older, "version", "previous version")
                        .named(&["previous-version"])
                        .in_palette("older", "previous branch")
                        .disabled_when(nothing_said),
                    bind(">", A::Newer, "version", "next version")
                        .named(&["next-version"])
                        .in_palette("newer", "next branch")
                        .disabled_when(nothing_said),
                    bind("D", A::SideBySide, "versions", "versions side by side")
                        .in_palette("beside", "compare differences")
                        .disabled_when(nothing_said),
                    palette_entry("alone", A::EndComparison, "let one model answer again", "end comparison alone", "")
                        .disabled_when(no_comparison),
                    bind("o", A::Reasoning, "reasoning", "reasoning")
                        .in_palette("reasoning", "thinking thoughts")
                        .titled("show or hide the reasoning")
                        .disabled_when(nothing_said),
                    bind("l", A::Probabilities, "probabilities", "probabilities")
                        .in_palette("probabilities", "logprobs tokens")
                        .titled("token probabilities")
                        .disabled_when(nothing_said),
                    bind("w f6", A::Result, "result", "result of a tool call: written, from a file or a command")
                        .in_palette("result", "tool function call answer")
                        .titled("give the result of a tool call")
                        .disabled_when(no_calls),
                    bind("z", A::Fold, "fold", "fold or unfold")
                        .in_palette("fold", "collapse expand")
                        .titled("fold or unfold a long message")
                        .disabled_when(nothing_said),
                    bind("R", A::Raw, "raw", "raw text")
                        .in_palette("raw", "source plain")
                        .titled("raw text or Markdown")
                        .disabled_when(nothing_said),
                    bind("d", A::Details, "details", "details of a failure")
                        .in_palette("details", "error")
                        .disabled_when(nothing_said),
                ],
            ),
            (
                "Messages",
                vec![
                    bind("e", A::Edit, "edit", "edit and resend")
                        .in_palette("edit", "change branch")
                        .titled("edit the last message and resend")
                        .disabled_when(nothing_said),
                    bind("E", A::Change, "edit in place", "edit in place: nothing is sent")
                        .named(&["edit-in-place"])
                        .in_palette("change", "correct modify")
                        .titled("edit the last message in place")
                        .disabled_when(nothing_said),
                    bind("X", A::DeleteTurn, "delete", "delete this message")
                        .in_palette("delete", "remove erase")
                        .titled("delete the last message")
                        .disabled_when(nothing_said),
                    bind("u", A::Undo, "undo", "undo: trash, delete, edit in place")
                        .in_palette("undo", "restore revert")
                        .titled("undo: bring back what was trashed, deleted or edited last")
                        .disabled_when(no_undo),
                    bind("a", A::Mark, "mark", "mark an answer as good, or take it back")
                        .in_palette("mark", "rate like training")
                        .titled("mark the last answer as good, or take it back")
                        .disabled_when(nothing_said),
                    bind("A", A::Ideal, "ideal", "write what the answer should have been")
                        .named(&["ideal-answer"])
                        .in_palette("ideal", "correct training")
                        .titled("write what the last answer should have been")
                        .disabled_when(nothing_said),
                    bind("I", A::Pictures, "images", "show the images of a message")
                        .in_palette("images", "picture photo view attachment")
                        .titled("show the images of the last message")
                        .disabled_when(nothing_said),
                    bind("v", A::Marks, "marked", "all marked answers: search, export")
                        .in_palette("marks", "dataset jsonl good")
                        .titled("all marked answers, to export as training rows"),
                    bind("ctrl-o", A::NextRole, "role", "role of the next message")
                        .in_palette("role", "system assistant"),
                    bind("f4", A::External, "$EDITOR", "$EDITOR"),
                    palette_entry("attach", A::Attach, "attach a file to the message", "picture image", "@"),
                ],
            ),
            (
                "Copy and send",
                vec![
                    bind("y ctrl-y", A::CopyBlock, "copy", "copy block")
                        .in_palette("block", "clipboard yank code")
                        .titled("copy the selected block")
                        .disabled_when(nothing_said),
                    bind("Y", A::CopyRaw, "copy raw", "copy message, raw")
                        .in_palette("copy", "clipboard yank")
                        .titled("copy the last message, raw")
                        .disabled_when(nothing_said),
                    bind("s", A::Save, "save", "save block to a file")
                        .in_palette("save", "export download code")
                        .titled("save the selected block to a file")
                        .disabled_when(nothing_said),
                    bind("C", A::Curl, "curl", "copy the request as a curl command")
                        .in_palette("curl", "http export")
                        .titled("copy the conversation's request as a curl command")
                        .disabled_when(nothing_said),
                    bind("O", A::Offer, "send", "send message to another tab")
                        .named(&["send-message-to-tab"])
                        .in_palette("offer", "share")
                        .titled("send the last message to another tab")
                        .disabled_when(nothing_said),
                    bind("M", A::OfferAll, "send all", "send the conversation to another tab")
                        .named(&["send-conversation-to-tab"])
                        .in_palette("whole", "share")
                        .disabled_when(nothing_said),
                ],
            ),
            (
                "Conversation",
                vec![
                    bind("n", A::New, "new", "new conversation; while finding: next match")
                        .in_palette("new", "start blank clear reset chat")
                        .titled("new conversation"),
                    bind("/", A::Find, "find", "find")
                        .in_palette("find", "search")
                        .titled("find in this conversation")
                        .disabled_when(nothing_said),
                    palette_entry("next", A::FindNext, "next match", "search", "n")
                        .key_of("chat.finding", "next-match")
                        .disabled_when(no_find),
                    bind("N", A::FindBack, "previous match", "previous match")
                        .named(&["previous-match"])
                        .in_palette("previous", "search")
                        .disabled_when(no_find),
                    bind("m", A::Model, "model", "model"),
                    bind("p", A::System, "system", "system prompt").in_palette("system", "instructions persona"),
                    bind("t ctrl-t", A::Params, "parameters", "parameters")
                        .named(&["parameters"])
                        .in_palette("params", "settings temperature options top_p max_tokens seed"),
                    bind("x", A::Trash, "trash", "to the trash")
                        .in_palette("trash", "delete remove archive")
                        .titled("move this conversation to the trash")
                        .disabled_when(nothing_said),
                    bind("b", A::SideList, "list", "list")
                        .in_palette("list", "sidebar history")
                        .titled("show or hide the list"),
                ],
            ),
        ],
    )
});

/// Keys while words are looked for, before the transcript's.
pub(super) static FINDING: LazyLock<Bindings<Action, State>> = LazyLock::new(|| {
    Bindings::new(
        "chat.finding",
        vec![
            bind_all([("n", A::FindNext), ("N", A::FindBack)], "next, previous match", "")
                .named(&["next-match", "previous-match"])
                .does(&["next match", "previous match"]),
        ],
    )
});

/// Keys of versions side by side, in place of the transcript's.
pub(super) static VERSIONS: LazyLock<Bindings<Action, State>> = LazyLock::new(|| {
    Bindings::new(
        "chat.versions",
        vec![
            bind("<", A::Older, "choose", "use the previous version").named(&["previous-version"]),
            bind(">", A::Newer, "choose", "use the next version").named(&["next-version"]),
            bind("j down", A::NextMessage, "scroll", "scroll down"),
            bind("k up", A::PreviousMessage, "scroll", "scroll up"),
            bind("pagedown", A::PageDown, "scroll", "page down"),
            bind("pageup", A::PageUp, "scroll", "page up"),
            bind("ctrl-d", A::HalfDown, "scroll", "half a page down"),
            bind("ctrl-u", A::HalfUp, "scroll", "half a page up"),
            bind("g home", A::Top, "top", "top"),
            bind("G end", A::Bottom, "end", "end"),
            bind("D", A::SideBySide, "close", "close (also esc)"),
            bind("i enter", A::Write, "write", "write"),
            bind("/", A::Find, "find", "find in the conversation; closes the versions"),
            bind("tab", A::NextPane, "pane", "next pane"),
            bind("shift-tab", A::PreviousPane, "pane", "previous pane"),
        ],
    )
});

/// What the palette offers of the list of conversations, for the open one.
static OPEN_CONVERSATION: LazyLock<Bindings<Action, State>> = LazyLock::new(|| {
    Bindings::new(
        "chat.transcript",
        vec![
            palette_entry("rename", A::Rename, "rename this conversation", "title name", "e")
                .key_of("chat.conversations", "rename")
                .disabled_when(nothing_said),
            palette_entry("filter", A::Filter, "filter conversations", "search", "/")
                .key_of("chat.conversations", "filter"),
            palette_entry("purge", A::Purge, "delete this conversation for good", "erase remove", "X")
                .key_of("chat.conversations", "purge")
                .disabled_when(not_in_trash),
        ],
    )
});

/// Returns the palette's entries of all tables.
pub(super) fn palette(state: &State) -> Vec<Command> {
    [&TRANSCRIPT, &OPEN_CONVERSATION, &COMPOSER].into_iter().flat_map(|table| table.palette("Chat", state)).collect()
}

/// Returns the action of the palette's entry with this id, if it can be used.
pub(super) fn command(id: &str, state: &State) -> Option<Action> {
    [&TRANSCRIPT, &OPEN_CONVERSATION, &COMPOSER].into_iter().find_map(|table| table.command(id, state))
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys(enter_newline: bool) -> Vec<ListedKeys> {
    vec![
        composer(enter_newline).listed(),
        COMPOSER_TEXT.listed(),
        TRANSCRIPT.listed(),
        FINDING.listed(),
        VERSIONS.listed(),
        ESCAPE.listed(),
    ]
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things_in_a_pane() {
        for table in
            [&super::COMPOSER, &super::COMPOSER_NEWLINES, &super::FINDING, &super::TRANSCRIPT, &super::VERSIONS]
        {
            assert_eq!(table.keymap().clashes(), []);
        }
    }
}
