//! From a distribution to a token: temperature, top-p, penalties, bias, seed; and the loop that writes an answer.

use std::collections::{HashMap, VecDeque};
use std::ops::Deref;

use ndarray::Array1;

use super::{
    copying::Alignment,
    infilling::Gap,
    model::{Model, Read},
    network::WINDOW,
    rng::Rng,
    vocabulary::{END, Slot},
    writing::{StopBuffer, Utf8Buffer},
};

/// What a penalty of 1 subtracts from a log-probability. A large model's distribution is far flatter than that of one
/// that copies a manual; with 1, penalties within the interface's range would have no visible effect.
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
    /// Sequences that end the answer and are not part of it.
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

/// An answer being written, token by token. `M` is how the model is held: borrowed, or shared with other threads.
pub struct Generation<M> {
    model: M,
    sampling: Sampling,
    context: Vec<Slot>,
    pooled: Array1<f32>,
    alignment: Option<Alignment>,
    /// The text that the answer must lead to, if it fills a gap.
    gap: Option<Gap>,
    /// The rest of the way through the gap, if one was found.
    way: Option<VecDeque<Slot>>,
    written: HashMap<Slot, u32>,
    count: u64,
    /// Sum of the log-probabilities of all tokens drawn, the end token included, and their number.
    likelihood: (f64, u64),
    rng: Rng,
    characters: Utf8Buffer,
    stops: StopBuffer,
    finish: Option<Finish>,
}

impl<M: Deref<Target = Model>> Generation<M> {
    /// Starts an answer to a prompt that `model` has read.
    pub fn new(model: M, prompt: Read, sampling: &Sampling) -> Self {
        Self {
            model,
            pooled: prompt.pooled,
            context: prompt.tail,
            alignment: prompt.alignment,
            gap: prompt.gap,
            way: None,
            written: HashMap::new(),
            count: 0,
            likelihood: (0.0, 0),
            rng: Rng::new(sampling.seed),
            characters: Utf8Buffer::default(),
            stops: StopBuffer::new(&sampling.stop),
            finish: (sampling.max_tokens == 0).then_some(Finish::Length),
            sampling: sampling.clone(),
        }
    }

    /// Continues the unfinished character that `characters` holds: for an answer shown directly after its prompt.
    pub fn follow(&mut self, characters: Utf8Buffer) {
        self.characters = characters;
    }

    /// Returns why the answer ended; `None` while it continues.
    pub fn finish(&self) -> Option<Finish> {
        self.finish
    }

    /// Returns the mean log-probability of the tokens drawn so far, the end token included; 0 before the first.
    pub fn mean_logprob(&self) -> f64 {
        self.likelihood.0 / self.likelihood.1.max(1) as f64
    }

    /// Returns text that was held back as the possible beginning of a stop sequence or of a character. Call it once, at
    /// the end.
    pub fn rest(&mut self) -> String {
        let rest = self.characters.rest();
        let mut text = self.stops.push(&rest);
        text.push_str(&self.stops.rest());
        text
    }

    /// Returns the mixed distribution of the next token, and the same without the copy term.
    fn distribution(&self) -> (Vec<f32>, Vec<f32>) {
        let background = self.model.background(&self.context, &self.pooled);
        let mut mixed = background.clone();
        if let Some(alignment) = &self.alignment {
            alignment.blend(&mut mixed, &self.model.kinds, self.model.vocabulary.end());
        }
        (mixed, background)
    }

    /// Returns whether the likeliest token is always taken.
    fn cold(&self) -> bool {
        self.sampling.temperature <= 0.0 || self.sampling.top_p <= 0.0
    }

    /// Returns whether the text after the gap continues here.
    fn joins(&mut self) -> bool {
        let Some(gap) = &self.gap else { return false };
        let Sampling { presence_penalty, frequency_penalty, logit_bias, temperature, max_tokens, .. } = &self.sampling;
        // With penalties or biases the ways found are not the likeliest any more.
        let plain = logit_bias.is_empty() && *presence_penalty == 0.0 && *frequency_penalty == 0.0;
        if self.count == 0 && plain {
            let temperature = if self.cold() { 0.0 } else { *temperature };
            self.way = gap.sample_path(*max_tokens, temperature, &mut self.rng);
        }
        if let Some(way) = &self.way {
            return way.is_empty();
        }
        let ends = gap.ends(&self.model, &self.context, &self.pooled);
        if self.cold() { ends > 0.5 } else { self.rng.next() < ends }
    }

    /// Returns what penalties and biases add to log-probabilities, by token.
    fn changes(&self) -> Vec<(Slot, f32)> {
        let Sampling { presence_penalty, frequency_penalty, logit_bias, .. } = &self.sampling;
        let mut changes = Vec::new();
        if *presence_penalty != 0.0 || *frequency_penalty != 0.0 {
            let penalty = |count: u32| -WEIGHT * (presence_penalty + frequency_penalty * count as f32);
            changes.extend(self.written.iter().map(|(slot, count)| (*slot, penalty(*count))));
        }
        changes.extend(logit_bias.iter().filter_map(|(id, bias)| Some((self.model.vocabulary.slot(*id)?, *bias))));
        if self.gap.is_some() {
            // The end token is excluded: text follows the gap.
            changes.push((self.model.vocabulary.end(), -1e9));
        }
        changes
    }

    /// Draws the token to write from the distribution with all parameters applied.
    fn choose(&mut self, mixed: &[f32]) -> Slot {
        if let Some(slot) = self.way.as_mut().and_then(VecDeque::pop_front) {
            return slot;
        }
        let mut logits: Vec<f32> = mixed.iter().map(|p| p.max(1e-30).ln()).collect();
        for (slot, change) in self.changes() {
            logits[usize::from(slot)] += change;
        }
        let best = (0..logits.len()).max_by(|a, b| logits[*a].total_cmp(&logits[*b])).unwrap_or_default();
        if self.cold() {
            return best as Slot;
        }
        let (top, temperature) = (logits[best], self.sampling.temperature);
        let weights: Vec<f32> = logits.iter().map(|logit| ((logit - top) / temperature).exp()).collect();
        self.rng.draw(&weights, self.sampling.top_p).unwrap_or(best) as Slot
    }
}

impl<M: Deref<Target = Model>> Iterator for Generation<M> {
    type Item = Step;

    fn next(&mut self) -> Option<Step> {
        if self.finish.is_some() {
            return None;
        }
        if self.joins() {
            self.finish = Some(Finish::Stop);
            return None;
        }
        let (mixed, background) = self.distribution();
        let slot = self.choose(&mixed);
        let place = usize::from(slot);
        let token = self.model.vocabulary.id(slot);
        let logprob = mixed[place].max(1e-30).ln();
        self.likelihood.0 += f64::from(logprob);
        self.likelihood.1 += 1;
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
        let top = self.model.likeliest(&mixed, self.sampling.logprobs);
        Some(Step { token, bytes, text, logprob, top })
    }
}

impl Model {
    /// Returns the distribution of the token after `context`, without the copy term.
    pub(super) fn background(&self, context: &[Slot], pooled: &Array1<f32>) -> Vec<f32> {
        let mut distribution = self.network.next(context, self.vocabulary.end(), pooled);
        self.ngrams.blend(context, &mut distribution);
        distribution
    }

    /// Returns the `most` likeliest tokens of a distribution with their log-probabilities, likeliest first.
    pub(super) fn likeliest(&self, distribution: &[f32], most: usize) -> Vec<(u32, f32)> {
        let with = |slot: Slot| (self.vocabulary.id(slot), distribution[usize::from(slot)].max(1e-30).ln());
        likeliest(distribution, most).into_iter().map(with).collect()
    }
}

/// Returns the `most` likeliest places of a distribution, likeliest first.
pub(super) fn likeliest(distribution: &[f32], most: usize) -> Vec<Slot> {
    let most = most.min(distribution.len());
    if most == 0 {
        return Vec::new();
    }
    let likelier =
        |a: &Slot, b: &Slot| distribution[usize::from(*b)].total_cmp(&distribution[usize::from(*a)]).then(a.cmp(b));
    let mut order: Vec<Slot> = (0..distribution.len()).map(|slot| slot as Slot).collect();
    // The whole order is not needed for its beginning.
    order.select_nth_unstable_by(most - 1, likelier);
    order.truncate(most);
    order.sort_unstable_by(likelier);
    order
}
