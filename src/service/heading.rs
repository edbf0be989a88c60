//! What all parts of one answer have in common, and the tokens it used.

use std::time::{SystemTime, UNIX_EPOCH};

use super::metrics::TokenUsage;
use super::secret;
use crate::api::usage::Usage;

/// The head of a whole answer and of each of its chunks.
pub(super) struct Heading {
    pub(super) id: String,
    /// Unix seconds.
    pub(super) created: i64,
    pub(super) model: String,
    pub(super) prompt_tokens: u64,
    /// Tokens of the answer, for the service's metrics.
    pub(super) token_usage: TokenUsage,
    /// Whether any token may be written at all; if not, the usage names no completion tokens.
    pub(super) writes: bool,
}

impl Heading {
    /// Creates the head of a new answer by `model`; its id begins with `prefix`.
    pub(super) fn new(prefix: &str, model: String, prompt_tokens: u64) -> Self {
        let created = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64;
        Self {
            id: secret::id(prefix),
            created,
            model,
            prompt_tokens,
            token_usage: TokenUsage::prompt(prompt_tokens),
            writes: true,
        }
    }

    /// Returns the usage once `written` tokens are written.
    pub(super) fn usage(&self, written: u64) -> Usage {
        Usage {
            prompt_tokens: self.prompt_tokens,
            completion_tokens: self.writes.then_some(written),
            total_tokens: self.prompt_tokens + written,
            ..Usage::default()
        }
    }
}
