//! What keys ask for on the bench and on its pages, and the keys that the pages share with the bench.

use crate::component::{Binding, bind, bind_all};
use crate::text::Untrusted;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Run,
    Again,
    Stop,
    Add,
    Edit,
    External,
    Delete,
    Undo,
    Later,
    Earlier,
    AddModel,
    DropModel,
    Thresholds,
    Raise,
    Lower,
    RaiseMuch,
    LowerMuch,
    Reset,
    Mark,
    Sort,
    Families,
    Differences,
    Details,
    Beside,
    Past,
    Origin,
    Blur,
    File,
    Lists,
    Turns,
    Export,
    Offer,
    Copy,
    Curl,
    Left,
    Right,
    PageLeft,
    PageRight,
    Up,
    Down,
    Top,
    Bottom,
    PageUp,
    PageDown,
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
}

/// Keys of the bench that hold on its pages, each with what `ctrl-r`, `R` and `d` do there.
pub(super) fn on_pages<P: Copy + PartialEq, S>(
    page: fn(Action) -> P,
    [run, again, differences]: [&'static str; 3],
) -> Vec<Binding<P, S>> {
    vec![
        bind("ctrl-r", page(A::Run), "check", run),
        bind("R", page(A::Again), again, again),
        bind("d", page(A::Differences), "differences", differences),
        bind("D", page(A::Details), "details", "details of a failure"),
        bind_all([("+", page(A::Raise)), ("-", page(A::Lower))], "threshold", "threshold by 0.01"),
        bind_all([("=", page(A::RaiseMuch)), ("_", page(A::LowerMuch))], "by 0.05", "threshold by 0.05"),
        bind("0", page(A::Reset), "default", "the profile's default for the category"),
        bind("t", page(A::Thresholds), "threshold", "threshold profiles"),
        bind("m", page(A::AddModel), "model", "add a model as a column of the bench"),
        bind("B", page(A::Blur), "blur", "blur flagged texts"),
    ]
}
