//! Says why an action cannot be used now, for the footer and the palette.

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
    not_at_rest(state).or_else(|| (!last.is_some_and(State::unfinished)).then_some("the last answer is complete"))
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
