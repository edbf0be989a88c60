//! `GET /v1/models`, `GET /v1/models/{model}` and `DELETE /v1/models/{model}`.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::{Extension, Json};
use serde_json::{Value, json};

use super::caller::{Caller, Role};
use super::jobs::{Jobs, TunedModel};
use super::reject::{Reject, short};
use super::state::State as Shared;
use crate::api::model::{Deleted, Model, ModelList};
use crate::engine::catalogue::{self, Entry, Kind};
use crate::engine::language::Model as Language;

/// A model that a caller may use.
#[derive(Clone, Debug)]
pub(super) struct AvailableModel {
    /// The dated id that answers contain.
    pub(super) dated: String,
    /// Tokens of prompt and answer together, as errors count them.
    pub(super) context: u64,
    /// What generates or computes its answers.
    pub(super) source: Source,
    kinds: &'static [Kind],
}

/// What a model's id refers to.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// A model that ships with benchtop.
    Base,
    /// The model made by the fine-tune job with this id.
    Tuned(String),
}

impl AvailableModel {
    /// Returns whether the model accepts this kind of request.
    pub(super) fn supports(&self, kind: Kind) -> bool {
        self.kinds.contains(&kind)
    }
}

impl Source {
    /// Loads the language model. May read files: not on a thread that serves sockets. Fails if a fine-tuned model is
    /// gone or damaged.
    pub(super) fn load(&self, state: &Shared) -> Result<Arc<Language>, Reject> {
        match self {
            Self::Base => Ok(state.base()),
            Self::Tuned(job) => Jobs::load(state, job),
        }
    }
}

/// Returns the model with this id, if the caller may use it.
pub(super) fn find(state: &Shared, caller: &Caller, id: &str) -> Option<AvailableModel> {
    let Some(entry) = catalogue::find(id) else {
        let tuned = state.jobs().tuned_model(&caller.organisation, id)?;
        let context = catalogue::find(&tuned.family).map_or(2049, context);
        let kinds: &[Kind] = &[Kind::Completion, Kind::Chat];
        return Some(AvailableModel { dated: tuned.name, context, source: Source::Tuned(tuned.job), kinds });
    };
    let kinds: &[Kind] = match entry.kind {
        Kind::Chat => &[Kind::Chat],
        Kind::Completion => &[Kind::Completion],
        Kind::Embedding => &[Kind::Embedding],
        Kind::Moderation => &[Kind::Moderation],
    };
    Some(AvailableModel { dated: entry.dated.to_owned(), context: context(entry), source: Source::Base, kinds })
}

/// Returns the context that errors mention: the chat models' documentation says 4096, their errors 4097.
fn context(entry: &Entry) -> u64 {
    if entry.context() == 4096 { 4097 } else { entry.context() }
}

/// Lists the shipped models, then those that the organisation's jobs made.
pub(super) async fn list(State(state): State<Shared>, Extension(caller): Extension<Caller>) -> Json<ModelList> {
    let tuned = state.jobs().models(&caller.organisation);
    let tuned = tuned.iter().map(|tuned| tuned_record(&caller, tuned));
    Json(ModelList { object: "list".into(), data: catalogue::all().iter().map(model_record).chain(tuned).collect() })
}

/// Returns one model; fails if the caller has none of that id.
pub(super) async fn retrieve(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    model: Result<Path<String>, PathRejection>,
) -> Result<Json<Model>, Reject> {
    // A name that is not UTF-8 once decoded is not the name of a model.
    let Path(id) = model.map_err(|_| not_found("?"))?;
    if let Some(entry) = catalogue::all().iter().find(|entry| entry.id == id) {
        return Ok(Json(model_record(entry)));
    }
    let tuned = state.jobs().tuned_model(&caller.organisation, &id).ok_or_else(|| not_found(&id))?;
    Ok(Json(tuned_record(&caller, &tuned)))
}

/// Deletes a model that a job made. Fails for a shipped or unknown model, without the role of owner, or if it is in
/// use.
pub(super) async fn delete(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    model: Result<Path<String>, PathRejection>,
) -> Result<Json<Deleted>, Reject> {
    let Path(id) = model.map_err(|_| not_found("?"))?;
    let forbidden = |message: String| Reject::new(StatusCode::FORBIDDEN, message);
    if caller.role != Role::Owner {
        let message = "You have insufficient permissions for this operation. Deleting a model needs the role Owner in \
                       the organization.";
        return Err(forbidden(message.into()));
    }
    if let Some(entry) = catalogue::find(&id) {
        return Err(forbidden(format!("The model '{}' is a base model and cannot be deleted.", entry.id)));
    }
    let tuned = state.jobs().tuned_model(&caller.organisation, &id).ok_or_else(|| not_found(&id))?;
    let deleted = tokio::task::spawn_blocking(move || state.jobs().delete_model(&caller, &tuned));
    deleted.await.map_err(|_| Reject::fault())??;
    Ok(Json(Deleted { id, object: "model".into(), deleted: true }))
}

fn not_found(id: &str) -> Reject {
    let message = format!("The model '{}' does not exist", short(id, 200));
    Reject::new(StatusCode::NOT_FOUND, message).param("model").code("model_not_found")
}

fn model_record(entry: &Entry) -> Model {
    let Entry { id, created, owned_by, .. } = *entry;
    let extra = json!({
        "root": id,
        "parent": null,
        "description": entry.stands_for(),
        "permission": [permission("modelperm", id, created, "*", false)],
    });
    model(id, created, owned_by, extra)
}

/// Returns the record of a model that a job made.
fn tuned_record(caller: &Caller, tuned: &TunedModel) -> Model {
    let family = &tuned.family;
    // The interface appends to the names of the first models the day they were made.
    let chat = catalogue::find(family).is_some_and(|entry| entry.kind == Kind::Chat);
    let root = if chat { family.clone() } else { format!("{family}:2020-05-03") };
    let organisation = caller.organisation_id();
    let extra = json!({
        "root": root,
        "parent": root,
        "description": "a network of benchtop's own with some 300,000 weights, trained further on your examples",
        "permission": [permission("snapperm", &tuned.name, tuned.created, &organisation, true)],
    });
    model(&tuned.name, tuned.created, &caller.organisation, extra)
}

fn model(id: &str, created: i64, owned_by: &str, extra: Value) -> Model {
    Model {
        id: id.into(),
        object: "model".into(),
        created: Some(created),
        owned_by: Some(owned_by.into()),
        extra: extra.as_object().cloned().unwrap_or_default(),
        ..Model::default()
    }
}

fn permission(prefix: &str, model: &str, created: i64, organisation: &str, tunable: bool) -> Value {
    json!({
        "id": format!("{prefix}-{}", derived_id(model)), "object": "model_permission", "created": created,
        "allow_create_engine": false, "allow_sampling": true, "allow_logprobs": true,
        "allow_search_indices": false, "allow_view": true, "allow_fine_tuning": tunable,
        "organization": organisation, "group": null, "is_blocking": false,
    })
}

/// Returns the tail of an id in the interface's form, the same at every start: 24 hex digits derived from the model's
/// name.
fn derived_id(id: &str) -> String {
    // FNV-1a, wide enough that the names of the list do not collide.
    let hash = id.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, |hash, byte| {
        (hash ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    });
    format!("{:024x}", hash >> 32)
}
