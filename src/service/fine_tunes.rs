//! `/v1/fine-tunes`: jobs in the older interface.

use std::convert::Infallible;
use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, Path, Query, State as Shared};
use axum::http::request::Parts;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use futures_util::Stream;
use futures_util::stream::unfold;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use super::body::RawBody;
use super::caller::Caller;
use super::files::register::Files;
use super::jobs::job::{Job, Phase};
use super::jobs::not_found;
use super::jobs::request::JobRequest;
use super::query::{self, QueryParams};
use super::reject::Reject;
use super::state::State;
use crate::api::file::File;
use crate::api::fine_tune::{FineTune, FineTuneEvent, Hyperparams};
use crate::api::model::{Deleted, List};

/// The longest silence of a stream of events: a comment is sent then, so that no proxy takes the connection for dead.
const SILENCE: Duration = Duration::from_secs(15);

/// Returns the routes.
pub(super) fn routes() -> Router<State> {
    Router::new()
        .route("/v1/fine-tunes", get(list).post(create))
        .route("/v1/fine-tunes/{id}", get(retrieve).delete(delete))
        .route("/v1/fine-tunes/{id}/cancel", post(cancel))
        .route("/v1/fine-tunes/{id}/events", get(events))
}

/// The id in the address.
pub(super) struct Id(pub(super) String);

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Reject;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Reject> {
        // What is not UTF-8 once decoded is not a job's id.
        let Path(id) = Path::<String>::from_request_parts(parts, state).await.map_err(|_| not_found("?"))?;
        Ok(Self(id))
    }
}

async fn create(
    Shared(state): Shared<State>,
    Extension(caller): Extension<Caller>,
    RawBody(body): RawBody,
) -> Result<Json<FineTune>, Reject> {
    let request = JobRequest::read(&body)?;
    let job = blocking(move || {
        state.jobs().create(&state, &caller, request).map(|job| job_response(&job, state.files(), true))
    });
    Ok(Json(job.await?))
}

async fn list(Shared(state): Shared<State>, Extension(caller): Extension<Caller>) -> Json<List<FineTune>> {
    let jobs = state.jobs().list(&caller);
    Json(List { data: jobs.iter().map(|job| job_response(job, state.files(), false)).collect(), ..List::default() })
}

async fn retrieve(
    Shared(state): Shared<State>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
) -> Result<Json<FineTune>, Reject> {
    let job = state.jobs().find(&caller, &id).ok_or_else(|| not_found(&id))?;
    Ok(Json(job_response(&job, state.files(), true)))
}

/// Cancels a job. Accepts any body or none: clients differ.
async fn cancel(
    Shared(state): Shared<State>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
) -> Result<Json<FineTune>, Reject> {
    let job = state.jobs().find(&caller, &id).ok_or_else(|| not_found(&id))?;
    let job = blocking(move || state.jobs().cancel(&job.id, &id).map(|job| job_response(&job, state.files(), true)));
    Ok(Json(job.await?))
}

/// Deletes a finished job: a request of the command line of that time, never documented.
async fn delete(
    Shared(state): Shared<State>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
) -> Result<Json<Deleted>, Reject> {
    let job = state.jobs().find(&caller, &id).ok_or_else(|| not_found(&id))?;
    blocking(move || state.jobs().delete(&job.id)).await?;
    Ok(Json(Deleted { id, object: "fine-tune".into(), deleted: true }))
}

async fn events(
    Shared(state): Shared<State>,
    Extension(caller): Extension<Caller>,
    Id(id): Id,
    Query(sent): Query<QueryParams>,
) -> Result<Response, Reject> {
    let streamed = query::flag(&sent, "stream")?;
    // Subscribed before reading the job, so that no change is missed.
    let changes = state.jobs().changes();
    let job = state.jobs().find(&caller, &id).ok_or_else(|| not_found(&id))?;
    if !streamed {
        return Ok(Json(List { data: job.events, ..List::default() }).into_response());
    }
    let leaving = Box::pin(state.leaving());
    let stream = EventStream {
        state,
        caller,
        id: job.id,
        changes,
        leaving,
        sent: 0,
        last_sent: Instant::now(),
        phase: StreamPhase::History,
    };
    let kind = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache, must-revalidate")),
    ];
    Ok((kind, Body::from_stream(stream.into_stream())).into_response())
}

/// Runs work that waits for the disk on a blocking thread. Fails if the work does or panics.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Reject> + Send + 'static,
) -> Result<T, Reject> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Reject::fault())?
}

/// Returns a job as the older interface writes it.
fn job_response(job: &Job, files: &Files, with_events: bool) -> FineTune {
    let spec = &job.spec;
    let file = |file: &File| current_file(files, &spec.organisation, file);
    let (model, result) = match &job.phase {
        Phase::Succeeded { model, result, .. } => (Some(model.clone()), Some(file(result))),
        _ => (None, None),
    };
    let hyperparams = Hyperparams {
        batch_size: job.batch_size(),
        learning_rate_multiplier: job.learning_rate_multiplier(),
        n_epochs: Some(spec.n_epochs),
        prompt_loss_weight: Some(spec.prompt_loss_weight),
    };
    FineTune {
        id: job.id.clone(),
        object: "fine-tune".into(),
        model: spec.model.clone(),
        created_at: job.created,
        updated_at: job.updated,
        events: with_events.then(|| job.events.clone()),
        fine_tuned_model: model,
        hyperparams,
        organization_id: format!("org-{}", spec.organisation),
        status: job.status().into(),
        training_files: vec![file(&spec.training)],
        validation_files: spec.validation.iter().map(file).collect(),
        result_files: result.into_iter().collect(),
    }
}

/// Returns a file as it is now; a deleted one as it was, with the status `deleted`.
fn current_file(files: &Files, organisation: &str, file: &File) -> File {
    let stored = files.get(organisation, &file.id).map(|stored| stored.file());
    stored.unwrap_or_else(|| File { status: Some("deleted".into()), ..file.clone() })
}

/// A job's events, streamed to one reader.
struct EventStream {
    state: State,
    caller: Caller,
    id: String,
    changes: watch::Receiver<u64>,
    leaving: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// Number of events sent.
    sent: usize,
    /// Time of the last event or comment. Changes of other jobs wake this stream and send nothing.
    last_sent: Instant,
    phase: StreamPhase,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StreamPhase {
    /// Not all events so far are sent.
    History,
    /// The job has ended and all its events are sent.
    Done,
    /// The stream has ended.
    Ended,
}

impl EventStream {
    /// Streams all events from the first, then new ones, each once; `[DONE]` when the job is finished. Ends without it
    /// when the service stops, or the job is deleted.
    fn into_stream(self) -> impl Stream<Item = Result<Bytes, Infallible>> + Send {
        unfold(self, |mut events| async move { events.next().await.map(|bytes| (Ok(bytes), events)) })
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            match self.phase {
                StreamPhase::History => {}
                StreamPhase::Done => {
                    self.phase = StreamPhase::Ended;
                    return Some(Bytes::from_static(b"data: [DONE]\n\n"));
                }
                StreamPhase::Ended => return None,
            }
            self.changes.borrow_and_update();
            let job = self.state.jobs().find(&self.caller, &self.id)?;
            if job.finished() {
                self.phase = StreamPhase::Done;
            }
            let news = &job.events[self.sent.min(job.events.len())..];
            if !news.is_empty() {
                self.sent += news.len();
                self.last_sent = Instant::now();
                return Some(news.iter().map(line).collect::<String>().into());
            }
            if self.phase == StreamPhase::Done {
                continue;
            }
            tokio::select! {
                changed = self.changes.changed() => changed.ok()?,
                () = &mut self.leaving => return None,
                () = sleep_until(self.last_sent + SILENCE) => {
                    self.last_sent = Instant::now();
                    return Some(Bytes::from_static(b": keep-alive\n\n"));
                }
            }
        }
    }
}

fn line(event: &FineTuneEvent) -> String {
    let json = serde_json::to_string(event).expect("an event holds nothing but strings and numbers");
    format!("data: {json}\n\n")
}
