//! The list of a server's files as it is kept between runs.

use serde::{Deserialize, Serialize};

use crate::api::file::File;
use crate::record::Record;
use crate::settings::ProfileId;

/// Files of a list that are kept, the first of it.
const LISTED: usize = 1_000;

/// The list of a server's files as it was last heard: what is shown, with its age, until a new one comes.
#[derive(Debug, Deserialize)]
pub(super) struct SavedListing {
    /// When it came, Unix milliseconds.
    pub(super) at_ms: i64,
    pub(super) files: Vec<File>,
}

/// The same, to be kept.
#[derive(Serialize)]
struct ListingToSave<'a> {
    at_ms: i64,
    files: &'a [File],
}

impl SavedListing {
    /// Returns the setting's name for a profile.
    pub(super) fn key(profile: &ProfileId) -> String {
        format!("files.list.{}", profile.0)
    }

    /// Reads what was saved; `None`: it cannot be read.
    pub(super) fn read(json: &str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// Returns the record that keeps a list.
    pub(super) fn record(profile: &ProfileId, at_ms: i64, files: &[File]) -> Record {
        let files = &files[..files.len().min(LISTED)];
        let json = serde_json::to_string(&ListingToSave { at_ms, files }).expect("texts and numbers are always JSON");
        Record::Setting(Self::key(profile), json.into())
    }
}
