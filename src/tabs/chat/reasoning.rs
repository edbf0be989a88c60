//! Reasoning that a model writes into its answer, between `<think>` and `</think>`: found to be shown folded, as
//! reasoning that comes apart is. What is kept, copied and sent stays as it came.

use std::ops::Range;

use memchr::memmem;

use crate::record::{Turn, TurnStatus};
use crate::text::Untrusted;

/// The tags an answer may begin with, and those that end what they begin.
const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// What is shown of a turn: its reasoning, if there is any, and its answer.
pub(super) struct ReasoningSplit<'a> {
    turn: &'a Turn,
    /// The reasoning within the content.
    within: Option<Range<usize>>,
    answer: Range<usize>,
}

impl<'a> ReasoningSplit<'a> {
    pub(super) fn of(turn: &'a Turn) -> Self {
        let length = turn.content.len();
        let whole = Self { turn, within: None, answer: 0..length };
        if turn.role != "assistant" || !turn.reasoning.is_empty() {
            return whole;
        }
        let content = turn.content.raw();
        let text = content.trim_start();
        let before = length - text.len();
        let streams = turn.status == TurnStatus::Streaming;
        let Some((open, close)) = TAGS.into_iter().find(|(open, _)| text.starts_with(open)) else {
            // The beginning of a tag is not shown: its rest may arrive next.
            let begins = !text.is_empty() && TAGS.iter().any(|(open, _)| open.starts_with(text));
            return if streams && begins { Self { answer: 0..0, ..whole } } else { whole };
        };
        let start = before + open.len();
        if let Some(end) = memmem::find(&content.as_bytes()[start..], close.as_bytes()) {
            let end = start + end;
            return Self { within: Some(start..end), answer: end + close.len()..length, turn };
        }
        let held = if streams { (1..close.len()).rev().find(|n| content.ends_with(&close[..*n])) } else { None };
        let end = length - held.unwrap_or(0).min(length - start);
        Self { within: Some(start..end), answer: length..length, turn }
    }

    /// Returns whether there is reasoning.
    pub(super) fn is_reasoned(&self) -> bool {
        self.within.is_some() || !self.turn.reasoning.is_empty()
    }

    /// Returns where the reasoning stands, and in which of the turn's texts.
    pub(super) fn reasoning(&self) -> (&'a Untrusted, Range<usize>) {
        match &self.within {
            Some(range) => (&self.turn.content, range.clone()),
            None => (&self.turn.reasoning, 0..self.turn.reasoning.len()),
        }
    }

    /// Returns where the answer stands in the turn's content.
    pub(super) fn answer(&self) -> (&'a Untrusted, Range<usize>) {
        (&self.turn.content, self.answer.clone())
    }
}
