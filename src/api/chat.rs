//! `POST /v1/chat/completions`: request, whole answer, streamed chunk.

use std::collections::BTreeMap;

use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::completion::{Logprobs, ModelResponse};
pub use super::delta::{ChatDelta, FunctionCall, ToolCall};
use super::lenient;
use crate::text::Untrusted;

/// A chat request. `None` means "not sent": the server's default holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChatRequest {
    /// Model id.
    pub model: String,
    /// The conversation so far, oldest first.
    pub messages: Vec<ChatMessage>,
    /// 0 to 2; default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus mass, 0 to 1; default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Choices, 1 to 128; default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<u32>,
    /// Whether the answer comes as server-sent events; default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<bool>,
    /// Set by the client, never by a screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_options: Option<StreamOptions>,
    /// Up to 4 sequences at which generation ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// Cap on generated tokens; default what the context leaves.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// −2 to 2; default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<f64>,
    /// −2 to 2; default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<f64>,
    /// Token id (digits) → −100 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logit_bias: Option<BTreeMap<String, f64>>,
    /// An opaque name of the end user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Makes sampling repeatable (today's servers and the local service).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// Whether each token of the answer comes with its log-probability (today's servers and the local service).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logprobs: Option<bool>,
    /// Alternatives per position, 0 to 20; only with `logprobs`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_logprobs: Option<u32>,
    /// Anything else, e.g. a profile's extra body fields.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// `stream_options`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct StreamOptions {
    /// Asks for a last chunk that carries `usage`.
    pub include_usage: bool,
}

/// One stop sequence or several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Stop {
    /// A single sequence.
    One(String),
    /// Up to four.
    Many(Vec<String>),
}

/// A message as it is sent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct ChatMessage {
    /// `system`, `user`, `assistant`; today also `developer`, `tool`.
    pub role: String,
    /// The text; read from a string or from text parts. Shared with the transcript.
    #[serde(deserialize_with = "text")]
    pub content: Untrusted,
    /// Pictures, each an address such as `data:image/png;base64,…`; with them the content is sent as parts.
    #[serde(skip)]
    pub images: Vec<Untrusted>,
    /// Optional name of the speaker.
    pub name: Option<String>,
    /// Of the assistant's: why it does not answer.
    pub refusal: Option<String>,
    /// Of the assistant's: the calls whose results follow.
    pub tool_calls: Vec<ToolCall>,
    /// Of a tool's: the call that it is the result of.
    pub tool_call_id: Option<String>,
}

/// A part of a message's content as it is sent.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ContentPart<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl<'a> },
}

#[derive(Serialize)]
struct ImageUrl<'a> {
    url: &'a str,
}

impl Serialize for ChatMessage {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        let mut fields = output.serialize_map(None)?;
        fields.serialize_entry("role", &self.role)?;
        if self.images.is_empty() {
            fields.serialize_entry("content", self.content.raw())?;
        } else {
            let mut parts = vec![ContentPart::Text { text: self.content.raw() }];
            let images = self.images.iter().map(|url| ImageUrl { url: url.raw() });
            parts.extend(images.map(|image_url| ContentPart::ImageUrl { image_url }));
            fields.serialize_entry("content", &parts)?;
        }
        if let Some(name) = &self.name {
            fields.serialize_entry("name", name)?;
        }
        if let Some(refusal) = &self.refusal {
            fields.serialize_entry("refusal", refusal)?;
        }
        if !self.tool_calls.is_empty() {
            fields.serialize_entry("tool_calls", &self.tool_calls)?;
        }
        if let Some(id) = &self.tool_call_id {
            fields.serialize_entry("tool_call_id", id)?;
        }
        fields.end()
    }
}

/// Reads a text from a string or from text parts.
fn text<'de, D: Deserializer<'de>>(input: D) -> Result<Untrusted, D::Error> {
    lenient::text_or_empty(input).map(Untrusted::new)
}

/// A whole answer: `chat.completion`, a choice per requested `n`.
pub type ChatCompletion = ModelResponse<ChatChoice>;

/// One streamed chunk: `chat.completion.chunk`. Its choices are empty in a usage chunk.
pub type ChatChunk = ModelResponse<ChatChunkChoice>;

/// One choice of a whole answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChatChoice {
    /// The message.
    #[serde(deserialize_with = "lenient::object")]
    pub message: ChatDelta,
    /// Where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "lenient::object_or_none")]
    pub logprobs: Option<Logprobs>,
    /// `stop`, `length`, `content_filter`, …
    #[serde(deserialize_with = "lenient::or_default")]
    pub finish_reason: Option<String>,
    /// 0-based.
    #[serde(deserialize_with = "lenient::or_default")]
    pub index: u32,
}

/// What one chunk adds to one choice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ChatChunkChoice {
    /// The new text.
    #[serde(deserialize_with = "lenient::object")]
    pub delta: ChatDelta,
    /// Where asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "lenient::object_or_none")]
    pub logprobs: Option<Logprobs>,
    /// 0-based; chunks of different choices interleave.
    #[serde(deserialize_with = "lenient::or_default")]
    pub index: u32,
    /// Null until the choice ends.
    #[serde(deserialize_with = "lenient::or_default")]
    pub finish_reason: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_message_is_sent_with_its_calls_or_the_call_it_answers() {
        let function = FunctionCall { name: "add".into(), arguments: "{}".into() };
        let call = ToolCall { index: None, id: Some("c1".into()), kind: Some("function".into()), function };
        let asked = ChatMessage { role: "assistant".into(), tool_calls: vec![call], ..ChatMessage::default() };
        let answered =
            ChatMessage { role: "tool".into(), content: "5".into(), tool_call_id: Some("c1".into()), ..asked.clone() };
        let answered = ChatMessage { tool_calls: Vec::new(), ..answered };
        let call = json!({"id": "c1", "type": "function", "function": {"name": "add", "arguments": "{}"}});
        let sent = serde_json::to_value([asked, answered]).unwrap();
        let first = json!({"role": "assistant", "content": "", "tool_calls": [call]});
        assert_eq!(sent, json!([first, {"role": "tool", "content": "5", "tool_call_id": "c1"}]));
        let plain = ChatMessage { role: "user".into(), content: "hi".into(), ..ChatMessage::default() };
        assert_eq!(serde_json::to_value(plain).unwrap(), json!({"role": "user", "content": "hi"}));
    }
}
