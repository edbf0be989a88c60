//! What is not on disk yet.

use std::collections::{BTreeSet, HashMap};
use std::time::{Duration, Instant};

use super::history::EditHistory;
use crate::api::call::Ticket;
use crate::record::{Id, Record};
use crate::text::Untrusted;

/// How long what is typed rests before it is kept.
const REST: Duration = Duration::from_millis(300);

/// What is not on disk yet, and what cannot be put there.
#[derive(Debug, Default)]
pub(super) struct Persistence {
    /// Steps and runs that are new or others than the store has them.
    pub(super) dirty: BTreeSet<Id>,
    /// Steps and runs this copy has made: what a disk that was full is given again.
    pub(super) own: BTreeSet<Id>,
    pub(super) sheet_changed: bool,
    pub(super) settings_changed: bool,
    /// When what is not kept is given to the store.
    pub(super) due: Option<Instant>,
    /// Records on their way.
    pub(super) unsaved: Vec<Ticket>,
    /// Why the store refused something for good.
    pub(super) error: Option<Untrusted>,
    /// Why the disk does not take something now. The store keeps it and offers it again.
    pub(super) delayed: Option<Untrusted>,
    /// Records that nothing else here holds, by their tickets.
    pub(super) unique: HashMap<Ticket, Record>,
    /// Of those, what was refused.
    pub(super) refused: Vec<Record>,
}

impl Persistence {
    /// Notes that a step or a run of this copy is new or another.
    pub(super) fn mark(&mut self, id: Id) {
        self.own.insert(id);
        self.dirty.insert(id);
    }

    /// Forgets the steps of a history that is left.
    pub(super) fn forget(&mut self, history: &EditHistory) {
        self.own.retain(|id| history.step(*id).is_none());
        self.dirty.retain(|id| history.step(*id).is_none());
    }

    /// Gives what is not kept to the store soon.
    pub(super) fn soon(&mut self, now: Instant) {
        self.due.get_or_insert(now + REST);
    }

    /// Whether something is on its way to the disk.
    pub(super) fn is_saving(&self) -> bool {
        self.due.is_some() || !self.unsaved.is_empty()
    }

    /// Whether the store refused something for good.
    pub(super) fn has_failed(&self) -> bool {
        self.error.is_some()
    }

    /// Returns why something here is not on disk.
    pub(super) fn refusal(&self) -> Option<&Untrusted> {
        self.error.as_ref().or(self.delayed.as_ref())
    }

    /// Takes in that a record has ended. Returns it, where nothing else holds it.
    pub(super) fn ended(&mut self, ticket: Ticket) -> Option<Record> {
        self.unsaved.retain(|other| *other != ticket);
        self.delayed.take_if(|_| self.unsaved.is_empty());
        self.unique.remove(&ticket)
    }
}
