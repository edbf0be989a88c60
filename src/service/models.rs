//! `GET /v1/models` and `GET /v1/models/{model}`.

use axum::Json;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::StatusCode;
use serde_json::json;

use super::reject::{Reject, short};
use crate::api::model::{Model, ModelList};

/// Which routes a model answers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Chat,
    Completion,
    Embedding,
}

/// A model of the local service.
pub(crate) struct Card {
    pub(crate) id: String,
    /// The name answers carry.
    pub(crate) dated: String,
    pub(crate) kind: Kind,
    /// Tokens of prompt and answer together, as errors count them.
    pub(crate) context: u64,
}

/// The model of that name.
pub(crate) fn find(id: &str) -> Option<Card> {
    cards().into_iter().find(|card| card.id == id)
}

fn cards() -> Vec<Card> {
    [
        ("gpt-3.5-turbo", "gpt-3.5-turbo-0301", Kind::Chat, 4097),
        ("text-davinci-003", "text-davinci-003", Kind::Completion, 4097),
        ("text-embedding-ada-002", "text-embedding-ada-002", Kind::Embedding, 8191),
    ]
    .map(|(id, dated, kind, context)| Card { id: id.into(), dated: dated.into(), kind, context })
    .into()
}

/// The list.
pub(super) async fn list() -> Json<ModelList> {
    let data = cards().iter().map(record).collect();
    Json(ModelList { object: "list".into(), data })
}

/// One of them.
pub(super) async fn retrieve(model: Result<Path<String>, PathRejection>) -> Result<Json<Model>, Reject> {
    // A name that is not UTF-8 once decoded is no model's.
    let Path(id) = model.map_err(|_| unknown("?"))?;
    find(&id).map(|card| Json(record(&card))).ok_or_else(|| unknown(&id))
}

fn unknown(id: &str) -> Reject {
    let message = format!("The model '{}' does not exist", short(id, 200));
    Reject::new(StatusCode::NOT_FOUND, message).param("model").code("model_not_found")
}

fn record(card: &Card) -> Model {
    let Card { id, dated, .. } = card;
    let extra = json!({
        "root": dated,
        "parent": null,
        "permission": [{
            "id": format!("modelperm-{id}"), "object": "model_permission", "created": 1_677_610_602,
            "allow_create_engine": false, "allow_sampling": true, "allow_logprobs": true,
            "allow_search_indices": false, "allow_view": true, "allow_fine_tuning": false, "organization": "*",
            "group": null, "is_blocking": false,
        }],
    });
    Model {
        id: id.clone(),
        object: "model".into(),
        created: Some(1_677_610_602),
        owned_by: Some("benchtop".into()),
        extra: extra.as_object().cloned().unwrap_or_default(),
    }
}
