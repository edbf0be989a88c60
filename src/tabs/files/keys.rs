//! The tab's keys: input map, footer and help at once.

use crate::ui::keys::Keymap;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Refresh,
    Next,
    Before,
    Open,
    Into,
    Parent,
    Home,
    Path,
    Hidden,
    Upload,
    Download,
    Delete,
    Validate,
    Offer,
    Copy,
    CopyPath,
    Mark,
    MarkAll,
    Sort,
    Reverse,
    Filter,
    Transfers,
    Pause,
    Cancel,
    Clear,
    Retry,
    Details,
    Curl,
    Up,
    Down,
    PageUp,
    PageDown,
    Top,
    Bottom,
    Less,
    More,
}

use Action as A;

impl Action {
    /// Whether it is about the rows of a list.
    pub(super) fn is_of_lists(self) -> bool {
        matches!(
            self,
            A::Into
                | A::Parent
                | A::Home
                | A::Hidden
                | A::Upload
                | A::Download
                | A::Delete
                | A::Validate
                | A::Offer
                | A::Copy
                | A::CopyPath
                | A::Mark
                | A::MarkAll
                | A::Sort
                | A::Reverse
                | A::Filter
                | A::Less
                | A::More
        )
    }
}

/// Everywhere.
pub(super) fn table() -> Keymap<Action> {
    Keymap::new(&[
        ("ctrl-r", A::Refresh, "refresh the list; a countdown ends now"),
        ("tab", A::Next, "next pane: folder, server, transfers"),
        ("shift-tab", A::Before, "pane before"),
        ("enter", A::Open, "open the folder, or look into the file"),
        ("l right", A::Into, "open the folder"),
        ("h left backspace", A::Parent, "the folder around this one"),
        ("~", A::Home, "the home folder"),
        ("i", A::Path, "type a folder's path; tab completes it"),
        (".", A::Hidden, "show or hide hidden files"),
        ("U", A::Upload, "upload the marked files, or this one; on the server's side a typed path"),
        ("D", A::Download, "download the marked files, or this one"),
        ("x", A::Delete, "delete from the server (asks)"),
        ("v", A::Validate, "check a local training file, and mend it"),
        ("o", A::Offer, "train with this file"),
        ("y", A::Copy, "copy the id, or the path"),
        ("Y", A::CopyPath, "copy the name"),
        ("space", A::Mark, "mark"),
        ("A", A::MarkAll, "mark all that show; again: none"),
        ("s", A::Sort, "sort by the next column"),
        ("S", A::Reverse, "turn the order round"),
        ("/", A::Filter, "show only names that have these words"),
        ("T", A::Transfers, "all transfers, or only those under way"),
        ("p", A::Pause, "pause a transfer, or go on"),
        ("c", A::Cancel, "cancel a transfer; one that is over leaves the list"),
        ("X", A::Clear, "take all transfers that have ended off the list"),
        ("R", A::Retry, "try a transfer again, now"),
        ("C", A::Curl, "copy the request for the list as curl"),
        ("d", A::Details, "what the server said of a failure"),
        ("k up", A::Up, "up"),
        ("j down", A::Down, "down"),
        ("pageup ctrl-u", A::PageUp, "page up"),
        ("pagedown ctrl-d", A::PageDown, "page down"),
        ("g home", A::Top, "first"),
        ("G end", A::Bottom, "last"),
        ("<", A::Less, "columns before"),
        (">", A::More, "more columns"),
    ])
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_key_means_two_things() {
        assert_eq!(super::table().clashes(), []);
    }
}
