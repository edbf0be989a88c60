//! The key bindings of the plan of an upload.

use super::UploadPlan;
use crate::component::{Bindings, Hint, Motion, bind, bind_all};

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

/// Returns the table.
pub(super) fn table() -> Bindings<Action, UploadPlan> {
    Bindings::new(vec![
        bind("enter", A::Submit, "upload", "upload what is to be sent"),
        bind_all([("j down", A::Move(Motion::Down)), ("k up", A::Move(Motion::Up))], "", "file"),
        bind_all([("pagedown", A::Move(Motion::PageDown)), ("pageup", A::Move(Motion::PageUp))], "", ""),
        bind("s", A::Decide(Verb::Send), "send anyway", "send it, whatever was found; again: undecided"),
        bind("o", A::Decide(Verb::LeaveOut), "leave out", "leave it out; again: undecided"),
        bind("x", A::Decide(Verb::LeaveOut), "", ""),
        bind("e", A::Decide(Verb::UseStored), "use that there", "use the stored file of the same content"),
        bind_all(
            [
                ("S", A::DecideAll(Verb::Send)),
                ("O", A::DecideAll(Verb::LeaveOut)),
                ("E", A::DecideAll(Verb::UseStored)),
            ],
            "",
            "the same for all files that wait for an answer",
        ),
        bind("X", A::DecideAll(Verb::LeaveOut), "", ""),
        bind("r", A::Compare, "", "read the stored file of the same size to compare it"),
        bind("v", A::Check, "check page", "check page"),
        bind("p", A::Purpose, "", "what for"),
        bind("esc", A::Close, "", "send nothing"),
        bind("q", A::Close, "", ""),
    ])
}

/// Returns the footer of the list of files.
pub(super) fn footer(plan: &UploadPlan) -> Vec<Hint> {
    let verbs = [Verb::Send, Verb::UseStored, Verb::LeaveOut].map(A::Decide);
    let actions: Vec<A> = [A::Submit].into_iter().chain(verbs).chain([A::Check]).collect();
    table().footer(&actions, plan)
}

/// What a key does while the purpose is chosen, beside what the list of purposes does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PurposeKey {
    Choose,
    Leave,
}

/// Returns the keys of the list of purposes.
pub(super) fn purposes() -> Bindings<PurposeKey, UploadPlan> {
    Bindings::new(vec![
        bind("enter", PurposeKey::Choose, "choose", ""),
        bind("esc", PurposeKey::Leave, "", "").labelled(|plan| plan.leave_purposes().1),
    ])
}
