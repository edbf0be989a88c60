//! The steps by which a server and its key are checked.

use crate::text::Untrusted;

/// A step of the check, in the order they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckStep {
    /// The host name has addresses.
    Name,
    /// One of them takes a connection.
    Connection,
    /// The server's certificate is trusted.
    Certificate,
    /// The server takes the key.
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
    /// All is well.
    Passed,
    /// It can be worked with, but is worth knowing.
    Noted,
    /// It failed; no step follows.
    Failed,
}

/// A step that was made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Which one.
    pub step: CheckStep,
    /// How it ended.
    pub outcome: CheckOutcome,
    /// What was found, in a few words.
    pub words: Untrusted,
}
