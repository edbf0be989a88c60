//! Which passage of the manual a question asks for, by its sentence vector: a linear classifier over the vector.
//!
//! It was trained on many wordings of the question that each passage answers, and on questions on other subjects, which
//! belong to the passage about those. `cargo run --release --example train_manual` computes its weights.

use std::collections::HashMap;

use ndarray::{Array1, Array2, Axis};

use super::manual::Manual;
use super::shipped::{InvalidWeights, MANUAL};
use crate::engine::sentence::{self, WIDTH};

const MAGIC: &[u8; 8] = b"BTOPMN01";
static WEIGHTS: &[u8] = include_bytes!("../../../assets/manual/weights");
/// Wordings that were written for training the search only: `heading TAB wording` on each line, without the heading
/// where it is that of the line before.
const WORDINGS: &str = include_str!("../../../assets/manual/wordings.tsv");
/// Questions on other subjects, one on each line.
const OTHERS: &str = include_str!("../../../assets/manual/others.txt");
/// The heading of the passage that says that a question is on another subject.
pub(super) const OTHER: &str = "Unknown";

/// Steps of the training.
const STEPS: i32 = 400;
const RATE: f32 = 0.3;
/// L2 regularisation: for each text, this share of half the square of the weights' length.
const PULL: f32 = 0.03;

/// The classifier.
pub(super) struct Topics {
    /// A row for each heading.
    weights: Array2<f32>,
    biases: Array1<f32>,
    headings: Vec<String>,
}

impl Topics {
    /// Returns the classifier that ships with benchtop.
    pub(super) fn load() -> Self {
        Self::read(WEIGHTS).expect("the shipped weights are tested")
    }

    /// Reads a file written by [`train`]. Fails if it is none.
    fn read(bytes: &[u8]) -> Result<Self, InvalidWeights> {
        let mut rest = bytes.strip_prefix(MAGIC).ok_or(InvalidWeights("it does not begin as the manual's weights"))?;
        let (mut headings, mut biases, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        while let Some((length, behind)) = rest.split_first() {
            let cut = InvalidWeights("it is cut short");
            let (heading, behind) = behind.split_at_checked(usize::from(*length)).ok_or(cut)?;
            let (numbers, behind) = behind.split_first_chunk::<8>().ok_or(InvalidWeights("it is cut short"))?;
            let (row, behind) = behind.split_at_checked(WIDTH).ok_or(InvalidWeights("it is cut short"))?;
            let number = |at: usize| f32::from_le_bytes([0, 1, 2, 3].map(|i| numbers[at + i]));
            headings.push(String::from_utf8_lossy(heading).into_owned());
            biases.push(number(0));
            weights.extend(row.iter().map(|byte| f32::from(byte.cast_signed()) * number(4)));
            rest = behind;
        }
        let weights = Array2::from_shape_vec((headings.len(), WIDTH), weights);
        let weights = weights.map_err(|_| InvalidWeights("it has the wrong length"))?;
        Ok(Self { weights, biases: biases.into(), headings })
    }

    /// Returns the natural logarithm of the probability of each heading, for a question. Takes a few milliseconds.
    pub(super) fn log_probabilities(&self, question: &str) -> HashMap<&str, f32> {
        let vectors = vectors(&[question]);
        let mut sums = vectors.dot(&self.weights.t()) + &self.biases;
        normalise(&mut sums);
        self.headings.iter().map(String::as_str).zip(sums).collect()
    }
}

/// Returns the heading of each wording, and the wording.
pub(super) fn wordings<'a>() -> impl Iterator<Item = (&'a str, &'a str)> {
    WORDINGS.lines().filter_map(|line| line.split_once('\t')).scan("", |last, (heading, wording)| {
        if !heading.is_empty() {
            *last = heading;
        }
        Some((*last, wording))
    })
}

/// Trains the classifier on the manual, its wordings and the questions on other subjects, and returns the weights file.
/// The same texts give the same file.
pub fn train_manual(mut report: impl FnMut(i32, f32)) -> Vec<u8> {
    let manual = Manual::parse(MANUAL);
    let headings: Vec<&str> = manual.passages.iter().map(|passage| passage.heading.as_str()).collect();
    let place = |heading: &str| headings.iter().position(|other| *other == heading);
    let own = manual.passages.iter().flat_map(|passage| {
        let ways = std::iter::once(&passage.heading).chain(&passage.questions);
        ways.map(|way| (passage.heading.as_str(), way.as_str()))
    });
    let more = wordings();
    let others = OTHERS.lines().map(|line| (OTHER, line));
    let texts: Vec<(usize, &str)> =
        own.chain(more).chain(others).filter_map(|(heading, text)| Some((place(heading)?, text))).collect();
    let inputs = vectors(&texts.iter().map(|(_, text)| *text).collect::<Vec<_>>());
    let (weights, biases) =
        fit(&inputs, &texts.iter().map(|(class, _)| *class).collect::<Vec<_>>(), headings.len(), &mut report);
    let mut file = MAGIC.to_vec();
    for ((heading, row), bias) in headings.iter().zip(weights.rows()).zip(&biases) {
        let scale = row.iter().fold(f32::MIN_POSITIVE, |most, number| most.max(number.abs())) / 127.0;
        file.push(heading.len() as u8);
        file.extend(heading.as_bytes());
        file.extend(bias.to_le_bytes());
        file.extend(scale.to_le_bytes());
        file.extend(row.iter().map(|number| ((number / scale).round() as i8).cast_unsigned()));
    }
    file
}

/// Fits multinomial logistic regression by gradient descent with momentum over all texts at once.
fn fit(
    inputs: &Array2<f32>,
    classes: &[usize],
    count: usize,
    report: &mut impl FnMut(i32, f32),
) -> (Array2<f32>, Array1<f32>) {
    let (mut weights, mut biases) = (Array2::<f32>::zeros((count, WIDTH)), Array1::<f32>::zeros(count));
    let (mut mean, mut square) = (Array2::<f32>::zeros((count, WIDTH + 1)), Array2::<f32>::zeros((count, WIDTH + 1)));
    let share = 1.0 / classes.len() as f32;
    for step in 1..=STEPS {
        let mut slopes = inputs.dot(&weights.t()) + &biases;
        normalise(&mut slopes);
        let loss = -classes.iter().enumerate().map(|(text, class)| slopes[[text, *class]]).sum::<f32>() * share;
        slopes.mapv_inplace(f32::exp);
        classes.iter().enumerate().for_each(|(text, class)| slopes[[text, *class]] -= 1.0);
        let of_weights = slopes.t().dot(inputs) * share + &weights * (PULL * share);
        let of_biases = slopes.sum_axis(Axis(0)) * share;
        let rate = RATE * (1.0 - 0.9 * step as f32 / STEPS as f32);
        let (fade, fade_square) = (1.0 - 0.9_f32.powi(step), 1.0 - 0.99_f32.powi(step));
        for class in 0..count {
            for at in 0..=WIDTH {
                let slope = if at < WIDTH { of_weights[[class, at]] } else { of_biases[class] };
                let (m, s) = (&mut mean[[class, at]], &mut square[[class, at]]);
                *m = 0.9 * *m + 0.1 * slope;
                *s = 0.99 * *s + 0.01 * slope * slope;
                let change = rate * (*m / fade) / ((*s / fade_square).sqrt() + 1e-8);
                if at < WIDTH {
                    weights[[class, at]] -= change;
                } else {
                    biases[class] -= change;
                }
            }
        }
        report(step, loss);
    }
    (weights, biases)
}

/// Converts sums into logarithms of probabilities, row by row.
fn normalise(sums: &mut Array2<f32>) {
    for mut row in sums.rows_mut() {
        let top = row.fold(f32::MIN, |a, b| a.max(*b));
        let whole = row.iter().map(|sum| (sum - top).exp()).sum::<f32>().ln() + top;
        row.mapv_inplace(|sum| sum - whole);
    }
}

/// Returns the sentence vectors of texts, a row each; of a long text that of its beginning.
fn vectors(texts: &[&str]) -> Array2<f32> {
    let model = sentence::model();
    let window = |text: &&str| model.windows(&model.pieces(text)).swap_remove(0);
    let rows = texts.chunks(64).flat_map(|some| model.vectors(&some.iter().map(window).collect::<Vec<_>>()));
    Array2::from_shape_vec((texts.len(), WIDTH), rows.flatten().collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_passage_has_its_weights_and_each_wording_a_passage() {
        let manual = Manual::parse(MANUAL);
        let headings: Vec<&str> = manual.passages.iter().map(|passage| passage.heading.as_str()).collect();
        assert_eq!(Topics::load().headings, headings, "run `cargo run --release --example train_manual`");
        assert!(WORDINGS.lines().all(|line| line.contains('\t')), "a heading, a tab, a wording");
        let strange: Vec<(&str, &str)> = wordings().filter(|(heading, _)| !headings.contains(heading)).collect();
        assert!(strange.is_empty(), "{strange:#?}");
        assert!(headings.contains(&OTHER));
    }

    #[test]
    fn a_file_that_is_cut_is_refused() {
        assert!(Topics::read(&WEIGHTS[..WEIGHTS.len() - 1]).is_err());
        assert!(Topics::read(b"nothing").is_err());
        assert!(Topics::read(WEIGHTS).is_ok());
    }
}
