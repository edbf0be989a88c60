//! Open tickets: who asked, and for what.

use crate::settings::ProfileId;

/// Whose answer it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    Tab(usize),
    Shell(ShellRequest),
}

/// What the shell itself asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ShellRequest {
    Models(ProfileId),
    Spent(ProfileId),
    LastModel(ProfileId),
    Keep,
}

/// What is known about an open ticket.
#[derive(Clone, Debug)]
pub(super) struct OpenTicket {
    pub(super) owner: Owner,
    /// The profile of a call.
    pub(super) profile: Option<ProfileId>,
    /// Whether a ledger row is being kept.
    pub(super) ledger: bool,
}
