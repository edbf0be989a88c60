//! What distinguishes a chat's answer from a completion's.

use serde::de::DeserializeOwned;

use super::join::{Joiner, Slot};
use crate::api::call::Reply;
use crate::api::completion::Logprobs;

/// A kind of answer: where it is requested, and what its parts are.
pub(super) trait StreamFormat {
    /// Path below the base URL.
    const PATH: &'static str;
    type Whole: DeserializeOwned;
    type Chunk: DeserializeOwned;

    /// Returns whether a whole answer has no choices.
    fn is_empty(whole: &Self::Whole) -> bool;
    fn whole_reply(whole: Self::Whole) -> Reply;
    fn chunk_reply(chunk: Self::Chunk) -> Reply;
    /// Appends the choices of the next chunk in their order; of other fields the later value counts.
    fn append(chunk: &mut Self::Chunk, next: Self::Chunk);
    /// Returns what a chunk adds to each choice.
    fn deltas(chunk: &Self::Chunk) -> impl Iterator<Item = ChoiceDelta>;
    /// Returns the log-probabilities in a chunk.
    fn logprobs(chunk: &Self::Chunk) -> impl Iterator<Item = &Logprobs>;
    /// Passes the texts of a chunk through the joiner.
    fn join_texts(chunk: &mut Self::Chunk, joiner: &mut Joiner);
    /// Passes the texts of a whole answer through the joiner.
    fn join_whole(whole: &mut Self::Whole, joiner: &mut Joiner);
    /// Returns a chunk that contains nothing but a part of one text.
    fn text_chunk(slot: Slot, text: String) -> Self::Chunk;
}

/// What a chunk adds to a choice.
pub(super) struct ChoiceDelta {
    pub(super) choice: u32,
    pub(super) text_bytes: usize,
    pub(super) has_ended: bool,
}
