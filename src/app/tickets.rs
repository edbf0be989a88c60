//! Open tickets: who asked, and for what.

use std::collections::HashMap;

use super::unsaved_records::UnsavedRecords;
use crate::api::call::Ticket;
use crate::settings::ProfileId;

/// Requests under way, of the shell and of the tabs.
#[derive(Debug)]
pub(super) struct Requests {
    pub(super) open: HashMap<Ticket, OpenTicket>,
    pub(super) unsaved: UnsavedRecords,
    /// The last ticket.
    pub(super) tickets: u64,
    /// Why the last call of the tab in front failed, which the tab shows; `None`: it did not.
    pub(super) failed: Option<String>,
}

impl Default for Requests {
    fn default() -> Self {
        // Distinguishes the ids of two copies started in the same millisecond.
        let tickets = u64::from(std::process::id()) << 8;
        Self { open: HashMap::new(), unsaved: UnsavedRecords::default(), tickets, failed: None }
    }
}

/// Who gets the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TicketOwner {
    Tab(usize),
    Shell(ShellRequest),
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
    Probe(ProfileId),
    /// The cost of a request of a probe.
    Charge,
    Keep,
}

/// What is known about an open ticket.
#[derive(Clone, Debug)]
pub(super) struct OpenTicket {
    pub(super) owner: TicketOwner,
    /// The profile of a call.
    pub(super) profile: Option<ProfileId>,
    /// Whether a ledger row is being stored.
    pub(super) ledger: bool,
    /// Whether it is a record that is offered until it is on disk: quitting waits for it.
    pub(super) saves: bool,
}

impl OpenTicket {
    /// Creates a ticket of something that is neither a call nor a record.
    pub(super) fn of(owner: TicketOwner) -> Self {
        Self { owner, profile: None, ledger: false, saves: false }
    }
}
