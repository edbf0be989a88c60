//! An embedding call.

use super::answer;
use super::http::{Http, Request, parse, whole};
use super::perform::Outlet;
use crate::api::call::{Failure, Reply};
use crate::api::embedding::{EmbeddingList, EmbeddingRequest};
use crate::api::probe::Wanted;
use crate::settings::{Endpoint, limits};

/// Below the base URL.
pub(super) const PATH: &str = "/embeddings";

/// `POST /v1/embeddings`
pub(super) async fn embed(
    http: &Http,
    endpoint: &Endpoint,
    asked: &EmbeddingRequest,
    outlet: &Outlet,
) -> Result<(), Failure> {
    let request = Request::post(PATH, answer::body(asked, endpoint));
    let response = http.exchange(endpoint, &request, outlet).await?;
    let body = whole(Vec::new(), response, limits::JSON_BODY, endpoint, outlet).await?;
    let answer: EmbeddingList = parse(&body, Wanted::Data, endpoint)?;
    outlet.reply(Reply::Embeddings(answer), body.len()).await;
    Ok(())
}
