//! The models that answer in a conversation with several.

use super::conversation::Responder;
use crate::record::Id;
use crate::text::Untrusted;

/// Who answers in a conversation.
#[derive(Debug)]
pub(super) struct Comparison {
    /// All of them, the first one first.
    pub(super) all: Vec<Responder>,
    /// The models that have not begun to answer the last message yet.
    pub(super) left: Vec<Responder>,
    /// The answer of the first one to that message.
    pub(super) first: Option<Id>,
}

impl Comparison {
    /// Returns the models that still come, in their order.
    pub(super) fn remaining(&self) -> impl Iterator<Item = &Untrusted> {
        self.left.iter().map(|responder| &responder.model)
    }

    /// Returns their names, for the rule of the message box.
    pub(super) fn names(&self) -> String {
        let names: Vec<_> = self.all.iter().map(|responder| responder.model.line()).collect();
        names.join(", then ")
    }
}
