//! Answers of models to the rows of a list, and turns that were marked to learn from.

use std::sync::Arc;

use super::{Id, TextKey};
use crate::text::Untrusted;

/// What a model answered to a row of a list. Of each row, profile and model there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its id.
    pub id: Id,
    /// Id of the list.
    pub list: Id,
    /// Id of the row.
    pub row: Id,
    /// The profile that was used, by its id.
    pub profile: String,
    /// The model asked for.
    pub model: Untrusted,
    /// The text, byte for byte.
    pub text: Untrusted,
    /// Unix milliseconds.
    pub at_ms: i64,
    /// From the request to its answer, milliseconds. Rows of one request share it.
    pub latency_ms: u32,
    /// The finish reason: `stop`, `length`, …; empty: none was sent.
    pub finish: Untrusted,
    /// Tokens sent for this row.
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    pub completion_tokens: u64,
    /// Whether the counts are ours, or a share of those of several rows.
    pub estimated: bool,
    /// Nano-dollars; `None`: price unknown.
    pub cost_nano: Option<i64>,
}

/// A row of an export of answers: what was wanted and what both models answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredRow {
    /// Its line in the file it came from.
    pub line: Untrusted,
    /// The prompt.
    pub prompt: Untrusted,
    /// The expected answer; empty: none.
    pub wanted: Untrusted,
    /// The answers of the tuned model and its base, each with the word for how it compares; `None`: none yet.
    pub answers: [Option<(Untrusted, &'static str)>; 2],
    /// What tuning changed about the row; empty: nothing.
    pub changed: &'static str,
}

/// A turn to learn from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The turn.
    pub turn: Id,
    /// The ideal answer, byte for byte; `None`: the turn is good as it is. The turn itself does not change.
    pub ideal: Option<Untrusted>,
    /// Unix milliseconds of the last change.
    pub at_ms: i64,
}

/// A marked turn as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked {
    /// The mark.
    pub mark: Mark,
    /// The turn's conversation.
    pub conversation: Id,
    /// Its title.
    pub title: Untrusted,
    /// Whether it is in the trash.
    pub trashed: bool,
    /// The model that answered; empty: somebody typed it.
    pub model: Untrusted,
    /// The beginning of the text that the turn answers; empty: there is none.
    pub asked: Untrusted,
    /// The beginning of the turn's own text.
    pub text: Untrusted,
}

/// Asks for rows to score models with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A local file, `~` allowed, as the user typed it.
    Path(String),
    /// The content of a server's file.
    Bytes(Arc<[u8]>),
}

/// Rows to score models with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeldOut {
    /// The rows, in the file's order.
    pub rows: Vec<HeldRow>,
    /// Whether they hold messages; otherwise prompts and completions.
    pub chat: bool,
    /// Identifies the content: equal rows have the same key.
    pub key: Option<TextKey>,
}

/// A row to score models with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldRow {
    /// Its line, counted from 1.
    pub line: u64,
    /// The prompt; of messages, all before the last answer, as JSON.
    pub prompt: Untrusted,
    /// The expected answer.
    pub wanted: Untrusted,
}
