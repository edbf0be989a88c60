//! What of a conversation is not on disk, and why.

use crate::api::call::Ticket;
use crate::record::Stored;
use crate::text::Untrusted;

/// Records of a conversation that are on their way to the disk.
#[derive(Debug, Default)]
pub(super) struct SaveState {
    /// Those that are not acknowledged.
    open: Vec<Ticket>,
    /// Why something could not be saved. It stays until all that is here is: no later record saves what that one did not.
    error: Option<Untrusted>,
    /// Why the disk does not take something now. The store keeps it and offers it again.
    waits: Option<Untrusted>,
    /// The record that saves all that is here, after one could not be saved.
    all_again: Option<Ticket>,
}

impl SaveState {
    /// Adds a record that was given to the store.
    pub(super) fn add(&mut self, ticket: Ticket) {
        self.open.push(ticket);
    }

    /// Adds the record that saves all that is here.
    pub(super) fn add_all(&mut self, ticket: Ticket) {
        self.add(ticket);
        self.all_again = Some(ticket);
    }

    /// Takes the store's last answer to a record.
    pub(super) fn answered(&mut self, ticket: Ticket, stored: Stored) {
        self.open.retain(|other| *other != ticket);
        self.waits.take_if(|_| self.open.is_empty());
        let all = self.all_again.take_if(|again| *again == ticket).is_some();
        match stored {
            Stored::Failed(why) => self.error = Some(why),
            _ if all => self.error = None,
            _ => {}
        }
    }

    /// The disk does not take something for now.
    pub(super) fn delayed(&mut self, why: Untrusted) {
        self.waits = Some(why);
    }

    /// Returns whether all was refused that is to be saved as a whole now.
    pub(super) fn is_all_due(&self) -> bool {
        self.error.is_some() && self.all_again.is_none()
    }

    /// Returns whether every record is acknowledged.
    pub(super) fn is_acknowledged(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns whether something waits for the disk.
    pub(super) fn is_delayed(&self) -> bool {
        self.waits.is_some()
    }

    /// Returns whether all is on disk.
    pub(super) fn is_saved(&self) -> bool {
        self.is_acknowledged() && self.error.is_none()
    }

    /// Returns why something is not on disk.
    pub(super) fn refusal(&self) -> Option<&Untrusted> {
        self.error.as_ref().or(self.waits.as_ref())
    }
}
