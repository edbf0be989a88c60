//! A model at a server.

use crate::record::Check;
use crate::text::Untrusted;

/// A profile's id and a model of its server; an empty name is the server's own choice.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct ModelRef {
    pub(super) profile: String,
    pub(super) model: Untrusted,
}

impl ModelRef {
    /// Returns the model that made a check.
    pub(super) fn of(check: &Check) -> Self {
        Self { profile: check.profile.clone(), model: check.asked.clone() }
    }

    /// Returns whether it made a check.
    pub(super) fn is_model_of(&self, check: &Check) -> bool {
        check.profile == self.profile && check.asked == self.model
    }
}
