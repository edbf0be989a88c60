//! A chat request as an order to the engine.

use super::ask::{Ask, Role};
use super::generate::{Order, Source};
use crate::engine::language::Prompt;

/// Returns the conversation.
pub(crate) fn prompt(ask: &Ask) -> Prompt {
    let turns = ask.messages.iter().map(|message| {
        let role = match message.role {
            Role::System => "system",
            Role::User => "user",
            Role::Assistant => "assistant",
        };
        (role.to_owned(), message.content.clone())
    });
    Prompt::Chat(turns.collect())
}

/// Returns the order for the answers to the conversation, each at most `most` tokens long.
pub(crate) fn order(ask: &Ask, most: u64) -> Order {
    Order {
        sources: vec![Source::Chat(prompt(ask))],
        each: ask.n,
        sampling: ask.draw.sampling(most, ask.logprobs.unwrap_or(0)),
        seed: ask.draw.seed(),
        echo: false,
        logprobs: ask.logprobs.is_some(),
    }
}
