//! Records of one list or conversation that are on their way to the disk.

use std::time::Duration;

use super::Cx;
use crate::api::call::Ticket;
use crate::record::{Record, Stored};
use crate::text::Untrusted;

/// How long after a change it is saved, with those that have followed it.
pub const SAVE_DELAY: Duration = Duration::from_millis(300);

/// Records that are not on disk yet, and why the disk refuses them. The store keeps a refused record and offers it
/// again; the owner of this only shows `saving…` or `not saved: …`.
#[derive(Clone, Debug, Default)]
pub struct Saves {
    open: Vec<Ticket>,
    refusal: Option<Untrusted>,
    /// Why a record failed for good.
    failure: Option<Untrusted>,
}

impl Saves {
    /// Saves a record.
    pub fn save(&mut self, record: Record, cx: &mut Cx) -> Ticket {
        let ticket = cx.save(record);
        self.open.push(ticket);
        ticket
    }

    /// Takes the store's answer. Returns whether it is about one of these records.
    pub fn stored(&mut self, ticket: Ticket, stored: &Stored) -> bool {
        let Some(at) = self.open.iter().position(|open| *open == ticket) else { return false };
        if let Stored::Waiting(why) = stored {
            self.refusal = Some(why.clone());
            return true;
        }
        self.open.swap_remove(at);
        self.refusal.take_if(|_| self.open.is_empty());
        if let Stored::Failed(why) = stored {
            self.failure = Some(why.clone());
        }
        true
    }

    /// Returns whether every record is on disk.
    pub fn is_saved(&self) -> bool {
        self.is_answered() && self.failure.is_none()
    }

    /// Returns whether every record is on disk, or failed for good.
    pub fn is_answered(&self) -> bool {
        self.open.is_empty()
    }

    /// Returns why a record is not on disk; `None`: none was refused.
    pub fn refusal(&self) -> Option<&Untrusted> {
        self.failure.as_ref().or(self.refusal.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::component::Session;

    #[test]
    fn a_refusal_stands_until_all_is_on_disk() {
        let (session, mut tickets, mut effects) = (Session::default(), 0, Vec::new());
        let mut cx = Cx::new(&session, Instant::now(), 0, &mut tickets, &mut effects);
        let mut saves = Saves::default();
        let [one, two] = ["a", "b"].map(|name| saves.save(Record::Setting(name.into(), "1".into()), &mut cx));
        assert!(!saves.stored(Ticket(99), &Stored::Committed), "of somebody else");
        assert!(saves.stored(one, &Stored::Waiting("disk full".into())));
        assert!(saves.stored(two, &Stored::Committed));
        assert!(!saves.is_saved() && saves.refusal().is_some());
        assert!(saves.stored(one, &Stored::Committed));
        assert!(saves.is_saved() && saves.refusal().is_none());
        let lost = saves.save(Record::Setting("c".into(), "1".into()), &mut cx);
        saves.stored(lost, &Stored::Failed("the store has stopped".into()));
        assert!(!saves.is_saved() && saves.is_answered() && saves.refusal().is_some());
    }
}
