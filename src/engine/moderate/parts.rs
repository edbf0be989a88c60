//! The vectors of the parts that windows consist of, each computed once.

use std::collections::HashMap;
use std::ops::Range;

use super::words::Word;
use crate::engine::numbers::{add_scaled, fold, map_in_place};
use crate::engine::sentence::{Model, WIDTH};

/// Parts embedded together, at most.
const TOGETHER: usize = 32;

/// A text to embed and where its words are in it.
#[derive(Debug)]
pub(super) struct EmbeddedText<'a> {
    pub(super) text: &'a str,
    pub(super) words: Vec<Word>,
}

/// Parts of blocks, to be embedded.
#[derive(Debug, Default)]
pub(super) struct TextParts {
    /// By their texts: equal ones are embedded once.
    known: HashMap<String, usize>,
}

/// The parts of a window that have a vector, and how many words each has.
pub(super) type Mix = Vec<(usize, usize)>;

impl TextParts {
    /// Adds those parts of a block that have a word in Latin letters; the model knows no other script.
    pub(super) fn add(&mut self, block: &EmbeddedText<'_>, parts: &[Range<usize>]) -> Mix {
        let mut mix = Mix::new();
        for part in parts {
            let words = &block.words[part.clone()];
            if words.iter().any(|word| word.form.bytes().any(|byte| byte.is_ascii_alphabetic())) {
                let next = self.known.len();
                mix.push((*self.known.entry(plain(block.text, words)).or_insert(next), words.len()));
            }
        }
        mix
    }

    /// Returns the vector of each part.
    pub(super) fn vectors(&self, model: &Model) -> Vec<Vec<f32>> {
        let mut windows = vec![Vec::new(); self.known.len()];
        for (text, at) in &self.known {
            // What follows the first window of so few words is no language.
            windows[*at] = model.windows(&model.pieces(text)).swap_remove(0);
        }
        windows.chunks(TOGETHER).flat_map(|some| model.vectors(some)).collect()
    }
}

/// Returns the vector of a window: the mean of its parts' vectors, weighted by their words and normalised to length 1;
/// zeros where no part has any.
pub(super) fn mix(vectors: &[Vec<f32>], parts: &[(usize, usize)]) -> Vec<f32> {
    let mut sum = vec![0.0; WIDTH];
    for (at, count) in parts {
        add_scaled(&mut sum, &vectors[*at], *count as f32);
    }
    let length = fold(&sum, 0.0, |sum, number| sum + number * number).sqrt();
    if length > 0.0 {
        map_in_place(&mut sum, |number| number / length);
    }
    sum
}

/// Returns the text from the first of the words to the last; disguised and non-ASCII words in their normalised form.
fn plain(text: &str, words: &[Word]) -> String {
    let mut out = String::new();
    let mut from = words.first().map_or(0, |word| word.at.start);
    for word in words {
        out.push_str(&text[from..word.at.start]);
        let raw = &text[word.at.clone()];
        out.push_str(if word.disguised || !raw.is_ascii() { &word.form } else { raw });
        from = word.at.end;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::lexicon::Lexicon;
    use super::super::words::words;
    use super::*;

    #[test]
    fn disguised_words_are_spelled_out() {
        let text = "“I k1ll, y o u!” (1999)";
        let words = words(text, &Lexicon::new(), |_| false);
        assert_eq!(plain(text, &words[..2]), "I kill");
        assert_eq!(plain(text, &words), "I kill, you!” (1999");
    }

    #[test]
    fn a_mean_counts_words_and_has_length_1() {
        let (mut a, mut b) = (vec![0.0; WIDTH], vec![0.0; WIDTH]);
        (a[0], b[1]) = (1.0, 1.0);
        let mean = mix(&[a, b], &[(0, 3), (1, 4)]);
        assert!((mean[0] - 0.6).abs() < 1e-6 && (mean[1] - 0.8).abs() < 1e-6);
        assert_eq!(mix(&[], &[]), vec![0.0; WIDTH]);
    }
}
