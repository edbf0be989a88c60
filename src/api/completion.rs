//! `POST /v1/completions`: request, whole answer, streamed chunk (the same shape).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::chat::{Stop, StreamOptions};
use super::lenient;
use super::usage::Usage;

/// A completion request. `None` means "not sent": the server's default holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompletionRequest {
    /// Model id.
    pub model: String,
    /// What to continue; default `<|endoftext|>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<Prompt>,
    /// Text that follows what is inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suffix: Option<String>,
    /// At least 0; default 16.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// 0 to 2; default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// 0 to 1; default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// 1 to 128; default 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<u32>,
    /// Default false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream: Option<bool>,
    /// Set by the client, never by a screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stream_options: Option<StreamOptions>,
    /// Alternatives per position, 0 to 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logprobs: Option<u32>,
    /// Whether the prompt comes back before the completion.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub echo: Option<bool>,
    /// Up to 4 sequences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Stop>,
    /// −2 to 2; default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<f64>,
    /// −2 to 2; default 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequency_penalty: Option<f64>,
    /// 0 to 20, at least `n`; above 1 it cannot be streamed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best_of: Option<u32>,
    /// Token id (digits) → −100 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logit_bias: Option<BTreeMap<String, f64>>,
    /// An opaque name of the end user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// For repeatable sampling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
}

/// A prompt or several, as text or token ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Prompt {
    /// One text.
    Text(String),
    /// Several texts: one set of choices each.
    Texts(Vec<String>),
    /// One text as token ids.
    Tokens(Vec<u32>),
    /// Several.
    TokenLists(Vec<Vec<u32>>),
}

/// An answer, or one streamed chunk of it; `C` is a choice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, bound(deserialize = "C: Deserialize<'de> + Default"))]
pub struct ModelResponse<C> {
    /// `cmpl-…` or `chatcmpl-…`, the same in all chunks of an answer.
    #[serde(deserialize_with = "lenient::or_default")]
    pub id: String,
    /// `text_completion`, `chat.completion` or `chat.completion.chunk`.
    #[serde(deserialize_with = "lenient::or_default")]
    pub object: String,
    /// Unix seconds.
    #[serde(deserialize_with = "lenient::or_default")]
    pub created: i64,
    /// The dated model name.
    #[serde(deserialize_with = "lenient::or_default")]
    pub model: String,
    /// The choices.
    #[serde(deserialize_with = "lenient::list")]
    pub choices: Vec<C>,
    /// Token counts: in whole answers, and where asked for in the last chunk (some servers: in every chunk, running
    /// totals).
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "lenient::object_or_none")]
    pub usage: Option<Usage>,
}

/// An answer, or one streamed chunk of it: `n` choices for each prompt, prompt by prompt.
pub type Completion = ModelResponse<CompletionChoice>;

/// One choice, or what a chunk adds to it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompletionChoice {
    /// The text, without the stop sequence.
    #[serde(deserialize_with = "lenient::text_or_empty")]
    pub text: String,
    /// 0-based.
    #[serde(deserialize_with = "lenient::or_default")]
    pub index: u32,
    /// Where asked for.
    #[serde(deserialize_with = "lenient::object_or_none")]
    pub logprobs: Option<Logprobs>,
    /// `stop`, `length`; null until the last text-carrying chunk.
    #[serde(deserialize_with = "lenient::or_default")]
    pub finish_reason: Option<String>,
}

/// Log-probabilities, in the interface's form or as some servers give them, in chat's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, from = "LogprobsRead")]
pub enum Logprobs {
    /// The interface's.
    Columns(LogprobColumns),
    /// Chat's: one entry per token.
    Entries {
        /// The tokens.
        content: Vec<LogprobEntry>,
    },
}

impl Logprobs {
    /// Returns how many tokens and alternatives it contains, counted as [`crate::api::probe::Probe::tokens`] does
    /// before a body is parsed.
    pub fn entries(&self) -> usize {
        use super::tally::{byte_entries, map_entries, text_entries};
        match self {
            Self::Columns(columns) => {
                let tops = columns.top_logprobs.iter().flatten();
                let tokens = tops.clone().count().max(columns.tokens.len());
                let longest = tokens.max(columns.token_logprobs.len()).max(columns.text_offset.len());
                let long: usize = columns.tokens.iter().map(|token| text_entries(token)).sum();
                let tops = tops
                    .flatten()
                    .map(|top| map_entries(top.len()) + top.keys().map(|name| text_entries(name)).sum::<usize>());
                longest + long + tops.sum::<usize>()
            }
            Self::Entries { content } => {
                let other = |other: &LogprobOther| {
                    1 + other.token.as_ref().map_or(0, |token| text_entries(token)) + byte_entries(other.bytes.len())
                };
                let entry = |entry: &LogprobEntry| {
                    1 + text_entries(&entry.token)
                        + byte_entries(entry.bytes.len())
                        + entry.top_logprobs.iter().map(other).sum::<usize>()
                };
                content.iter().map(entry).sum()
            }
        }
    }
}

/// Parallel lists, an element per token.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LogprobColumns {
    /// The tokens as text; empty where the server sent none.
    pub tokens: Vec<String>,
    /// Natural logarithms; null for the first token of an echoed prompt.
    pub token_logprobs: Vec<Option<f64>>,
    /// The likeliest tokens at each place; null when `logprobs` was 0.
    pub top_logprobs: Option<Vec<Option<BTreeMap<String, f64>>>>,
    /// Characters from the start of the prompt.
    pub text_offset: Vec<u64>,
}

/// [`Logprobs`] as they are read: one entry that does not fit must not cost the others.
#[derive(Default, Deserialize)]
#[serde(default)]
struct LogprobsRead {
    #[serde(deserialize_with = "lenient::list_or_none")]
    content: Option<Vec<LogprobEntry>>,
    #[serde(deserialize_with = "lenient::column")]
    tokens: Vec<String>,
    #[serde(deserialize_with = "lenient::column")]
    token_logprobs: Vec<Option<f64>>,
    #[serde(deserialize_with = "lenient::entries")]
    top_logprobs: Option<Vec<Alternatives>>,
    #[serde(deserialize_with = "lenient::column")]
    text_offset: Vec<u64>,
}

/// The likeliest tokens at one place; `None`: null, or nothing that can be read.
#[derive(Deserialize)]
#[serde(transparent)]
struct Alternatives(#[serde(deserialize_with = "lenient::object_or_none")] Option<TokenWeights>);

#[derive(Deserialize)]
#[serde(transparent)]
struct TokenWeights(#[serde(deserialize_with = "lenient::named")] BTreeMap<String, Option<f64>>);

impl From<LogprobsRead> for Logprobs {
    fn from(read: LogprobsRead) -> Self {
        if let Some(content) = read.content {
            return Self::Entries { content };
        }
        let known =
            |TokenWeights(weights)| weights.into_iter().filter_map(|(token, weight)| Some((token, weight?))).collect();
        Self::Columns(LogprobColumns {
            tokens: read.tokens,
            token_logprobs: read.token_logprobs,
            top_logprobs: read
                .top_logprobs
                .map(|all| all.into_iter().map(|Alternatives(one)| one.map(known)).collect()),
            text_offset: read.text_offset,
        })
    }
}

/// One token in chat's form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogprobEntry {
    /// As text.
    #[serde(deserialize_with = "lenient::or_default")]
    pub token: String,
    /// Natural logarithm; `None` where the server sent none.
    #[serde(deserialize_with = "lenient::or_default")]
    pub logprob: Option<f64>,
    /// Its bytes; empty where the server sent none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(deserialize_with = "lenient::column")]
    pub bytes: Vec<u8>,
    /// Alternatives, likeliest first.
    #[serde(deserialize_with = "lenient::list")]
    pub top_logprobs: Vec<LogprobOther>,
}

/// An alternative to a token in chat's form.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LogprobOther {
    /// As text.
    #[serde(deserialize_with = "lenient::or_default")]
    pub token: Option<String>,
    /// Natural logarithm; `None` where the server sent none.
    #[serde(deserialize_with = "lenient::or_default")]
    pub logprob: Option<f64>,
    /// Its bytes; empty where the server sent none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[serde(deserialize_with = "lenient::column")]
    pub bytes: Vec<u8>,
}
