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

impl Texts {
    /// Returns how many texts there are.
    pub fn count(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Many(texts) => texts.len(),
        }
    }
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Moderation {
    /// `modr-…`; empty: the server sent none.
    #[serde(deserialize_with = "lenient::or_default")]
    pub id: String,
    /// Model used; empty: the server does not say.
    #[serde(deserialize_with = "lenient::or_default")]
    pub model: String,
    /// One per text, in the order of the texts, if the server follows the interface. Some servers answer several texts
    /// with one result: the caller compares the numbers and reports a difference. An entry that is no object is a
    /// result without categories, so that the others keep their places.
    #[serde(deserialize_with = "lenient::list_in_place")]
    pub results: Vec<ModerationResult>,
}

/// One text's result. Categories are whatever the server names, in both spellings where it sends both
/// (`hate/threatening` and `hate_threatening`); `None` is its null: "no opinion". A result without categories says
/// nothing about its text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "ResultRead")]
pub struct ModerationResult {
    /// Whether any category is flagged; where the server does not say, whether one of `categories` is.
    pub flagged: bool,
    /// Category → flagged.
    pub categories: BTreeMap<String, Option<bool>>,
    /// Category → raw score, 0 to 1; not a probability. Finite.
    pub category_scores: BTreeMap<String, Option<f64>>,
}

/// [`ModerationResult`] as it is read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ResultRead {
    #[serde(deserialize_with = "lenient::or_default")]
    flagged: Option<bool>,
    #[serde(deserialize_with = "lenient::named")]
    categories: BTreeMap<String, Option<bool>>,
    #[serde(deserialize_with = "lenient::named")]
    category_scores: BTreeMap<String, Option<f64>>,
}

impl From<ResultRead> for ModerationResult {
    fn from(ResultRead { flagged, categories, category_scores }: ResultRead) -> Self {
        let flagged = flagged.unwrap_or_else(|| categories.values().any(|flag| *flag == Some(true)));
        Self { flagged, categories, category_scores }
    }
}
