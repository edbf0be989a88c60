//! Sends an embedding call: its texts in one request, or in several if the server accepts only so many.

use std::num::NonZeroUsize;

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

/// Returns the subject of the fact that a server accepts only so many texts in a request.
fn list_subject() -> Subject {
    Subject::Field { endpoint: EMBEDDINGS.to_owned(), model: String::new(), field: INPUT.to_owned() }
}

const INPUT: &str = "input";

/// Sends `POST /v1/embeddings`. If the server accepts only so many texts, they are sent in several requests; later calls
/// do that from the start. Fails if a request does or an answer is unreadable.
pub(super) async fn embed(
    http: &Http,
    endpoint: &Endpoint,
    asked: &EmbeddingRequest,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let list = match &asked.input {
        Prompt::Texts(texts) => embed_texts(http, endpoint, asked, texts, sender).await?,
        _ => request_vectors(http, endpoint, asked, sender).await?,
    };
    let numbers: usize = list.data.iter().map(|one| one.embedding.len()).sum();
    sender.reply(Reply::Embeddings(list), numbers * size_of::<f32>()).await;
    Ok(())
}

/// Sends as many texts in a request as the server is known to accept, one request after another. Where it refuses so
/// many, it goes on with fewer, and learns how many are accepted. Returns one list of all vectors; fails with the first
/// request that does.
async fn embed_texts(
    http: &Http,
    endpoint: &Endpoint,
    asked: &EmbeddingRequest,
    texts: &[String],
    sender: &ProgressSender,
) -> Result<EmbeddingList, Failure> {
    let mut most = match http.knowledge.of(endpoint, &list_subject()) {
        Some(Finding::AtMost(most)) => Some(most),
        _ => None,
    };
    let (mut request, mut all, mut start) = (asked.clone(), None, 0);
    // What refused the texts, probably because they were a list; and the limit that was reported.
    let (mut refusal, mut reported) = (None::<Failure>, None);
    loop {
        let part = most.map_or(texts, |most| &texts[start..texts.len().min(start + most.get())]);
        if let Some(size) = most.filter(|size| reported != most && size.get() < texts.len()) {
            sender.send(Progress::Adapted(Adaptation::Split { field: INPUT.to_owned(), size })).await;
            reported = most;
        }
        // One text is no list: a server may refuse a list of one.
        let is_single = most == Some(NonZeroUsize::MIN) && !part.is_empty();
        request.input = if is_single { Prompt::Text(part[0].clone()) } else { Prompt::Texts(part.to_vec()) };
        match request_vectors(http, endpoint, &request, sender).await {
            Ok(list) => {
                if refusal.take().is_some() {
                    http.knowledge.learn(endpoint, list_subject(), Finding::AtMost(NonZeroUsize::MIN), sender).await;
                }
                if part.len() == texts.len() {
                    return Ok(list);
                }
                append(&mut all, list, start, part.len());
                start += part.len();
            }
            Err(why) => match list_limit(&why) {
                Some(ListLimit::Named(limit)) if limit.get() < part.len() => {
                    http.knowledge.learn(endpoint, list_subject(), Finding::AtMost(limit), sender).await;
                    most = Some(limit);
                }
                Some(ListLimit::Probably) if !is_single => {
                    (most, refusal) = (Some(NonZeroUsize::MIN), Some(why));
                }
                // The first refusal was about a text, not about the list.
                _ => match refusal.filter(|refusal| refusal.status == why.status) {
                    Some(refusal) => return Err(refusal),
                    None => return Err(name_texts(why, start, part.len(), texts.len())),
                },
            },
        }
        if start == texts.len() {
            return Ok(all.unwrap_or_default());
        }
    }
}

/// Adds the vectors of `texts` texts, the first of which has the index `start`.
fn append(all: &mut Option<EmbeddingList>, list: EmbeddingList, start: usize, texts: usize) {
    // An index that is left out is read as 0.
    let by_place = texts == 1 || (list.data.len() == texts && list.data.iter().all(|one| one.index == 0));
    let mut data = Vec::with_capacity(texts);
    for (place, one) in list.data.into_iter().enumerate() {
        let place = if by_place { place } else { one.index as usize };
        if place < texts {
            data.push(Embedding { index: (start + place) as u32, ..one });
        }
    }
    match all {
        Some(all) => {
            all.data.extend(data);
            all.usage.add(&list.usage);
        }
        None => *all = Some(EmbeddingList { data, ..list }),
    }
}

/// Adds to the failure of a part of several texts which of them it is about.
fn name_texts(why: Failure, start: usize, part: usize, texts: usize) -> Failure {
    let named = match part {
        _ if part == texts => return why,
        1 => format!("text {}", start + 1),
        _ => format!("texts {}–{}", start + 1, start + part),
    };
    let mut sentence = Untrusted::new(format!("{named} of {texts}: "));
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
    let body = Body { fixed_field: is_asked_for.then_some(ENCODING_FORMAT), ..body(asked, endpoint).into() };
    let response = adapt::post(http, endpoint, EMBEDDINGS, body, sender).await?;
    let limits = (limits::EMBEDDING_BODY, limits::VECTOR.saturating_mul(asked.inputs().max(1)));
    read_vectors(response, EMBEDDINGS, limits, endpoint, sender).await
}

/// What stands before and after the number of texts that a server accepts: Azure, text-embeddings-inference, DashScope,
/// OpenAI, Cohere, Google.
const LIST_LIMITS: &[(&str, &str)] = &[
    ("max number of inputs is ", ""),
    ("maximum allowed batch size ", ""),
    ("batch size is invalid, it should not be larger than ", ""),
    ("expected an array with maximum length ", ""),
    ("number of texts must be at most ", ""),
    ("at most ", " requests can be in one batch"),
];

/// What a refusal says about how many texts are accepted in a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListLimit {
    /// So many.
    Named(NonZeroUsize),
    /// Probably one, not in a list.
    Probably,
}

/// Returns what a refusal says about how many texts are accepted in a request; `None`: nothing.
fn list_limit(why: &Failure) -> Option<ListLimit> {
    let body = why.body.line().to_lowercase();
    let named = LIST_LIMITS.iter().find_map(|(before, after)| {
        let rest = body.split_once(before)?.1;
        let (number, rest) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
        // `2,048` is not 2.
        let is_cut = rest.strip_prefix(',').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        number.parse().ok().filter(|_| !is_cut && rest.starts_with(after))
    });
    match (why.status, named) {
        (Some(400 | 413 | 422), Some(limit)) => Some(ListLimit::Named(limit)),
        (Some(400 | 422), None) if wants_text(&body) => Some(ListLimit::Probably),
        _ => None,
    }
}

/// Returns whether the server may have refused the input because it is a list.
fn wants_text(body: &str) -> bool {
    let says = |words: &[&str]| words.iter().any(|word| body.contains(word));
    says(&[INPUT, "prompt"])
        && says(&["string", "str type", "array", "list"])
        // Then a shorter list, or shorter texts, would be accepted.
        && !says(&["empty", "too long", "too many", "too large", "at most", "maximum", "limit"])
        && !names_a_text(body)
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

    fn limit(body: &str) -> Option<ListLimit> {
        let failure = Failure::new(FailureKind::Refused, "refused");
        list_limit(&Failure { status: Some(400), body: body.into(), ..failure })
    }

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
            assert_eq!(limit(body), expected.then_some(ListLimit::Probably), "{body}");
        }
    }

    #[test]
    fn a_refusal_of_a_long_list_says_how_many_texts_are_accepted() {
        for (body, expected) in [
            (
                r#"{"error":{"message":"Too many inputs. The max number of inputs is 16. We hope to increase it"}}"#,
                Some(16),
            ),
            (r#"{"error":"batch size 33 > maximum allowed batch size 32","error_type":"Validation"}"#, Some(32)),
            (
                r#"{"message":"Value error, batch size is invalid, it should not be larger than 10.: input.contents"}"#,
                Some(10),
            ),
            (
                r#"{"message":"Invalid 'input': array too long. Expected an array with maximum length 2048, but"}"#,
                Some(2048),
            ),
            (r#"{"message":"invalid request: total number of texts must be at most 96 - received 97"}"#, Some(96)),
            (
                r#"{"message":"BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch"}"#,
                Some(100),
            ),
            (r#"{"message":"Too many inputs in request, split into more batches."}"#, None),
            (r#"{"message":"This input may have at most 512 tokens"}"#, None),
            (r#"{"message":"The max number of inputs is 0"}"#, None),
            (r#"{"message":"The max number of inputs is 2,048"}"#, None),
        ] {
            let expected = expected.and_then(NonZeroUsize::new).map(ListLimit::Named);
            assert_eq!(limit(body), expected, "{body}");
        }
    }
}
