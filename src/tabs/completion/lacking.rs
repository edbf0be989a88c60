//! What servers were found to lack, so that examples that work come first.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::params::fields;
use crate::api::call::Failure;
use crate::record::CompletionParams;
use crate::tabs::generation::RunTarget;
use crate::tabs::generation::refusal::refused_field;
use crate::text::Untrusted;

/// A part of the interface that not every server or model has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Feature {
    /// Probabilities of tokens.
    Logprobs,
    /// Text after the gap that is filled.
    Suffix,
}

/// What models lack, by the profile's id and the model's name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Lacking(BTreeSet<(String, String, Feature)>);

impl Lacking {
    /// Returns what a profile's model lacks, as far as its runs have told.
    pub(super) fn of(&self, profile: &str, model: &Untrusted) -> Vec<Feature> {
        let model = model.line();
        let own = |(of, by, _): &&(String, String, Feature)| of == profile && *by == model;
        self.0.iter().filter(own).map(|(.., feature)| *feature).collect()
    }

    /// Takes in what a run that ended has told; `scored`: whether probabilities came, where any text did. Returns
    /// whether anything is known now that was not.
    pub(super) fn note_run(
        &mut self,
        target: &RunTarget,
        params: &CompletionParams,
        scored: Option<bool>,
        failure: Option<&Failure>,
    ) -> bool {
        let entry = |feature| (target.profile.0.clone(), target.model.line().into_owned(), feature);
        match failure.and_then(|why| refused_field(why, fields::values(params))) {
            Some(("suffix", _)) => return self.0.insert(entry(Feature::Suffix)),
            Some(("logprobs", _)) => return self.0.insert(entry(Feature::Logprobs)),
            _ => {}
        }
        match scored.filter(|_| failure.is_none() && params.logprobs.is_some()) {
            Some(true) => self.0.remove(&entry(Feature::Logprobs)),
            Some(false) => self.0.insert(entry(Feature::Logprobs)),
            None => false,
        }
    }
}
