//! `/v1/files`: what is stored for training, and the results of it.

use std::io;
use std::path::Path;

use axum::Router;

use super::state::State;

/// The stored files of all organisations.
#[derive(Debug)]
pub(super) struct Files {}

impl Files {
    /// The files kept under `home`.
    pub(super) fn open(_home: &Path) -> io::Result<Self> {
        Ok(Self {})
    }
}

/// The routes.
pub(super) fn routes() -> Router<State> {
    Router::new()
}
