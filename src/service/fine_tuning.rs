//! `/v1/fine_tuning/jobs`: the same jobs in the newer interface, a thin mapping.

use axum::extract::{Query, State as Shared};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use serde_json::{Value, json};

use super::body::RawBody;
use super::caller::Caller;
use super::fine_tunes::{Id, blocking};
use super::jobs::job::{Job, Phase, StepMetrics};
use super::jobs::not_found;
use super::jobs::request::JobRequest;
use super::query::{self, QueryParams};
use super::reject::{Reject, short};
use super::state::State;
use crate::api::fine_tuning::{
    Checkpoint, CheckpointMetrics, FineTuningJob, Hyperparameters, JobError, JobEvent, JobPage, Method, Supervised,
};

/// Entries of a page: by default, and at most.
const PAGE: (u64, u64) = (20, 100);

/// Returns the routes.
pub(super) fn routes() -> Router<State> {
    Router::new()
        .route("/v1/fine_tuning/jobs", get(list).post(create))
        .route("/v1/fine_tuning/jobs/{id}", get(retrieve))
        .route("/v1/fine_tuning/jobs/{id}/cancel", post(cancel))
        .route("/v1/fine_tuning/jobs/{id}/events", get(events))
        .route("/v1/fine_tuning/jobs/{id}/checkpoints", get(checkpoints))
        .route("/v1/fine_tuning/jobs/{id}/pause", post(pause))
        .route("/v1/fine_tuning/jobs/{id}/resume", post(pause))
}

async fn create(
    Shared(state): Shared<State>,
    Extension(caller): Extension<Caller>,
    RawBody(body): RawBody,
) -> Result<Json<FineTuningJob>, Reject> {
    let request = JobRequest::read_newer(&body)?;
    let job = blocking(move || state.jobs().create(&state, &caller, request)).await?;
    Ok(Json(job_response(&job)))
}

/// Lists the organisation's jobs, newest first.
async fn list(
    Shared(state): Shared<State>,
    Extension(caller): Extension<Caller>,
    Query(sent): Query<QueryParams>,
) -> Result<Json<JobPage<FineTuningJob>>, Reject> {
    let jobs = state.jobs().list(&caller);
    page(jobs.iter().rev().map(job_response).collect(), |job| &job.id, &sent)
}

async fn retrieve(
    Shared(state): Shared<State>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
) -> Result<Json<FineTuningJob>, Reject> {
    Ok(Json(job_response(&find(&state, &caller, &id)?)))
}

async fn cancel(
    Shared(state): Shared<State>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
) -> Result<Json<FineTuningJob>, Reject> {
    let job = find(&state, &caller, &id)?;
    let job = blocking(move || state.jobs().cancel(&job.id, &id)).await?;
    Ok(Json(job_response(&job)))
}

/// Lists a job's events, newest first.
async fn events(
    Shared(state): Shared<State>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
    Query(sent): Query<QueryParams>,
) -> Result<Json<JobPage<JobEvent>>, Reject> {
    let job = find(&state, &caller, &id)?;
    let all = job.events.iter().enumerate().map(|(place, event)| {
        let step_metrics = job.metrics.get(&place);
        JobEvent {
            // A power cut can undo the last steps, and later events get their places: the time distinguishes the ids.
            id: format!("ftevent-{}{:04}{:x}", job.tail(), place + 1, event.created_at),
            object: "fine_tuning.job.event".into(),
            created_at: event.created_at,
            level: event.level.clone(),
            message: event.message.clone(),
            kind: if step_metrics.is_some() { "metrics" } else { "message" }.into(),
            data: step_metrics.map(|step_metrics| metrics(step_metrics, &job)),
        }
    });
    let mut all: Vec<JobEvent> = all.collect();
    all.reverse();
    page(all, |event| &event.id, &sent)
}

/// Lists the checkpoints that can be used: the model at the end of the last epoch. Those between epochs serve only to
/// continue training.
async fn checkpoints(
    Shared(state): Shared<State>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
    Query(sent): Query<QueryParams>,
) -> Result<Json<JobPage<Checkpoint>>, Reject> {
    let job = find(&state, &caller, &id)?;
    let checkpoint = job.model_name().map(|model| Checkpoint {
        id: format!("ftckpt_{}", job.tail()),
        object: "fine_tuning.job.checkpoint".into(),
        created_at: job.updated,
        fine_tuned_model_checkpoint: model.to_owned(),
        fine_tuning_job_id: newer_id(&job),
        step_number: job.progress.step,
        metrics: CheckpointMetrics { step: job.progress.step },
    });
    page(checkpoint.into_iter().collect(), |checkpoint| &checkpoint.id, &sent)
}

async fn pause(
    Shared(state): Shared<State>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
) -> Result<Json<FineTuningJob>, Reject> {
    find(&state, &caller, &id)?;
    Err(Reject::bad("The local service cannot pause or resume a job; a job that is not finished can be cancelled."))
}

fn find(state: &State, caller: &Caller, id: &str) -> Result<Job, Reject> {
    state.jobs().find(caller, id).ok_or_else(|| not_found(id))
}

/// Returns the entries after the one called `after`, `limit` at most. Fails if there is no such entry or the limit is
/// out of range.
fn page<T>(all: Vec<T>, id: impl Fn(&T) -> &String, sent: &QueryParams) -> Result<Json<JobPage<T>>, Reject> {
    let limit = query::integer(sent, "limit", 1, PAGE.1, PAGE.0)? as usize;
    let from = match sent.get("after").filter(|after| !after.is_empty()) {
        None => 0,
        Some(after) => match all.iter().position(|entry| id(entry) == after) {
            Some(at) => at + 1,
            None => return Err(Reject::bad(format!("No entry with ID: {}", short(after, 200))).param("after")),
        },
    };
    let has_more = all.len() > from + limit;
    let data: Vec<T> = all.into_iter().skip(from).take(limit).collect();
    let (first_id, last_id) = (data.first().map(&id).cloned(), data.last().map(&id).cloned());
    Ok(Json(JobPage { object: "list".into(), data, has_more, first_id, last_id }))
}

/// Returns a step's figures under the names of the newer interface.
fn metrics(step_metrics: &StepMetrics, job: &Job) -> Value {
    let mut data = json!({
        "step": step_metrics.step,
        "total_steps": job.steps(),
        "train_loss": step_metrics.train_loss,
        "train_accuracy": step_metrics.train_accuracy,
    });
    if let Some((loss, accuracy)) = step_metrics.valid {
        data["valid_loss"] = loss.into();
        data["valid_mean_token_accuracy"] = accuracy.into();
    }
    data
}

fn newer_id(job: &Job) -> String {
    format!("ftjob-{}", job.tail())
}

/// Returns a job as the newer interface writes it.
fn job_response(job: &Job) -> FineTuningJob {
    let spec = &job.spec;
    let (model, result, finished_at) = match &job.phase {
        Phase::Succeeded { model, result, .. } => {
            (Some(model.clone()), Some(result.id.clone()), Some(result.created_at))
        }
        _ => (None, None, None),
    };
    let status = match &job.phase {
        Phase::Checking => "validating_files",
        Phase::Queued { .. } => "queued",
        _ => job.status(),
    };
    let error = match &job.phase {
        Phase::Failed { reason } => Some(JobError { code: "job_failed".into(), message: reason.clone(), param: None }),
        _ => None,
    };
    let settings = Hyperparameters {
        n_epochs: Some(spec.n_epochs).into(),
        batch_size: job.batch_size().into(),
        learning_rate_multiplier: job.learning_rate_multiplier().into(),
    };
    FineTuningJob {
        id: newer_id(job),
        object: "fine_tuning.job".into(),
        model: spec.model.clone(),
        created_at: job.created,
        finished_at,
        trained_tokens: model.as_ref().and(job.tokens),
        fine_tuned_model: model,
        organization_id: format!("org-{}", spec.organisation),
        result_files: result.into_iter().collect(),
        status: status.into(),
        training_file: spec.training.id.clone(),
        validation_file: spec.validation.as_ref().map(|file| file.id.clone()),
        method: Method { kind: "supervised".into(), supervised: Supervised { hyperparameters: settings.clone() } },
        hyperparameters: settings,
        error,
        user_provided_suffix: spec.suffix.clone(),
        seed: spec.seed,
        estimated_finish: None,
        integrations: Vec::new(),
        metadata: spec.metadata.clone(),
    }
}
