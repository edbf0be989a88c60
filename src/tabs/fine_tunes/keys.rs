//! What the tab's keys do: one table for input, footer, help and palette.

use std::sync::LazyLock;

use super::state::State;
use crate::component::{Binding, Bindings, Motion, bind};
use crate::settings::ProfileId;
use crate::ui::key_table::ListedKeys;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Refresh,
    Create,
    Sample,
    Clone,
    Details,
    Cancel,
    Delete,
    CopyModel,
    CopyId,
    Results,
    Open,
    Mark,
    Try,
    Score,
    All,
    Follow,
    RetryNow,
    Find,
    Next,
    Back,
    Wrap,
    Sort,
    List,
    Failure,
    Pane,
    Before,
    After,
    Move(Motion),
    Escape,
}

use Action as A;

/// Actions in the footer where there is no job.
pub(super) const NO_JOB: [A; 4] = [A::Create, A::Sample, A::Refresh, A::Open];
/// Where the stream of a job was lost.
pub(super) const LOST: [A; 3] = [A::RetryNow, A::Create, A::Details];
/// Among events.
pub(super) const EVENTS: [A; 5] = [A::All, A::Find, A::Wrap, A::Follow, A::Create];
/// On a job.
pub(super) const JOB: [A; 8] = [A::Create, A::Cancel, A::Try, A::Details, A::Results, A::Mark, A::Follow, A::Refresh];
/// On the details of a job.
pub(super) const DETAILS: [A; 3] = [A::Cancel, A::Try, A::CopyModel];
/// All that can be done on the details of a job.
pub(super) const ON_DETAILS: [A; 13] = [
    A::Cancel,
    A::Delete,
    A::CopyModel,
    A::CopyId,
    A::Results,
    A::Try,
    A::Score,
    A::Clone,
    A::Create,
    A::Follow,
    A::Refresh,
    A::RetryNow,
    A::Failure,
];

/// Keys of the jobs.
pub(super) static KEYS: LazyLock<Bindings<Action, State>> = LazyLock::new(|| {
    Bindings::grouped(
        "tune.jobs",
        vec![
            ("Jobs", jobs()),
            ("Models", models()),
            ("Results", curves()),
            ("Events and filter", events()),
            ("Move", motions()),
        ],
    )
});

/// Returns the keys of jobs.
fn jobs() -> Vec<Binding<Action, State>> {
    vec![
        bind("C", A::Create, "create", "create a fine-tune")
            .in_palette("create", "train new start")
            .disabled_when(no_fine_tunes),
        bind("E", A::Sample, "sample", "train a sample model on the local service")
            .in_palette("sample", "example demo try")
            .disabled_when(no_sample),
        bind("x", A::Cancel, "cancel", "cancel the job").in_palette("cancel", "stop").disabled_when(not_running),
        bind("enter", A::Details, "details", "details; also loads the events of an ended job")
            .in_palette("details", "")
            .titled("details of the job")
            .disabled_when(no_job),
        bind("c", A::Clone, "clone", "new job with these settings")
            .in_palette("clone", "again repeat copy")
            .disabled_when(no_job),
        bind("f", A::Follow, "follow", "follow the job, or stop following")
            .in_palette("follow", "")
            .disabled_when(not_running),
        bind("R", A::RetryNow, "retry now", "reconnect lost streams now").in_palette("hurry", ""),
        bind("ctrl-r", A::Refresh, "refresh", "refresh the list of jobs").in_palette("refresh", "reload list"),
        bind("S", A::Sort, "sort", "sort: running first, newest first, by name")
            .in_palette("sort", "")
            .titled("sort jobs")
            .disabled_when(no_job),
        bind("d D", A::Failure, "failure", "details of a failure")
            .in_palette("failure", "error")
            .disabled_when(no_failure),
    ]
}

/// Returns the keys of the models that jobs have made.
fn models() -> Vec<Binding<Action, State>> {
    vec![
        bind("t", A::Try, "try it", "try the model beside its base")
            .in_palette("try", "test compare")
            .disabled_when(no_model),
        bind("T", A::Score, "score", "score held-out rows")
            .in_palette("score", "evaluate accuracy")
            .disabled_when(no_model),
        bind("X", A::Delete, "delete", "delete the job's model")
            .in_palette("delete", "remove")
            .titled("delete the model")
            .disabled_when(no_model),
        bind("y", A::CopyModel, "copy model", "copy the model's name, or an event in the events")
            .in_palette("copy", "clipboard yank")
            .titled("copy the model's name")
            .disabled_when(no_model),
        bind("Y", A::CopyId, "copy id", "copy the job's id").in_palette("id", "clipboard yank").disabled_when(no_job),
    ]
}

/// Returns the keys that choose what is drawn.
fn curves() -> Vec<Binding<Action, State>> {
    vec![
        bind("space", A::Mark, "overlay", "mark to compare curves, at most six")
            .in_palette("mark", "compare")
            .titled("mark the job to compare curves")
            .disabled_when(no_job),
        bind("r", A::Results, "results", "load the result file")
            .in_palette("results", "metrics loss export")
            .titled("load the result file and plot it")
            .disabled_when(no_results),
        bind("o", A::Open, "open a file", "open a local result file or event log").in_palette("open", "import csv"),
    ]
}

/// Returns the keys of events and of the filter.
fn events() -> Vec<Binding<Action, State>> {
    vec![
        bind("e", A::All, "all jobs", "events of this job or of all jobs")
            .named(&["all-events"])
            .in_palette("all", "log")
            .disabled_when(no_job),
        bind("w", A::Wrap, "wrap", "wrap long events").in_palette("wrap", "").disabled_when(no_job),
        bind("/", A::Find, "find", "filter jobs; in the events, find"),
        bind("n", A::Next, "next", "next match").named(&["next-match"]),
        bind("N", A::Back, "previous", "previous match").named(&["previous-match"]),
    ]
}

/// Returns the keys that move the cursor and the focus.
fn motions() -> Vec<Binding<Action, State>> {
    vec![
        bind("J", A::List, "list", "the list of jobs, where only one pane fits"),
        bind("tab shift-tab", A::Pane, "pane", "other pane").named(&["other-pane"]),
        bind("<", A::Before, "previous job", "previous job").named(&["previous-job"]),
        bind(">", A::After, "next job", "next job").named(&["next-job"]),
        bind("k up", A::Move(Motion::Up), "up", "up"),
        bind("j down", A::Move(Motion::Down), "down", "down"),
        bind("g home", A::Move(Motion::First), "first", "first"),
        bind("G end", A::Move(Motion::Last), "last", "last"),
        bind("pageup ctrl-u", A::Move(Motion::PageUp), "page up", "page up"),
        bind("pagedown ctrl-d", A::Move(Motion::PageDown), "page down", "page down"),
        bind("esc", A::Escape, "", "").does(&["back, one step at a time"]),
    ]
}

fn no_fine_tunes(state: &State) -> Option<&'static str> {
    state.has_none().then_some("this server has no fine-tunes")
}

pub(super) fn no_sample(state: &State) -> Option<&'static str> {
    let local = state.list().is_some_and(|list| list.profile == ProfileId::local());
    let prepares = || state.sample.is_some().then_some("the sample is being prepared");
    if local { prepares() } else { Some("samples need the local service") }
}

fn no_job(state: &State) -> Option<&'static str> {
    state.selected_job().is_none().then_some("there is no job (C creates one)")
}

fn not_running(state: &State) -> Option<&'static str> {
    no_job(state).or_else(|| (!state.selected_job()?.runs()).then_some("the job has ended"))
}

fn no_model(state: &State) -> Option<&'static str> {
    no_job(state).or_else(|| state.selected_job()?.model().is_none().then_some("the job has no model"))
}

fn no_results(state: &State) -> Option<&'static str> {
    no_job(state)
        .or_else(|| state.selected_job()?.job.result_files.is_empty().then_some("the job has no result file yet"))
}

pub(super) fn no_failure(state: &State) -> Option<&'static str> {
    state.list().is_none_or(|list| list.failure.is_none()).then_some("nothing has failed")
}

/// Returns its tables of keys, for the list of all keys.
pub(crate) fn listed_keys() -> Vec<ListedKeys> {
    vec![KEYS.listed()]
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        assert_eq!(super::KEYS.keymap().clashes(), []);
    }
}
