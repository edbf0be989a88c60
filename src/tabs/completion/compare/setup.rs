//! What a column runs: profile, model and settings.

use serde::{Deserialize, Serialize};

use super::super::params;
use crate::component::Session;
use crate::component::session::completes;
use crate::record::CompletionParams;
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// Where a column's runs go, and how they are asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ColumnSetup {
    /// The profile's id.
    pub(crate) profile: String,
    /// Empty: none is chosen yet.
    pub(crate) model: String,
    pub(crate) params: CompletionParams,
}

impl ColumnSetup {
    pub(crate) fn profile(&self) -> ProfileId {
        ProfileId(self.profile.clone())
    }

    pub(crate) fn model(&self) -> Untrusted {
        self.model.as_str().into()
    }

    pub(crate) fn is_local(&self) -> bool {
        self.profile() == ProfileId::local()
    }

    /// Returns the settings as they are sent: of a column one completion is asked for.
    pub(super) fn sent(&self) -> CompletionParams {
        let mut params = self.params.clone();
        params.common.n = None;
        params
    }

    /// Returns model and what is set, in a few words; the profile's name where it is given.
    pub(super) fn words(&self, profile: Option<&Untrusted>) -> String {
        let model = self.model();
        let model = if model.is_empty() { "no model".into() } else { model.line().into_owned() };
        let brief = params::brief(&self.sent());
        let dot = if brief.is_empty() { "" } else { " · " };
        let profile = profile.map(|name| format!("{}: ", name.line())).unwrap_or_default();
        format!("{profile}{model}{dot}{brief}")
    }

    /// Returns the name of its profile, where that is not the one in use.
    pub(super) fn other_profile(&self, session: &Session) -> Option<Untrusted> {
        let profile = self.profile();
        (profile != session.profile).then(|| session.name_of_profile(&profile))
    }

    /// Returns a setup to compare with it: another model that completes, where the server lists one, else another
    /// temperature.
    pub(super) fn beside(&self, session: &Session) -> Self {
        let model = session.models.iter().find(|model| completes(model) && *model.line() != self.model);
        if let Some(model) = model {
            return Self { model: model.line().into_owned(), ..self.clone() };
        }
        let mut params = self.params.clone();
        let zero = params.common.temperature.is_some_and(|temperature| temperature < 0.05);
        params.common.temperature = Some(if zero { 1.0 } else { 0.0 });
        Self { params, ..self.clone() }
    }
}
