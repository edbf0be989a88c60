//! `POST /v1/completions`, whole and streamed.

use axum::Router;

use super::state::State;

/// The routes.
pub(super) fn routes() -> Router<State> {
    Router::new()
}
