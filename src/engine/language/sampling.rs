//! From a distribution to a token: temperature, top-p, penalties, bias, seed; and the loop that writes an answer.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, RandomState};

use ndarray::Array1;

use super::{
    Model, Read, StopBuffer, Utf8Buffer,
    copying::Alignment,
    network::WINDOW,
    vocabulary::{END, Slot},
};

/// What a penalty of 1 takes from a log-probability. A large model's distribution is far flatter than one that reads in
/// a manual; with 1 the penalties of the interface's range would never be seen in an answer.
const WEIGHT: f32 = 3.0;

/// How to choose tokens. The default is the interface's: temperature 1, everything else off.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampling {
    /// 0 to 2. 0 always takes the likeliest token.
    pub temperature: f32,
    /// 0 to 1: only the likeliest tokens that together reach this mass are drawn from.
    pub top_p: f32,
    /// −2 to 2, taken once from each token that the answer already has.
    pub presence_penalty: f32,
    /// −2 to 2, taken for each time the answer already has the token.
    pub frequency_penalty: f32,
    /// `r50k` token id → −100 to 100, added to its log-probability. Ids outside the model's vocabulary do nothing.
    pub logit_bias: HashMap<u32, f32>,
    /// The same seed writes the same answer; `None` draws one.
    pub seed: Option<u64>,
    /// The most tokens to write.
    pub max_tokens: u64,
    /// Sequences before which the answer ends.
    pub stop: Vec<String>,
    /// How many alternatives each step lists with their log-probabilities.
    pub logprobs: usize,
}

impl Default for Sampling {
    fn default() -> Self {
        Self {
            temperature: 1.0,
            top_p: 1.0,
            presence_penalty: 0.0,
            frequency_penalty: 0.0,
            logit_bias: HashMap::new(),
            seed: None,
            max_tokens: 1024,
            stop: Vec::new(),
            logprobs: 0,
        }
    }
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// The model ended it, or a stop sequence did.
    Stop,
    /// `max_tokens` were written.
    Length,
}

/// One written token.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its id.
    pub token: u32,
    /// Its bytes, perhaps a part of a character.
    pub bytes: Vec<u8>,
    /// Text that may be shown now: whole characters, nothing of a stop sequence. May be empty.
    pub text: String,
    /// The natural logarithm of its probability, before temperature, top-p, penalties and bias.
    pub logprob: f32,
    /// The likeliest tokens with their log-probabilities, as many as asked for, likeliest first.
    pub top: Vec<(u32, f32)>,
}

/// An answer being written, token by token.
pub struct Generation<'m> {
    model: &'m Model,
    sampling: Sampling,
    context: Vec<Slot>,
    pooled: Array1<f32>,
    alignment: Option<Alignment>,
    written: HashMap<Slot, u32>,
    count: u64,
    chance: Chance,
    characters: Utf8Buffer,
    stops: StopBuffer,
    finish: Option<Finish>,
}

impl<'m> Generation<'m> {
    pub(super) fn new(model: &'m Model, prompt: Read, sampling: &Sampling) -> Self {
        Self {
            model,
            pooled: prompt.pooled,
            context: prompt.tail,
            alignment: prompt.alignment,
            written: HashMap::new(),
            count: 0,
            chance: Chance::new(sampling.seed),
            characters: Utf8Buffer::default(),
            stops: StopBuffer::new(&sampling.stop),
            finish: (sampling.max_tokens == 0).then_some(Finish::Length),
            sampling: sampling.clone(),
        }
    }

    /// Why it ended; `None` while it goes on.
    pub fn finish(&self) -> Option<Finish> {
        self.finish
    }

    /// Text that was held back as the possible beginning of a stop sequence or of a character. Ask once, at the end.
    pub fn rest(&mut self) -> String {
        let rest = self.characters.rest();
        let mut text = self.stops.push(&rest);
        text.push_str(&self.stops.rest());
        text
    }

    /// The mixed distribution of the next token, and what it is without the copy term.
    fn distribution(&self) -> (Vec<f32>, Vec<f32>) {
        let end = self.model.vocabulary.end();
        let mut background = self.model.network.next(&self.context, end, &self.pooled);
        self.model.ngrams.blend(&self.context, &mut background);
        let mut mixed = background.clone();
        if let Some(alignment) = &self.alignment {
            alignment.blend(&mut mixed, &self.model.breaks, end);
        }
        (mixed, background)
    }

    /// The token to write, drawn from the distribution after all parameters have acted.
    fn choose(&mut self, mixed: &[f32]) -> Slot {
        let mut logits: Vec<f32> = mixed.iter().map(|p| p.max(1e-30).ln()).collect();
        for (slot, count) in &self.written {
            logits[usize::from(*slot)] -=
                WEIGHT * (self.sampling.presence_penalty + self.sampling.frequency_penalty * *count as f32);
        }
        for (id, bias) in &self.sampling.logit_bias {
            if let Some(slot) = self.model.vocabulary.slot(*id) {
                logits[usize::from(slot)] += bias;
            }
        }
        let best = (0..logits.len()).max_by(|a, b| logits[*a].total_cmp(&logits[*b])).unwrap_or_default();
        if self.sampling.temperature <= 0.0 || self.sampling.top_p <= 0.0 {
            return best as Slot;
        }
        let top = logits[best];
        let weights: Vec<f32> = logits.iter().map(|logit| ((logit - top) / self.sampling.temperature).exp()).collect();
        self.chance.draw(&weights, self.sampling.top_p).unwrap_or(best) as Slot
    }

    fn top(&self, mixed: &[f32]) -> Vec<(u32, f32)> {
        if self.sampling.logprobs == 0 {
            return Vec::new();
        }
        let mut order: Vec<usize> = (0..mixed.len()).collect();
        order.sort_by(|a, b| mixed[*b].total_cmp(&mixed[*a]));
        order.truncate(self.sampling.logprobs);
        order.into_iter().map(|slot| (self.model.vocabulary.id(slot as Slot), mixed[slot].max(1e-30).ln())).collect()
    }
}

impl Iterator for Generation<'_> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        if self.finish.is_some() {
            return None;
        }
        let (mixed, background) = self.distribution();
        let slot = self.choose(&mixed);
        let place = usize::from(slot);
        let token = self.model.vocabulary.id(slot);
        if token == END {
            self.finish = Some(Finish::Stop);
            return None;
        }
        if let Some(alignment) = &mut self.alignment {
            alignment.follow(slot, background[place]);
        }
        self.context.push(slot);
        if self.context.len() > WINDOW {
            self.context.remove(0);
        }
        *self.written.entry(slot).or_default() += 1;
        self.count += 1;
        let bytes = self.model.vocabulary.bytes(slot).to_vec();
        let text = self.stops.push(&self.characters.push(&bytes));
        if self.stops.hit() {
            self.finish = Some(Finish::Stop);
        } else if self.count >= self.sampling.max_tokens {
            self.finish = Some(Finish::Length);
        }
        Some(Step { token, bytes, text, logprob: mixed[place].max(1e-30).ln(), top: self.top(&mixed) })
    }
}

/// A small repeatable generator (the SplitMix64 sequence).
struct Chance(u64);

impl Chance {
    fn new(seed: Option<u64>) -> Self {
        Self(seed.unwrap_or_else(|| RandomState::new().hash_one(0)))
    }

    /// Uniform in `0..1`.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// An index drawn by weight, from the likeliest that together reach `top_p` of the sum.
    fn draw(&mut self, weights: &[f32], top_p: f32) -> Option<usize> {
        let total: f32 = weights.iter().sum();
        let kept: Option<HashSet<usize>> = (top_p < 1.0).then(|| {
            let mut order: Vec<usize> = (0..weights.len()).filter(|i| weights[*i] > 0.0).collect();
            order.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]));
            let mut mass = 0.0;
            let mut inside = HashSet::new();
            for i in order {
                inside.insert(i);
                mass += weights[i];
                if mass >= top_p * total {
                    break;
                }
            }
            inside
        });
        let allowed = |i: &usize| kept.as_ref().is_none_or(|kept| kept.contains(i));
        let sum: f32 = (0..weights.len()).filter(allowed).map(|i| weights[i]).sum();
        let mut left = self.next() * sum;
        for i in (0..weights.len()).filter(allowed) {
            left -= weights[i];
            if left < 0.0 {
                return Some(i);
            }
        }
        None
    }
}
