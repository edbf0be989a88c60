//! `/v1/fine-tunes`: jobs in the interface's own dialect.

use axum::Router;

use super::state::State;

/// The routes.
pub(super) fn routes() -> Router<State> {
    Router::new()
}
