//! A moderation call.

use super::answer;
use super::http::{Http, Request, parse, whole};
use super::perform::Outlet;
use crate::api::call::{Failure, Reply};
use crate::api::moderation::{Moderation, ModerationRequest};
use crate::api::probe::Wanted;
use crate::settings::{Endpoint, limits};

/// Below the base URL.
pub(super) const PATH: &str = "/moderations";

/// `POST /v1/moderations`
pub(super) async fn moderate(
    http: &Http,
    endpoint: &Endpoint,
    asked: &ModerationRequest,
    outlet: &Outlet,
) -> Result<(), Failure> {
    let request = Request::post(PATH, answer::body(asked, endpoint));
    let response = http.exchange(endpoint, &request, outlet).await?;
    let body = whole(Vec::new(), response, limits::JSON_BODY, endpoint, outlet).await?;
    let answer: Moderation = parse(&body, Wanted::Results, endpoint)?;
    outlet.reply(Reply::Moderation(answer), body.len()).await;
    Ok(())
}
