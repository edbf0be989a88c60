//! What is known of texts: the checks on disk, which it asks for, and those that came since, which it saves.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::model_ref::ModelRef;
use crate::api::call::{Failure, Ticket};
use crate::component::{Cx, Notice, Pending, Saves};
use crate::record::{Check, Id, Query, Record, Rows, Stored, TextKey};

/// The checks of texts, and why the last tries failed.
#[derive(Debug, Default)]
pub(super) struct CheckResults {
    /// The checks of each text, newest first.
    checks: HashMap<TextKey, Vec<Arc<Check>>>,
    /// Texts whose checks were asked for.
    asked: HashSet<TextKey>,
    /// Queries for the checks of these texts.
    loading: Pending<Vec<TextKey>>,
    /// Texts whose checks are here.
    loaded: HashSet<TextKey>,
    /// Checks that the store has not answered to, and which are not shown yet.
    saving: Pending<Vec<Check>>,
    /// Checks that came since the program began.
    fresh: HashSet<Id>,
    failures: HashMap<(TextKey, ModelRef), Failure>,
    /// Whether a failure has not been looked at.
    unseen: bool,
}

/// What the store has answered about checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChecksStored {
    /// Checks that came are shown now.
    Saved,
    /// What is on disk of some texts is here.
    Loaded,
}

impl CheckResults {
    /// Asks what the disk knows of texts, as far as that is not here.
    pub(super) fn ask(&mut self, keys: impl IntoIterator<Item = TextKey>, cx: &mut Cx) {
        let wanted: Vec<TextKey> = keys.into_iter().filter(|key| self.asked.insert(*key)).collect();
        if !wanted.is_empty() {
            self.loading.insert(cx.load(Query::Checks(wanted.clone())), wanted);
        }
    }

    /// Saves checks, which are shown when the store answers, whether they are on disk then or wait for it.
    pub(super) fn save(&mut self, checks: Vec<Check>, saves: &mut Saves, cx: &mut Cx) {
        self.saving.insert(saves.save(Record::Checks(checks.clone()), cx), checks);
    }

    /// Returns whether a model's check of a text is on its way to the disk.
    pub(super) fn is_saving(&self, key: &TextKey, model: &ModelRef) -> bool {
        self.saving.any(|checks| checks.iter().any(|check| check.text == *key && model.is_model_of(check)))
    }

    /// Takes the store's answer. Returns what it is about; `None`: not about checks.
    pub(super) fn handle_stored(&mut self, ticket: Ticket, stored: &mut Stored, cx: &mut Cx) -> Option<ChecksStored> {
        if let Some(checks) = self.saving.take(ticket) {
            for check in checks {
                self.add(check);
            }
            return Some(ChecksStored::Saved);
        }
        let keys = self.loading.take(ticket)?;
        match stored {
            Stored::Rows(Rows::Checks(checks)) => {
                for check in checks.drain(..) {
                    self.put(Arc::new(check));
                }
            }
            // What was known is asked for again from the server; nothing is lost.
            Stored::Failed(why) => cx.notify(Notice::error(why.clone())),
            _ => {}
        }
        self.loaded.extend(keys);
        Some(ChecksStored::Loaded)
    }

    /// Returns whether all that is on disk of a text is here.
    pub(super) fn is_loaded(&self, key: &TextKey) -> bool {
        self.loaded.contains(key)
    }

    /// Adds a check that came now.
    fn add(&mut self, check: Check) {
        self.fresh.insert(check.id);
        self.failures.remove(&(check.text, ModelRef::of(&check)));
        self.put(Arc::new(check));
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

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::tests::check;
    use super::*;
    use crate::component::Session;

    #[test]
    fn a_save_that_has_ended_is_told_from_checks_that_were_read() {
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
        let mut results = CheckResults::default();
        let check = check(&[("hate", Some(0.1), None)]);
        results.ask([check.text], &mut cx);
        results.save(vec![check.clone()], &mut Saves::default(), &mut cx);
        let mut answer = |ticket, mut stored| results.handle_stored(Ticket(ticket), &mut stored, &mut cx);
        assert_eq!(answer(2, Stored::Committed), Some(ChecksStored::Saved));
        assert_eq!(answer(1, Stored::Rows(Rows::Checks(Vec::new()))), Some(ChecksStored::Loaded));
        assert_eq!(answer(1, Stored::Committed), None);
        assert!(results.is_loaded(&check.text));
    }
}
