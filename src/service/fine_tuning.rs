//! `/v1/fine_tuning/jobs`: the same jobs in the newer dialect.

use axum::Router;

use super::state::State;

/// The routes.
pub(super) fn routes() -> Router<State> {
    Router::new()
}
