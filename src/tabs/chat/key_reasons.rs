//! Says why an action cannot be used now, for the footer and the palette.

use super::conversation::is_unfinished;
use super::state::State;

/// Returns the reason while the conversation has no message.
pub(super) fn nothing_said(state: &State) -> Option<&'static str> {
    let conversation = state.conversation();
    conversation.path.last().and_then(|id| conversation.tree.turn(*id)).is_none().then_some("no messages yet")
}

/// Returns the reason while no call waits for a result.
pub(super) fn no_calls(state: &State) -> Option<&'static str> {
    state.conversation().open_calls().is_empty().then_some("no call waits for a result")
}

pub(super) fn not_at_rest(state: &State) -> Option<&'static str> {
    nothing_said(state).or_else(|| state.conversation().is_busy().then_some("an answer is under way"))
}

pub(super) fn complete(state: &State) -> Option<&'static str> {
    let conversation = state.conversation();
    let last = conversation.path.last().and_then(|id| conversation.tree.turn(*id));
    not_at_rest(state).or_else(|| (!last.is_some_and(is_unfinished)).then_some("the last answer is complete"))
}

pub(super) fn not_busy(state: &State) -> Option<&'static str> {
    (!state.conversation().is_busy()).then_some("nothing is streaming")
}

pub(super) fn not_in_trash(state: &State) -> Option<&'static str> {
    state.conversation().record.trashed_ms.is_none().then_some("it is not in the trash")
}

pub(super) fn no_find(state: &State) -> Option<&'static str> {
    state.find.text().is_empty().then_some("nothing to find yet")
}

pub(super) fn no_comparison(state: &State) -> Option<&'static str> {
    (!state.is_comparison()).then_some("one model answers here")
}

pub(super) fn no_undo(state: &State) -> Option<&'static str> {
    state.undos.is_empty().then_some("nothing to undo")
}

/// Returns the reason while the word under the cursor in the message box names no file.
pub(super) fn no_mention(state: &State) -> Option<&'static str> {
    (!state.composer.editor.word().starts_with('@')).then_some("no path is begun with @")
}

/// Returns the reason while the message box has no long paste.
pub(super) fn no_paste(state: &State) -> Option<&'static str> {
    (!state.composer.has_paste).then_some("no pasted text in the message box")
}

/// Returns the reason once there is a message or a draft of one.
pub(super) fn already_begun(state: &State) -> Option<&'static str> {
    (!state.offers_examples()).then_some("the conversation is begun")
}

/// Returns the reason while the message box has a text that was not recalled, or the cursor is within it.
pub(super) fn no_older_prompt(state: &State) -> Option<&'static str> {
    let composer = &state.composer;
    let looks_back = composer.editor.is_empty() || composer.recalled.is_some();
    (!(looks_back && composer.editor.on_first_row())).then_some("a message is being written")
}

/// Returns the reason while the message box has no recalled text, or the cursor is within it.
pub(super) fn no_newer_prompt(state: &State) -> Option<&'static str> {
    let composer = &state.composer;
    (composer.recalled.is_none() || !composer.editor.on_last_row()).then_some("no message was recalled")
}
