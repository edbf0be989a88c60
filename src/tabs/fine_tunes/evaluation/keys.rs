//! The page's keys.

use std::sync::LazyLock;

use super::open_evaluation::{EvaluationView, OpenEvaluation};
use crate::component::{Bindings, Motion, bind};
use crate::ui::key_table::ListedKeys;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Run,
    Again,
    Filter,
    Classes,
    Detail,
    Export,
    File,
    Move(Motion),
    Next,
    Previous,
    Escape,
}

use Action as A;

/// Actions in the footer, those that make no sense just now apart.
pub(super) const FOOTER: [A; 8] = [A::Run, A::Again, A::Filter, A::Detail, A::Classes, A::Export, A::File, A::Previous];

/// Keys of the open rows.
pub(super) static KEYS: LazyLock<Bindings<Action, OpenEvaluation>> = LazyLock::new(|| {
    Bindings::new(
        "tune.evaluation",
        vec![
            bind("p ctrl-r", A::Run, "resume", "send, pause, resume").labelled(run_label).disabled_when(all_answered),
            bind("R", A::Again, "retry failed", "ask again about rows without an answer").disabled_when(none_failed),
            bind("c", A::Filter, "filter", "all rows, changed, wrong, failed").disabled_when(one_row),
            bind("t", A::Classes, "classes", "classes, or rows").disabled_when(no_classes),
            bind("enter", A::Detail, "row", "the row's prompt and answers").disabled_when(busy_or_one_row),
            bind("E", A::Export, "export", "export (.csv or .jsonl)").disabled_when(busy_or_one_row),
            bind("f", A::File, "other rows", "score with other rows").disabled_when(busy_or_one_row),
            bind("j down", A::Move(Motion::Down), "next", "next"),
            bind("k up", A::Move(Motion::Up), "previous", "previous"),
            bind("pagedown ctrl-d", A::Move(Motion::PageDown), "page down", "page down"),
            bind("pageup ctrl-u", A::Move(Motion::PageUp), "page up", "page up"),
            bind("g home", A::Move(Motion::First), "top", "top"),
            bind("G end", A::Move(Motion::Last), "end", "end"),
            bind("> n right", A::Next, "next row", "the next row's answers").named(&["next-row"]),
            bind("< N left", A::Previous, "row", "the previous row")
                .named(&["previous-row"])
                .shown("< >")
                .disabled_when(no_row),
            bind("esc", A::Escape, "", "").does(&["stop, or back"]),
        ],
    )
});

fn run_label(open: &OpenEvaluation) -> &'static str {
    match (open.is_running(), open.dataset.settings.begun) {
        (true, _) => "pause",
        (false, true) => "resume",
        (false, false) => "send",
    }
}

fn all_answered(open: &OpenEvaluation) -> Option<&'static str> {
    (!open.is_running() && open.is_finished()).then_some("all rows are answered")
}

fn none_failed(open: &OpenEvaluation) -> Option<&'static str> {
    (open.is_running() || open.failed_count() == 0).then_some("every row in this run was answered")
}

/// Returns why rows cannot be filtered: one of them is looked at.
fn one_row(open: &OpenEvaluation) -> Option<&'static str> {
    (!open.is_running() && matches!(open.sub, EvaluationView::Detail(..))).then_some("a single row is shown")
}

/// Returns why no single row is shown.
fn no_row(open: &OpenEvaluation) -> Option<&'static str> {
    (open.is_running() || !matches!(open.sub, EvaluationView::Detail(..))).then_some("all rows are shown")
}

fn busy_or_one_row(open: &OpenEvaluation) -> Option<&'static str> {
    if open.is_running() { Some("the rows are being sent") } else { one_row(open) }
}

fn no_classes(open: &OpenEvaluation) -> Option<&'static str> {
    busy_or_one_row(open).or_else(|| open.figures.classes.is_empty().then_some("the answers are not classes"))
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
