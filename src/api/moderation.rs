//! `POST /v1/moderations`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::lenient;

/// What to classify.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModerationRequest {
    /// One text, or several: one result each.
    pub input: Texts,
    /// Default `text-moderation-latest`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// One text or several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Texts {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Moderation {
    /// `modr-…`
    #[serde(deserialize_with = "lenient::or_default")]
    pub id: String,
    /// Model used.
    #[serde(deserialize_with = "lenient::or_default")]
    pub model: String,
    /// One per text.
    #[serde(deserialize_with = "lenient::list")]
    pub results: Vec<ModerationResult>,
}

/// One text's result. Categories are whatever the server names; `None` is its null: "no opinion".
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModerationResult {
    /// Whether any category is flagged.
    #[serde(deserialize_with = "lenient::or_default")]
    pub flagged: bool,
    /// Category → flagged.
    #[serde(deserialize_with = "lenient::named")]
    pub categories: BTreeMap<String, Option<bool>>,
    /// Category → raw score, 0 to 1; not a probability.
    #[serde(deserialize_with = "lenient::named")]
    pub category_scores: BTreeMap<String, Option<f64>>,
}
