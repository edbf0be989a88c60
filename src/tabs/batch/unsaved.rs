//! Results of runs that ended before all of them were on disk.

use super::outbox::{BatchResult, ResultOutbox};
use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::Stored;

/// The outboxes of ended runs, each until all of it is on disk.
#[derive(Debug)]
pub struct UnsavedResults<T>(Vec<ResultOutbox<T>>);

impl<T> Default for UnsavedResults<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: BatchResult> UnsavedResults<T> {
    /// Saves what has come of a run that ends, and keeps it until it is on disk.
    pub fn add(&mut self, mut outbox: ResultOutbox<T>, cx: &mut Cx) {
        outbox.flush(cx);
        if !outbox.is_saved() {
            self.0.push(outbox);
        }
    }

    /// Takes the store's answer and returns the results that are on disk now; `None`: it is to somebody else.
    pub fn handle_stored(&mut self, ticket: Ticket, stored: &Stored) -> Option<Vec<(u32, T)>> {
        let results = self.0.iter_mut().find_map(|outbox| outbox.handle_stored(ticket, stored))?;
        self.0.retain(|outbox| !outbox.is_saved());
        Some(results)
    }

    /// Returns the outboxes that are not on disk.
    pub fn iter(&self) -> impl Iterator<Item = &ResultOutbox<T>> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::super::items::AcceptedItem;
    use super::*;
    use crate::component::{Effect, Session};
    use crate::record::Record;

    #[derive(Clone, Debug, PartialEq)]
    struct Score;

    impl BatchResult for Score {
        fn record(_: Vec<Self>) -> Record {
            Record::Batch(Vec::new())
        }
    }

    #[test]
    fn results_of_ended_runs_are_saved_at_once_and_forgotten_when_they_are_on_disk() {
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
        let mut unsaved = UnsavedResults::default();
        unsaved.add(ResultOutbox::default(), &mut cx);
        assert_eq!(unsaved.iter().count(), 0, "nothing to save");
        for item in [3, 5] {
            let mut outbox = ResultOutbox::default();
            outbox.add(AcceptedItem(item), Score);
            unsaved.add(outbox, &mut cx);
        }
        let saving: Vec<Ticket> = effects
            .iter()
            .filter_map(|effect| if let Effect::Save(ticket, _) = effect { Some(*ticket) } else { None })
            .collect();
        assert_eq!((saving.len(), unsaved.iter().count()), (2, 2));
        assert_eq!(unsaved.handle_stored(saving[0], &Stored::Waiting("disk full".into())), Some(Vec::new()));
        assert!(unsaved.iter().any(|outbox| outbox.refusal().is_some()));
        assert_eq!(unsaved.handle_stored(saving[1], &Stored::Committed), Some(vec![(5, Score)]));
        assert_eq!(unsaved.handle_stored(saving[0], &Stored::Committed), Some(vec![(3, Score)]));
        assert_eq!((unsaved.iter().count(), unsaved.handle_stored(saving[0], &Stored::Committed)), (0, None));
    }
}
