//! `POST /v1/embeddings`.

use axum::Router;

use super::state::State;

/// The routes.
pub(super) fn routes() -> Router<State> {
    Router::new()
}
