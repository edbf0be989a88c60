//! `/v1/engines`: the older names of models, completions and embeddings.

use axum::Router;

use super::state::State;

/// The routes.
pub(super) fn routes() -> Router<State> {
    Router::new()
}
