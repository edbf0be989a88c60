//! What is known of texts: the checks on disk and those that came since.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::api::call::Failure;
use crate::record::{Check, Id, TextKey};
use crate::text::Untrusted;

/// Whom a text was shown to: the profile's id and the model asked for.
pub(super) type Judge = (String, Untrusted);

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// Of each text, newest first.
    checks: HashMap<TextKey, Vec<Arc<Check>>>,
    /// Texts whose checks were asked for.
    asked: HashSet<TextKey>,
    /// Texts whose checks are here.
    loaded: HashSet<TextKey>,
    /// Checks that came since the program began.
    fresh: HashSet<Id>,
    /// Why the last try failed.
    failures: HashMap<(TextKey, Judge), Failure>,
}

impl Results {
    /// Texts whose checks have to be asked for; they count as asked then.
    pub(super) fn wanted(&mut self, keys: impl IntoIterator<Item = TextKey>) -> Vec<TextKey> {
        keys.into_iter().filter(|key| self.asked.insert(*key)).collect()
    }

    /// Whether all that is on disk of a text is here.
    pub(super) fn is_loaded(&self, key: &TextKey) -> bool {
        self.loaded.contains(key)
    }

    /// What the store has of these texts.
    pub(super) fn fill(&mut self, keys: &[TextKey], checks: Vec<Check>) {
        for check in checks {
            self.put(Arc::new(check));
        }
        self.loaded.extend(keys);
    }

    /// A check that came now.
    pub(super) fn add(&mut self, check: Arc<Check>) {
        self.fresh.insert(check.id);
        self.failures.remove(&(check.text, (check.profile.clone(), check.asked.clone())));
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

    /// All checks of a text, newest first.
    pub(super) fn of(&self, key: &TextKey) -> &[Arc<Check>] {
        self.checks.get(key).map_or(&[], Vec::as_slice)
    }

    /// A judge's checks of a text, newest first.
    pub(super) fn by<'a>(&'a self, key: &TextKey, judge: &'a Judge) -> impl Iterator<Item = &'a Arc<Check>> {
        self.of(key).iter().filter(|check| check.profile == judge.0 && check.asked == judge.1)
    }

    /// The newest of them.
    pub(super) fn last(&self, key: &TextKey, judge: &Judge) -> Option<&Arc<Check>> {
        self.of(key).iter().find(|check| check.profile == judge.0 && check.asked == judge.1)
    }

    /// Whether a check came since the program began.
    pub(super) fn is_fresh(&self, id: Id) -> bool {
        self.fresh.contains(&id)
    }

    /// Why the last try failed; `None`: it did not, or is tried again.
    pub(super) fn failure(&self, key: &TextKey, judge: &Judge) -> Option<&Failure> {
        if self.failures.is_empty() { None } else { self.failures.get(&(*key, judge.clone())) }
    }

    pub(super) fn failed(&mut self, key: TextKey, judge: &Judge, why: Failure) {
        self.failures.insert((key, judge.clone()), why);
    }

    /// It is tried again.
    pub(super) fn forgive(&mut self, key: TextKey, judge: &Judge) {
        self.failures.remove(&(key, judge.clone()));
    }

    pub(super) fn has_failures(&self) -> bool {
        !self.failures.is_empty()
    }
}
