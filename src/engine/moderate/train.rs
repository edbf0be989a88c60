//! Trains the weights: logistic regression for each category on composed texts and labelled rows. One thread, a fixed
//! order: the same texts give the same weights.

use super::Category;
use super::corpus::{Dice, Row};
use super::features::{SPACE, features};
use super::lexicon::Lexicon;
use super::weights::{TRAINED, Weights, logistic};
use super::words::words;

const EPOCHS: usize = 24;
/// Step of the first epoch; AdaGrad makes it smaller where a feature was seen often.
const RATE: f32 = 0.25;
/// Pull of each weight to nothing.
const PULL: f32 = 1e-3;
/// How much more a row written by hand counts than a composed text.
const BY_HAND: f32 = 3.0;

struct Example {
    features: Vec<(u32, f32)>,
    truth: [f32; 6],
    weight: f32,
}

/// Trains on texts composed and rows written by hand; `thresholds` are by category. Returns the weights file.
pub fn train(composed: &[Row], by_hand: &[Row], thresholds: [f32; 7]) -> Vec<u8> {
    let lexicon = Lexicon::new();
    let example = |row: &Row, weight: f32| Example {
        features: features(&words(&row.text, &lexicon)),
        truth: TRAINED.map(|category| f32::from(u8::from(row.is(category)))),
        weight,
    };
    let mut examples: Vec<Example> = composed.iter().map(|row| example(row, 1.0)).collect();
    examples.extend(by_hand.iter().map(|row| example(row, BY_HAND)));
    let balance = balance(&examples);
    let mut weights = Weights { biases: [-1.0; 6], thresholds, rows: vec![[0.0; 6]; SPACE] };
    let mut squares = vec![[1e-3_f32; 6]; SPACE];
    let mut bias_squares = [1e-3_f32; 6];
    let mut order: Vec<usize> = (0..examples.len()).collect();
    let mut dice = Dice(7);
    for epoch in 0..EPOCHS {
        let rate = RATE * (1.0 - 0.9 * epoch as f32 / EPOCHS as f32);
        dice.shuffle(&mut order);
        for &at in &order {
            let example = &examples[at];
            let mut errors = weights.sums(&example.features);
            for (i, error) in errors.iter_mut().enumerate() {
                let side = if example.truth[i] > 0.5 { balance[i] } else { 1.0 };
                *error = (logistic(*error) - example.truth[i]) * example.weight * side;
                bias_squares[i] += *error * *error;
                weights.biases[i] -= rate * *error / bias_squares[i].sqrt();
            }
            for &(feature, value) in &example.features {
                let (row, squares) = (&mut weights.rows[feature as usize], &mut squares[feature as usize]);
                for i in 0..6 {
                    let slope = errors[i] * value + PULL * row[i];
                    squares[i] += slope * slope;
                    row[i] -= rate * slope / squares[i].sqrt();
                }
            }
        }
    }
    weights.write()
}

/// How much more a text of a category counts than one that is not: part of the way to an even share.
fn balance(examples: &[Example]) -> [f32; 6] {
    std::array::from_fn(|i| {
        let sum =
            |with: bool| -> f32 { examples.iter().filter(|e| (e.truth[i] > 0.5) == with).map(|e| e.weight).sum() };
        (sum(false) / sum(true).max(1.0)).sqrt().clamp(1.0, 1.5)
    })
}

/// Thresholds for the scores of rows, by category: the lowest that keeps `precision`, unless one further up does better
/// on both counts together.
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
