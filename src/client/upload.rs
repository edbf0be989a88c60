//! Uploads, streamed from the disk.

#![allow(clippy::unused_async)]

use super::http::Http;
use super::perform::Outlet;
use crate::api::call::{Failure, FailureKind, Upload};
use crate::settings::Endpoint;

pub(super) async fn upload(
    _http: &Http,
    _endpoint: &Endpoint,
    _upload: &Upload,
    _outlet: &Outlet,
) -> Result<(), Failure> {
    Err(Failure::new(FailureKind::Unsupported, "not there yet"))
}
