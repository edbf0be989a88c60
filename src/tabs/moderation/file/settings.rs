//! What is saved with a list besides its rows: the model its texts are checked with, since when, and the table's
//! settings.

use serde::{Deserialize, Serialize};

use super::label_errors::LabelError;
use crate::record::work::Columns;
use crate::record::{Stamp, TextList};

/// How the rows are sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum RowSort {
    /// The highest score first; rows without one come last.
    #[default]
    Score,
    /// As in the file.
    Row,
    /// By label, within a label by score.
    Label,
}

/// Which rows show. The words searched for are not kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct FileFilter {
    /// Key of the category whose score counts; empty: highest of all.
    pub(super) category: String,
    /// Only rows the service flagged (for the category, where there is one).
    pub(super) flagged: bool,
    /// Only rows whose label says something else than the thresholds.
    pub(super) disagree: bool,
    /// Only rows with this error are shown.
    pub(super) only: Option<LabelError>,
}

/// [`TextList::state`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct FileSettings {
    /// The profile asked, by its id.
    pub(super) profile: String,
    /// The model asked for; empty: the server's own choice.
    pub(super) model: String,
    /// Checks from this moment on count, Unix milliseconds; 0: all of them.
    pub(super) since_ms: i64,
    /// Whether somebody has started its run.
    pub(super) begun: bool,
    /// Whether somebody has paused it.
    pub(super) paused: bool,
    /// How the rows are sorted.
    pub(super) sort: RowSort,
    /// Which rows show.
    pub(super) filter: FileFilter,
    /// Rows that had a result when this was kept, for the list of lists.
    pub(super) done: u64,
    /// Which columns of the file were read, and the file as it was then; `None`: not known.
    pub(super) read: Option<(Columns, Stamp)>,
}

impl FileSettings {
    /// Reads saved settings; what cannot be read is the default.
    pub(super) fn of(list: &TextList) -> Self {
        serde_json::from_str(&list.state).unwrap_or_default()
    }

    /// Returns the settings as they are saved.
    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers are always JSON")
    }
}
