//! A job's events as one stream that reconnects and never repeats or drops an event.

#![allow(clippy::unused_async)]

use super::http::Http;
use super::perform::Outlet;
use crate::api::call::{Failure, FailureKind};
use crate::settings::Endpoint;

pub(super) async fn follow(_http: &Http, _endpoint: &Endpoint, _id: &str, _outlet: &Outlet) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::Unsupported, "not there yet"))
}
