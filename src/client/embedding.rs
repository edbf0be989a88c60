//! An embedding call.

use serde_json::Value;

use super::extra::{self, For};
use super::http::{Http, Request};
use super::perform::Outlet;
use super::vectors;
use crate::api::call::{Failure, Reply};
use crate::api::embedding::EmbeddingRequest;
use crate::settings::{Endpoint, limits};

/// Below the base URL.
pub(super) const PATH: &str = "/embeddings";

/// How vectors are written.
const FORMAT: &str = "encoding_format";

/// The request as JSON, without a wish of our own.
fn plain(asked: &EmbeddingRequest, endpoint: &Endpoint) -> Value {
    extra::body(asked, For::Vectors, endpoint)
}

/// The request as JSON. Where neither it nor the profile says how vectors are to be written, base64 is asked for: a third
/// of the bytes.
pub(super) fn body(asked: &EmbeddingRequest, endpoint: &Endpoint) -> Value {
    let mut body = plain(asked, endpoint);
    if body.get(FORMAT).is_none() {
        body[FORMAT] = "base64".into();
    }
    body
}

/// `POST /v1/embeddings`
pub(super) async fn embed(
    http: &Http,
    endpoint: &Endpoint,
    asked: &EmbeddingRequest,
    outlet: &Outlet,
) -> Result<(), Failure> {
    let plain = plain(asked, endpoint);
    let ours = plain.get(FORMAT).is_none() && http.asks(FORMAT, endpoint);
    let request = Request::post(PATH, if ours { body(asked, endpoint) } else { plain });
    let response = match http.exchange(endpoint, &request, outlet).await {
        Err(why) if ours && refuses(&why) => {
            http.never_ask(FORMAT, endpoint);
            http.exchange(endpoint, &request.without(FORMAT), outlet).await?
        }
        answer => answer?,
    };
    let most = (limits::EMBEDDING_BODY, limits::VECTOR.saturating_mul(asked.inputs().max(1)));
    let list = vectors::read(response, PATH, most, endpoint, outlet).await?;
    let numbers: usize = list.data.iter().map(|one| one.embedding.len()).sum();
    outlet.reply(Reply::Embeddings(list), numbers * size_of::<f32>()).await;
    Ok(())
}

/// Whether the server's complaint is about the way vectors are to be written.
fn refuses(why: &Failure) -> bool {
    matches!(why.status, Some(400 | 422)) && (why.body.contains(FORMAT) || why.body.contains("base64"))
}
