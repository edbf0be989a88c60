//! What is known of texts: the checks on disk and those that came since.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::model_ref::ModelRef;
use crate::api::call::Failure;
use crate::record::{Check, Id, TextKey};

/// The checks of texts, and why the last tries failed.
#[derive(Debug, Default)]
pub(super) struct CheckResults {
    /// The checks of each text, newest first.
    checks: HashMap<TextKey, Vec<Arc<Check>>>,
    /// Texts whose checks were asked for.
    asked: HashSet<TextKey>,
    /// Texts whose checks are here.
    loaded: HashSet<TextKey>,
    /// Checks that came since the program began.
    fresh: HashSet<Id>,
    failures: HashMap<(TextKey, ModelRef), Failure>,
    /// Whether a failure has not been looked at.
    unseen: bool,
}

impl CheckResults {
    /// Returns the texts whose checks have to be asked for; they count as asked then.
    pub(super) fn wanted(&mut self, keys: impl IntoIterator<Item = TextKey>) -> Vec<TextKey> {
        keys.into_iter().filter(|key| self.asked.insert(*key)).collect()
    }

    /// Returns whether all that is on disk of a text is here.
    pub(super) fn is_loaded(&self, key: &TextKey) -> bool {
        self.loaded.contains(key)
    }

    /// Takes what the store has of these texts.
    pub(super) fn fill(&mut self, keys: &[TextKey], checks: Vec<Check>) {
        for check in checks {
            self.put(Arc::new(check));
        }
        self.loaded.extend(keys);
    }

    /// Adds a check that came now.
    pub(super) fn add(&mut self, check: Arc<Check>) {
        self.fresh.insert(check.id);
        self.failures.remove(&(check.text, ModelRef::of(&check)));
        self.put(check);
    }

    fn put(&mut self, check: Arc<Check>) {
        let all = self.checks.entry(check.text).or_default();
        if all.iter().any(|other| other.id == check.id) {
            return;
        }
        let at = all.partition_point(|other| (other.at_ms, other.id) > (check.at_ms, check.id));
        all.insert(at, check);
    }

    /// Returns all checks of a text, newest first.
    pub(super) fn of(&self, key: &TextKey) -> &[Arc<Check>] {
        self.checks.get(key).map_or(&[], Vec::as_slice)
    }

    /// Returns a model's checks of a text, newest first.
    pub(super) fn of_model<'a>(&'a self, key: &TextKey, model: &'a ModelRef) -> impl Iterator<Item = &'a Arc<Check>> {
        self.of(key).iter().filter(|check| model.is_model_of(check))
    }

    /// Returns the newest of them.
    pub(super) fn last(&self, key: &TextKey, model: &ModelRef) -> Option<&Arc<Check>> {
        self.of(key).iter().find(|check| model.is_model_of(check))
    }

    /// Returns whether the service flagged a text, whichever model it was.
    pub(super) fn is_flagged(&self, key: &TextKey) -> bool {
        self.of(key).iter().any(|check| check.flagged)
    }

    /// Returns whether a check came since the program began.
    pub(super) fn is_fresh(&self, id: Id) -> bool {
        self.fresh.contains(&id)
    }

    /// Returns why the last try failed; `None`: it did not, or is tried again.
    pub(super) fn failure(&self, key: &TextKey, model: &ModelRef) -> Option<&Failure> {
        if self.failures.is_empty() { None } else { self.failures.get(&(*key, model.clone())) }
    }

    pub(super) fn failed(&mut self, key: TextKey, model: &ModelRef, why: Failure) {
        self.failures.insert((key, model.clone()), why);
        self.unseen = true;
    }

    /// Forgets a failure: the text is sent again.
    pub(super) fn clear_failure(&mut self, key: TextKey, model: &ModelRef) {
        self.failures.remove(&(key, model.clone()));
    }

    pub(super) fn has_failures(&self) -> bool {
        !self.failures.is_empty()
    }

    /// Marks the failures as seen.
    pub(super) fn see_failures(&mut self) {
        self.unseen = false;
    }

    pub(super) fn has_unseen_failure(&self) -> bool {
        self.unseen
    }
}
