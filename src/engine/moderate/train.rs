//! Trains the weights: logistic regression for each category on composed texts and labelled rows. One thread, a fixed
//! order: the same texts give the same weights.

use super::Category;
use super::corpus::{Rng, Row};
use super::features::features;
use super::lexicon::Lexicon;
use super::parts::{EmbeddedText, Mix, TextParts, mix};
use super::weights::{TRAINED, Weights, add, logistic};
use super::windows::sentences;
use super::words::words;
use crate::engine::sentence;

const EPOCHS: usize = 40;
/// Learning rate of the first epoch; it falls linearly to a hundredth.
const RATE: f32 = 0.03;
/// Strength of the regularisation, divided over the examples.
const PULL: f32 = 5.0;
/// Weight of a composed text, beside 1 for a row written by hand.
const COMPOSED: f32 = 0.3;
/// Length of a vector relative to the values of the other features.
const MEANING: f32 = 4.0;

/// A labelled text as the classifier sees it.
#[derive(Debug)]
pub struct Example {
    features: Vec<(u32, f32)>,
    /// Of length [`MEANING`].
    vector: Vec<f32>,
    truth: [f32; 6],
    weight: f32,
}

/// Prepares rows for training: composed ones, and those written by hand, which weigh more. Takes a minute.
pub fn prepare(composed: &[Row], by_hand: &[Row]) -> Vec<Example> {
    let (lexicon, model) = (Lexicon::new(), sentence::model());
    let mut parts = TextParts::default();
    let rows = composed.iter().map(|row| (row, COMPOSED)).chain(by_hand.iter().map(|row| (row, 1.0)));
    let read = rows.map(|(row, weight)| {
        let words = words(&row.text, &lexicon, |word| model.knows(word));
        let features = features(&words);
        let sentences = sentences(&words);
        let mix = parts.add(&EmbeddedText { text: &row.text, words }, &sentences);
        (row, weight, features, mix)
    });
    let read: Vec<_> = read.collect();
    let vectors = parts.vectors(&model);
    let example = |(row, weight, features, own): (&Row, f32, Vec<(u32, f32)>, Mix)| Example {
        features,
        vector: mix(&vectors, &own).into_iter().map(|number| number * MEANING).collect(),
        truth: TRAINED.map(|category| f32::from(u8::from(row.is(category)))),
        weight,
    };
    read.into_iter().map(example).collect()
}

/// Trains on these examples; `thresholds` are by category. Returns the weights file.
pub fn train(examples: &[&Example], thresholds: [f32; 7]) -> Vec<u8> {
    let balance = balance(examples);
    let mut weights = Weights { biases: [-1.0; 6], thresholds, ..Weights::none() };
    // All weights are stored divided by this factor, so that a step can shrink all of them without touching each.
    let mut scale = 1.0_f32;
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut rng = Rng(7);
    for epoch in 0..EPOCHS {
        let rate = RATE * (1.0 - 0.99 * epoch as f32 / EPOCHS as f32);
        rng.shuffle(&mut order);
        for example in order.iter().map(|at| examples[*at]) {
            let features = example.features.iter().map(|(feature, value)| (*feature as usize, *value));
            let (mut words, mut meaning) = ([0.0; 6], [0.0; 6]);
            features.clone().for_each(|(at, value)| add(&mut words, &weights.rows[at], value));
            example.vector.iter().zip(&weights.meaning).for_each(|(value, row)| add(&mut meaning, row, *value));
            let mut steps = [0.0; 6];
            for (i, step) in steps.iter_mut().enumerate() {
                let side = if example.truth[i] > 0.5 { balance[i] } else { 1.0 };
                let sum = weights.biases[i] + scale * (words[i] + meaning[i]);
                *step = -rate * (logistic(sum) - example.truth[i]) * example.weight * side;
                weights.biases[i] += *step;
            }
            scale *= 1.0 - rate * PULL / examples.len() as f32;
            for step in &mut steps {
                *step /= scale;
            }
            features.for_each(|(at, value)| add(&mut weights.rows[at], &steps, value));
            example.vector.iter().zip(&mut weights.meaning).for_each(|(value, row)| add(row, &steps, *value));
        }
    }
    weights.rows.as_flattened_mut().iter_mut().for_each(|weight| *weight *= scale);
    weights.meaning.as_flattened_mut().iter_mut().for_each(|weight| *weight *= scale * MEANING);
    weights.write()
}

/// Returns how much more a text of a category weighs than one outside it: part of the way to an even share.
fn balance(examples: &[&Example]) -> [f32; 6] {
    std::array::from_fn(|i| {
        let sum =
            |with: bool| -> f32 { examples.iter().filter(|e| (e.truth[i] > 0.5) == with).map(|e| e.weight).sum() };
        (sum(false) / sum(true).max(1.0)).sqrt().clamp(1.0, 1.5)
    })
}

/// Returns thresholds by category: the lowest that keeps `precision`, unless a higher one improves both precision and
/// recall.
pub(super) fn thresholds(scored: &[(Row, [f32; 7])], precision: f64) -> [f32; 7] {
    let mut out = [0.5; 7];
    for category in TRAINED {
        let mut found: Vec<(f32, bool)> =
            scored.iter().map(|(row, scores)| (scores[category as usize], row.is(category))).collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        let all = found.iter().filter(|(_, is)| *is).count() as f64;
        let (mut hits, mut best) = (0.0, (f64::MIN, 0.5));
        for (n, &(score, is)) in found.iter().enumerate() {
            hits += f64::from(u8::from(is));
            let next = found.get(n + 1).map_or(0.0, |(next, _)| *next);
            let (right, recall) = (hits / (n + 1) as f64, hits / all.max(1.0));
            let both = 2.0 * right * recall / (right + recall).max(1e-9);
            let worth = both - 2.0 * (precision - right).max(0.0);
            if next < score && worth > best.0 {
                best = (worth, f32::midpoint(score, next));
            }
        }
        out[category as usize] = best.1.clamp(0.4, 0.7);
    }
    out[Category::SexualMinors as usize] = out[Category::Sexual as usize];
    out
}
