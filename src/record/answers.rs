//! Answers of models to the rows of a list, and turns that were marked to learn from.

use std::sync::Arc;

use super::{Id, TextKey};
use crate::text::Untrusted;

/// What a model answered to a row of a list. Of each row, profile and model there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its id.
    pub id: Id,
    /// The list.
    pub list: Id,
    /// The row.
    pub row: Id,
    /// The profile asked, by its id.
    pub profile: String,
    /// The model asked for.
    pub model: Untrusted,
    /// What it answered, byte for byte.
    pub text: Untrusted,
    /// Unix milliseconds.
    pub at_ms: i64,
    /// From the request to its answer, milliseconds. Rows of one request share it.
    pub latency_ms: u32,
    /// Why it ended: `stop`, `length`, …; empty: it was not said.
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
    /// What was sent.
    pub prompt: Untrusted,
    /// What is wanted; empty: nothing.
    pub wanted: Untrusted,
    /// What the tuned model and its base answered, each with the word for how it compares; `None`: nothing yet.
    pub answers: [Option<(Untrusted, &'static str)>; 2],
    /// What tuning changed about the row; empty: nothing.
    pub changed: &'static str,
}

/// A turn to learn from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The turn.
    pub turn: Id,
    /// What the answer should have been, byte for byte; `None`: it is good as it is. The turn itself stays as it was.
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
    /// The beginning of what the turn answers; empty: it answers nothing.
    pub asked: Untrusted,
    /// The beginning of the turn's own text.
    pub text: Untrusted,
}

/// Asks for rows to score models with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A local file, `~` allowed, as the user typed it.
    Path(String),
    /// What a server's file holds.
    Bytes(Arc<[u8]>),
}

/// Rows to score models with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeldOut {
    /// The rows, in the file's order.
    pub rows: Vec<HeldRow>,
    /// Whether they hold messages; otherwise prompts and completions.
    pub chat: bool,
    /// Names what they hold: the same rows have the same name.
    pub key: Option<TextKey>,
}

/// A row to score models with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldRow {
    /// Its line, counted from 1.
    pub line: u64,
    /// The prompt; of messages, all before the last answer, as JSON.
    pub prompt: Untrusted,
    /// The answer that is wanted.
    pub wanted: Untrusted,
}
