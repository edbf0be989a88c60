//! `GET /v1/models`, `GET /v1/models/{model}`, `DELETE /v1/models/{model}`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Model {
    /// Name to ask for.
    pub id: String,
    /// `model`
    pub object: String,
    /// Unix seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created: Option<i64>,
    /// Who owns it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owned_by: Option<String>,
    /// The rest of the record (`permission`, `root`, `parent`, a local model's `description`, …).
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// `{"object":"list","data":[…]}`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModelList {
    /// `list`
    pub object: String,
    /// The models.
    pub data: Vec<Model>,
}
