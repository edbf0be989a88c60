//! What outlives the program: SQLite behind one writer thread. Orders in, acknowledgements and rows out.

use std::path::Path;

use thiserror::Error;

use crate::api::call::Ticket;
use crate::record::{Query, Record, Stored};

/// Why a store cannot be opened: a sentence that says what to do next.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct StoreError(String);

/// The store: hand it records and queries; each ticket gets exactly one [`Stored`] through the `replies` given at
/// opening, from one of the store's own threads.
#[derive(Debug)]
pub struct Store {
    warnings: Vec<String>,
}

impl Store {
    /// Opens the store at `path`, making it (and its directory) where it is not there yet.
    pub fn open(_path: &Path, _replies: impl Fn(Ticket, Stored) + Send + 'static) -> Result<Self, StoreError> {
        Err(StoreError("the store is not built yet; nothing is kept".to_owned()))
    }

    /// A store that keeps everything in memory and nothing beyond the process.
    pub fn memory(_replies: impl Fn(Ticket, Stored) + Send + 'static) -> Self {
        Self { warnings: Vec::new() }
    }

    /// What the user should know about the store just opened: sentences.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Keeps something. Never waits.
    pub fn record(&self, _ticket: Ticket, _record: Record) {}

    /// Asks something; sees all that was recorded before it. Never waits.
    pub fn load(&self, _ticket: Ticket, _query: Query) {}

    /// Finishes all orders, tidies the file and ends the threads, within ten seconds. Whether it managed to.
    pub fn close(self) -> bool {
        true
    }
}
