//! `POST /v1/moderations`.

use axum::Router;

use super::state::State;

/// The routes.
pub(super) fn routes() -> Router<State> {
    Router::new()
}
