//! Calls about fine-tunes, in whichever dialect the server has.

#![allow(clippy::unused_async)]

use super::http::Http;
use super::perform::Outlet;
use crate::api::call::{Failure, FailureKind};
use crate::api::fine_tune::FineTuneRequest;
use crate::settings::Endpoint;

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

pub(super) async fn delete_model(
    _http: &Http,
    _endpoint: &Endpoint,
    _model: &str,
    _outlet: &Outlet,
) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::Unsupported, "not there yet"))
}
