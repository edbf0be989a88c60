//! What the page's keys do: one table for input, footer and help.

use std::sync::LazyLock;

use super::page::{FilePage, FilePhase};
use crate::component::{Bindings, Motion, bind, bind_all, motions};
use crate::tabs::batch::BatchState;
use crate::ui::key_table::ListedKeys;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Run,
    Again,
    Open,
    Lists,
    Detail,
    Sort,
    Category,
    Before,
    After,
    Flagged,
    Disagree,
    Find,
    Lower,
    Raise,
    Evaluate,
    Failures,
    Export,
    Blur,
    Copy,
    Bench,
    Go(Motion),
    Back,
}

use Action as A;

/// Actions in the footer, those that make no sense just now apart: first these…
pub(super) const FIRST: [A; 2] = [A::Run, A::Failures];
/// …then, where there are new results, how they are sorted in…
pub(super) static NEW_RESULTS: LazyLock<Bindings<Action, ()>> =
    LazyLock::new(|| Bindings::new("moderate.file", vec![bind("s", A::Sort, "sort in", "")]));
/// …and these: with labels what they are for comes early.
pub(super) const FOOTER: [A; 10] =
    [A::Detail, A::Evaluate, A::Disagree, A::Category, A::Flagged, A::Find, A::Sort, A::Export, A::Open, A::Lists];

/// Actions in the footer while no file is open.
pub(super) const NO_FILE: [A; 2] = [A::Open, A::Lists];

/// Keys of the table.
pub(super) static KEYS: LazyLock<Bindings<Action, FilePage>> = LazyLock::new(|| {
    let mut list = vec![
        bind("p ctrl-r", A::Run, "check", "check the texts, pause, resume")
            .labelled(run_label)
            .disabled_when(nothing_to_run),
        bind("enter", A::Detail, "details", "details of the row").disabled_when(no_row),
        bind("s", A::Sort, "sort", "sort new results in; else sort by score, row, label").disabled_when(none_checked),
        bind("c", A::Category, "category", "one category, or all").disabled_when(none_checked),
        bind_all([("<", A::Before), (">", A::After)], "category", "previous, next category")
            .named(&["previous-category", "next-category"])
            .does(&["previous category", "next category"]),
        bind("F", A::Flagged, "flagged", "flagged rows only, or all").disabled_when(none_checked),
        bind("D", A::Disagree, "errors", "errors only: all, false positives, false negatives, wrong category")
            .named(&["errors-only"])
            .disabled_when(no_errors),
        bind("/", A::Find, "find", "find words in the texts"),
        bind("-", A::Lower, "lower", "lower the threshold").named(&["lower-threshold"]),
        bind("+ =", A::Raise, "raise", "raise the threshold").named(&["raise-threshold"]),
        bind("e", A::Evaluate, "evaluate", "how well the thresholds agree with the labels").disabled_when(no_labels),
        bind("x", A::Failures, "failed", "texts that failed").disabled_when(none_failed),
        bind("R", A::Again, "again", "check all again"),
        bind("f", A::Open, "another file", "open another file of texts")
            .labelled(|page| if is_open(page) { "another file" } else { "open a file" }),
        bind("L", A::Lists, "files", "files opened before")
            .labelled(|page| if is_open(page) { "files" } else { "files opened before" }),
        bind("E", A::Export, "export", "export CSV or JSON").disabled_when(none_checked),
        bind("B", A::Blur, "blur", "blur flagged texts, or show them"),
        bind("y", A::Copy, "copy", "copy the text"),
        bind("o", A::Bench, "add to texts", "add the text to the texts side by side").named(&["add-to-texts"]),
        bind("esc", A::Back, "back", "all rows, else back to the texts (a run continues)"),
    ];
    list.extend(motions(A::Go, "row"));
    Bindings::new("moderate.file", list)
});

fn is_open(page: &FilePage) -> bool {
    matches!(page.phase, FilePhase::Open(_))
}

fn run_label(page: &FilePage) -> &'static str {
    let FilePhase::Open(open) = &page.phase else { return "check" };
    match open.state() {
        Some(BatchState::Running) => "pause",
        Some(BatchState::Paused | BatchState::Held { .. }) => "resume",
        None | Some(BatchState::Finished) => "check",
    }
}

fn nothing_to_run(page: &FilePage) -> Option<&'static str> {
    let FilePhase::Open(open) = &page.phase else { return Some("no file is open") };
    let done = match open.state() {
        None => open.tally().left() == 0,
        state => state == Some(BatchState::Finished),
    };
    done.then_some("all texts have a result")
}

fn no_labels(page: &FilePage) -> Option<&'static str> {
    let labelled = matches!(&page.phase, FilePhase::Open(open) if open.dataset.is_labelled());
    (!labelled).then_some("this file has no labels; f reopens it with a label column")
}

fn none_checked(page: &FilePage) -> Option<&'static str> {
    let checked = matches!(&page.phase, FilePhase::Open(open) if open.tally().done > 0);
    (!checked).then_some("no text is checked yet")
}

fn no_errors(page: &FilePage) -> Option<&'static str> {
    no_labels(page).or_else(|| none_checked(page))
}

fn no_row(page: &FilePage) -> Option<&'static str> {
    let some = matches!(&page.phase, FilePhase::Open(open) if !open.rows.order.is_empty());
    (!some).then_some("there is no row")
}

fn none_failed(page: &FilePage) -> Option<&'static str> {
    let failed = matches!(&page.phase, FilePhase::Open(open) if open.tally().failed > 0);
    (!failed).then_some("no text failed")
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
