//! Loads and saves where the user was and how the lists are sorted.

use serde::{Deserialize, Serialize};

use super::local::LocalOrder;
use super::remote_file::RemoteOrder;
use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::training::Mapping;
use crate::record::{Query, Record, Rows, Stored};
use crate::text::Untrusted;
use crate::ui::table::SortDirection;

/// Files whose columns are remembered.
const MAPPINGS: usize = 50;
/// The setting's name.
const SETTING: &str = "files.view";

/// Where the user was, and how the lists are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SavedView {
    /// The local folder, absolute; empty: the one the program was started in.
    pub(super) folder: String,
    /// Whether names that begin with a dot show.
    pub(super) hidden: bool,
    /// What was last uploaded for; empty: nothing yet.
    pub(super) purpose: String,
    /// What columns of training files are taken for, the latest first.
    pub(super) mappings: Vec<Mapping>,
    local: Option<(LocalOrder, bool)>,
    server: Option<(RemoteOrder, bool)>,
}

impl SavedView {
    /// Remembers what the columns of a file are taken for.
    pub(super) fn remember(&mut self, mapping: Mapping) {
        self.mappings.retain(|other| other.columns != mapping.columns);
        self.mappings.insert(0, mapping);
        self.mappings.truncate(MAPPINGS);
    }

    pub(super) fn local_sort(&self) -> (LocalOrder, SortDirection) {
        self.local.map_or((LocalOrder::Name, SortDirection::Ascending), |(by, down)| {
            (by, SortDirection::from_descending(down))
        })
    }

    pub(super) fn server_sort(&self) -> (RemoteOrder, SortDirection) {
        self.server.map_or((RemoteOrder::Created, SortDirection::Descending), |(by, down)| {
            (by, SortDirection::from_descending(down))
        })
    }

    pub(super) fn set_sorts(&mut self, local: (LocalOrder, SortDirection), server: (RemoteOrder, SortDirection)) {
        self.local = Some((local.0, local.1 == SortDirection::Descending));
        self.server = Some((server.0, server.1 == SortDirection::Descending));
    }
}

/// How far a setting is loaded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SettingLoad {
    #[default]
    NotAsked,
    Asked,
    Loaded,
    /// It could not be read, and is not overwritten.
    Unreadable,
}

/// The saved view and its way from and to the store.
#[derive(Debug, Default)]
pub(super) struct Persistence {
    pub(super) view: SavedView,
    load: SettingLoad,
    /// A local file that was handed over before the view was loaded.
    pub(super) offered: Option<String>,
    /// Whether the folder asked for is the saved one: if it is gone, there is another to begin with.
    pub(super) tries_folder: bool,
}

impl Persistence {
    /// Asks for the saved view, once. Returns the ticket.
    pub(super) fn ask(&mut self, cx: &mut Cx) -> Option<Ticket> {
        if self.load != SettingLoad::NotAsked {
            return None;
        }
        self.load = SettingLoad::Asked;
        Some(cx.load(Query::Setting(SETTING.into())))
    }

    /// Returns whether the saved view is known, or known not to be readable.
    pub(super) fn is_loaded(&self) -> bool {
        matches!(self.load, SettingLoad::Loaded | SettingLoad::Unreadable)
    }

    /// Takes the store's reply; the error is why the view could not be read.
    pub(super) fn handle_stored(&mut self, stored: Stored) -> Result<(), Untrusted> {
        self.load = SettingLoad::Loaded;
        match stored {
            Stored::Rows(Rows::Setting(_, Some(json))) => {
                self.view = serde_json::from_str(json.raw()).unwrap_or_default();
            }
            Stored::Failed(why) => {
                self.load = SettingLoad::Unreadable;
                return Err(why);
            }
            _ => {}
        }
        self.tries_folder = !self.view.folder.is_empty();
        Ok(())
    }

    /// Saves the view, unless what is there could not be read.
    pub(super) fn record(&self, cx: &mut Cx) {
        if self.load != SettingLoad::Unreadable {
            let json = serde_json::to_string(&self.view).expect("texts and numbers are always JSON");
            cx.save(Record::Setting(SETTING.into(), json.into()));
        }
    }
}
