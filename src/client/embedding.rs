//! An embedding call.

use serde_json::{Map, Value};

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

/// The request's fields. Where neither it nor the profile says how vectors are to be written, base64 is asked for: a third
/// of the bytes.
pub(super) fn body(asked: &EmbeddingRequest, endpoint: &Endpoint) -> Map<String, Value> {
    let mut fields = extra::fields(asked, For::Vectors, endpoint);
    fields.entry(FORMAT).or_insert_with(|| "base64".into());
    fields
}

/// `POST /v1/embeddings`
pub(super) async fn embed(
    http: &Http,
    endpoint: &Endpoint,
    asked: &EmbeddingRequest,
    outlet: &Outlet,
) -> Result<(), Failure> {
    let plain = extra::fields(asked, For::Vectors, endpoint);
    let ours = !plain.contains_key(FORMAT) && http.asks(FORMAT, endpoint);
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
