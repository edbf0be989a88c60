//! Sentence vectors of prompts, quantised to a byte for each number.

use crate::engine::sentence::{self, WIDTH};

/// Pieces of a text that are read; of a longer one its beginning and its end.
const PIECES: usize = 126;
/// Texts read at once: limits the time between two calls of `busy`.
const AT_ONCE: usize = 8;

/// The sentence vectors of some texts, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Meanings(Vec<i8>);

impl Meanings {
    /// Computes the sentence vectors of texts, some 2 ms each on a core; `None` if `busy` returns false.
    pub(super) fn of(threads: &rayon::ThreadPool, texts: &[&str], busy: &mut dyn FnMut() -> bool) -> Option<Self> {
        let mut all = Vec::with_capacity(texts.len() * WIDTH);
        for some in texts.chunks(AT_ONCE) {
            let vectors = threads.install(|| vectors(some));
            all.extend(vectors.iter().flat_map(|vector| bytes(vector)));
            if !busy() {
                return None;
            }
        }
        Some(Self(all))
    }

    /// Reads the vectors of `count` texts, as [`Self::to_bytes`] wrote them; `None` if the length is wrong.
    pub(super) fn from_bytes(bytes: &[u8], count: usize) -> Option<Self> {
        (bytes.len() == count * WIDTH).then(|| Self(bytes.iter().map(|byte| byte.cast_signed()).collect()))
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().map(|number| number.cast_unsigned()).collect()
    }

    /// Splits them after the first `count`.
    pub(super) fn split(mut self, count: usize) -> (Self, Self) {
        let behind = self.0.split_off(count * WIDTH);
        (self, Self(behind))
    }

    /// Returns the vector of a text by its index; empty if there is none.
    pub(super) fn get(&self, at: usize) -> &[i8] {
        self.0.get(at * WIDTH..(at + 1) * WIDTH).unwrap_or_default()
    }

    pub(super) fn push(&mut self, vector: &[i8]) {
        self.0.extend_from_slice(vector);
    }
}

/// Computes the sentence vector of a text, rounded as stored ones are.
pub(crate) fn vector(text: &str) -> Vec<f32> {
    numbers(&vectors(&[text]).iter().flat_map(|vector| bytes(vector)).collect::<Vec<_>>())
}

/// Returns the numbers of a stored vector, normalised to length 1.
pub(super) fn numbers(bytes: &[i8]) -> Vec<f32> {
    let length = bytes.iter().map(|byte| f32::from(*byte).powi(2)).sum::<f32>().sqrt().max(1.0);
    bytes.iter().map(|byte| f32::from(*byte) / length).collect()
}

fn bytes(vector: &[f32]) -> impl Iterator<Item = i8> {
    let most = vector.iter().fold(f32::MIN_POSITIVE, |most, number| most.max(number.abs()));
    vector.iter().map(move |number| (number / most * 127.0).round() as i8)
}

fn vectors(texts: &[&str]) -> Vec<Vec<f32>> {
    let model = sentence::model();
    let window = |text: &&str| {
        let mut pieces = model.pieces(text);
        let longer = pieces.numbers.len().saturating_sub(PIECES);
        if longer > 0 {
            pieces.numbers.drain(PIECES / 2..PIECES / 2 + longer);
        }
        model.windows(&pieces).remove(0)
    };
    model.vectors(&texts.iter().map(window).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_for_each_number_is_near_enough() {
        let text = "The parcel has not arrived yet.";
        let exact = vectors(&[text]).remove(0);
        let cosine: f32 = vector(text).iter().zip(&exact).map(|(a, b)| a * b).sum();
        assert!(cosine > 0.9995, "{cosine}");
        assert!(vector("").iter().all(|number| number.is_finite()));
    }

    #[test]
    fn the_middle_of_a_long_text_is_left_out() {
        let (begin, end) = ("alpha ".repeat(70), "omega ".repeat(70));
        let with = |middle: &str| vector(&format!("{begin}{middle}{end}"));
        assert_eq!(with("kitchen"), with("garden and street"));
    }
}
