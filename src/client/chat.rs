//! A chat call.

use serde_json::Value;

use super::answer::{Gain, Kind};
use super::extra::{self, For};
use crate::api::call::Reply;
use crate::api::chat::{ChatChunk, ChatCompletion, ChatRequest};
use crate::settings::Endpoint;

/// `POST /v1/chat/completions`
pub(super) struct Chat;

/// The request as JSON.
pub(super) fn body(asked: &ChatRequest, endpoint: &Endpoint) -> Value {
    extra::body(asked, For::Text, endpoint)
}

impl Kind for Chat {
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

    fn gains(chunk: &ChatChunk) -> impl Iterator<Item = Gain> {
        chunk.choices.iter().map(|choice| {
            let texts = [&choice.delta.content, &choice.delta.reasoning_content];
            let text = texts.into_iter().flatten().map(String::len).sum();
            Gain { choice: choice.index, text, ended: choice.finish_reason.is_some() }
        })
    }
}
