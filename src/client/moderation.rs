//! Sends a moderation call.

use serde_json::{Map, Value};

use super::endpoints::MODERATIONS;
use super::failure;
use super::http::Http;
use super::nan_filter::NanFilter;
use super::progress::ProgressSender;
use super::request::Request;
use super::request_body::{self, Purpose};
use super::response_body::{check_answer, check_json, parse_json, read_body};
use crate::api::call::{Failure, Reply};
use crate::api::moderation::{Moderation, ModerationRequest};
use crate::api::probe::AnswerField;
use crate::settings::{Endpoint, limits};

/// Builds the body of a moderation request.
pub(super) fn body(asked: &ModerationRequest, endpoint: &Endpoint) -> Map<String, Value> {
    request_body::fields(asked, Purpose::Moderation, endpoint)
}

/// Sends `POST /v1/moderations`. Fails if the request does, or the answer is unreadable or has no results.
pub(super) async fn moderate(
    http: &Http,
    endpoint: &Endpoint,
    asked: &ModerationRequest,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let request = Request::post(MODERATIONS, body(asked, endpoint));
    let response = http.exchange(endpoint, &request, sender).await?;
    let body = read_body(Vec::new(), response, limits::MODERATION_BODY, endpoint, sender).await?;
    let answer = parse_results(&body, asked.input.count(), endpoint)?;
    sender.reply(Reply::Moderation(answer), body.len()).await;
    Ok(())
}

/// Parses the results of a good answer to `texts` texts.
fn parse_results(sent: &[u8], texts: usize, endpoint: &Endpoint) -> Result<Moderation, Failure> {
    let (mut filter, mut body) = (NanFilter::default(), Vec::with_capacity(sent.len()));
    filter.push(sent, &mut body).map_err(|what| failure::malformed(&what))?;
    filter.finish(&mut body);
    let probe = check_answer(check_json(&body, endpoint)?, &body, AnswerField::Results, MODERATIONS, endpoint)?;
    // Checked before parsing, which takes many times the memory.
    if probe.names() > limits::RESULT_NAMES.saturating_mul(texts.max(1)) {
        let most = limits::RESULT_NAMES;
        return Err(failure::malformed(&format!("it contains more than {most} categories and scores per text")));
    }
    let answer: Moderation = parse_json(&body)?;
    if answer.results.is_empty() {
        return Err(failure::empty_answer("result", &body, endpoint));
    }
    Ok(answer)
}
