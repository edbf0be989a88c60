//! TransferKind the tab keeps between starts.

use serde::{Deserialize, Serialize};

use super::{local, remote_file};
use crate::record::Record;
use crate::record::training::Mapping;
use crate::ui::table::Way;

/// Files whose columns are remembered.
const MAPPINGS: usize = 50;
/// The setting's name.
pub(super) const SAVED_VIEW: &str = "files.view";

/// Where the user was, and how the lists are sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct SavedView {
    /// The local folder, absolute; empty: the one the program was started in.
    pub(super) folder: String,
    /// Whether names that begin with a dot show.
    pub(super) hidden: bool,
    /// TransferKind was last uploaded for; empty: nothing yet.
    pub(super) purpose: String,
    /// TransferKind columns of training files are taken for, the latest first.
    pub(super) mappings: Vec<Mapping>,
    local: Option<(local::LocalOrder, bool)>,
    server: Option<(remote_file::RemoteOrder, bool)>,
}

impl SavedView {
    /// Out of what was kept; what cannot be read is left out.
    pub(super) fn read(json: &str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// The order that keeps it.
    pub(super) fn record(&self) -> Record {
        let json = serde_json::to_string(self).expect("texts and numbers are always JSON");
        Record::Setting(SAVED_VIEW.into(), json.into())
    }

    /// Remembers what the columns of a file are taken for.
    pub(super) fn remember(&mut self, mapping: Mapping) {
        self.mappings.retain(|other| other.columns != mapping.columns);
        self.mappings.insert(0, mapping);
        self.mappings.truncate(MAPPINGS);
    }

    pub(super) fn local_sort(&self) -> (local::LocalOrder, Way) {
        self.local.map_or((local::LocalOrder::Name, Way::Up), |(by, down)| (by, way(down)))
    }

    pub(super) fn server_sort(&self) -> (remote_file::RemoteOrder, Way) {
        self.server.map_or((remote_file::RemoteOrder::Created, Way::Down), |(by, down)| (by, way(down)))
    }

    pub(super) fn set_sorts(&mut self, local: (local::LocalOrder, Way), server: (remote_file::RemoteOrder, Way)) {
        self.local = Some((local.0, local.1 == Way::Down));
        self.server = Some((server.0, server.1 == Way::Down));
    }
}

fn way(down: bool) -> Way {
    if down { Way::Down } else { Way::Up }
}
