//! The tokens of an answer with their probabilities, and the strip that shows them.

use crate::record::{Id, Record, Token};
use crate::tabs::generation::score::Score;
use crate::tabs::generation::strip::{self, Strip};

/// What was told of an answer's tokens.
#[derive(Debug, Default)]
pub(super) struct AnswerTokens {
    pub(super) tokens: Vec<Token>,
    pub(super) score: Score,
    /// Rows that one of them has in the strip at most.
    pub(super) rows: usize,
    /// How many of them the store was given.
    pub(super) saved: usize,
    /// Whether they were asked for; `None`: that was in another run of the program.
    pub(super) asked: Option<bool>,
    /// Whether the store was asked for them and has not answered.
    pub(super) loading: bool,
}

impl AnswerTokens {
    /// Returns those of an answer that is asked for now: none yet.
    pub(super) fn of_request(asked: bool) -> Self {
        Self { asked: Some(asked), ..Self::default() }
    }

    /// Takes in more of them.
    pub(super) fn add(&mut self, tokens: Vec<Token>) {
        self.score.add(&tokens);
        self.rows = tokens.iter().map(strip::row_count).fold(self.rows, usize::max);
        self.tokens.extend(tokens);
    }

    /// Returns the record that saves those the store has not been given, for the turn they belong to; `None`: it has
    /// all.
    pub(super) fn unsaved(&mut self, of: Id) -> Option<Record> {
        let new = self.tokens.get(self.saved..).filter(|new| !new.is_empty())?;
        let record = Record::Tokens { of, at: self.saved as u64, tokens: new.to_vec() };
        self.saved = self.tokens.len();
        Some(record)
    }

    /// Returns all of them, for a store that may lack some.
    pub(super) fn all(&self, of: Id) -> Option<Record> {
        (!self.tokens.is_empty()).then(|| Record::Tokens { of, at: 0, tokens: self.tokens.clone() })
    }
}

/// The strip under the transcript.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbabilityStrip {
    /// The answer.
    pub(super) turn: Id,
    pub(super) strip: Strip,
}
