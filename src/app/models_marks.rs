//! Marks of a profile's models that are kept: favourite and hidden.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::api::model::Model;
use crate::record::Record;
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// Prefix of the names of the settings that keep marks; the profile follows.
pub(super) const PREFIX: &str = "models:";

/// Returns the name of the setting that keeps the marks of a profile's models.
pub(crate) fn marks_setting(profile: &ProfileId) -> String {
    format!("{PREFIX}{}", profile.0)
}

/// Returns the favourites that such a setting keeps.
pub(crate) fn favourites(kept: &Untrusted) -> impl Iterator<Item = String> {
    serde_json::from_str(kept.raw()).map(|marks: ModelMarks| marks.favourites).unwrap_or_default().into_iter()
}

/// The ids of the favourites and of the hidden ones among a profile's models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct ModelMarks {
    favourites: BTreeSet<String>,
    hidden: BTreeSet<String>,
}

impl ModelMarks {
    /// Makes a model a favourite, or undoes that; a favourite is not hidden.
    fn toggle_favourite(&mut self, id: &str) {
        if !self.favourites.remove(id) {
            self.favourites.insert(id.to_owned());
            self.hidden.remove(id);
        }
    }

    /// Hides a model, or shows it again; a hidden model is no favourite.
    fn toggle_hidden(&mut self, id: &str) {
        if !self.hidden.remove(id) {
            self.hidden.insert(id.to_owned());
            self.favourites.remove(id);
        }
    }
}

/// What the shell knows of models beyond what tabs may read.
#[derive(Debug, Default)]
pub(super) struct ModelBook {
    /// The list of the server in use; empty until fetched.
    pub(super) listed: Vec<Model>,
    marks: BTreeMap<String, ModelMarks>,
    /// Whether the stored marks were not read yet: a change now would overwrite them.
    pub(super) is_unread: bool,
}

impl ModelBook {
    /// Adds the stored marks; what was changed meanwhile is newer.
    pub(super) fn read(&mut self, settings: Vec<(String, Untrusted)>) {
        self.is_unread = false;
        for (name, value) in settings {
            let profile = name.strip_prefix(PREFIX).map(str::to_owned);
            if let (Some(profile), Ok(marks)) = (profile, serde_json::from_str(value.raw())) {
                self.marks.entry(profile).or_insert(marks);
            }
        }
    }

    /// Returns whether a profile's model is a favourite, and whether it is hidden.
    pub(super) fn marks(&self, profile: &ProfileId, id: &str) -> (bool, bool) {
        let marks = self.marks.get(&profile.0);
        marks.map_or((false, false), |marks| (marks.favourites.contains(id), marks.hidden.contains(id)))
    }

    /// Makes a model a favourite, or undoes that. Returns the record to write.
    pub(super) fn toggle_favourite(&mut self, profile: &ProfileId, id: &str) -> Record {
        self.change(profile, |marks| marks.toggle_favourite(id))
    }

    /// Hides a model, or shows it again. Returns the record to write.
    pub(super) fn toggle_hidden(&mut self, profile: &ProfileId, id: &str) -> Record {
        self.change(profile, |marks| marks.toggle_hidden(id))
    }

    fn change(&mut self, profile: &ProfileId, change: impl FnOnce(&mut ModelMarks)) -> Record {
        let marks = self.marks.entry(profile.0.clone()).or_default();
        change(marks);
        setting(&profile.0, marks)
    }

    /// Moves a profile's marks to another name. Returns the records to write.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> Vec<Record> {
        let Some(marks) = self.marks.remove(from) else { return Vec::new() };
        let records = vec![setting(to, &marks), setting(from, &ModelMarks::default())];
        self.marks.insert(to.to_owned(), marks);
        records
    }
}

/// Returns the record that keeps a profile's marks.
fn setting(profile: &str, marks: &ModelMarks) -> Record {
    // Where there are no marks, an empty setting replaces the stored one.
    let kept = (*marks != ModelMarks::default()).then(|| serde_json::to_string(marks).ok()).flatten();
    Record::Setting(format!("{PREFIX}{profile}"), kept.unwrap_or_default().into())
}
