//! The tab's keys, a table for each state: input map, footer and help at once.

use crate::ui::keys::Keymap;

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

/// While the bench is looked at.
pub(super) fn bench() -> Keymap<Action> {
    Keymap::new(&[
        ("ctrl-r", A::Run, "check what is new; if nothing is, all again"),
        ("R", A::Again, "check this column again"),
        ("a", A::Add, "add a text (a paste adds one too)"),
        ("e i enter", A::Edit, "edit the text"),
        ("f4", A::External, "edit it in $EDITOR"),
        ("x", A::Delete, "delete the text"),
        ("u", A::Undo, "bring the deleted text back"),
        ("J", A::Later, "move the text to the right"),
        ("K", A::Earlier, "move the text to the left"),
        ("m", A::AddModel, "add a model as a column"),
        ("M", A::DropModel, "remove this column's model"),
        ("t", A::Thresholds, "threshold profiles"),
        ("+", A::Raise, "raise the row's threshold by 0.01"),
        ("-", A::Lower, "lower it by 0.01"),
        ("=", A::RaiseMuch, "raise it by 0.05"),
        ("_", A::LowerMuch, "lower it by 0.05"),
        ("0", A::Reset, "the profile's default for the row"),
        ("space", A::Mark, "mark the row: + and - move all marked"),
        ("s", A::Sort, "sort by score, or by name"),
        ("g", A::Families, "group by family"),
        ("d", A::Differences, "only differences; of a failed column the details"),
        ("D", A::Details, "details of a failure"),
        ("c", A::Beside, "columns side by side, where one is shown"),
        ("H", A::Past, "this text at other times"),
        ("w", A::Origin, "where it comes from, sentence by sentence"),
        ("B", A::Blur, "blur flagged texts"),
        ("f", A::File, "the file opened last, else choose one"),
        ("L", A::Lists, "files opened before"),
        ("v", A::Turns, "the conversation that was sent here"),
        ("E", A::Export, "export as CSV or JSON"),
        ("o", A::Offer, "send the text to another tab"),
        ("y", A::Copy, "copy the text"),
        ("C", A::Curl, "copy the request as curl"),
        ("h left", A::Left, "column before"),
        ("l right", A::Right, "next column"),
        ("<", A::PageLeft, "columns before"),
        (">", A::PageRight, "more columns"),
        ("k up", A::Up, "row above"),
        ("j down", A::Down, "row below"),
        ("home", A::Top, "first row"),
        ("G end", A::Bottom, "last row"),
        ("pageup ctrl-u", A::PageUp, "page up"),
        ("pagedown ctrl-d", A::PageDown, "page down"),
    ])
}

/// While a text is written.
pub(super) fn writing() -> Keymap<Action> {
    Keymap::new(&[("ctrl-r", A::Run, "check"), ("f4", A::External, "$EDITOR (also ^X ^E)")])
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        for map in [super::bench(), super::writing()] {
            assert_eq!(map.clashes(), []);
        }
    }
}
