//! The tab's keys, one table: input map, footer and help at once.

use crate::ui::keys::Keymap;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Refresh,
    Create,
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
    Hurry,
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
    Up,
    Down,
    Top,
    Bottom,
    PageUp,
    PageDown,
}

use Action as A;

/// While jobs and events are looked at.
pub(super) fn jobs() -> Keymap<Action> {
    Keymap::new(&[
        ("C", A::Create, "create a fine-tune"),
        ("x", A::Cancel, "cancel the job"),
        ("enter", A::Details, "details; of a job that ended its events too"),
        ("space", A::Mark, "mark to overlay curves, six at most"),
        ("f", A::Follow, "follow the job, or no more"),
        ("ctrl-r", A::Refresh, "ask for the jobs again"),
        ("t", A::Try, "try the model beside its base"),
        ("T", A::Score, "score held-out rows"),
        ("r", A::Results, "fetch the result file"),
        ("o", A::Open, "open a result file or log of events of this machine"),
        ("c", A::Clone, "a new job with this one's settings"),
        ("X", A::Delete, "delete the model it made"),
        ("y", A::CopyModel, "copy the model's name; in the events the event"),
        ("Y", A::CopyId, "copy the job's id"),
        ("e", A::All, "events of this job, or of all"),
        ("w", A::Wrap, "wrap long events"),
        ("R", A::Hurry, "try lost streams now"),
        ("/", A::Find, "filter jobs; in the events: find"),
        ("n", A::Next, "next event found"),
        ("N", A::Back, "event found before"),
        ("S", A::Sort, "sort: running first, newest first, by name"),
        ("J", A::List, "the list of jobs, where one pane is shown"),
        ("D", A::Failure, "details of a failure"),
        ("tab shift-tab", A::Pane, "other pane"),
        ("<", A::Before, "job before"),
        (">", A::After, "next job"),
        ("k up", A::Up, "up"),
        ("j down", A::Down, "down"),
        ("g home", A::Top, "first"),
        ("G end", A::Bottom, "last"),
        ("pageup ctrl-u", A::PageUp, "page up"),
        ("pagedown ctrl-d", A::PageDown, "page down"),
    ])
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        assert_eq!(super::jobs().clashes(), []);
    }
}
