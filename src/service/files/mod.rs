//! `/v1/files`: files for training and their results.
//!
//! [`Files`](register::Files) is the register of all organisations' files; [`disk`] stores them, [`upload`] receives
//! and [`content`] sends them.

mod content;
mod disk;
mod name;
pub(super) mod register;
mod stored;
mod upload;
mod upload_body;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Extension, Json, Router};
use serde::Deserialize;
use serde_json::{Map, Value};

use self::register::DeleteError;
use self::stored::Stored;
use super::caller::Caller;
use super::check::{self, Fields};
use super::reject::{Reject, short};
use super::state::State as Shared;
use crate::api::file::{File, FileList};
use crate::api::model::Deleted;

/// Files of one page of the list, at most and by default.
const PAGE: usize = 10_000;

/// Returns the routes.
pub(super) fn routes() -> Router<Shared> {
    Router::new()
        .route("/v1/files", get(list).post(upload::create))
        .route("/v1/files/{file}", get(retrieve).delete(delete))
        .route("/v1/files/{file}/content", get(content::download))
}

/// Returns the file of a path. Fails if there is none of that id in the caller's organisation.
fn find(state: &Shared, caller: &Caller, id: Result<Path<String>, PathRejection>) -> Result<Stored, Reject> {
    // What is not UTF-8 once decoded is not a file's id. Some clients send a path of their own machine; it is used only
    // as a key of the table of ids.
    let Path(id) = id.map_err(|_| not_found("?"))?;
    state.files().get(&caller.organisation, &id).ok_or_else(|| not_found(&id))
}

fn not_found(id: &str) -> Reject {
    Reject::new(StatusCode::NOT_FOUND, format!("No such File object: {}", short(id, 200))).param("id")
}

/// The parameters of the list.
#[derive(Deserialize)]
struct ListParams {
    purpose: Option<String>,
    limit: Option<String>,
    order: Option<String>,
    after: Option<String>,
}

async fn list(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    params: Result<Query<ListParams>, QueryRejection>,
) -> Result<Json<FileList>, Reject> {
    let Query(params) = params.map_err(|why| Reject::bad(why.body_text()))?;
    let limit = params.limit.filter(|limit| !limit.is_empty()).map_or(Ok(None), |limit| {
        let value = limit.parse::<i64>().map_or(Value::String(limit), Value::from);
        Fields::of(&Map::from_iter([("limit".to_owned(), value)])).integer("limit", 1, PAGE as i64)
    })?;
    let mut files = state.files().list(&caller.organisation);
    match params.order.as_deref() {
        None | Some("" | "asc") => {}
        Some("desc") => files.reverse(),
        Some(other) => return Err(check::not_one_of(&other.into(), &["asc", "desc"], "order")),
    }
    files.retain(|stored| {
        params.purpose.as_ref().is_none_or(|purpose| purpose.is_empty() || stored.purpose == *purpose)
    });
    if let Some(after) = params.after.filter(|after| !after.is_empty()) {
        let at = files.iter().position(|stored| stored.id == after).ok_or_else(|| not_found(&after).param("after"))?;
        files.drain(..=at);
    }
    let limit = limit.map_or(PAGE, |limit| limit as usize);
    let has_more = files.len() > limit;
    files.truncate(limit);
    let data: Vec<File> = files.iter().map(Stored::file).collect();
    let id = |file: Option<&File>| file.map(|file| file.id.clone());
    let (first_id, last_id) = (id(data.first()), id(data.last()));
    Ok(Json(FileList { object: "list".into(), data, first_id, last_id, has_more }))
}

async fn retrieve(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<File>, Reject> {
    Ok(Json(find(&state, &caller, id)?.file()))
}

async fn delete(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    id: Result<Path<String>, PathRejection>,
) -> Result<Json<Deleted>, Reject> {
    let stored = find(&state, &caller, id)?;
    let (files, id) = (state.files().clone(), stored.id.clone());
    let deleted = tokio::task::spawn_blocking(move || files.delete(&stored.organisation, &stored.id)).await;
    match deleted {
        Ok(Ok(())) => Ok(Json(Deleted { id, object: "file".into(), deleted: true })),
        Ok(Err(DeleteError::Unknown)) => Err(not_found(&id)),
        Ok(Err(DeleteError::Checking)) => {
            Err(Reject::new(StatusCode::CONFLICT, "File is still processing. Check back later."))
        }
        Ok(Err(DeleteError::InUse)) => {
            let message = "File is in use by a fine-tune that has not finished. Wait for it or cancel it, then delete \
                           the file.";
            Err(Reject::new(StatusCode::CONFLICT, message))
        }
        Ok(Err(DeleteError::Disk(why))) => {
            tracing::error!(%id, %why, "a file could not be deleted");
            Err(Reject::fault())
        }
        Err(why) => {
            tracing::error!(%id, %why, "deleting a file panicked");
            Err(Reject::fault())
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::Request;
    use http_body_util::BodyExt as _;
    use tower::ServiceExt as _;

    use super::*;

    async fn deletion(state: &Shared, id: &str) -> (u16, String) {
        let request = Request::delete(format!("/v1/files/{id}"))
            .header("host", "127.0.0.1")
            .header("authorization", "Bearer k")
            .body(Body::empty())
            .unwrap();
        let (parts, body) = super::super::router(state.clone()).oneshot(request).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let body: Value = serde_json::from_slice(&body).unwrap();
        (parts.status.as_u16(), body["error"]["message"].as_str().unwrap_or_default().to_owned())
    }

    #[tokio::test]
    async fn what_is_checked_or_in_use_is_not_deleted() {
        let state = Shared::new("k".to_owned().into()).unwrap();
        let files = state.files();
        let mut partial = files.begin().unwrap();
        partial.write(b"{\"prompt\":\"a\",\"completion\":\"b\"}").unwrap();
        let reservation = files.reserve("personal");
        let stored = files.register(partial, reservation, "fine-tune", "a", super::stored::Status::Uploaded).unwrap();
        assert_eq!(deletion(&state, &stored.id).await, (409, "File is still processing. Check back later.".into()));
        files.check_later(stored.id.clone())();
        let holds = [files.hold(&stored.id).unwrap(), files.hold(&stored.id).unwrap()];
        for hold in holds {
            let (status, message) = deletion(&state, &stored.id).await;
            assert!(status == 409 && message.starts_with("File is in use by a fine-tune"), "{message}");
            drop(hold);
        }
        assert_eq!(deletion(&state, &stored.id).await, (200, String::new()));
        assert!(files.hold(&stored.id).is_none());
    }
}
