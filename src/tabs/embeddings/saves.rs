//! The settings of the tab, and what it has still to save.

use std::collections::BTreeMap;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::component::session::embeds;
use crate::component::{SAVE_DELAY, Saves, Session};
use crate::record::VectorKey;
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// The model asked for where the server does not list any.
const MODEL: &str = "text-embedding-ada-002";

/// Settings as they are kept.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct EmbedSettings {
    /// Model by profile.
    models: BTreeMap<String, String>,
    /// Length asked for, by profile and model.
    dimensions: BTreeMap<String, u32>,
    /// Whether newlines are sent unchanged.
    pub(super) keep_newlines: bool,
    /// The list last open; 0: the typed one.
    #[serde(rename = "open")]
    pub(super) open_list: i64,
}

impl EmbedSettings {
    /// Reads saved settings; what cannot be read is the default.
    pub(super) fn saved(json: &Untrusted) -> Self {
        serde_json::from_str(json.raw()).unwrap_or_default()
    }

    /// Returns the model of the profile: the one chosen, else the first that embeds; empty: there is none.
    pub(super) fn model(&self, session: &Session) -> Untrusted {
        self.chosen_model(&session.profile).unwrap_or_else(|| default_model(&session.models))
    }

    /// Returns the model that was chosen for a profile.
    pub(super) fn chosen_model(&self, profile: &ProfileId) -> Option<Untrusted> {
        self.models.get(&profile.0).map(|chosen| chosen.as_str().into())
    }

    /// Returns the key under which vectors of the model in use are saved.
    pub(super) fn key(&self, session: &Session) -> VectorKey {
        self.key_of(&session.profile, self.model(session))
    }

    /// Returns the key under which vectors of a model are saved.
    pub(super) fn key_of(&self, profile: &ProfileId, model: Untrusted) -> VectorKey {
        let dimensions = self.dimensions.get(&length_key(&profile.0, &model)).copied();
        VectorKey { profile: profile.0.clone(), model, dimensions }
    }
}

/// Returns the model where none was chosen: the first of the server's that embeds; empty: none does.
pub(super) fn default_model(models: &[Untrusted]) -> Untrusted {
    let best = models.iter().find(|id| **id == MODEL);
    let suits = || models.iter().find(|id| embeds(id));
    match best.or_else(suits) {
        Some(model) => model.clone(),
        None if models.is_empty() => MODEL.into(),
        None => Untrusted::default(),
    }
}

/// What the tab has still to save, and the outcome of what it saved.
#[derive(Debug, Default)]
pub(super) struct EmbedSaves {
    pub(super) settings: EmbedSettings,
    pub(super) settings_changed: bool,
    /// When what was changed is saved.
    pub(super) due: Option<Instant>,
    pub(super) records: Saves,
    /// Whether something was saved.
    pub(super) saved: bool,
}

impl EmbedSaves {
    /// Plans to save what was changed, with what is changed until then.
    pub(super) fn plan(&mut self, now: Instant) {
        self.due.get_or_insert(now + SAVE_DELAY);
    }

    /// Sets the model of the profile in use.
    pub(super) fn choose_model(&mut self, model: &Untrusted, session: &Session, now: Instant) {
        self.settings.models.insert(session.profile.0.clone(), model.line().into_owned());
        self.settings_changed = true;
        self.plan(now);
    }

    /// Sets the length asked of the model in use; `None`: its own.
    pub(super) fn ask_dimensions(&mut self, dimensions: Option<u32>, session: &Session, now: Instant) {
        let at = length_key(&session.profile.0, &self.settings.model(session));
        match dimensions {
            Some(dimensions) => drop(self.settings.dimensions.insert(at, dimensions)),
            None => drop(self.settings.dimensions.remove(&at)),
        }
        self.settings_changed = true;
        self.plan(now);
    }
}

/// Returns the key under which the length of a model is kept.
fn length_key(profile: &str, model: &Untrusted) -> String {
    format!("{profile}/{}", model.line())
}
