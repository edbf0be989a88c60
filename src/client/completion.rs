//! A completion call.

use serde_json::Value;

use super::answer::{Gain, Kind, STREAM};
use super::extra::{self, For};
use crate::api::call::Reply;
use crate::api::completion::{Completion, CompletionRequest};
use crate::settings::Endpoint;

/// `POST /v1/completions`
pub(super) struct Complete;

/// The request as JSON. The best of several candidates is known only when all of them are whole: with `best_of` above 1
/// nothing is streamed, whatever the request says, so that no screen can ask for what every server refuses.
pub(super) fn body(asked: &CompletionRequest, endpoint: &Endpoint) -> Value {
    let mut body = extra::body(asked, For::Text, endpoint);
    let streamed = body.get(STREAM).is_some_and(|stream| *stream == true);
    if streamed && body.get("best_of").and_then(Value::as_f64).is_some_and(|best_of| best_of > 1.0) {
        body[STREAM] = false.into();
    }
    body
}

impl Kind for Complete {
    const PATH: &'static str = "/completions";
    type Whole = Completion;
    type Chunk = Completion;

    fn is_empty(whole: &Completion) -> bool {
        whole.choices.is_empty()
    }

    fn whole(whole: Completion) -> Reply {
        Reply::Completion(whole)
    }

    fn chunk(chunk: Completion) -> Reply {
        Reply::Completion(chunk)
    }

    fn join(chunk: &mut Completion, next: Completion) {
        chunk.choices.extend(next.choices);
        chunk.usage = next.usage.or(chunk.usage);
        if chunk.model.is_empty() {
            chunk.model = next.model;
        }
    }

    fn gains(chunk: &Completion) -> impl Iterator<Item = Gain> {
        chunk.choices.iter().map(|choice| Gain {
            choice: choice.index,
            text: choice.text.len(),
            ended: choice.finish_reason.is_some(),
        })
    }
}
