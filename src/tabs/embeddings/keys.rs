//! The tab's keys, a table for each pane: input map, footer and help at once.

use crate::ui::keys::Keymap;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Run,
    Pause,
    Add,
    Edit,
    External,
    Delete,
    Undo,
    Lower,
    Raise,
    File,
    Lists,
    Typed,
    Open,
    Inputs,
    Matrix,
    Map,
    Pairs,
    Query,
    Compare,
    Hygiene,
    Order,
    Scale,
    Whole,
    Zoom,
    Dimensions,
    Model,
    Newlines,
    Export,
    Import,
    Find,
    Next,
    Previous,
    Details,
    Copy,
    Offer,
    Load,
    Left,
    Right,
    Up,
    Down,
    Top,
    Bottom,
    PageUp,
    PageDown,
    NextPane,
    PreviousPane,
}

use Action as A;

type Line = (&'static str, Action, &'static str);

const FIRST: [Line; 2] = [("ctrl-r", A::Run, "embed what has no vector yet"), ("p", A::Pause, "pause, go on")];

const COMMON: [Line; 27] = [
    ("x", A::Delete, "delete the text"),
    ("u", A::Undo, "undo the last change of the list"),
    ("f", A::File, "texts from a file"),
    ("L", A::Lists, "files that were opened"),
    ("T", A::Typed, "back to the typed texts"),
    ("m", A::Map, "map"),
    ("P", A::Pairs, "pairs above a threshold, near-duplicates"),
    ("s", A::Query, "rank by a text that is typed"),
    ("c", A::Compare, "compare two models or two lengths"),
    ("H", A::Hygiene, "what the vectors are like"),
    ("D", A::Dimensions, "dimensions"),
    ("M", A::Model, "model"),
    ("W", A::Newlines, "newlines as spaces, or as they are"),
    ("b", A::Load, "load the vectors that are on disk"),
    ("E", A::Export, "export vectors or matrix"),
    ("I", A::Import, "import them"),
    ("/", A::Find, "find a text"),
    ("n", A::Next, "next match"),
    ("N", A::Previous, "match before"),
    ("d", A::Details, "details of a failure"),
    ("y", A::Copy, "copy the text"),
    ("O", A::Offer, "send the texts to another tab"),
    ("f4", A::External, "edit in $EDITOR"),
    ("pageup", A::PageUp, "page up"),
    ("pagedown", A::PageDown, "page down"),
    ("tab", A::NextPane, "next pane"),
    ("shift-tab", A::PreviousPane, "pane before"),
];

const INPUTS: [Line; 11] = [
    ("a", A::Add, "add a text"),
    ("e enter i", A::Edit, "edit the text"),
    ("J", A::Lower, "move the text down"),
    ("K", A::Raise, "move the text up"),
    ("j down", A::Down, "next text"),
    ("k up", A::Up, "text before"),
    ("g home", A::Top, "first text"),
    ("G end", A::Bottom, "last text"),
    ("l right", A::Matrix, "similarities"),
    ("ctrl-d", A::PageDown, "half a page down"),
    ("ctrl-u", A::PageUp, "half a page up"),
];

const MATRIX: [Line; 15] = [
    ("h left", A::Left, "cell left"),
    ("j down", A::Down, "cell down"),
    ("k up", A::Up, "cell up"),
    ("l right", A::Right, "cell right"),
    ("enter", A::Open, "both texts in full"),
    ("o", A::Order, "order by cluster, or as typed"),
    ("v", A::Scale, "colours from 0 to 1, or from least to most"),
    ("i", A::Inputs, "inputs"),
    ("a", A::Add, "add a text"),
    ("e", A::Edit, "edit the text"),
    ("z", A::Whole, "the whole matrix at once, or its cells"),
    ("+ -", A::Zoom, "wide, or beside the other panes"),
    ("g home", A::Top, "first row"),
    ("G end", A::Bottom, "last row"),
    ("0", A::Matrix, "back to the first cell"),
];

/// The list of texts.
pub(super) fn inputs() -> Keymap<Action> {
    Keymap::new(&[&FIRST[..], &INPUTS, &COMMON].concat())
}

/// The matrix, or the list above so many texts.
pub(super) fn matrix() -> Keymap<Action> {
    Keymap::new(&[&FIRST[..], &MATRIX, &COMMON].concat())
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        for map in [super::inputs(), super::matrix()] {
            assert_eq!(map.clashes(), []);
        }
    }
}
