//! The records that are not on disk, and what quitting would lose.

use std::collections::BTreeMap;

use super::tickets::OpenTicket;
use crate::api::call::Ticket;
use crate::record::Stored;
use crate::tabs::tab::unsaved_sentence;
use crate::tabs::{Tab, UnsavedWork};
use crate::text::Untrusted;

/// Records that are not on disk: those that wait and are offered again, and those that failed.
#[derive(Debug, Default)]
pub(super) struct UnsavedRecords(BTreeMap<Ticket, UnsavedRecord>);

#[derive(Debug)]
struct UnsavedRecord {
    /// The number of the tab that saves it; `None`: the shell does.
    tab: Option<usize>,
    why: Untrusted,
    /// Whether it is offered to the disk again.
    waits: bool,
}

/// A change in whether the disk takes what is saved.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SavingChange {
    /// It refuses a record for this reason: the first one that waits, or one that waited and will never be saved.
    Refused(Untrusted),
    /// It has taken all that waited.
    Works,
}

impl UnsavedRecords {
    /// Notes the store's answer about a record. Returns what it changes.
    pub(super) fn note_answer(&mut self, ticket: Ticket, open: &OpenTicket, stored: &Stored) -> Option<SavingChange> {
        // Whoever writes such a record knows that it may not fit what is stored.
        let may_fail = !open.is_save && !self.0.contains_key(&ticket);
        if may_fail && matches!(stored, Stored::Failed(_)) {
            return None;
        }
        let tab = open.owner.tab();
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

    /// Forgets a record, whose answer nobody waits for.
    pub(super) fn forget(&mut self, ticket: Ticket) {
        self.0.remove(&ticket);
    }

    /// Returns whether the disk refuses records that are offered to it again.
    pub(super) fn is_waiting(&self) -> bool {
        self.0.values().any(|record| record.waits)
    }

    /// Returns what quitting would lose of a tab's data; `disk`: why nothing at all can be saved.
    pub(super) fn loss(&self, index: usize, tab: &dyn Tab, disk: Option<&Untrusted>) -> Option<String> {
        let mut refused = self.0.values().filter(|record| record.tab == Some(index));
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
        Some(unsaved_sentence(&what, why, &how))
    }

    /// Returns what quitting would lose of the shell's own data.
    pub(super) fn shell_loss(&self) -> Option<String> {
        let record = self.0.values().find(|record| record.tab.is_none() && record.waits)?;
        Some(unsaved_sentence("Settings or costs", &record.why, ""))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::tickets::{ShellRequest, TicketOwner};

    #[test]
    fn a_record_that_is_refused_for_good_is_not_reported_as_saved() {
        let mut unsaved = UnsavedRecords::default();
        let save = |tab| OpenTicket { is_save: true, ..OpenTicket::of(TicketOwner::Tab(tab)) };
        let waits = Stored::Waiting("disk full".into());
        let refused = |why: &str| Some(SavingChange::Refused(why.into()));
        assert_eq!(unsaved.note_answer(Ticket(1), &save(0), &waits), refused("disk full"));
        assert_eq!(unsaved.note_answer(Ticket(2), &save(0), &waits), None, "it was reported");
        assert_eq!(unsaved.note_answer(Ticket(2), &save(0), &Stored::Committed), None, "one still waits");
        let deleted = Stored::Failed("it was deleted".into());
        assert_eq!(unsaved.note_answer(Ticket(1), &save(0), &deleted), refused("it was deleted"));
        assert!(!unsaved.is_waiting());
        for ticket in [3, 4] {
            unsaved.note_answer(Ticket(ticket), &save(1), &waits);
        }
        let late = Stored::Failed("too late".into());
        assert_eq!(unsaved.note_answer(Ticket(4), &save(1), &late), refused("too late"));
        assert_eq!(unsaved.note_answer(Ticket(3), &save(1), &Stored::Committed), Some(SavingChange::Works));
    }

    #[test]
    fn a_record_of_the_shell_that_waits_is_reported_and_one_that_does_not_fit_is_left_to_its_owner() {
        let mut unsaved = UnsavedRecords::default();
        let open = OpenTicket::of(TicketOwner::Shell(ShellRequest::Charge));
        assert_eq!(unsaved.note_answer(Ticket(1), &open, &Stored::Failed("it was deleted".into())), None);
        assert_eq!(unsaved.shell_loss(), None);
        let full = Some(SavingChange::Refused("disk full".into()));
        assert_eq!(unsaved.note_answer(Ticket(2), &open, &Stored::Waiting("disk full".into())), full);
        assert!(unsaved.is_waiting());
        let loss = unsaved.shell_loss().expect("it waits");
        assert!(loss.starts_with("Settings or costs could not be saved: disk full."), "{loss}");
        assert_eq!(unsaved.note_answer(Ticket(2), &open, &Stored::Committed), Some(SavingChange::Works));
        assert_eq!(unsaved.shell_loss(), None);
    }
}
