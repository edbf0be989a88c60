//! The tab's key bindings.

use std::sync::LazyLock;

use super::panes::{ListSide, PaneFocus};
use super::state::State;
use crate::component::{Binding, Bindings, Motion, bind};
use crate::ui::key_table::ListedKeys;

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Refresh,
    NextPane,
    PreviousPane,
    Open,
    Zoom,
    OpenFolder,
    Parent,
    Home,
    Path,
    Hidden,
    Sample,
    Upload,
    Download,
    Delete,
    Check,
    Train,
    CopyId,
    CopyName,
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
    Move(Motion),
    PreviousColumns,
    NextColumns,
    Escape,
}

use Action as A;

impl Action {
    /// Returns whether it is about the rows of a list.
    pub(super) fn is_of_lists(self) -> bool {
        matches!(
            self,
            A::Zoom
                | A::OpenFolder
                | A::Parent
                | A::Home
                | A::Hidden
                | A::Upload
                | A::Download
                | A::Delete
                | A::Check
                | A::Train
                | A::CopyId
                | A::CopyName
                | A::Mark
                | A::MarkAll
                | A::Sort
                | A::Reverse
                | A::Filter
                | A::PreviousColumns
                | A::NextColumns
        )
    }
}

/// Actions in the footer on transfers.
pub(super) const TRANSFERS: [A; 6] = [A::Pause, A::Cancel, A::Retry, A::Transfers, A::Clear, A::NextPane];
/// On the local side.
pub(super) const LOCAL: [A; 6] = [A::Upload, A::Check, A::NextPane, A::Open, A::Mark, A::Filter];
/// On the local side where the folder has nothing to act on.
pub(super) const EMPTY_FOLDER: [A; 4] = [A::Sample, A::Parent, A::Path, A::NextPane];
/// On the server's side.
pub(super) const SERVER: [A; 6] = [A::Upload, A::Download, A::Delete, A::Mark, A::Refresh, A::NextPane];

/// Keys of the lists.
pub(super) static KEYS: LazyLock<Bindings<Action, State>> = LazyLock::new(|| {
    Bindings::grouped(
        "files.lists",
        vec![
            ("Files", files()),
            ("Folders and panes", folders()),
            ("Marks, order, filter", rows()),
            ("Transfers", transfers()),
            ("Move", motions()),
        ],
    )
});

/// Returns the keys that go from pane to pane and from folder to folder.
fn folders() -> Vec<Binding<Action, State>> {
    vec![
        bind("ctrl-r", A::Refresh, "refresh", "load the list again")
            .in_palette("refresh", "reload list")
            .titled("refresh")
            .disabled_when(dialog),
        bind("tab", A::NextPane, "", "next pane: folder, server, transfers").labelled(|state| {
            let lists = state.panes.focus == PaneFocus::List;
            if lists && state.panes.side == ListSide::Local { "server" } else { "folder" }
        }),
        bind("shift-tab", A::PreviousPane, "previous pane", "previous pane"),
        bind("enter", A::Open, "open", "open the folder, or preview the file"),
        bind("f", A::Zoom, "full size", "preview the file in the whole tab, or beside the lists")
            .in_palette("zoom", "preview full screen maximise")
            .titled("preview the file in the whole tab")
            .disabled_when(dialog),
        bind("l right", A::OpenFolder, "open", "open the folder"),
        bind("h left backspace", A::Parent, "parent folder", "parent folder"),
        bind("~", A::Home, "home", "the home folder")
            .in_palette("home", "")
            .titled("go to the home folder")
            .disabled_when(not_local),
        bind("i", A::Path, "path", "type a folder's path; tab completes it")
            .in_palette("path", "open cd directory")
            .titled("go to a folder")
            .disabled_when(dialog),
        bind(".", A::Hidden, "hidden", "show or hide hidden files").in_palette("hidden", "").disabled_when(not_local),
    ]
}

/// Returns the keys that do something with files.
fn files() -> Vec<Binding<Action, State>> {
    vec![
        bind("U", A::Upload, "upload", "upload the marked files, or this one; in the server's list, type a path")
            .in_palette("upload", "send add")
            .titled("upload")
            .disabled_when(|state| no_files(state).or_else(|| no_row(state))),
        bind("D", A::Download, "download", "download the marked files, or this one")
            .in_palette("download", "save fetch export")
            .titled("download")
            .disabled_when(not_stored),
        bind("x", A::Delete, "delete", "delete from the server (asks)")
            .in_palette("delete", "remove")
            .titled("delete from the server")
            .disabled_when(not_stored),
        bind("E", A::Sample, "sample", "write a sample training file into this folder, and go to it")
            .in_palette("sample", "example demo try")
            .disabled_when(dialog),
        bind("v", A::Check, "check", "check a local training file, and repair it")
            .in_palette("validate", "lint jsonl")
            .titled("check a training file")
            .disabled_when(|state| not_local(state).or_else(|| no_row(state))),
        bind("o", A::Train, "train", "train with this file").in_palette("train", "tune").disabled_when(not_stored),
        bind("y", A::CopyId, "copy", "copy the id, or the path")
            .in_palette("copy", "clipboard yank")
            .titled("copy the id or path")
            .disabled_when(dialog),
        bind("Y", A::CopyName, "copy name", "copy the name"),
    ]
}

/// Returns the keys for marks, order and filter.
fn rows() -> Vec<Binding<Action, State>> {
    vec![
        bind("space", A::Mark, "mark", "mark"),
        bind("A", A::MarkAll, "mark all", "mark all that show, or none")
            .in_palette("mark", "select")
            .titled("mark all, or none")
            .disabled_when(dialog),
        bind("s", A::Sort, "sort", "sort by the next column").in_palette("sort", "order").disabled_when(dialog),
        bind("S", A::Reverse, "reverse", "reverse the order").in_palette("reverse", "").disabled_when(dialog),
        bind("/", A::Filter, "filter", "filter by words in the name")
            .in_palette("filter", "search find")
            .titled("filter by words")
            .disabled_when(dialog),
    ]
}

/// Returns the keys of transfers and of failures.
fn transfers() -> Vec<Binding<Action, State>> {
    vec![
        bind("T", A::Transfers, "all", "all transfers, or only those under way")
            .in_palette("transfers", "progress")
            .titled("all transfers")
            .disabled_when(no_transfer),
        bind("p", A::Pause, "pause", "pause or resume a transfer").in_palette("pause", "").disabled_when(no_transfer),
        bind("c", A::Cancel, "cancel", "cancel a transfer, or remove an ended one from the list")
            .in_palette("cancel", "")
            .titled("cancel a transfer")
            .disabled_when(no_transfer),
        bind("X", A::Clear, "clear ended", "remove all ended transfers from the list"),
        bind("R", A::Retry, "retry", "retry a transfer now")
            .in_palette("retry", "resume")
            .titled("retry a transfer")
            .disabled_when(no_transfer),
        bind("C", A::Curl, "curl", "copy the request for the list as curl")
            .in_palette("curl", "http")
            .disabled_when(no_files),
        bind("d", A::Details, "details", "details of a failure")
            .in_palette("details", "error")
            .titled("details of a failure")
            .disabled_when(dialog),
    ]
}

/// Returns the keys that move the cursor.
fn motions() -> Vec<Binding<Action, State>> {
    vec![
        bind("k up", A::Move(Motion::Up), "up", "up"),
        bind("j down", A::Move(Motion::Down), "down", "down"),
        bind("pageup ctrl-u", A::Move(Motion::PageUp), "page up", "page up"),
        bind("pagedown ctrl-d", A::Move(Motion::PageDown), "page down", "page down"),
        bind("g home", A::Move(Motion::First), "first", "first"),
        bind("G end", A::Move(Motion::Last), "last", "last"),
        bind("<", A::PreviousColumns, "previous columns", "previous columns"),
        bind(">", A::NextColumns, "next columns", "next columns"),
        bind("esc", A::Escape, "", "").does(&["back, one step at a time"]),
    ]
}

fn dialog(state: &State) -> Option<&'static str> {
    state.modals.is_open().then_some("a dialog is open; esc closes it")
}

fn no_files(state: &State) -> Option<&'static str> {
    let unsupported = || {
        state
            .servers
            .current()
            .is_some_and(|remote| remote.listing.is_unsupported())
            .then_some("this server does not store files")
    };
    dialog(state).or_else(unsupported)
}

fn not_stored(state: &State) -> Option<&'static str> {
    let local = || (state.panes.side == ListSide::Local).then_some("the cursor is in the folder (to the server: tab)");
    let none = || {
        state
            .servers
            .current()
            .is_none_or(|remote| remote.list.selected_item().is_none())
            .then_some("no file is selected")
    };
    no_files(state).or_else(local).or_else(none)
}

fn not_local(state: &State) -> Option<&'static str> {
    let server = || (state.panes.side == ListSide::Server).then_some("the cursor is on the server's side (tab)");
    dialog(state).or_else(server)
}

/// Returns why an upload is disabled: the local folder is empty. On the server's side a path may be typed instead.
fn no_row(state: &State) -> Option<&'static str> {
    state.has_empty_folder().then_some("no file is selected")
}

fn no_transfer(state: &State) -> Option<&'static str> {
    dialog(state).or_else(|| (state.transfers.len() == 0).then_some("no transfer is under way"))
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
