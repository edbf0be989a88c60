//! The page's keys: input map, footer and help at once.

use crate::ui::keys::Keymap;

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
    Up,
    Down,
    PageUp,
    PageDown,
    HalfUp,
    HalfDown,
    Top,
    Bottom,
    Back,
}

use Action as A;

/// While the table is looked at.
pub(super) fn table() -> Keymap<Action> {
    Keymap::new(&[
        ("p ctrl-r", A::Run, "check the texts, pause, go on"),
        ("enter", A::Detail, "the row's detail"),
        ("s", A::Sort, "sort new results in; else sort by score, row, label"),
        ("c", A::Category, "one category, or all"),
        ("<", A::Before, "category before"),
        (">", A::After, "category after"),
        ("F", A::Flagged, "flagged rows only, or all"),
        ("D", A::Disagree, "errors only: all, false positives, false negatives, wrong category"),
        ("/", A::Find, "find words in the texts"),
        ("-", A::Lower, "lower the threshold"),
        ("+ =", A::Raise, "raise the threshold"),
        ("e", A::Evaluate, "how well the thresholds agree with the labels"),
        ("x", A::Failures, "texts that came to nothing"),
        ("R", A::Again, "check all again"),
        ("f", A::Open, "open another file of texts"),
        ("L", A::Lists, "files opened before"),
        ("E", A::Export, "export CSV or JSON"),
        ("B", A::Blur, "blur flagged texts, or not"),
        ("y", A::Copy, "copy the text"),
        ("o", A::Bench, "put the text on the bench"),
        ("k up", A::Up, "row before"),
        ("j down", A::Down, "next row"),
        ("pageup", A::PageUp, "page up"),
        ("pagedown", A::PageDown, "page down"),
        ("ctrl-u", A::HalfUp, "half a page up"),
        ("ctrl-d", A::HalfDown, "half a page down"),
        ("g home", A::Top, "first row"),
        ("G end", A::Bottom, "last row"),
        ("esc", A::Back, "all rows; else back to the bench, what runs goes on"),
    ])
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        assert_eq!(super::table().clashes(), []);
    }
}
