//! `/v1/engines`: the older names of models and completions.

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use serde_json::{Value, json};

use super::body::Whole;
use super::caller::Caller;
use super::reject::{Reject, short};
use super::state::State as Shared;
use super::{completions, models};
use crate::engine::catalogue;

/// The routes.
pub(super) fn routes() -> Router<Shared> {
    Router::new()
        .route("/v1/engines", get(list))
        .route("/v1/engines/{id}", get(retrieve))
        .route("/v1/engines/{id}/completions", post(complete))
}

async fn list() -> Json<Value> {
    let engines: Vec<Value> = catalogue::all().iter().map(|entry| record(entry.id, entry.owned_by)).collect();
    Json(json!({"object": "list", "data": engines}))
}

async fn retrieve(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<Value>, Reject> {
    let id = decoded(id)?;
    models::find(&state, &caller, &id).ok_or_else(|| unknown(&id))?;
    let owner = catalogue::find(&id).map_or(caller.organisation.as_str(), |entry| entry.owned_by);
    Ok(Json(record(&id, owner)))
}

async fn complete(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    id: Result<Path<String>, PathRejection>,
    Whole(body): Whole,
) -> Result<Response, Reject> {
    let id = decoded(id)?;
    completions::of_engine(state, &caller, &id, &body).await
}

/// A name that is not UTF-8 once decoded is no engine's.
fn decoded(id: Result<Path<String>, PathRejection>) -> Result<String, Reject> {
    id.map(|Path(id)| id).map_err(|_| unknown("?"))
}

fn unknown(id: &str) -> Reject {
    let message = format!("The model '{}' does not exist", short(id, 200));
    Reject::new(StatusCode::NOT_FOUND, message).param("model").code("model_not_found")
}

fn record(id: &str, owner: &str) -> Value {
    json!({"id": id, "object": "engine", "owner": owner, "ready": true})
}
