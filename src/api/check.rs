//! The steps by which a server and its key are checked.

use crate::text::Untrusted;

/// A step of the check, in the order they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckStep {
    /// The host name has addresses.
    Name,
    /// One of the addresses accepts a connection.
    Connection,
    /// The server's certificate is trusted.
    Certificate,
    /// The server accepts the key.
    Key,
    /// The server lists its models.
    Models,
}

impl CheckStep {
    /// All steps, in order.
    pub const ALL: [Self; 5] = [Self::Name, Self::Connection, Self::Certificate, Self::Key, Self::Models];
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOutcome {
    /// No problem.
    Passed,
    /// Usable, with a remark.
    Noted,
    /// Failed; no step follows.
    Failed,
}

/// A step that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The step.
    pub step: CheckStep,
    /// Its result.
    pub outcome: CheckOutcome,
    /// What was found, in a few words.
    pub words: Untrusted,
}
