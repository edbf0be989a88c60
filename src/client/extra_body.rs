//! A request's body, with a profile's fields for every request.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::api::chat::ChatMessage;
use crate::api::field_scopes::{is_about_text, is_about_vectors};
use crate::settings::Endpoint;

/// What a request asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum For {
    /// A text that is written.
    Text,
    /// Verdicts on texts.
    Verdicts,
    /// Vectors.
    Vectors,
}

impl For {
    /// Whether a field of the profile's has its place here.
    fn takes(self, name: &str) -> bool {
        match self {
            Self::Text => true,
            Self::Verdicts => !is_about_text(name) && !is_about_vectors(name),
            Self::Vectors => !is_about_text(name),
        }
    }
}

/// The body of a request.
#[derive(Serialize)]
pub(super) struct Body {
    #[serde(flatten)]
    pub(super) fields: Map<String, Value>,
    /// A conversation can be long: its texts are shared with the screen until they are serialised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) messages: Option<Vec<ChatMessage>>,
    /// A field that is sent as it was asked for, whatever the server says of it.
    #[serde(skip)]
    pub(super) kept: Option<&'static str>,
}

impl From<Map<String, Value>> for Body {
    fn from(fields: Map<String, Value>) -> Self {
        Self { fields, messages: None, kept: None }
    }
}

/// The request's fields, with the profile's extra fields where the request has none of its own and the field means
/// something there.
pub(super) fn fields(asked: &impl Serialize, what: For, endpoint: &Endpoint) -> Map<String, Value> {
    let asked = serde_json::to_value(asked).expect("a request of strings and numbers is always JSON");
    let Value::Object(mut fields) = asked else { return Map::new() };
    for (name, value) in endpoint.extra_body.iter().filter(|(name, _)| what.takes(name)) {
        fields.entry(name.clone()).or_insert_with(|| value.clone());
    }
    fields
}
