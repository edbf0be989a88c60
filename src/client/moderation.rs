//! A moderation call.

use serde_json::{Map, Value};

use super::extra::{self, For};
use super::failure;
use super::http::{Http, Request, read, tell, whole};
use super::lax::Lax;
use super::perform::Outlet;
use crate::api::call::{Failure, Reply};
use crate::api::moderation::{Moderation, ModerationRequest};
use crate::api::probe::Wanted;
use crate::settings::{Endpoint, limits};

/// Below the base URL.
pub(super) const PATH: &str = "/moderations";

/// The request as JSON.
pub(super) fn body(asked: &ModerationRequest, endpoint: &Endpoint) -> Map<String, Value> {
    extra::fields(asked, For::Verdicts, endpoint)
}

/// `POST /v1/moderations`
pub(super) async fn moderate(
    http: &Http,
    endpoint: &Endpoint,
    asked: &ModerationRequest,
    outlet: &Outlet,
) -> Result<(), Failure> {
    let request = Request::post(PATH, body(asked, endpoint));
    let response = http.exchange(endpoint, &request, outlet).await?;
    let sent = whole(Vec::new(), response, limits::MODERATION_BODY, endpoint, outlet).await?;
    let answer = results(&sent, asked.input.count(), endpoint)?;
    outlet.reply(Reply::Moderation(answer), sent.len()).await;
    Ok(())
}

/// The results of a good answer to so many texts.
fn results(sent: &[u8], texts: usize, endpoint: &Endpoint) -> Result<Moderation, Failure> {
    let (mut lax, mut body) = (Lax::default(), Vec::with_capacity(sent.len()));
    lax.pass(sent, &mut body).map_err(|what| failure::malformed(&what))?;
    lax.end(&mut body);
    let probe = tell(&body, Wanted::Results, PATH, endpoint)?;
    // Before it is built up, which takes many times the memory.
    if probe.names() > limits::RESULT_NAMES.saturating_mul(texts.max(1)) {
        let most = limits::RESULT_NAMES;
        return Err(failure::malformed(&format!("it names more than {most} categories and scores for each text")));
    }
    let answer: Moderation = read(&body)?;
    if answer.results.is_empty() {
        return Err(failure::nothing("result", &body, endpoint));
    }
    Ok(answer)
}
