//! Open tickets: who asked, and for what.

use std::collections::HashMap;
use std::rc::Rc;

use super::unsaved_records::UnsavedRecords;
use crate::api::call::Ticket;
use crate::record::Record;
use crate::settings::ProfileId;

/// Requests under way, of the shell and of the tabs.
#[derive(Debug)]
pub(super) struct Requests {
    open: HashMap<Ticket, Rc<OpenTicket>>,
    pub(super) unsaved: UnsavedRecords,
    pub(super) last_ticket: u64,
    /// Why the last call of the tab in front failed, which the tab shows; `None`: it did not.
    pub(super) shown_failure: Option<String>,
}

impl Default for Requests {
    fn default() -> Self {
        // Distinguishes the ids of two copies started in the same millisecond.
        let last_ticket = u64::from(std::process::id()) << 8;
        Self { open: HashMap::new(), unsaved: UnsavedRecords::default(), last_ticket, shown_failure: None }
    }
}

impl Requests {
    /// Notes who gets the answers to a ticket.
    pub(super) fn insert(&mut self, ticket: Ticket, open: OpenTicket) {
        self.open.insert(ticket, Rc::new(open));
    }

    /// Drops a ticket: what still arrives for it is ignored.
    pub(super) fn remove(&mut self, ticket: Ticket) {
        self.open.remove(&ticket);
        self.unsaved.forget(ticket);
    }

    /// Returns who gets an answer to a ticket, which the last answer closes; `None`: the request was cancelled.
    pub(super) fn answer(&mut self, ticket: Ticket, is_last: bool) -> Option<Rc<OpenTicket>> {
        if is_last { self.open.remove(&ticket) } else { self.open.get(&ticket).cloned() }
    }

    /// Counts the calls to a profile's server.
    pub(super) fn count_calls(&self, id: &ProfileId) -> usize {
        self.open.values().filter(|open| open.profile.as_ref() == Some(id)).count()
    }

    /// Returns whether the shell waits for the answer to such a request.
    pub(super) fn has_shell_request(&self, is_meant: impl Fn(&ShellRequest) -> bool) -> bool {
        self.open.values().any(|open| open.is_shell_request(&is_meant))
    }

    /// Drops such requests of the shell, and returns their tickets.
    pub(super) fn remove_shell_requests(&mut self, is_meant: impl Fn(&ShellRequest) -> bool) -> Vec<Ticket> {
        self.open.extract_if(|_, open| open.is_shell_request(&is_meant)).map(|(ticket, _)| ticket).collect()
    }
}

/// Who gets the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TicketOwner {
    Tab(usize),
    Shell(ShellRequest),
}

impl TicketOwner {
    /// Returns the number of the tab; `None`: the shell is the owner.
    pub(super) fn tab(&self) -> Option<usize> {
        match self {
            Self::Tab(index) => Some(*index),
            Self::Shell(_) => None,
        }
    }
}

/// What the shell itself asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ShellRequest {
    Models(ProfileId),
    /// A test of a profile.
    Check,
    Spent(ProfileId),
    LastModel(ProfileId),
    Facts,
    ModelMarks,
    Probe,
    /// The cost of a request of a probe.
    Charge,
    Keep,
}

/// What is known about an open ticket.
#[derive(Debug)]
pub(super) struct OpenTicket {
    pub(super) owner: TicketOwner,
    /// The profile of a call.
    pub(super) profile: Option<ProfileId>,
    /// Whether what is being stored changes what a profile has cost.
    pub(super) changes_cost: bool,
    /// Whether it is a record that is offered until it is on disk: quitting waits for it.
    pub(super) is_save: bool,
}

impl OpenTicket {
    /// Creates a ticket of a query or of work.
    pub(super) fn of(owner: TicketOwner) -> Self {
        Self { owner, profile: None, changes_cost: false, is_save: false }
    }

    /// Creates a ticket of a call to a profile's server.
    pub(super) fn of_call(owner: TicketOwner, profile: ProfileId) -> Self {
        Self { profile: Some(profile), ..Self::of(owner) }
    }

    /// Creates a ticket of a record.
    pub(super) fn of_record(owner: TicketOwner, record: &Record) -> Self {
        Self { changes_cost: changes_cost(record), ..Self::of(owner) }
    }

    fn is_shell_request(&self, is_meant: impl Fn(&ShellRequest) -> bool) -> bool {
        matches!(&self.owner, TicketOwner::Shell(request) if is_meant(request))
    }
}

/// Returns whether a record changes what a profile has cost.
fn changes_cost(record: &Record) -> bool {
    match record {
        Record::Ledger(_) | Record::ProfileRenamed { .. } => true,
        Record::Batch(records) => records.iter().any(changes_cost),
        _ => false,
    }
}
