//! The completion playground as it is stored: the buffer's history as a tree of steps, the runs that made some of them,
//! presets, and the probabilities of tokens.
//!
//! A buffer is never stored as a whole: it is the result of applying the steps from the root to the current one to an
//! empty text. A step is never replaced by another, so going back and doing something else creates a branch and loses
//! nothing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::conversation::TurnStatus;
use super::{ChatParams, Id};
use crate::text::Untrusted;

/// One buffer with its history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// Its id.
    pub id: Id,
    /// Unix milliseconds.
    pub created_ms: i64,
    /// Unix milliseconds of the last step, undo or redo.
    pub updated_ms: i64,
    /// The step that the buffer shows; `None`: the empty text before all steps.
    pub current: Option<Id>,
    /// Position of the caret, in bytes of the buffer.
    pub caret: u64,
}

/// A change of the buffer: at byte `at`, `removed` is replaced by `inserted`. It can be applied in both directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its id.
    pub id: Id,
    /// The sheet it belongs to.
    pub sheet: Id,
    /// The step before; `None`: the empty text.
    pub parent: Option<Id>,
    /// How it was made.
    pub made: Made,
    /// Where, in bytes of the text before it.
    pub at: u64,
    /// What was removed, byte for byte.
    pub removed: Untrusted,
    /// What was inserted, byte for byte. It grows while a run's answer is received.
    pub inserted: Untrusted,
    /// Its status; always `Done` for a step that no run made.
    pub status: TurnStatus,
    /// The server's `finish_reason`; empty: none came.
    pub finish_reason: Untrusted,
    /// Unix milliseconds.
    pub created_ms: i64,
}

/// How a step was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Made {
    /// The user's text: typed, pasted, deleted, loaded.
    Typed,
    /// By a model: text of a run's choice.
    Generated {
        /// The run.
        run: Id,
        /// 0-based choice; all choices of a run are siblings.
        choice: u32,
    },
    /// A token was replaced by an alternative, and the text after it deleted. The new text counts as generated.
    Picked,
    /// Generated text counts as the user's from here on. Changes no text.
    Accepted,
}

/// A request for completions and its outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// Its id; also the key of its prompt's tokens, where the server sent them.
    pub id: Id,
    /// The sheet it was made from.
    pub sheet: Id,
    /// The step the buffer stood at.
    pub parent: Option<Id>,
    /// Name of the profile that was used.
    pub profile: Untrusted,
    /// Model asked for, or as the server named it.
    pub model: Untrusted,
    /// The parameters of the request.
    pub params: CompletionParams,
    /// Last words before the caret, for the list: at most 120 bytes.
    pub excerpt: Untrusted,
    /// Its status.
    pub status: TurnStatus,
    /// What went wrong, a sentence; empty when nothing did.
    pub error: Untrusted,
    /// Unix milliseconds.
    pub created_ms: i64,
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Tokens of all choices.
    pub completion_tokens: u64,
    /// Whether the two counts are ours (`~`) and not the server's.
    pub estimated: bool,
    /// Cost in nano-dollars; `None`: price unknown.
    pub cost_nano: Option<i64>,
    /// Milliseconds from sending to the first text; 0: none came.
    pub first_token_ms: u64,
    /// Milliseconds from sending to the end.
    pub total_ms: u64,
}

/// The request fields of a completion; `None`: not sent. Ranges as in the interface. Only the form they are typed into
/// shows their texts, which makes safe what it draws.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompletionParams {
    /// The fields that chat has too. `max_tokens` may be 0 here; `stream` is on by default.
    #[serde(flatten)]
    pub common: ChatParams,
    /// Alternatives per token, 0 to 5.
    pub logprobs: Option<u32>,
    /// Whether the prompt is returned, scored where `logprobs` is set.
    pub echo: Option<bool>,
    /// Candidates of which the best `n` are returned: 1 to 20, at least `n`.
    pub best_of: Option<u32>,
}

/// Parameters that requests begin with, by model.
pub type ModelParams = BTreeMap<String, CompletionParams>;

/// A prompt with its settings, under a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Its id.
    pub id: Id,
    /// Its name.
    pub name: Untrusted,
    /// The text.
    pub prompt: Untrusted,
    /// Where a run starts, in bytes of the text; what follows is the suffix.
    pub caret: u64,
    /// Model; empty: the one in use.
    pub model: Untrusted,
    /// The settings.
    pub params: CompletionParams,
    /// Unix milliseconds.
    pub created_ms: i64,
}

/// A token with its probability.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Token {
    /// Its bytes, which need not be whole characters.
    pub bytes: Vec<u8>,
    /// Natural logarithm of its probability; `None`: unknown (the first token of a prompt).
    pub logprob: Option<f64>,
    /// The likeliest tokens at its place, likeliest first, usually with the token itself; empty: unknown.
    pub top: Vec<Alternative>,
}

/// A token that was likely at the same place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Natural logarithm of its probability.
    pub logprob: f64,
}

impl Token {
    /// Returns the token as text; bytes that are no whole character become `U+FFFD`.
    pub fn text(&self) -> Untrusted {
        String::from_utf8_lossy(&self.bytes).into_owned().into()
    }

    /// Returns the probability, 0 to 1; `None`: unknown.
    pub fn probability(&self) -> Option<f64> {
        self.logprob.map(f64::exp)
    }
}

impl Alternative {
    /// Returns the token as text; bytes that are no whole character become `U+FFFD`.
    pub fn text(&self) -> Untrusted {
        String::from_utf8_lossy(&self.bytes).into_owned().into()
    }

    /// Returns the probability, 0 to 1.
    pub fn probability(&self) -> f64 {
        self.logprob.exp()
    }
}
