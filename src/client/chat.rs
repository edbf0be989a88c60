//! Defines the body and the answer of a chat call.

use super::join::{ChoiceField, Joiner, Slot};
use super::request_body::{self, Body, Purpose};
use super::stream_format::{ChoiceDelta, StreamFormat};
use crate::api::call::Reply;
use crate::api::chat::{ChatChunk, ChatChunkChoice, ChatCompletion, ChatDelta, ChatRequest};
use crate::api::completion::Logprobs;
use crate::api::delta::{Audio, FunctionCall, ToolCall};
use crate::settings::Endpoint;

/// `POST /v1/chat/completions`
pub(super) struct Chat;

/// The newer name of `max_tokens`; servers refuse both in one request.
const MAX_COMPLETION_TOKENS: &str = "max_completion_tokens";

/// Builds the body of a chat request.
pub(super) fn body(mut asked: ChatRequest, endpoint: &Endpoint) -> Body {
    let messages = std::mem::take(&mut asked.messages);
    let mut fields = request_body::fields(&asked, Purpose::Text, endpoint);
    fields.remove("messages");
    // A limit in the request replaces the profile's, under either of the two names.
    match (asked.max_tokens, asked.extra.contains_key(MAX_COMPLETION_TOKENS)) {
        (Some(_), false) => drop(fields.remove(MAX_COMPLETION_TOKENS)),
        (None, true) => drop(fields.remove("max_tokens")),
        _ => {}
    }
    Body { fields, messages: Some(messages), fixed_field: None }
}

impl StreamFormat for Chat {
    const PATH: &'static str = "/chat/completions";
    type Whole = ChatCompletion;
    type Chunk = ChatChunk;

    fn is_empty(whole: &ChatCompletion) -> bool {
        whole.choices.is_empty()
    }

    fn whole_reply(whole: ChatCompletion) -> Reply {
        Reply::Chat(whole)
    }

    fn chunk_reply(chunk: ChatChunk) -> Reply {
        Reply::ChatChunk(chunk)
    }

    fn append(chunk: &mut ChatChunk, next: ChatChunk) {
        chunk.choices.extend(next.choices);
        chunk.usage = next.usage.or(chunk.usage);
        if chunk.model.is_empty() {
            chunk.model = next.model;
        }
    }

    fn deltas(chunk: &ChatChunk) -> impl Iterator<Item = ChoiceDelta> {
        chunk.choices.iter().map(|choice| ChoiceDelta {
            choice: choice.index,
            text_bytes: size(&choice.delta),
            has_ended: choice.finish_reason.is_some(),
        })
    }

    fn logprobs(chunk: &ChatChunk) -> impl Iterator<Item = &Logprobs> {
        chunk.choices.iter().filter_map(|choice| choice.logprobs.as_ref())
    }

    fn join_texts(chunk: &mut ChatChunk, joiner: &mut Joiner) {
        joiner.mask_word(&mut chunk.model);
        for choice in &mut chunk.choices {
            let is_last = choice.finish_reason.is_some();
            choice.finish_reason.iter_mut().for_each(|reason| joiner.mask_word(reason));
            if join_delta(&mut choice.delta, choice.index, is_last, joiner) {
                choice.logprobs = None;
            }
        }
    }

    fn join_whole(whole: &mut ChatCompletion, joiner: &mut Joiner) {
        joiner.mask_word(&mut whole.model);
        for choice in &mut whole.choices {
            choice.finish_reason.iter_mut().for_each(|reason| joiner.mask_word(reason));
            if join_delta(&mut choice.message, choice.index, true, joiner) {
                choice.logprobs = None;
            }
        }
    }

    fn text_chunk(Slot { choice, part }: Slot, text: String) -> ChatChunk {
        let mut delta = ChatDelta::default();
        let call = |arguments| FunctionCall { arguments, ..FunctionCall::default() };
        match part {
            ChoiceField::Content => delta.content = Some(text),
            ChoiceField::Reasoning => delta.reasoning_content = Some(text),
            ChoiceField::Refusal => delta.refusal = Some(text),
            ChoiceField::Transcript => delta.audio = Some(Audio { transcript: text }),
            ChoiceField::Function => delta.function_call = Some(call(text)),
            ChoiceField::Call(index) => {
                delta.tool_calls.push(ToolCall { index: Some(index), function: call(text), ..ToolCall::default() });
            }
        }
        let choice = ChatChunkChoice { index: choice, delta, ..ChatChunkChoice::default() };
        ChatChunk { choices: vec![choice], ..ChatChunk::default() }
    }
}

/// Bytes that are counted for a call or an attachment in addition to its texts, for the memory that it takes itself.
const ENTRY_BYTES: usize = 256;

/// Returns the size of a part of a message, in bytes.
fn size(delta: &ChatDelta) -> usize {
    let texts = [&delta.content, &delta.reasoning_content, &delta.refusal].into_iter().flatten();
    let spoken = delta.audio.iter().map(|audio| &audio.transcript);
    let calls = delta.tool_calls.iter().map(|call| &call.function).chain(&delta.function_call);
    let calls = calls.map(|call| ENTRY_BYTES + call.name.len() + call.arguments.len());
    texts.chain(spoken).map(String::len).chain(calls).sum::<usize>() + ENTRY_BYTES * delta.attachments.len()
}

/// Passes the texts of a part of a message through the joiner. Returns whether anything was masked or held back.
/// `is_last`: nothing of the message follows.
fn join_delta(delta: &mut ChatDelta, choice: u32, is_last: bool, joiner: &mut Joiner) -> bool {
    let calls = delta.tool_calls.iter_mut();
    let words = calls.flat_map(|call| call.id.iter_mut().chain(call.kind.iter_mut()).chain([&mut call.function.name]));
    let words = words.chain(delta.function_call.iter_mut().map(|call| &mut call.name));
    let places = delta.attachments.iter_mut().flat_map(|attachment| [&mut attachment.kind, &mut attachment.place]);
    words.chain(places).for_each(|word| joiner.mask_word(word));
    let mut is_changed = false;
    let mut join = |part, text: &mut String| is_changed |= joiner.join(Slot { choice, part }, text, is_last);
    for (part, text) in [
        (ChoiceField::Content, &mut delta.content),
        (ChoiceField::Reasoning, &mut delta.reasoning_content),
        (ChoiceField::Refusal, &mut delta.refusal),
    ] {
        if let Some(text) = text {
            join(part, text);
        }
    }
    if let Some(audio) = &mut delta.audio {
        join(ChoiceField::Transcript, &mut audio.transcript);
    }
    if let Some(call) = &mut delta.function_call {
        join(ChoiceField::Function, &mut call.arguments);
    }
    for (at, call) in (0..).zip(&mut delta.tool_calls) {
        join(ChoiceField::Call(call.index.unwrap_or(at)), &mut call.function.arguments);
    }
    is_changed
}
