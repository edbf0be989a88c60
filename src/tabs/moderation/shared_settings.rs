//! What the bench and the page of a file have in common: thresholds, which servers take several texts at once, whether
//! flagged texts are blurred, the models of each profile.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::model_ref::ModelRef;
use super::thresholds::Thresholds;
use crate::component::session::moderates;
use crate::component::{AnswerCost, Charge, Session};
use crate::record::Record;
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// The setting that holds all of it but the thresholds.
pub(super) const SETTING: &str = "moderate.view";

/// The model of the hosted service where none is named.
const DEFAULT: &str = "text-moderation-latest";

/// The view settings as they are saved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct ViewSettings {
    /// Models asked for, by the profile's id. An empty name: the server's own choice.
    pub(super) models: BTreeMap<String, Vec<String>>,
    /// Profiles whose servers answer only one text a request.
    pub(super) single: BTreeSet<String>,
    /// Whether flagged texts are blurred.
    #[serde(rename = "blur")]
    pub(super) mask_flagged: bool,
    /// Whether categories are sorted by score; `None`: as suits the screen's size.
    pub(super) by_score: Option<bool>,
    /// Whether categories are grouped by family.
    pub(super) families: bool,
}

impl ViewSettings {
    /// Reads saved settings; what cannot be read is the default.
    pub(super) fn saved(json: &Untrusted) -> Self {
        serde_json::from_str(json.raw()).unwrap_or_default()
    }

    /// Returns the record that saves them.
    pub(super) fn record(&self) -> Record {
        let json = serde_json::to_string(self).expect("texts and numbers are always JSON");
        Record::Setting(SETTING.into(), json.into())
    }

    /// Returns the models that were chosen for a profile.
    pub(super) fn chosen(&self, profile: &ProfileId) -> Option<impl Iterator<Item = Untrusted>> {
        let chosen = self.models.get(&profile.0).filter(|models| !models.is_empty())?;
        Some(chosen.iter().map(|model| model.as_str().into()))
    }
}

/// Returns the model where none was chosen: the first of the server's that moderates. Without a model's name the server
/// chooses one.
pub(super) fn default_model(models: &[Untrusted]) -> Untrusted {
    models.iter().find(|id| moderates(id)).cloned().unwrap_or_default()
}

/// What both pages share. Whoever changes something sets `changed`, and it is saved soon.
#[derive(Debug, Default)]
pub(super) struct SharedSettings {
    pub(super) thresholds: Thresholds,
    pub(super) view: ViewSettings,
    /// Which of the models checks a file: that of the bench's column under the cursor, which the header names.
    pub(super) file_column: usize,
    /// Whether something of it is not saved yet.
    pub(super) changed: bool,
}

impl SharedSettings {
    /// Returns the models that texts are checked with, in the order of their columns; at least one.
    pub(super) fn models(&self, session: &Session) -> Vec<Untrusted> {
        match self.view.chosen(&session.profile) {
            Some(models) => models.collect(),
            None => vec![default_model(&session.models)],
        }
    }

    /// Returns the profile and the model that a file is checked with from now on.
    pub(super) fn file_model(&self, session: &Session) -> (String, String) {
        let models = self.models(session);
        (session.profile.0.clone(), models[self.file_column % models.len()].line().into_owned())
    }

    /// Returns whether the profile's server takes several texts in one request, as far as is known.
    pub(super) fn takes_many(&self, profile: &str) -> bool {
        !self.view.single.contains(profile)
    }

    /// Blurs flagged texts, or shows them.
    pub(super) fn toggle_mask(&mut self) {
        self.view.mask_flagged ^= true;
        self.changed = true;
    }

    /// Notes that the profile's server takes one text per request. Returns whether that is new.
    pub(super) fn use_single_requests(&mut self, profile: &str) -> bool {
        self.changed = true;
        self.view.single.insert(profile.to_owned())
    }
}

/// Returns the charge of an answer by a model about texts of so many tokens.
pub(super) fn charge(
    request_id: Option<Untrusted>,
    ModelRef { profile, model }: &ModelRef,
    prompt_tokens: u64,
    session: &Session,
) -> Charge {
    let (profile, first) = (ProfileId(profile.clone()), Untrusted::from(DEFAULT));
    let price = session.price(&profile, if model.is_empty() { &first } else { model });
    let cost = AnswerCost::of_prompt(prompt_tokens, price);
    Charge { tab: "Moderate", request_id, profile, model: model.clone(), cost }
}
