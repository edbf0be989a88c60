//! A chat call.

use super::answer::{Delta, StreamFormat};
use super::extra_body::{self, Body, For};
use super::join::{Joiner, Slot, TextField};
use crate::api::call::Reply;
use crate::api::chat::{ChatChunk, ChatChunkChoice, ChatCompletion, ChatDelta, ChatRequest};
use crate::api::completion::Logprobs;
use crate::api::delta::{Audio, FunctionCall, ToolCall};
use crate::settings::Endpoint;

/// `POST /v1/chat/completions`
pub(super) struct Chat;

/// The present name of `max_tokens`; servers refuse both in one request.
const NEWER_LIMIT: &str = "max_completion_tokens";

/// Builds the body of a chat request.
pub(super) fn body(mut asked: ChatRequest, endpoint: &Endpoint) -> Body {
    let messages = std::mem::take(&mut asked.messages);
    let mut fields = extra_body::fields(&asked, For::Text, endpoint);
    fields.remove("messages");
    // A limit in the request replaces the profile's, under either of the two names.
    match (asked.max_tokens, asked.extra.contains_key(NEWER_LIMIT)) {
        (Some(_), false) => drop(fields.remove(NEWER_LIMIT)),
        (None, true) => drop(fields.remove("max_tokens")),
        _ => {}
    }
    Body { fields, messages: Some(messages), kept: None }
}

impl StreamFormat for Chat {
    const PATH: &'static str = "/chat/completions";
    type Whole = ChatCompletion;
    type Chunk = ChatChunk;

    fn is_empty(whole: &ChatCompletion) -> bool {
        whole.choices.is_empty()
    }

    fn whole(whole: ChatCompletion) -> Reply {
        Reply::Chat(whole)
    }

    fn chunk(chunk: ChatChunk) -> Reply {
        Reply::ChatChunk(chunk)
    }

    fn join(chunk: &mut ChatChunk, next: ChatChunk) {
        chunk.choices.extend(next.choices);
        chunk.usage = next.usage.or(chunk.usage);
        if chunk.model.is_empty() {
            chunk.model = next.model;
        }
    }

    fn gains(chunk: &ChatChunk) -> impl Iterator<Item = Delta> {
        chunk.choices.iter().map(|choice| Delta {
            choice: choice.index,
            text: size(&choice.delta),
            ended: choice.finish_reason.is_some(),
        })
    }

    fn logprobs(chunk: &ChatChunk) -> impl Iterator<Item = &Logprobs> {
        chunk.choices.iter().filter_map(|choice| choice.logprobs.as_ref())
    }

    fn join_texts(chunk: &mut ChatChunk, joiner: &mut Joiner) {
        joiner.word(&mut chunk.model);
        for choice in &mut chunk.choices {
            let last = choice.finish_reason.is_some();
            choice.finish_reason.iter_mut().for_each(|reason| joiner.word(reason));
            if join(&mut choice.delta, choice.index, last, joiner) {
                choice.logprobs = None;
            }
        }
    }

    fn join_whole(whole: &mut ChatCompletion, joiner: &mut Joiner) {
        joiner.word(&mut whole.model);
        for choice in &mut whole.choices {
            choice.finish_reason.iter_mut().for_each(|reason| joiner.word(reason));
            if join(&mut choice.message, choice.index, true, joiner) {
                choice.logprobs = None;
            }
        }
    }

    fn piece(Slot { choice, part }: Slot, text: String) -> ChatChunk {
        let mut delta = ChatDelta::default();
        let call = |arguments| FunctionCall { arguments, ..FunctionCall::default() };
        match part {
            TextField::Content => delta.content = Some(text),
            TextField::Reasoning => delta.reasoning_content = Some(text),
            TextField::Refusal => delta.refusal = Some(text),
            TextField::Transcript => delta.audio = Some(Audio { transcript: text }),
            TextField::Function => delta.function_call = Some(call(text)),
            TextField::Call(index) => {
                delta.tool_calls.push(ToolCall { index: Some(index), function: call(text), ..ToolCall::default() });
            }
        }
        let choice = ChatChunkChoice { index: choice, delta, ..ChatChunkChoice::default() };
        ChatChunk { choices: vec![choice], ..ChatChunk::default() }
    }
}

/// Bytes that a call or an attachment counts in addition to its texts: it takes more memory than they do.
const ENTRY: usize = 256;

/// Returns the size of a part of a message, in bytes.
fn size(delta: &ChatDelta) -> usize {
    let texts = [&delta.content, &delta.reasoning_content, &delta.refusal].into_iter().flatten();
    let spoken = delta.audio.iter().map(|audio| &audio.transcript);
    let calls = delta.tool_calls.iter().map(|call| &call.function).chain(&delta.function_call);
    let calls = calls.map(|call| ENTRY + call.name.len() + call.arguments.len());
    texts.chain(spoken).map(String::len).chain(calls).sum::<usize>() + ENTRY * delta.attachments.len()
}

/// Passes the texts of a part of a message through the joiner. Returns whether something was masked or held back.
fn join(delta: &mut ChatDelta, choice: u32, last: bool, joiner: &mut Joiner) -> bool {
    let calls = delta.tool_calls.iter_mut();
    let words = calls.flat_map(|call| call.id.iter_mut().chain(call.kind.iter_mut()).chain([&mut call.function.name]));
    let words = words.chain(delta.function_call.iter_mut().map(|call| &mut call.name));
    let places = delta.attachments.iter_mut().flat_map(|attachment| [&mut attachment.kind, &mut attachment.place]);
    words.chain(places).for_each(|word| joiner.word(word));
    let mut kept = false;
    let mut take = |part, text: &mut String| kept |= joiner.take(Slot { choice, part }, text, last);
    for (part, text) in [
        (TextField::Content, &mut delta.content),
        (TextField::Reasoning, &mut delta.reasoning_content),
        (TextField::Refusal, &mut delta.refusal),
    ] {
        if let Some(text) = text {
            take(part, text);
        }
    }
    if let Some(audio) = &mut delta.audio {
        take(TextField::Transcript, &mut audio.transcript);
    }
    if let Some(call) = &mut delta.function_call {
        take(TextField::Function, &mut call.arguments);
    }
    for (at, call) in (0..).zip(&mut delta.tool_calls) {
        take(TextField::Call(call.index.unwrap_or(at)), &mut call.function.arguments);
    }
    kept
}
