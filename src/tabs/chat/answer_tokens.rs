//! The tokens of an answer with their probabilities, and the strip that shows them.

use std::collections::HashMap;

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
    saved: usize,
    /// Whether they were asked for; `None`: that was in another run of the program.
    pub(super) asked: Option<bool>,
    /// Whether the store was asked for them and has not answered.
    pub(super) loading: bool,
}

impl AnswerTokens {
    /// Takes in more of them.
    fn add(&mut self, tokens: Vec<Token>) {
        self.score.add(&tokens);
        self.rows = tokens.iter().map(strip::row_count).fold(self.rows, usize::max);
        self.tokens.extend(tokens);
    }

    /// Returns the record that saves those the store has not been given, for the turn they belong to; `None`: it has
    /// all.
    fn unsaved(&mut self, of: Id) -> Option<Record> {
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

/// What was told of the tokens of answers, by turn.
#[derive(Debug, Default)]
pub(super) struct TokensByTurn(HashMap<Id, AnswerTokens>);

impl TokensByTurn {
    pub(super) fn get(&self, turn: Id) -> Option<&AnswerTokens> {
        self.0.get(&turn)
    }

    /// Returns the tokens told of a turn; none: none were, or they are not here yet.
    pub(super) fn of(&self, turn: Id) -> &[Token] {
        self.get(turn).map_or(&[], |tokens| &tokens.tokens)
    }

    /// Notes that an answer was asked for, and whether with its tokens.
    pub(super) fn begin(&mut self, turn: Id, asked: bool) {
        self.0.insert(turn, AnswerTokens { asked: Some(asked), ..AnswerTokens::default() });
    }

    /// Takes in more tokens of an answer.
    pub(super) fn add(&mut self, turn: Id, tokens: Vec<Token>) {
        self.0.entry(turn).or_default().add(tokens);
    }

    /// Returns the record that saves the tokens of a turn that the store has not been given; `None`: it has all.
    pub(super) fn unsaved(&mut self, turn: Id) -> Option<Record> {
        self.0.get_mut(&turn)?.unsaved(turn)
    }

    /// Forgets the tokens of a turn, and returns them.
    pub(super) fn remove(&mut self, turn: Id) -> Option<AnswerTokens> {
        self.0.remove(&turn)
    }

    /// Notes that the store is asked for the tokens of a turn, where they are not known. Returns whether it is.
    pub(super) fn begin_load(&mut self, turn: Id) -> bool {
        let unknown = !self.0.contains_key(&turn);
        if unknown {
            self.0.insert(turn, AnswerTokens { loading: true, ..AnswerTokens::default() });
        }
        unknown
    }

    /// Takes what the store has of an answer's tokens. Returns whether they were still waited for.
    pub(super) fn loaded(&mut self, turn: Id, tokens: Vec<Token>) -> bool {
        let Some(known) = self.0.get_mut(&turn).filter(|known| known.loading) else { return false };
        *known = AnswerTokens::default();
        known.add(tokens);
        known.saved = known.tokens.len();
        true
    }
}

/// The strip under the transcript.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbabilityStrip {
    /// The answer.
    pub(super) turn: Id,
    pub(super) strip: Strip,
}
