//! Builds the body of a request from its own fields and those that the profile adds to every request.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::api::chat::ChatMessage;
use crate::api::field_scopes::{is_about_text, is_about_vectors};
use crate::settings::Endpoint;

/// Whether the answer is streamed.
pub(super) const STREAM: &str = "stream";
/// Whether token counts come at the end of a stream.
pub(super) const STREAM_OPTIONS: &str = "stream_options";
/// How vectors are encoded.
pub(super) const ENCODING_FORMAT: &str = "encoding_format";

/// What a request asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A generated text.
    Text,
    /// The moderation of texts.
    Moderation,
    /// Vectors.
    Vectors,
}

impl Purpose {
    /// Returns whether a field means something in such a request.
    fn has_field(self, name: &str) -> bool {
        match self {
            Self::Text => true,
            Self::Moderation => !is_about_text(name) && !is_about_vectors(name),
            Self::Vectors => !is_about_text(name),
        }
    }
}

#[derive(Serialize)]
pub(super) struct Body {
    #[serde(flatten)]
    pub(super) fields: Map<String, Value>,
    /// A conversation can be long: its texts are shared with the screen until they are serialised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) messages: Option<Vec<ChatMessage>>,
    /// A field that is sent as the user set it, even if the server is known to refuse it.
    #[serde(skip)]
    pub(super) fixed_field: Option<&'static str>,
}

impl From<Map<String, Value>> for Body {
    fn from(fields: Map<String, Value>) -> Self {
        Self { fields, messages: None, fixed_field: None }
    }
}

impl Body {
    /// Returns whether the answer is to be streamed.
    pub(super) fn is_streamed(&self) -> bool {
        self.fields.get(STREAM).is_some_and(|stream| *stream == true)
    }

    /// Requests token counts at the end of a stream.
    pub(super) fn request_usage(&mut self) {
        self.fields.insert(STREAM_OPTIONS.to_owned(), json!({"include_usage": true}));
    }
}

/// Returns the request's fields, and the profile's extra fields that the request does not set itself and that mean
/// something in it.
pub(super) fn fields(asked: &impl Serialize, purpose: Purpose, endpoint: &Endpoint) -> Map<String, Value> {
    let asked = serde_json::to_value(asked).expect("a request of strings and numbers is always JSON");
    let Value::Object(mut fields) = asked else { return Map::new() };
    for (name, value) in endpoint.extra_body.iter().filter(|(name, _)| purpose.has_field(name)) {
        fields.entry(name.clone()).or_insert_with(|| value.clone());
    }
    fields
}
