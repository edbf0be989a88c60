//! The engine as the routes see it: loaded at the first question, tokens counted, one source of tokens per choice.

use super::ask::Ask;

/// The loaded engine.
#[derive(Debug)]
pub(crate) struct Voice;

impl Voice {
    /// Loads it: the work of the first question.
    pub(crate) fn load() -> Self {
        Self
    }
}

/// Tokens of the conversation.
pub(crate) fn count(ask: &Ask) -> u64 {
    3 + ask.messages.iter().map(|message| 4 + message.content.split_whitespace().count() as u64).sum::<u64>()
}

/// A source of tokens for each choice.
pub(crate) fn sources(_voice: &Voice, ask: &Ask) -> Vec<impl Iterator<Item = Vec<u8>> + use<>> {
    let last = ask.messages.last().map(|message| message.content.clone()).unwrap_or_default();
    let words: Vec<Vec<u8>> = last.split_inclusive(' ').map(|word| word.as_bytes().to_vec()).collect();
    (0..ask.n).map(|_| words.clone().into_iter().cycle()).collect()
}
