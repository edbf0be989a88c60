//! `GET /v1/models`, `GET /v1/models/{model}`, `DELETE /v1/models/{model}`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::lenient;

/// One model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Model {
    /// The id to use in requests.
    #[serde(deserialize_with = "lenient::or_default")]
    pub id: String,
    /// `model`
    #[serde(deserialize_with = "lenient::or_default")]
    pub object: String,
    /// Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "lenient::or_default")]
    pub created: Option<i64>,
    /// Who owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "lenient::or_default")]
    pub owned_by: Option<String>,
    /// Tokens that fit into its context, if the server sends that.
    #[serde(skip)]
    pub context: Option<u64>,
    /// Tokens it answers with at most, if the server sends that.
    #[serde(skip)]
    pub output: Option<u64>,
    /// Further facts from the list.
    #[serde(skip)]
    pub details: ModelDetails,
    /// The rest of the record (`permission`, `root`, `parent`, a local model's `description`, …).
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// What some servers' lists say of a model: price, what it takes and answers with, what it can do. Text from outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModelDetails {
    /// Nano-dollars for a million tokens of the prompt.
    pub input_price: Option<i64>,
    /// Nano-dollars for a million tokens of the answer.
    pub output_price: Option<i64>,
    /// Its inputs: `text`, `image`, …
    pub takes: Vec<String>,
    /// Its outputs.
    pub gives: Vec<String>,
    /// Its properties, in the server's words: `chat`, `tools`, `vision`, …
    pub abilities: Vec<String>,
    /// Fields of requests that it accepts.
    pub parameters: Vec<String>,
}

/// `{"object":"list","data":[…]}`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelList {
    /// `list`
    #[serde(deserialize_with = "lenient::or_default")]
    pub object: String,
    /// The models.
    #[serde(deserialize_with = "lenient::list")]
    pub data: Vec<Model>,
}

/// Answer to `DELETE /v1/models/{model}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Deleted {
    /// Id of what was deleted.
    #[serde(deserialize_with = "lenient::or_default")]
    pub id: String,
    /// `model` or `file`.
    #[serde(deserialize_with = "lenient::or_default")]
    pub object: String,
    /// True.
    #[serde(deserialize_with = "lenient::or_default")]
    pub deleted: bool,
}

/// `{"object":"list","data":[…]}` of anything.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, bound(deserialize = "T: serde::de::DeserializeOwned"))]
pub struct List<T> {
    /// `list`
    #[serde(deserialize_with = "lenient::or_default")]
    pub object: String,
    /// The entries that could be read.
    #[serde(deserialize_with = "lenient::list")]
    pub data: Vec<T>,
    /// Whether more follow. Always written as false: today's clients would request pages forever without it.
    #[serde(deserialize_with = "lenient::or_default")]
    pub has_more: bool,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self { object: "list".to_owned(), data: Vec::new(), has_more: false }
    }
}

/// One entry of `GET /v1/engines`, the older list of models.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Engine {
    /// Model id.
    #[serde(deserialize_with = "lenient::or_default")]
    pub id: String,
    /// `engine`
    #[serde(deserialize_with = "lenient::or_default")]
    pub object: String,
    /// Who owns it.
    #[serde(deserialize_with = "lenient::or_default")]
    pub owner: String,
    /// Whether it accepts requests.
    #[serde(deserialize_with = "lenient::or_default")]
    pub ready: bool,
}
