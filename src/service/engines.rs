//! `/v1/engines`: the older names of models and completions.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use serde_json::{Value, json};

use super::body::RawBody;
use super::caller::Caller;
use super::reject::Reject;
use super::state::State as Shared;
use super::{completions, models};
use crate::api::model::Model;

/// Returns the routes.
pub(super) fn routes() -> Router<Shared> {
    Router::new()
        .route("/v1/engines", get(list))
        .route("/v1/engines/{id}", get(retrieve))
        .route("/v1/engines/{id}/completions", post(complete))
}

async fn list(state: State<Shared>, caller: Extension<Caller>) -> Json<Value> {
    let Json(models) = models::list(state, caller).await;
    let engines: Vec<Value> = models.data.into_iter().map(record).collect();
    Json(json!({"object": "list", "data": engines}))
}

async fn retrieve(
    state: State<Shared>,
    caller: Extension<Caller>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<Value>, Reject> {
    let Json(model) = models::retrieve(state, caller, id).await?;
    Ok(Json(record(model)))
}

async fn complete(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    id: Result<Path<String>, PathRejection>,
    RawBody(body): RawBody,
) -> Result<Response, Reject> {
    // A name that is not UTF-8 once decoded is not the name of an engine.
    let Path(id) = id.map_err(|_| Reject::unknown_model("?"))?;
    completions::create_for_engine(state, &caller, &id, &body).await
}

fn record(model: Model) -> Value {
    json!({"id": model.id, "object": "engine", "owner": model.owned_by, "ready": true})
}
