//! `GET /v1/models` and `GET /v1/models/{model}`.

use std::sync::Arc;

use axum::Json;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::StatusCode;
use serde_json::json;

use super::caller::Caller;
use super::jobs::Jobs;
use super::reject::{Reject, short};
use super::state::State as Shared;
use crate::api::model::{Model, ModelList};
use crate::engine::catalogue::{self, Entry, Kind};
use crate::engine::language::Model as Language;

/// A model that a caller may use.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// The id answers carry.
    pub(super) dated: String,
    /// Tokens of prompt and answer together, as errors count them.
    pub(super) context: u64,
    /// What writes or computes its answers.
    pub(super) source: Source,
    kinds: &'static [Kind],
}

/// What stands behind a model's id.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// What ships with benchtop.
    Base(&'static Entry),
    /// What the fine-tune job with this id made.
    Tuned(String),
}

impl Found {
    /// Whether it may be asked for that.
    pub(super) fn takes(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }
}

impl Source {
    /// The language model. May read files: not on a thread that serves sockets.
    pub(super) fn load(&self, state: &Shared) -> Result<Arc<Language>, Reject> {
        match self {
            Self::Base(_) => Ok(state.base()),
            Self::Tuned(job) => Jobs::load(state, job),
        }
    }
}

/// The model with this id, if the caller may use it.
pub(super) fn find(_state: &Shared, _caller: &Caller, id: &str) -> Option<Found> {
    let entry = catalogue::find(id)?;
    let kinds: &[Kind] = match entry.kind {
        Kind::Chat => &[Kind::Chat],
        Kind::Completion => &[Kind::Completion],
        Kind::Embedding => &[Kind::Embedding],
        Kind::Moderation => &[Kind::Moderation],
    };
    // The chat models' pages say 4096, their errors 4097.
    let context = if entry.context() == 4096 { 4097 } else { entry.context() };
    Some(Found { dated: entry.dated.to_owned(), context, source: Source::Base(entry), kinds })
}

/// The list.
pub(super) async fn list() -> Json<ModelList> {
    let data = catalogue::all().iter().map(record).collect();
    Json(ModelList { object: "list".into(), data })
}

/// One of them.
pub(super) async fn retrieve(model: Result<Path<String>, PathRejection>) -> Result<Json<Model>, Reject> {
    // A name that is not UTF-8 once decoded is no model's.
    let Path(id) = model.map_err(|_| unknown("?"))?;
    let entry = catalogue::all().iter().find(|entry| entry.id == id);
    entry.map(|entry| Json(record(entry))).ok_or_else(|| unknown(&id))
}

fn unknown(id: &str) -> Reject {
    let message = format!("The model '{}' does not exist", short(id, 200));
    Reject::new(StatusCode::NOT_FOUND, message).param("model").code("model_not_found")
}

fn record(entry: &Entry) -> Model {
    let Entry { id, created, owned_by, .. } = *entry;
    let extra = json!({
        "root": id,
        "parent": null,
        "description": entry.stands_for(),
        "permission": [{
            "id": permission(id), "object": "model_permission", "created": created,
            "allow_create_engine": false, "allow_sampling": true, "allow_logprobs": true,
            "allow_search_indices": false, "allow_view": true, "allow_fine_tuning": false, "organization": "*",
            "group": null, "is_blocking": false,
        }],
    });
    Model {
        id: id.into(),
        object: "model".into(),
        created: Some(created),
        owned_by: Some(owned_by.into()),
        extra: extra.as_object().cloned().unwrap_or_default(),
    }
}

/// An id in the interface's shape, the same at every start: 24 hex digits drawn from the model's name.
fn permission(id: &str) -> String {
    // FNV-1a, wide enough that the names of the list stay apart.
    let hash = id.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    });
    format!("modelperm-{:024x}", hash >> 32)
}
