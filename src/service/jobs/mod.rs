//! The fine-tune runner: queue, states, events, cancel, and what a restart finds.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::reject::Reject;
use super::state::State;
use crate::engine::language::Model;

/// The fine-tune jobs of all organisations and the models they made.
#[derive(Debug)]
pub(super) struct Jobs {}

impl Jobs {
    /// The jobs kept under `home`. None runs yet.
    pub(super) fn open(_home: &Path) -> io::Result<Self> {
        Ok(Self {})
    }

    /// The model that a job made. Reads files: not on a thread that serves sockets.
    pub(super) fn load(_state: &State, _job: &str) -> Result<Arc<Model>, Reject> {
        Err(Reject::fault())
    }

    /// Takes up what a stop left unfinished and runs what is queued, until the service stops.
    pub(super) fn run(_state: &State) {}
}
