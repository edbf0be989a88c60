//! What keys ask for on the bench and on its pages, and the keys that the pages share with the bench.

use super::thresholds::Thresholds;
use crate::component::{Binding, Motion, bind, bind_all};
use crate::text::Untrusted;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Run,
    Again,
    Stop,
    /// Ends the countdown to another attempt.
    RetryNow,
    Add,
    Examples,
    Edit,
    /// Leaves the text that is written.
    Finish,
    External,
    Delete,
    Undo,
    Later,
    Earlier,
    AddModel,
    DropModel,
    Thresholds,
    /// Moves the threshold by so many hundredths.
    Threshold(i8),
    Reset,
    Mark,
    Unmark,
    Sort,
    Families,
    Differences,
    AllRows,
    Details,
    Beside,
    History,
    Sentences,
    Blur,
    File,
    Lists,
    Conversation,
    ClosePage,
    Export,
    Offer,
    Copy,
    Curl,
    /// By so many columns.
    Column(isize),
    /// By so many pages of columns.
    Columns(isize),
    Row(Motion),
}

use Action as A;

/// What a page asks of the tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PageEvent {
    /// Show the bench instead.
    Close,
    /// Do what the bench does.
    Act(Action),
    /// Put this text, with its name, on the bench.
    Put { name: Untrusted, text: Untrusted },
    /// The text that is written is another.
    Changed,
}

/// What a dialog tells the tab.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// Write the results to the file at this path.
    Export(String),
    /// The thresholds are others.
    Thresholds(Thresholds),
    /// Ask what a new profile of thresholds is called.
    AskThresholdsName,
    /// Make a profile with this name.
    NewThresholds(String),
    /// Ask where the profile in use of these thresholds goes.
    AskExportThresholds(Thresholds),
    /// Ask which file of thresholds is read.
    AskImportThresholds,
    /// Write the profile in use to the file at this path.
    ExportThresholds(String),
    /// Read the file of thresholds at this path.
    ImportThresholds(String),
}

/// Keys of the bench that hold on its pages, each with what `ctrl-r`, `R` and `d` do there; without differences `d` has
/// the details of a failure, too. `no_row`: why there is no threshold to move.
pub(super) fn on_pages<P: Copy + PartialEq, S>(
    page: fn(Action) -> P,
    [run, again]: [&'static str; 2],
    differences: Option<&'static str>,
    no_row: fn(&S) -> Option<&'static str>,
) -> Vec<Binding<P, S>> {
    let mut list = vec![
        bind("ctrl-r", page(A::Run), "check", run).named(&["run"]),
        bind("R", page(A::Again), again, again).named(&["again"]),
    ];
    list.extend(differences.map(|does| bind("d", page(A::Differences), "differences", does).named(&["differences"])));
    let details = if differences.is_some() { "D" } else { "D d" };
    list.extend([
        bind(details, page(A::Details), "details", "details of a failure").named(&["details"]),
        bind_all(
            [("+", page(A::Threshold(1))), ("-", page(A::Threshold(-1)))],
            "threshold",
            "raise, lower the threshold by 0.01",
        )
        .named(&["raise-threshold", "lower-threshold"])
        .does(&["raise the threshold by 0.01", "lower the threshold by 0.01"])
        .disabled_when(no_row),
        bind_all(
            [("=", page(A::Threshold(5))), ("_", page(A::Threshold(-5)))],
            "by 0.05",
            "raise, lower the threshold by 0.05",
        )
        .named(&["raise-threshold-more", "lower-threshold-more"])
        .does(&["raise the threshold by 0.05", "lower the threshold by 0.05"]),
        bind("0", page(A::Reset), "default", "reset the category's threshold to the default").named(&["reset"]),
        bind("t", page(A::Thresholds), "threshold", "threshold profiles").named(&["thresholds"]),
        bind("m", page(A::AddModel), "model", "add a model as a column of the texts side by side")
            .named(&["add-model"]),
        bind("B", page(A::Blur), "blur", "blur flagged texts").named(&["blur"]),
    ]);
    list
}

/// Keys of the pages that have a list of categories. `no_row`: why there are none to go to.
pub(super) fn category_keys<P: Copy + PartialEq, S>(
    page: fn(Motion) -> P,
    no_row: fn(&S) -> Option<&'static str>,
) -> [Binding<P, S>; 2] {
    let pair = |[(back, up), (on, down)]: [(&'static str, Motion); 2], label, help| {
        bind_all([(back, page(up)), (on, page(down))], label, help).disabled_when(no_row)
    };
    [
        pair([("j down", Motion::Down), ("k up", Motion::Up)], "category", "category")
            .does(&["next category", "previous category"]),
        pair([("home", Motion::First), ("G end", Motion::Last)], "first, last", "first, last category")
            .does(&["first category", "last category"]),
    ]
}
