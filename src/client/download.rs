//! Downloads, streamed to the disk.

#![allow(clippy::unused_async)]

use super::http::Http;
use super::perform::Outlet;
use crate::api::call::{Download, Failure, FailureKind};
use crate::settings::Endpoint;

pub(super) async fn download(
    _http: &Http,
    _endpoint: &Endpoint,
    _wanted: &Download,
    _outlet: &Outlet,
) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::Unsupported, "not there yet"))
}
