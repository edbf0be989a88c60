//! The model that completions are asked of, for each profile.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::component::Session;
use crate::component::session::completes;
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// The model chosen for each profile, by the profile's id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ChosenModels(BTreeMap<String, String>);

impl ChosenModels {
    /// Returns the model that runs of the profile in use go to.
    pub(super) fn current(&self, session: &Session) -> Untrusted {
        self.of(&session.profile, session)
    }

    /// Returns the model that runs of a profile go to: the one chosen, else the first that completes; empty: no name of
    /// the server's tells of one.
    pub(super) fn of(&self, profile: &ProfileId, session: &Session) -> Untrusted {
        if let Some(chosen) = self.chosen(profile) {
            return chosen.as_str().into();
        }
        if *profile != session.profile {
            return Untrusted::default();
        }
        let best = session.models.iter().find(|id| **id == "text-davinci-003");
        let suits = || session.models.iter().find(|id| completes(id));
        // Before the list has come there is the profile's own.
        let own = Some(&session.model).filter(|id| session.models.is_empty() && completes(id));
        best.or_else(suits).or(own).cloned().unwrap_or_default()
    }

    /// Chooses a model for a profile.
    pub(super) fn choose(&mut self, profile: &ProfileId, model: &Untrusted) {
        self.0.insert(profile.0.clone(), model.line().into_owned());
    }

    /// Returns the model chosen for a profile; `None`: none was.
    pub(super) fn chosen(&self, profile: &ProfileId) -> Option<&String> {
        self.0.get(&profile.0)
    }

    /// Sets what [`Self::chosen`] returned.
    pub(super) fn restore(&mut self, profile: &ProfileId, chosen: Option<String>) {
        match chosen {
            Some(model) => _ = self.0.insert(profile.0.clone(), model),
            None => self.reset(profile),
        }
    }

    /// Forgets what was chosen for a profile.
    pub(super) fn reset(&mut self, profile: &ProfileId) {
        self.0.remove(&profile.0);
    }

    /// Returns how many tokens the model in use may read and write together; `None`: unknown.
    pub(super) fn context(&self, session: &Session) -> Option<u64> {
        session.context(&session.profile, &self.current(session))
    }
}
