//! The records of tabs that are not on disk, and what quitting would lose.

use std::collections::BTreeMap;

use crate::api::call::Ticket;
use crate::record::Stored;
use crate::tabs::{Tab, UnsavedWork};
use crate::text::Untrusted;

/// Records that are not on disk: those that wait and are offered again, and those that failed; each with its tab and the
/// reason.
#[derive(Debug, Default)]
pub(super) struct UnsavedRecords(BTreeMap<Ticket, (usize, Untrusted)>);

impl UnsavedRecords {
    /// Notes the store's answer about a record of a tab.
    pub(super) fn note_answer(&mut self, tab: usize, ticket: Ticket, stored: &Stored) {
        match stored {
            Stored::Waiting(why) | Stored::Failed(why) => drop(self.0.insert(ticket, (tab, why.clone()))),
            _ => drop(self.0.remove(&ticket)),
        }
    }

    /// Returns what quitting would lose of a tab's data; `disk`: why nothing at all can be saved.
    pub(super) fn loss(&self, index: usize, tab: &dyn Tab, disk: Option<&Untrusted>) -> Option<String> {
        let UnsavedWork { what, how, written } = tab.unsaved_work()?;
        let refused = self.0.values().find_map(|(owner, why)| (*owner == index).then_some(why));
        let why = refused.or(disk.filter(|_| written))?;
        let why = why.line();
        Some(format!(
            "{what} could not be saved: {why}. Quitting tries once more; what still cannot be saved is lost; {how}."
        ))
    }
}
