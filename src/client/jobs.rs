//! Calls about fine-tunes, in whichever dialect the server has.

#![allow(clippy::unused_async)]

use reqwest::Method;

use super::failure;
use super::http::{Http, Request, step, whole};
use super::perform::Outlet;
use crate::api::call::{Failure, FailureKind, Reply};
use crate::api::fine_tune::FineTuneRequest;
use crate::api::probe::Probe;
use crate::settings::{Endpoint, limits};

pub(super) async fn list(_http: &Http, _endpoint: &Endpoint, _outlet: &Outlet) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::Unsupported, "not there yet"))
}

pub(super) async fn one(_http: &Http, _endpoint: &Endpoint, _id: &str, _outlet: &Outlet) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::Unsupported, "not there yet"))
}

pub(super) async fn create(
    _http: &Http,
    _endpoint: &Endpoint,
    _asked: &FineTuneRequest,
    _outlet: &Outlet,
) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::Unsupported, "not there yet"))
}

pub(super) async fn cancel(_http: &Http, _endpoint: &Endpoint, _id: &str, _outlet: &Outlet) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::Unsupported, "not there yet"))
}

/// Deletes a fine-tuned model.
pub(super) async fn delete_model(
    http: &Http,
    endpoint: &Endpoint,
    model: &str,
    outlet: &Outlet,
) -> Result<(), Failure> {
    let request = Request::new(Method::DELETE, format!("/models/{}", step(model)?));
    let response = http.exchange(endpoint, &request, outlet).await.map_err(|why| undeleted(why, model))?;
    let body = whole(Vec::new(), response, limits::JSON_BODY, endpoint, outlet).await?;
    // A good status says it; what else the server writes is its own affair, but not an error.
    if Probe::of(&body).is_ok_and(Probe::is_error) {
        return Err(failure::in_answer(&body, request.path(), endpoint));
    }
    outlet.reply(Reply::Deleted(model.to_owned()), body.len()).await;
    Ok(())
}

/// Why a model was not deleted, in words that fit.
fn undeleted(mut why: Failure, model: &str) -> Failure {
    let words = match why.status {
        Some(404) => {
            "the server has no model of this name that it could delete; it may be gone already, so read the list again"
        }
        Some(403) => "this key may not delete the model; the organisation's owner may",
        Some(405 | 501) => "the server deletes no models; it has to be done elsewhere",
        _ => return why,
    };
    let status = why.status.unwrap_or_default();
    why.sentence = format!("{status} {words} ({model})").into();
    why
}
