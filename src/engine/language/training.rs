//! Trains the network with Adam; each batch is split into fixed shards, so that the result does not depend on the
//! number of threads.

use ndarray::{Array1, Array2, Axis};
use rayon::prelude::*;

use super::{
    manual::Manual,
    network::{self, HIDDEN, INPUT, Network, SEEN, WIDTH, WINDOW},
    shipped::{MANUAL, PROSE},
    vocabulary::{Slot, Vocabulary},
};

const BATCH: usize = 128;
const SHARDS: usize = 4;
/// Every twentieth document is held out for validation.
const HELD_OUT: usize = 20;

/// Result of an epoch; losses in nats per token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Epoch {
    /// Counted from 1.
    pub number: usize,
    /// Mean loss over the training texts.
    pub train: f32,
    /// Mean loss over the texts held out.
    pub valid: f32,
}

/// A question and its text.
struct Document {
    prompt: Vec<Slot>,
    text: Vec<Slot>,
}

/// A place in a document whose token is to be predicted.
#[derive(Clone, Copy)]
struct Prediction {
    document: usize,
    at: usize,
}

/// Trains the base weights on the project's texts and returns the weights file. The same texts give the same file.
pub fn train_base(epochs: usize, mut report: impl FnMut(Epoch)) -> Vec<u8> {
    let passages: Vec<_> = [PROSE, MANUAL].iter().flat_map(|text| Manual::parse(text).passages).collect();
    let texts = passages.iter().flat_map(|p| [p.heading.as_str(), p.body.as_str()]);
    let ids = Vocabulary::ids_of(texts.chain(passages.iter().flat_map(|p| p.questions.iter().map(String::as_str))));
    let vocabulary = Vocabulary::new(ids.clone());
    let documents: Vec<Document> = passages
        .iter()
        .map(|p| Document { prompt: vocabulary.slots(&p.heading), text: vocabulary.slots_to_end(&p.body) })
        .collect();
    let places = |held: bool| {
        let chosen = documents.iter().enumerate().filter(move |(i, _)| (i % HELD_OUT == HELD_OUT - 1) == held);
        chosen
            .flat_map(|(document, d)| (0..d.text.len()).map(move |at| Prediction { document, at }))
            .collect::<Vec<_>>()
    };
    let (mut train, valid) = (places(false), places(true));
    let mut trainer = Trainer::new(ids.len(), vocabulary.end());
    for number in 1..=epochs {
        trainer.shuffle(&mut train);
        // The learning rate falls linearly to a tenth.
        trainer.rate = 2e-3 * (1.0 - 0.9 * (number - 1) as f32 / epochs as f32);
        let mut sum = 0.0;
        for batch in train.chunks(BATCH) {
            sum += trainer.step(&documents, batch);
        }
        let measured: f32 = valid.chunks(BATCH).map(|batch| trainer.gradient(&documents, batch).0).sum();
        let mean = |sum: f32, n: usize| sum / n.max(1) as f32;
        report(Epoch { number, train: mean(sum, train.len()), valid: mean(measured, valid.len()) });
    }
    network::write(&ids, &trainer.network)
}

struct Trainer {
    network: Network,
    mean: Network,
    square: Network,
    steps: i32,
    rate: f32,
    chance: u64,
    pad: Slot,
}

impl Trainer {
    fn new(size: usize, pad: Slot) -> Self {
        let mut trainer = Self {
            network: Network::zeros(size),
            mean: Network::zeros(size),
            square: Network::zeros(size),
            steps: 0,
            rate: 0.0,
            chance: 7,
            pad,
        };
        let spreads = [0.15, (SEEN as f32).sqrt().recip(), 0.0, (HIDDEN as f32).sqrt().recip(), 0.0];
        let mut network = trainer.network.clone();
        for (part, spread) in network.parts_mut().into_iter().zip(spreads) {
            for weight in part {
                *weight = (trainer.draw() as f32 / u32::MAX as f32 * 2.0 - 1.0) * spread * 1.7;
            }
        }
        trainer.network = network;
        trainer
    }

    fn draw(&mut self) -> u32 {
        self.chance = self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.chance >> 32) as u32
    }

    fn shuffle(&mut self, places: &mut [Prediction]) {
        for i in (1..places.len()).rev() {
            let j = self.draw() as usize % (i + 1);
            places.swap(i, j);
        }
    }

    /// Performs one step of Adam; returns the summed loss of the batch.
    fn step(&mut self, documents: &[Document], batch: &[Prediction]) -> f32 {
        let shards: Vec<(f32, Network)> =
            batch.par_chunks(BATCH / SHARDS).map(|shard| self.gradient(documents, shard)).collect();
        let mut shards = shards.into_iter();
        let Some((mut loss, mut gradient)) = shards.next() else { return 0.0 };
        for (more, other) in shards {
            loss += more;
            for (to, from) in gradient.parts_mut().into_iter().zip(other.parts()) {
                to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
            }
        }
        self.steps += 1;
        let (fade, fade_square) = (1.0 - 0.9_f32.powi(self.steps), 1.0 - 0.999_f32.powi(self.steps));
        let scale = 1.0 / batch.len() as f32;
        let state = self.mean.parts_mut().into_iter().zip(self.square.parts_mut());
        for ((weights, slope), (mean, square)) in self.network.parts_mut().into_iter().zip(gradient.parts()).zip(state)
        {
            for (((w, g), m), s) in weights.iter_mut().zip(slope).zip(mean).zip(square) {
                let g = g * scale;
                *m = 0.9 * *m + 0.1 * g;
                *s = 0.999 * *s + 0.001 * g * g;
                *w -= self.rate * (*m / fade / ((*s / fade_square).sqrt() + 1e-8) + 0.01 * *w);
            }
        }
        loss
    }

    /// Returns summed loss and gradient over some places.
    fn gradient(&self, documents: &[Document], places: &[Prediction]) -> (f32, Network) {
        let network = &self.network;
        let mut inputs = Array2::zeros((places.len(), INPUT));
        for (place, mut row) in places.iter().zip(inputs.axis_iter_mut(Axis(0))) {
            let document = &documents[place.document];
            if let Some(row) = row.as_slice_mut() {
                network.fill(row, &document.text[..place.at], self.pad, &network.pool(&document.prompt));
            }
        }
        let (hidden, projected) = network.forward(inputs.view());
        let mut slope = network.distributions(&projected);
        let mut loss = 0.0;
        for (place, mut row) in places.iter().zip(slope.axis_iter_mut(Axis(0))) {
            let target = usize::from(documents[place.document].text[place.at]);
            loss -= row[target].max(1e-30).ln();
            row[target] -= 1.0;
        }
        let mut gradient = Network::zeros(network.output_bias.len());
        gradient.output_bias = slope.sum_axis(Axis(0));
        gradient.embedding = slope.t().dot(&projected).as_standard_layout().into_owned();
        let back = slope.dot(&network.embedding);
        gradient.into_width = hidden.t().dot(&back).as_standard_layout().into_owned();
        let back = back.dot(&network.into_width.t()) * hidden.mapv(|h| 1.0 - h * h);
        gradient.hidden_bias = back.sum_axis(Axis(0));
        let (seen, _) = inputs.view().split_at(Axis(1), SEEN);
        gradient.into_hidden = seen.t().dot(&back).as_standard_layout().into_owned();
        let back = back.dot(&network.into_hidden.t());
        for (place, row) in places.iter().zip(back.axis_iter(Axis(0))) {
            self.spread(&documents[place.document], place.at, &row.to_owned(), &mut gradient.embedding);
        }
        (loss, gradient)
    }

    /// Adds an input row's gradient to the embeddings it was built from.
    fn spread(&self, document: &Document, at: usize, row: &Array1<f32>, embedding: &mut Array2<f32>) {
        let mut add = |slot: Slot, from: usize, share: f32| {
            let part = row.iter().skip(from * WIDTH).take(WIDTH);
            embedding.row_mut(usize::from(slot)).iter_mut().zip(part).for_each(|(to, x)| *to += x * share);
        };
        for i in 0..WINDOW {
            add((at + i).checked_sub(WINDOW).map_or(self.pad, |j| document.text[j]), i, 1.0);
        }
        for slot in &document.prompt {
            add(*slot, WINDOW, 1.0 / document.prompt.len() as f32);
        }
    }
}
