//! The fine-tune runner: queue, states, events, cancel, and what a restart finds.

use std::io;
use std::path::Path;

use super::state::State;

/// The fine-tune jobs of all organisations and the models they made.
#[derive(Debug)]
pub(super) struct Jobs {}

impl Jobs {
    /// The jobs kept under `home`. None runs yet.
    pub(super) fn open(_home: &Path) -> io::Result<Self> {
        Ok(Self {})
    }

    /// Takes up what a stop left unfinished and runs what is queued, until the service stops.
    pub(super) fn run(_state: &State) {}
}
