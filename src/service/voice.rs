//! A chat request in the terms of the engine: its prompt, and how each choice is drawn.

use super::ask::{Ask, Role};
use crate::engine::language::{Prompt, Sampling};

/// The conversation.
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

/// How the choice of that index is drawn, at most `most` tokens long. The same `seed` draws the same choices, and each
/// of them its own.
pub(crate) fn sampling(ask: &Ask, most: u64, seed: u64, choice: u32) -> Sampling {
    Sampling {
        temperature: ask.temperature as f32,
        top_p: ask.top_p as f32,
        presence_penalty: ask.presence_penalty as f32,
        frequency_penalty: ask.frequency_penalty as f32,
        logit_bias: ask.logit_bias.iter().map(|(id, bias)| (*id, *bias as f32)).collect(),
        seed: Some(seed.wrapping_add(u64::from(choice).wrapping_mul(0xd1b5_4a32_d192_ed03))),
        max_tokens: most,
        stop: ask.stop.clone(),
        logprobs: 0,
    }
}
