//! Defines the body and the answer of a completion call.

use serde_json::Value;

use super::join::{ChoiceField, Joiner, Slot};
use super::request_body::{self, Body, Purpose, STREAM};
use super::stream_format::{ChoiceDelta, StreamFormat};
use crate::api::call::Reply;
use crate::api::completion::{Completion, CompletionChoice, CompletionRequest, Logprobs};
use crate::settings::Endpoint;

/// `POST /v1/completions`
pub(super) struct Complete;

/// Builds the body of a completion request. With `best_of` above 1 it is not streamed, even if the request
/// asks for that: the best of several candidates is known only at the end, and servers refuse to stream it.
pub(super) fn body(asked: &CompletionRequest, endpoint: &Endpoint) -> Body {
    let mut fields = request_body::fields(asked, Purpose::Text, endpoint);
    if fields.get("best_of").and_then(Value::as_f64).is_some_and(|best_of| best_of > 1.0)
        && let Some(stream) = fields.get_mut(STREAM)
    {
        *stream = false.into();
    }
    fields.into()
}

impl StreamFormat for Complete {
    const PATH: &'static str = "/completions";
    type Whole = Completion;
    type Chunk = Completion;

    fn is_empty(whole: &Completion) -> bool {
        whole.choices.is_empty()
    }

    fn whole_reply(whole: Completion) -> Reply {
        Reply::Completion(whole)
    }

    fn chunk_reply(chunk: Completion) -> Reply {
        Reply::Completion(chunk)
    }

    fn append(chunk: &mut Completion, next: Completion) {
        chunk.choices.extend(next.choices);
        chunk.usage = next.usage.or(chunk.usage);
        if chunk.model.is_empty() {
            chunk.model = next.model;
        }
    }

    fn deltas(chunk: &Completion) -> impl Iterator<Item = ChoiceDelta> {
        chunk.choices.iter().map(|choice| ChoiceDelta {
            choice: choice.index,
            text_bytes: choice.text.len(),
            has_ended: choice.finish_reason.is_some(),
        })
    }

    fn logprobs(chunk: &Completion) -> impl Iterator<Item = &Logprobs> {
        chunk.choices.iter().filter_map(|choice| choice.logprobs.as_ref())
    }

    fn join_texts(chunk: &mut Completion, joiner: &mut Joiner) {
        join_choices(chunk, false, joiner);
    }

    fn join_whole(whole: &mut Completion, joiner: &mut Joiner) {
        join_choices(whole, true, joiner);
    }

    fn text_chunk(Slot { choice, .. }: Slot, text: String) -> Completion {
        let choice = CompletionChoice { index: choice, text, ..CompletionChoice::default() };
        Completion { choices: vec![choice], ..Completion::default() }
    }
}

/// Passes the texts of an answer through the joiner. `is_whole`: nothing follows them.
fn join_choices(answer: &mut Completion, is_whole: bool, joiner: &mut Joiner) {
    joiner.mask_word(&mut answer.model);
    for choice in &mut answer.choices {
        choice.finish_reason.iter_mut().for_each(|reason| joiner.mask_word(reason));
        let slot = Slot { choice: choice.index, part: ChoiceField::Content };
        if joiner.join(slot, &mut choice.text, is_whole || choice.finish_reason.is_some()) {
            choice.logprobs = None;
        }
    }
}
