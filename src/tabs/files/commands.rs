//! What the palette offers of this tab: one table for titles, keys and what they do.

use super::Files;
use super::keys::Action;
use super::shelf::Shelf;
use super::state::{Focus, Side};
use crate::component::{Command, Cx, keywords};

/// What has to be so for a command to make sense.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// The server has files.
    Server,
    /// The cursor is on a file of the server.
    Stored,
    /// The cursor is in the folder's list.
    Local,
    /// There is a transfer.
    Transfer,
}

/// Id, action, title, need.
#[rustfmt::skip]
const TABLE: [(&str, Action, &str, Needs); 20] = [
    ("refresh", Action::Refresh, "refresh", Needs::Nothing),
    ("upload", Action::Upload, "upload", Needs::Server),
    ("download", Action::Download, "download", Needs::Stored),
    ("delete", Action::Delete, "delete from the server", Needs::Stored),
    ("train", Action::Offer, "train with this file", Needs::Stored),
    ("validate", Action::Validate, "check a training file", Needs::Local),
    ("path", Action::Path, "go to a folder", Needs::Nothing),
    ("home", Action::Home, "go to the home folder", Needs::Local),
    ("hidden", Action::Hidden, "show or hide hidden files", Needs::Local),
    ("filter", Action::Filter, "filter by words", Needs::Nothing),
    ("sort", Action::Sort, "sort by the next column", Needs::Nothing),
    ("reverse", Action::Reverse, "turn the order round", Needs::Nothing),
    ("mark", Action::MarkAll, "mark all, or none", Needs::Nothing),
    ("copy", Action::Copy, "copy the id or path", Needs::Nothing),
    ("curl", Action::Curl, "copy the request for the list as curl", Needs::Server),
    ("transfers", Action::Transfers, "all transfers", Needs::Transfer),
    ("pause", Action::Pause, "pause a transfer, or go on", Needs::Transfer),
    ("cancel", Action::Cancel, "cancel a transfer", Needs::Transfer),
    ("retry", Action::Retry, "try a transfer again", Needs::Transfer),
    ("details", Action::Details, "details of a failure", Needs::Nothing),
];

/// Other words for some of them, by id.
const KEYWORDS: [(&str, &str); 15] = [
    ("refresh", "reload list"),
    ("upload", "send add"),
    ("download", "save fetch export"),
    ("delete", "remove"),
    ("train", "tune"),
    ("validate", "lint jsonl"),
    ("path", "open cd directory"),
    ("filter", "search find"),
    ("sort", "order"),
    ("mark", "select"),
    ("copy", "clipboard yank"),
    ("curl", "http"),
    ("transfers", "progress"),
    ("retry", "resume"),
    ("details", "error"),
];

impl Files {
    pub(super) fn table(&self) -> Vec<Command> {
        let command = |(id, action, title, needs): &(&'static str, Action, &'static str, Needs)| Command {
            id,
            title: format!("Files: {title}"),
            key: self.keys.key(*action),
            disabled: self.lacks(*needs).map(str::to_owned),
            keywords: keywords(&KEYWORDS, id),
        };
        TABLE.iter().map(command).collect()
    }

    /// What is missing for a command; `None`: nothing.
    fn lacks(&self, needs: Needs) -> Option<&'static str> {
        let state = &self.state;
        let shelf = state.shelf();
        match needs {
            _ if state.has_dialog() => Some("a box is open; esc closes it"),
            Needs::Server | Needs::Stored if shelf.is_some_and(Shelf::is_unsupported) => {
                Some("this server keeps no files")
            }
            Needs::Stored if state.side == Side::Local => Some("the cursor is in the folder (to the server: tab)"),
            Needs::Stored if shelf.is_none_or(|shelf| shelf.here().is_none()) => Some("there is no file"),
            Needs::Local if state.side == Side::Server => Some("the cursor is on the server's side (tab)"),
            Needs::Transfer if state.transfers.len() == 0 => Some("nothing is on its way"),
            _ => None,
        }
    }

    /// Runs the entry with this id.
    pub(super) fn run_command(&mut self, id: &str, cx: &mut Cx) {
        self.state.sync(cx);
        if let Some((_, action, _, needs)) = TABLE.iter().find(|(other, ..)| *other == id)
            && self.lacks(*needs).is_none()
            && !self.state.has_dialog()
        {
            // A check goes on; v on its file comes back to it.
            self.state.put_aside(cx);
            if action.is_of_lists() {
                self.state.focus = Focus::List;
            }
            self.state.untouched = false;
            self.act(*action, cx);
        }
    }
}
