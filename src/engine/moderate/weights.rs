//! The trained numbers: a bias and a threshold for each trained category, and a weight for each feature and category.
//!
//! The file: `BTMOD2`, biases and thresholds as little-endian `f32`, the scale of the weights, the weights of the
//! sentence's vector as `f32`, then for each feature with any weight the distance from the one before (`u16`, 0
//! repeated for 65535) and its weights in units of the scale (`i8`).

use super::Category;
use super::features::SPACE;
use crate::engine::sentence::WIDTH;

/// The categories that are trained, in the file's order.
pub(super) const TRAINED: [Category; 6] = [
    Category::Hate,
    Category::HateThreatening,
    Category::SelfHarm,
    Category::Sexual,
    Category::Violence,
    Category::ViolenceGraphic,
];
const MAGIC: &[u8; 6] = b"BTMOD2";
const HEAD: usize = MAGIC.len() + 4 * (6 + 7 + 6 + 6 * WIDTH);

/// The numbers, ready for use.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Weights {
    /// One per trained category.
    pub(super) biases: [f32; 6],
    /// By category; 0 flags nothing.
    pub(super) thresholds: [f32; 7],
    /// By number of the sentence vector and trained category.
    pub(super) meaning: Vec<[f32; 6]>,
    /// By feature and trained category.
    pub(super) rows: Vec<[f32; 6]>,
}

impl Weights {
    /// Returns weights that score nothing.
    pub(super) fn none() -> Self {
        Self { biases: [-20.0; 6], thresholds: [0.0; 7], meaning: vec![[0.0; 6]; WIDTH], rows: vec![[0.0; 6]; SPACE] }
    }

    /// Reads a file; an unreadable one scores nothing.
    pub(super) fn read(file: &[u8]) -> Self {
        Self::parse(file).unwrap_or_else(Self::none)
    }

    fn parse(file: &[u8]) -> Option<Self> {
        let (head, mut rest) = file.strip_prefix(MAGIC).and_then(|rest| rest.split_at_checked(HEAD - MAGIC.len()))?;
        let number = |at: usize| head.get(4 * at..4 * at + 4)?.try_into().ok().map(f32::from_le_bytes);
        let mut weights = Self::none();
        let mut scales = [0.0; 6];
        for (at, (bias, scale)) in weights.biases.iter_mut().zip(&mut scales).enumerate() {
            *bias = number(at)?;
            *scale = number(13 + at)?;
        }
        for (at, threshold) in weights.thresholds.iter_mut().enumerate() {
            *threshold = number(6 + at)?;
        }
        for (at, weight) in weights.meaning.as_flattened_mut().iter_mut().enumerate() {
            *weight = number(19 + at)?;
        }
        let mut feature = 0_usize;
        while let Some((row, tail)) = rest.split_at_checked(2) {
            let step = u16::from_le_bytes(row.try_into().ok()?);
            rest = tail;
            if step == 0 {
                feature += usize::from(u16::MAX);
                continue;
            }
            feature += usize::from(step);
            let (numbers, tail) = rest.split_at_checked(6)?;
            rest = tail;
            let row = weights.rows.get_mut(feature - 1)?;
            for ((weight, byte), scale) in row.iter_mut().zip(numbers).zip(scales) {
                *weight = f32::from(byte.cast_signed()) * scale;
            }
        }
        rest.is_empty().then_some(weights)
    }

    /// Writes the file. Weights are rounded to 254 steps; those that round to 0 are left out.
    pub(super) fn write(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let mut scales = [0.0_f32; 6];
        for (at, scale) in scales.iter_mut().enumerate() {
            *scale = self.rows.iter().fold(f32::MIN_POSITIVE, |most, row| most.max(row[at].abs())) / 127.0;
        }
        let meaning = self.meaning.as_flattened();
        for number in self.biases.iter().chain(&self.thresholds).chain(&scales).chain(meaning) {
            out.extend(number.to_le_bytes());
        }
        let mut last = 0;
        for (at, row) in self.rows.iter().enumerate() {
            let mut bytes = [0_u8; 6];
            for ((byte, weight), scale) in bytes.iter_mut().zip(row).zip(scales) {
                *byte = ((weight / scale).round().clamp(-127.0, 127.0) as i8).cast_unsigned();
            }
            if bytes == [0; 6] {
                continue;
            }
            let mut step = at + 1 - last;
            while step > usize::from(u16::MAX) {
                out.extend([0, 0]);
                step -= usize::from(u16::MAX);
            }
            out.extend((step as u16).to_le_bytes());
            out.extend(bytes);
            last = at + 1;
        }
        out
    }

    /// Returns the score of the words for each trained category: a sum, before the logistic function.
    pub(super) fn of_words(&self, features: &[(u32, f32)]) -> [f32; 6] {
        let mut sums = self.biases;
        for &(feature, value) in features {
            add(&mut sums, &self.rows[feature as usize], value);
        }
        sums
    }

    /// Returns the score of a vector for each trained category, to be added to that of the words.
    pub(super) fn of_meaning(&self, vector: &[f32]) -> [f32; 6] {
        let mut sums = [0.0; 6];
        for (row, value) in self.meaning.iter().zip(vector) {
            add(&mut sums, row, *value);
        }
        sums
    }
}

/// Adds a row, multiplied by `value`, to sums.
pub(super) fn add(sums: &mut [f32; 6], row: &[f32; 6], value: f32) {
    for (sum, weight) in sums.iter_mut().zip(row) {
        *sum += weight * value;
    }
}

/// Converts sums into scores by category; the category that is not trained has none.
pub(super) fn scores(sums: [f32; 6]) -> [f32; 7] {
    let mut scores = [0.0; 7];
    for (category, sum) in TRAINED.into_iter().zip(sums) {
        scores[category as usize] = logistic(sum);
    }
    scores
}

pub(super) fn logistic(sum: f32) -> f32 {
    1.0 / (1.0 + (-sum).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_file_reads_as_it_was() {
        let mut weights = Weights::none();
        weights.biases = [1.0, -2.0, 0.5, 0.0, 3.0, -1.0];
        weights.thresholds = [0.5; 7];
        weights.meaning[WIDTH - 1][5] = 0.25;
        for (at, weight) in [(0, 1.27), (1, -1.27), (70_000, 0.01), (SPACE - 1, 0.5)] {
            weights.rows[at] = [weight; 6];
            // One step is the same for all rows.
            weights.rows[at][5] = 0.0;
        }
        let read = Weights::read(&weights.write());
        assert_eq!(
            (read.biases, read.thresholds, &read.meaning),
            (weights.biases, weights.thresholds, &weights.meaning)
        );
        for (a, b) in read.rows.iter().zip(&weights.rows) {
            assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.0051), "{a:?} {b:?}");
        }
    }

    #[test]
    fn a_file_that_is_none_scores_nothing() {
        let good = {
            let mut w = Weights::none();
            w.rows[5] = [1.0; 6];
            w.write()
        };
        for file in [&b""[..], b"BTMOD2", &good[..good.len() - 1], &good[1..]] {
            assert_eq!(Weights::read(file), Weights::none());
        }
    }
}
