//! The engine as the routes see it: loaded at the first question, tokens counted, one source of tokens per choice.
//!
//! What stands here for now is no language model: it walks through the words of the last message, so that every field of
//! a request acts and can be tested. A token is a word; its id is the word's place in the message.

use super::ask::Ask;
use super::secret;

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

/// A source of tokens for each choice, in the order of their index. The same `seed` gives the same choices.
pub(crate) fn sources(_voice: &Voice, ask: &Ask) -> Vec<impl Iterator<Item = Vec<u8>> + use<>> {
    let last = ask.messages.last().map(|message| message.content.as_str()).unwrap_or_default();
    let words: Vec<String> = last.split_whitespace().map(|word| format!("{word} ")).collect();
    let seed = ask.seed.map_or_else(secret::seed, i64::cast_unsigned);
    (0..u64::from(ask.n))
        .map(|choice| Walk {
            counts: vec![0.0; words.len()],
            words: words.clone(),
            at: None,
            random: (seed ^ 0x9e37_79b9_7f4a_7c15).wrapping_add(choice.wrapping_mul(0xd1b5_4a32_d192_ed03)) | 1,
            ask: ask.clone(),
        })
        .collect()
}

/// A walk through the words of a message.
struct Walk {
    ask: Ask,
    words: Vec<String>,
    counts: Vec<f64>,
    at: Option<usize>,
    random: u64,
}

impl Walk {
    fn logit(&self, id: usize) -> f64 {
        let follows = id == self.at.map_or(0, |at| (at + 1) % self.words.len());
        let bias = u32::try_from(id).ok().and_then(|id| self.ask.logit_bias.get(&id)).copied().unwrap_or(0.0);
        let seen = if self.counts[id] > 0.0 { self.ask.presence_penalty } else { 0.0 };
        f64::from(u8::from(follows)) * 1.5 + bias - seen - self.counts[id] * self.ask.frequency_penalty
    }

    fn uniform(&mut self) -> f64 {
        for shift in [13_i32, -7, 17] {
            self.random ^= if shift > 0 { self.random << shift } else { self.random >> -shift };
        }
        (self.random >> 11) as f64 / (1_u64 << 53) as f64
    }
}

impl Iterator for Walk {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let mut ranked: Vec<(usize, f64)> = (0..self.words.len()).map(|id| (id, self.logit(id))).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (mut chosen, best) = *ranked.first()?;
        if self.ask.temperature > 0.0 {
            let weights: Vec<f64> = ranked.iter().map(|(_, l)| ((l - best) / self.ask.temperature).exp()).collect();
            let mut mass = self.ask.top_p * weights.iter().sum::<f64>();
            let inside = |weight: &&f64| {
                let open = mass > 0.0;
                mass -= **weight;
                open
            };
            let kept = weights.iter().take_while(inside).count().max(1);
            let mut left = self.uniform() * weights[..kept].iter().sum::<f64>();
            for ((id, _), weight) in ranked.iter().zip(&weights).take(kept) {
                chosen = *id;
                left -= weight;
                if left <= 0.0 {
                    break;
                }
            }
        }
        self.at = Some(chosen);
        self.counts[chosen] += 1.0;
        Some(self.words[chosen].clone().into_bytes())
    }
}
