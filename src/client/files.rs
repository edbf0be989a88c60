//! Calls about stored files.

#![allow(clippy::unused_async)]

use super::http::Http;
use super::perform::Outlet;
use crate::api::call::{Failure, FailureKind, Span};
use crate::settings::Endpoint;

pub(super) async fn list(_http: &Http, _endpoint: &Endpoint, _outlet: &Outlet) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::Unsupported, "not there yet"))
}

pub(super) async fn one(_http: &Http, _endpoint: &Endpoint, _id: &str, _outlet: &Outlet) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::Unsupported, "not there yet"))
}

pub(super) async fn delete(_http: &Http, _endpoint: &Endpoint, _id: &str, _outlet: &Outlet) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::Unsupported, "not there yet"))
}

pub(super) async fn content(_http: &Http, _endpoint: &Endpoint, _span: &Span, _outlet: &Outlet) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::Unsupported, "not there yet"))
}

pub(super) async fn digest(_http: &Http, _endpoint: &Endpoint, _id: &str, _outlet: &Outlet) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::Unsupported, "not there yet"))
}
