//! Sends an embedding call: its texts in one request, or in one each if the server accepts only one.

use serde_json::{Map, Value};

use super::adapt;
use super::endpoints::EMBEDDINGS;
use super::http::Http;
use super::progress::ProgressSender;
use super::request_body::{self, Body, ENCODING_FORMAT, Purpose};
use super::vectors::read_vectors;
use crate::api::call::{Failure, Progress, Reply};
use crate::api::capability::{Adaptation, Finding, Subject};
use crate::api::completion::Prompt;
use crate::api::embedding::{Embedding, EmbeddingList, EmbeddingRequest};
use crate::settings::{Endpoint, limits};
use crate::text::Untrusted;

/// Builds the body of an embedding request. If neither the request nor the profile says how vectors are encoded, base64
/// is requested, which takes a third of the bytes.
pub(super) fn body(asked: &EmbeddingRequest, endpoint: &Endpoint) -> Map<String, Value> {
    let mut fields = request_body::fields(asked, Purpose::Vectors, endpoint);
    fields.entry(ENCODING_FORMAT).or_insert_with(|| "base64".into());
    fields
}

/// Returns the subject of the fact that a server accepts only one text in a request.
fn list_subject() -> Subject {
    Subject::Field { endpoint: EMBEDDINGS.to_owned(), model: String::new(), field: INPUT.to_owned() }
}

const INPUT: &str = "input";

/// Sends `POST /v1/embeddings`. If the server accepts only one text, each is sent by itself; later calls do that
/// from the start.
/// Fails if a request does or an answer is unreadable.
pub(super) async fn embed(
    http: &Http,
    endpoint: &Endpoint,
    asked: &EmbeddingRequest,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let list = match &asked.input {
        Prompt::Texts(texts) if http.knowledge.of(endpoint, &list_subject()) == Some(Finding::Single) => {
            let answer = embed_singly(http, endpoint, asked, texts, sender).await;
            answer.map_err(|failed| name_text(failed, texts.len()))?
        }
        Prompt::Texts(texts) => match request_vectors(http, endpoint, asked, sender).await {
            Err(refusal) if refuses_list(&refusal) => {
                let answer = embed_singly(http, endpoint, asked, texts, sender).await;
                match answer {
                    // The refusal was about a text, not about the list.
                    Err((0, why)) if why.status == refusal.status => return Err(refusal),
                    Err((0, why)) => return Err(why),
                    _ => http.knowledge.learn(endpoint, list_subject(), Finding::Single, sender).await,
                }
                answer.map_err(|failed| name_text(failed, texts.len()))?
            }
            answer => answer?,
        },
        _ => request_vectors(http, endpoint, asked, sender).await?,
    };
    let numbers: usize = list.data.iter().map(|one| one.embedding.len()).sum();
    sender.reply(Reply::Embeddings(list), numbers * size_of::<f32>()).await;
    Ok(())
}

/// Sends each text by itself and returns one list of all their vectors. Fails with the first that does, and its index.
async fn embed_singly(
    http: &Http,
    endpoint: &Endpoint,
    asked: &EmbeddingRequest,
    texts: &[String],
    sender: &ProgressSender,
) -> Result<EmbeddingList, (usize, Failure)> {
    if texts.len() > 1 {
        sender.send(Progress::Adapted(Adaptation::Single(INPUT.to_owned()))).await;
    }
    let mut all = EmbeddingList::default();
    for (text, index) in texts.iter().zip(0..) {
        let one = EmbeddingRequest { input: Prompt::Text(text.clone()), ..asked.clone() };
        let list = request_vectors(http, endpoint, &one, sender).await.map_err(|why| (index as usize, why))?;
        all.data.extend(list.data.into_iter().next().map(|one| Embedding { index, ..one }));
        all.usage.prompt_tokens += list.usage.prompt_tokens;
        all.usage.total_tokens += list.usage.total_tokens;
        (all.model, all.object) = (list.model, list.object);
    }
    Ok(all)
}

/// Adds to the failure of one text among several which of them it is.
fn name_text((index, why): (usize, Failure), texts: usize) -> Failure {
    if texts == 1 {
        return why;
    }
    let mut sentence = Untrusted::new(format!("text {} of {texts}: ", index + 1));
    sentence.append(&why.sentence);
    Failure { sentence, ..why }
}

/// Sends one request and reads its answer.
async fn request_vectors(
    http: &Http,
    endpoint: &Endpoint,
    asked: &EmbeddingRequest,
    sender: &ProgressSender,
) -> Result<EmbeddingList, Failure> {
    let is_asked_for = request_body::fields(asked, Purpose::Vectors, endpoint).contains_key(ENCODING_FORMAT);
    let body = Body { kept: is_asked_for.then_some(ENCODING_FORMAT), ..body(asked, endpoint).into() };
    let response = adapt::post(http, endpoint, EMBEDDINGS, body, sender).await?;
    let limits = (limits::EMBEDDING_BODY, limits::VECTOR.saturating_mul(asked.inputs().max(1)));
    read_vectors(response, EMBEDDINGS, limits, endpoint, sender).await
}

/// Returns whether the server may have refused the input because it is a list.
fn refuses_list(why: &Failure) -> bool {
    let body = why.body.line().to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| body.contains(word));
    // Azure's older models.
    let takes_one = body.contains("the max number of inputs is 1.");
    let wants_text = says(&[INPUT, "prompt"])
        && says(&["string", "str type", "array", "list"])
        // Then a shorter list, or shorter texts, would be accepted.
        && !says(&["empty", "too long", "too many", "too large", "at most", "maximum", "limit"]);
    matches!(why.status, Some(400 | 422)) && (takes_one || wants_text && !names_a_text(&body))
}

/// Returns whether a refusal names one of the texts by its index: `input[3]`, `"input", 3`, `at index 3`.
fn names_a_text(body: &str) -> bool {
    [INPUT, "prompt", "index", "position", "element", "item"].iter().any(|word| {
        body.match_indices(word).any(|(at, _)| {
            let rest = &body[at + word.len()..];
            let number = rest.trim_start_matches(|c: char| !c.is_alphanumeric());
            rest.len() - number.len() <= 4
                && !rest.starts_with(char::is_alphanumeric)
                && number.starts_with(|c: char| c.is_ascii_digit())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::call::FailureKind;

    #[test]
    fn a_refusal_about_one_text_is_not_about_the_list() {
        for (body, expected) in [
            (r#"{"error":"input must be a string"}"#, true),
            (r#"{"detail":[{"loc":["body","input"],"msg":"str type expected"}]}"#, true),
            (r#"{"error":{"code":400,"message":"\"prompt\" must be a string or an array of integers"}}"#, true),
            (r#"{"error":{"message":"'prompt' must be a non-empty string"}}"#, false),
            (r#"{"error":{"message":"Input cannot be an empty string."}}"#, false),
            (r#"{"error":{"message":"input[3] must be a string"}}"#, false),
            (r#"{"detail":[{"loc":["body","input",3],"msg":"str type expected"}]}"#, false),
            (r#"{"error":{"message":"the input at index 2 is not a string"}}"#, false),
        ] {
            let failure = Failure::new(FailureKind::Refused, "refused");
            let failure = Failure { status: Some(400), body: body.into(), ..failure };
            assert_eq!(refuses_list(&failure), expected, "{body}");
        }
    }
}
