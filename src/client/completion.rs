//! A completion call.

use serde_json::Value;

use super::answer::{Delta, STREAM, StreamFormat};
use super::extra_body::{self, Body, For};
use super::join::{Joiner, Slot, TextField};
use crate::api::call::Reply;
use crate::api::completion::{Completion, CompletionChoice, CompletionRequest, Logprobs};
use crate::settings::Endpoint;

/// `POST /v1/completions`
pub(super) struct Complete;

/// Builds the body of a completion request. With `best_of` above 1 it is never streamed, whatever the request says: the
/// best of several candidates is known only at the end, and servers refuse to stream it.
pub(super) fn body(asked: &CompletionRequest, endpoint: &Endpoint) -> Body {
    let mut fields = extra_body::fields(asked, For::Text, endpoint);
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

    fn gains(chunk: &Completion) -> impl Iterator<Item = Delta> {
        chunk.choices.iter().map(|choice| Delta {
            choice: choice.index,
            text: choice.text.len(),
            ended: choice.finish_reason.is_some(),
        })
    }

    fn logprobs(chunk: &Completion) -> impl Iterator<Item = &Logprobs> {
        chunk.choices.iter().filter_map(|choice| choice.logprobs.as_ref())
    }

    fn join_texts(chunk: &mut Completion, joiner: &mut Joiner) {
        join(chunk, false, joiner);
    }

    fn join_whole(whole: &mut Completion, joiner: &mut Joiner) {
        join(whole, true, joiner);
    }

    fn piece(Slot { choice, .. }: Slot, text: String) -> Completion {
        let choice = CompletionChoice { index: choice, text, ..CompletionChoice::default() };
        Completion { choices: vec![choice], ..Completion::default() }
    }
}

/// Passes the texts through the joiner; `whole`: nothing follows them.
fn join(answer: &mut Completion, whole: bool, joiner: &mut Joiner) {
    joiner.word(&mut answer.model);
    for choice in &mut answer.choices {
        choice.finish_reason.iter_mut().for_each(|reason| joiner.word(reason));
        let slot = Slot { choice: choice.index, part: TextField::Content };
        if joiner.take(slot, &mut choice.text, whole || choice.finish_reason.is_some()) {
            choice.logprobs = None;
        }
    }
}
