//! How many tokens the texts of a conversation and its next request have, as far as they are counted.

use std::cell::Cell;
use std::collections::HashMap;
use std::time::Instant;

use crate::component::Pending;
use crate::record::Id;
use crate::tokens::Encoding;

/// A text of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RequestText {
    System,
    Turn(Id),
    /// The composer's text.
    Draft,
}

/// Texts that are being counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PendingCount {
    /// The conversation.
    pub(super) conversation: Id,
    /// The vocabulary; `None`: nobody here knows it, and the counts are estimates.
    pub(super) encoding: Option<Encoding>,
    /// The state of the composer and the system prompt that they are of.
    pub(super) stamp: u64,
    /// The texts, and how long each is.
    pub(super) pieces: Vec<(RequestText, usize)>,
}

/// The counts of a conversation's texts in one vocabulary.
#[derive(Debug, Default)]
pub(super) struct TokenCounts {
    pub(super) encoding: Option<Encoding>,
    pub(super) system: Option<u64>,
    /// With the length of the text that was counted.
    pub(super) turns: HashMap<Id, (usize, u64)>,
    /// Counts changes of what is known here.
    pub(super) revision: u64,
    /// Whether counting failed: a request does not wait for it then.
    pub(super) failed: bool,
}

impl TokenCounts {
    /// Counts in this vocabulary from now on; those in another are of no use.
    pub(super) fn change_to(&mut self, encoding: Option<Encoding>) {
        if self.encoding != encoding {
            *self = Self { encoding, revision: self.revision + 1, ..Self::default() };
        }
    }

    /// Forgets the count of the system prompt, which has changed.
    pub(super) fn forget_system(&mut self) {
        self.system = None;
        self.revision += 1;
    }
}

/// What is known of the request that would be sent with the composer's text.
#[derive(Debug, Default)]
pub(super) struct DraftCount {
    /// Its tokens, a guess.
    pub(super) guess: u64,
    /// Its tokens, and in which vocabulary they were counted.
    pub(super) exact: Option<(Option<Encoding>, u64)>,
    /// Counts changes of the composer's text and the system prompt.
    pub(super) stamp: u64,
    /// When it is to be counted.
    pub(super) due: Option<Instant>,
    /// Texts that are being counted.
    pub(super) pending: Pending<PendingCount>,
    /// Tokens of what was said before, for the state of the conversation that they were added up for.
    pub(super) said: Cell<Option<(RequestKey, Option<u64>)>>,
}

/// A state of a conversation, as far as its next request depends on it: the conversation, its revision and that of its
/// counts, the last turn that is sent, whether an answer grows.
pub(super) type RequestKey = (Id, u64, u64, Option<Id>, bool);
