//! The records of tabs that are not on disk, and what quitting would lose.

use std::collections::BTreeMap;

use crate::api::call::Ticket;
use crate::record::Stored;
use crate::tabs::{Tab, UnsavedWork};
use crate::text::Untrusted;

/// Records that are not on disk: those that wait and are offered again, and those that failed.
#[derive(Debug, Default)]
pub(super) struct UnsavedRecords(BTreeMap<Ticket, UnsavedRecord>);

#[derive(Debug)]
struct UnsavedRecord {
    /// The number of the tab that saves it.
    tab: usize,
    why: Untrusted,
    /// Whether it is offered to the disk again.
    waits: bool,
}

/// A change in whether the disk takes what the tabs save.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SavingChange {
    /// It refuses a record for this reason: the first one that waits, or one that waited and will never be saved.
    Refused(Untrusted),
    /// It has taken all that waited.
    Works,
}

impl UnsavedRecords {
    /// Notes the store's answer about a record of a tab. Returns what it changes.
    pub(super) fn note_answer(&mut self, tab: usize, ticket: Ticket, stored: &Stored) -> Option<SavingChange> {
        let waited = self.is_waiting();
        let (why, waits) = match stored {
            Stored::Waiting(why) => (Some(why), true),
            Stored::Failed(why) => (Some(why), false),
            _ => (None, false),
        };
        let earlier = match why {
            Some(why) => self.0.insert(ticket, UnsavedRecord { tab, why: why.clone(), waits }),
            None => self.0.remove(&ticket),
        };
        let has_given_up = !waits && earlier.is_some_and(|record| record.waits);
        match why {
            Some(why) if has_given_up || waits && !waited => Some(SavingChange::Refused(why.clone())),
            None if waited && !self.is_waiting() => Some(SavingChange::Works),
            _ => None,
        }
    }

    /// Returns whether the disk refuses records that are offered to it again.
    pub(super) fn is_waiting(&self) -> bool {
        self.0.values().any(|record| record.waits)
    }

    /// Returns what quitting would lose of a tab's data; `disk`: why nothing at all can be saved.
    pub(super) fn loss(&self, index: usize, tab: &dyn Tab, disk: Option<&Untrusted>) -> Option<String> {
        let mut refused = self.0.values().filter(|record| record.tab == index);
        let (what, why, how) = match tab.unsaved_work() {
            Some(UnsavedWork { what, how, written }) => {
                let why = refused.next().map(|record| &record.why).or(disk.filter(|_| written))?;
                (what.to_owned(), why, format!("; {how}"))
            }
            // What was deleted meanwhile is not missed.
            None => {
                let record = refused.find(|record| record.waits)?;
                (format!("Changes in {}", tab.title()), &record.why, String::new())
            }
        };
        let why = why.line();
        Some(format!(
            "{what} could not be saved: {why}. Quitting tries once more; what still cannot be saved is lost{how}."
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_that_is_refused_for_good_is_not_reported_as_saved() {
        let mut unsaved = UnsavedRecords::default();
        let waits = Stored::Waiting("disk full".into());
        let refused = |why: &str| Some(SavingChange::Refused(why.into()));
        assert_eq!(unsaved.note_answer(0, Ticket(1), &waits), refused("disk full"));
        assert_eq!(unsaved.note_answer(0, Ticket(2), &waits), None, "it was reported");
        assert_eq!(unsaved.note_answer(0, Ticket(2), &Stored::Committed), None, "one still waits");
        assert_eq!(
            unsaved.note_answer(0, Ticket(1), &Stored::Failed("it was deleted".into())),
            refused("it was deleted")
        );
        assert!(!unsaved.is_waiting());
        for ticket in [3, 4] {
            unsaved.note_answer(1, Ticket(ticket), &waits);
        }
        assert_eq!(unsaved.note_answer(1, Ticket(4), &Stored::Failed("too late".into())), refused("too late"));
        assert_eq!(unsaved.note_answer(1, Ticket(3), &Stored::Committed), Some(SavingChange::Works));
    }
}
