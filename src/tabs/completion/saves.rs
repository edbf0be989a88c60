//! What is not on disk yet.

use std::collections::BTreeSet;
use std::time::Instant;

use crate::component::{SAVE_DELAY, Saves};
use crate::record::Id;

/// What the store has not been given yet, and what it has not written yet.
#[derive(Debug, Default)]
pub(super) struct UnsavedChanges {
    /// Steps and runs that are new or others than the store has them.
    pub(super) dirty: BTreeSet<Id>,
    pub(super) sheet_changed: bool,
    pub(super) settings_changed: bool,
    /// When they are given to the store.
    pub(super) due: Option<Instant>,
    /// Records on their way.
    pub(super) records: Saves,
}

impl UnsavedChanges {
    /// Gives what is not saved to the store soon.
    pub(super) fn save_soon(&mut self, now: Instant) {
        self.due.get_or_insert(now + SAVE_DELAY);
    }

    /// Returns whether something is on its way to the disk.
    pub(super) fn is_saving(&self) -> bool {
        self.due.is_some() || !self.records.is_saved()
    }
}
