//! A call of a tool that an answer holds, and the turn that is its result.

use crate::api::chat::{FunctionCall, ToolCall};
use crate::record::{Block, Id, Turn};
use crate::text::Untrusted;

/// A call that has no result yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct OpenCall {
    /// The answer that it is a part of.
    pub(super) turn: Id,
    pub(super) id: Untrusted,
    pub(super) name: Untrusted,
    /// JSON as the model wrote it.
    pub(super) arguments: Untrusted,
}

impl OpenCall {
    /// Returns the call as it is sent again.
    pub(super) fn sent(self) -> ToolCall {
        let function = FunctionCall { name: self.name.raw().to_owned(), arguments: self.arguments.raw().to_owned() };
        ToolCall { index: None, id: Some(self.id.raw().to_owned()), kind: Some("function".to_owned()), function }
    }

    /// Returns the block that marks a turn as its result.
    pub(super) fn result(&self) -> Block {
        Block::ResultOf { id: self.id.clone(), name: self.name.clone() }
    }
}

/// Where a result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResultSource {
    Typed,
    File,
    Command,
}

/// Returns the id of a call: the server's, else one by its number.
pub(super) fn call_id(index: u32, id: &Untrusted) -> Untrusted {
    if id.is_empty() { format!("call_{index}").into() } else { id.clone() }
}

/// Returns the calls of an answer.
pub(super) fn calls(turn: &Turn) -> impl Iterator<Item = OpenCall> {
    turn.blocks.iter().filter_map(|block| match block {
        Block::Call { index, id, name, arguments } => {
            Some(OpenCall { turn: turn.id, id: call_id(*index, id), name: name.clone(), arguments: arguments.clone() })
        }
        _ => None,
    })
}

/// Returns the id of the call that a turn is the result of.
pub(super) fn result_of(turn: &Turn) -> Option<&Untrusted> {
    turn.blocks.iter().find_map(|block| if let Block::ResultOf { id, .. } = block { Some(id) } else { None })
}
