//! Token counts as the server reports them.

use serde::{Deserialize, Serialize};

use super::lenient::or_default;

/// What one answer used, in tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// Tokens of the prompt.
    #[serde(deserialize_with = "or_default")]
    pub prompt_tokens: u64,
    /// Tokens of the answer, all choices together. Absent when nothing was generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "or_default")]
    pub completion_tokens: Option<u64>,
    /// Prompt and answer together.
    #[serde(deserialize_with = "or_default")]
    pub total_tokens: u64,
}
