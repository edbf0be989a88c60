//! What a step learns from: places in texts whose token is to be predicted, each with the view of its prompt.

use ndarray::Array1;

use super::super::network::{Network, POOL, WINDOW};
use super::super::vocabulary::{Slot, Vocabulary};
use super::bag::{Bag, join};
use super::corpus::{Corpus, ExampleTokens};
use super::meaning;

/// Places of one prompt that a step learns from, at most; of a longer prompt some are drawn, with more weight.
const PROMPT_PLACES: usize = 24;

/// A prompt as one vector.
pub(super) struct PromptView {
    /// The tokens whose embeddings are pooled.
    pub(super) slots: Vec<Slot>,
    pub(super) features: Vec<(u16, f32)>,
    /// Its sentence vector; empty within a prompt.
    pub(super) meaning: Vec<f32>,
    /// The input to the network: [`Model::pool`](super::super::Model).
    pub(super) vector: Array1<f32>,
}

impl PromptView {
    fn new(setter: &Setter<'_>, prompt: &[Slot], meaning: Vec<f32>) -> Self {
        let Setter { network, bag, vocabulary } = setter;
        let slots = prompt[prompt.len().saturating_sub(POOL)..].to_vec();
        let features = bag.features(&vocabulary.text(&slots));
        let vector = join(network.pool(&slots).view(), bag.sum(&features, &meaning).view());
        Self { slots, features, meaning, vector }
    }
}

/// A token to be predicted.
pub(super) struct TargetToken {
    /// The tokens before it.
    pub(super) window: [Slot; WINDOW],
    pub(super) view: usize,
    /// Whether its gradient also reaches the view.
    pub(super) teaches_view: bool,
    pub(super) target: Slot,
    pub(super) weight: f32,
    /// Whether it counts in the metrics.
    pub(super) counts: bool,
    /// Its example, by number in the step.
    pub(super) example: usize,
}

/// The places of a step, and their views.
#[derive(Default)]
pub(super) struct Places {
    pub(super) views: Vec<PromptView>,
    pub(super) list: Vec<TargetToken>,
}

/// Builds places.
pub(super) struct Setter<'a> {
    pub(super) network: &'a Network,
    pub(super) bag: &'a Bag,
    pub(super) vocabulary: &'a Vocabulary,
}

impl Setter<'_> {
    fn view(&self, places: &mut Places, prompt: &[Slot], meaning: Vec<f32>) -> usize {
        places.views.push(PromptView::new(self, prompt, meaning));
        places.views.len() - 1
    }

    fn place(&self, piece: ExampleTokens<'_>, at: usize, view: usize) -> TargetToken {
        let pad = self.vocabulary.end();
        let window = std::array::from_fn(|i| (at + i).checked_sub(WINDOW).map_or(pad, |before| piece.tokens[before]));
        let target = piece.tokens[at];
        TargetToken { window, view, teaches_view: true, target, weight: 1.0, counts: false, example: 0 }
    }

    /// Returns a place of a completion: of the prompt it sees what [`Model::read`](super::super::Model::read) leaves.
    fn answering(&self, piece: ExampleTokens<'_>, at: usize, view: usize) -> TargetToken {
        let mut place = self.place(piece, at, view);
        let first = piece.prompt.saturating_sub(self.bag.window);
        for (_, slot) in place.window.iter_mut().enumerate().filter(|(i, _)| at + i < WINDOW + first) {
            *slot = self.vocabulary.end();
        }
        place
    }

    /// Adds the places of an example's completion.
    pub(super) fn completion(&self, places: &mut Places, piece: ExampleTokens<'_>, example: usize) {
        let view = self.view(places, &piece.tokens[..piece.prompt], meaning::numbers(piece.meaning));
        for at in piece.prompt..piece.tokens.len() {
            let counts = at + 1 < piece.tokens.len();
            places.list.push(TargetToken { counts, example, ..self.answering(piece, at, view) });
        }
    }

    /// Adds the places of several answers to an example's prompt; a place's example is the answer's number.
    pub(super) fn answers<'s>(
        &self,
        places: &mut Places,
        piece: ExampleTokens<'_>,
        answers: impl Iterator<Item = &'s [Slot]>,
    ) {
        let prompt = &piece.tokens[..piece.prompt];
        let view = self.view(places, prompt, meaning::numbers(piece.meaning));
        for (example, answer) in answers.enumerate() {
            let tokens = [prompt, answer].concat();
            let piece = ExampleTokens { tokens: &tokens, ..piece };
            let list =
                (prompt.len()..tokens.len()).map(|at| TargetToken { example, ..self.answering(piece, at, view) });
            places.list.extend(list);
        }
    }

    /// Adds places of an example's prompt, with a total weight of `weight` per token. Each place sees the prompt before
    /// it, as a request would.
    pub(super) fn prompt(&self, places: &mut Places, piece: ExampleTokens<'_>, weight: f32, rng: &mut Rng) {
        let drawn = piece.prompt.min(PROMPT_PLACES);
        for i in 0..drawn {
            // One from each of as many equal parts.
            let (from, to) = (i * piece.prompt / drawn, (i + 1) * piece.prompt / drawn);
            let at = from + rng.below(to - from);
            let view = self.view(places, &piece.tokens[..at], Vec::new());
            let weight = weight * (to - from) as f32;
            places.list.push(TargetToken { weight, teaches_view: false, ..self.place(piece, at, view) });
        }
    }

    /// Adds places of the base model's texts, against forgetting.
    pub(super) fn base(&self, places: &mut Places, base: &Corpus, count: usize, rng: &mut Rng) {
        for _ in 0..count {
            let piece = base.get(rng.below(base.len()));
            let view = self.view(places, &piece.tokens[..piece.prompt], Vec::new());
            let own = ExampleTokens { tokens: piece.answer(), prompt: 0, ..piece };
            let at = rng.below(own.tokens.len());
            places.list.push(TargetToken { teaches_view: false, ..self.place(own, at, view) });
        }
    }
}

/// A small repeatable generator (the SplitMix64 sequence).
pub(super) struct Rng(u64);

impl Rng {
    /// Creates a generator for one use of a seed.
    pub(super) fn new(seed: u64, what: u64) -> Self {
        let mut rng = Self(seed ^ what.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        rng.next();
        rng
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a uniformly distributed number below `n`; 0 for 0.
    pub(super) fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    /// Returns a uniformly distributed number from −1 to 1.
    pub(super) fn even(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }

    pub(super) fn shuffle(&mut self, list: &mut [u32]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}
