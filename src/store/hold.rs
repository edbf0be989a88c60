//! A store that could not be written when it was opened, and whether it can be now.

use std::path::PathBuf;
use std::time::Duration;

use super::connection::OpenedStore;
use super::error::{StoreError, WriteError};
use super::events::{StoreEvent, StoreEvents};
use super::open::open_writable;
use super::schema::Medium;

/// Keeps the writer from writing.
pub(super) struct WriteHold {
    pub(super) path: PathBuf,
    pub(super) medium: Medium,
    pub(super) cause: StoreError,
    pub(super) events: StoreEvents,
}

impl WriteHold {
    /// Tries to open the store for writing.
    pub(super) fn release(&mut self) -> Option<OpenedStore> {
        if self.is_lasting() {
            return None;
        }
        // This is tried again and again, and queries are answered on this thread: it does not wait for another copy.
        match open_writable(&self.path, self.medium, Duration::ZERO) {
            Ok(mut opened) => {
                for warning in opened.warnings.drain(..) {
                    self.events.send(StoreEvent::Warning(warning));
                }
                self.events.send(StoreEvent::Writable);
                Some(opened)
            }
            Err(error) => {
                // This is the copy that has the damaged store open.
                if !matches!(error, StoreError::DamagedInUse) {
                    self.cause = error;
                }
                None
            }
        }
    }

    /// Returns the refusal of a record.
    pub(super) fn refusal(&self) -> WriteError {
        let sentence = self.cause.to_string();
        if self.is_lasting() { WriteError::Invalid(sentence) } else { WriteError::Deferred(sentence) }
    }

    /// Returns whether another version of the program is needed.
    fn is_lasting(&self) -> bool {
        matches!(self.cause, StoreError::Newer { .. })
    }
}
