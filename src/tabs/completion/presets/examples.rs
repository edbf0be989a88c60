//! Prompts to start from: one for each thing that a model which only goes on with a text can be made to do.

use crate::record::{ChatParams, CompletionParams, Id, Preset};

/// The examples, in the order in which they are offered. Their ids are negative, which no record's is.
pub(super) fn all() -> Vec<Preset> {
    vec![Preset {
        id: Id(-1),
        name: "Say this is a test".into(),
        prompt: "Say this is a test".into(),
        caret: 18,
        model: "".into(),
        params: CompletionParams {
            common: ChatParams { temperature: Some(0.0), max_tokens: Some(7), ..ChatParams::default() },
            ..CompletionParams::default()
        },
        created_ms: 0,
    }]
}

/// Whether an id is an example's.
pub(super) fn is(id: Id) -> bool {
    id.0 < 0
}
