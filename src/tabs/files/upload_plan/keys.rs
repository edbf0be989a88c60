//! The key bindings of the plan of an upload.

use std::sync::LazyLock;

use super::UploadPlan;
use super::duplicate_search::DuplicateState;
use super::planned_file::{FileSize, PlannedFile, UploadVerdict};
use crate::component::{Bindings, Hint, Motion, bind, bind_all};
use crate::ui::key_table::{KeyContext, KeyPlace, ListedKeys};

/// What becomes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Send,
    LeaveOut,
    UseStored,
}

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Submit,
    Move(Motion),
    Decide(Verb),
    DecideAll(Verb),
    Compare,
    Check,
    Purpose,
    Close,
}

use Action as A;

pub(super) static KEYS: LazyLock<Bindings<Action, UploadPlan>> = LazyLock::new(|| {
    Bindings::new(
        KeyContext::new("files.upload").used_in(KeyPlace::Dialog),
        vec![
            bind("enter", A::Submit, "upload", "upload the files")
                .labelled(submit_label)
                .disabled_when(UploadPlan::nothing_to_upload),
            bind_all([("j down", A::Move(Motion::Down)), ("k up", A::Move(Motion::Up))], "", "file")
                .does(&["next file", "previous file"]),
            bind_all([("pagedown", A::Move(Motion::PageDown)), ("pageup", A::Move(Motion::PageUp))], "", "")
                .does(&["page down", "page up"]),
            bind(
                "s",
                A::Decide(Verb::Send),
                "include anyway",
                "include the file despite what was found, or decide again",
            )
            .disabled_when(needs_no_inclusion),
            bind("o", A::Decide(Verb::LeaveOut), "leave out", "leave the file out, or decide again"),
            bind("x", A::Decide(Verb::LeaveOut), "", ""),
            bind("e", A::Decide(Verb::UseStored), "use stored file", "use the stored file of the same content")
                .disabled_when(has_no_copy),
            bind_all(
                [
                    ("S", A::DecideAll(Verb::Send)),
                    ("O", A::DecideAll(Verb::LeaveOut)),
                    ("E", A::DecideAll(Verb::UseStored)),
                ],
                "",
                "the same for all undecided files",
            )
            .does(&[
                "include all undecided files",
                "leave out all undecided files",
                "use the stored files for all undecided ones that have one",
            ]),
            bind("X", A::DecideAll(Verb::LeaveOut), "", ""),
            bind("r", A::Compare, "compare", "compare it with the stored file of the same size")
                .disabled_when(needs_no_comparison),
            bind("v", A::Check, "check", "open the check page"),
            bind("p", A::Purpose, "purpose", "choose the purpose"),
            bind("esc", A::Close, "cancel", "upload nothing"),
            bind("q", A::Close, "", ""),
        ],
    )
});

/// Returns the footer of the list of files: what can be done with the one under the cursor.
pub(super) fn footer(plan: &UploadPlan) -> Vec<Hint> {
    let decisions = [A::Decide(Verb::UseStored), A::Compare, A::Decide(Verb::Send)];
    // If the only file were left out, nothing would remain.
    let out = (plan.items.len() > 1).then_some(A::Decide(Verb::LeaveOut));
    let mut actions: Vec<A> = decisions.into_iter().chain(out).collect();
    // Nothing is uploaded while a file is undecided: its decisions come first.
    let is_undecided = plan.selected_file().is_some_and(|item| item.verdict() == UploadVerdict::Asks);
    actions.insert(if is_undecided { actions.len() } else { 0 }, A::Submit);
    actions.extend([A::Check, A::Purpose]);
    KEYS.footer(&actions, plan)
}

/// Returns the label of Enter: where stored files are used for all, nothing is uploaded.
fn submit_label(plan: &UploadPlan) -> &'static str {
    if plan.sum().0 == 0 { "confirm" } else { "upload" }
}

fn needs_no_inclusion(plan: &UploadPlan) -> Option<&'static str> {
    if plan.selected_file().is_some_and(|item| matches!(item.size, FileSize::Wrong(_))) {
        return Some("it cannot be sent");
    }
    let sent =
        plan.selected_file().is_some_and(|item| item.verdict() == UploadVerdict::Send && item.decision.is_none());
    sent.then_some("it is included")
}

fn has_no_copy(plan: &UploadPlan) -> Option<&'static str> {
    let none = plan.selected_file().is_none_or(|item| item.stored_copy().is_none());
    none.then_some("no stored file has the same content")
}

fn needs_no_comparison(plan: &UploadPlan) -> Option<&'static str> {
    let waits = |item: &PlannedFile| matches!(item.duplicate.state, DuplicateState::NeedsConfirm(_));
    (!plan.selected_file().is_some_and(waits)).then_some("there is nothing to compare it with")
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}
