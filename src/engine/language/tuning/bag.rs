//! The whole prompt as one vector: the set of its words, of their senses and of pairs of them, and its sentence vector.
//!
//! Each feature has a row of numbers, found by its hash; their weighted sum over a prompt is added to the network's
//! output, and so is the sentence vector times a matrix. This lets a tuned model distinguish classes of prompts after a
//! few hundred examples.

use std::sync::Arc;

use ndarray::{Array1, Array2, ArrayView1, Axis, concatenate};

use super::super::network::{WIDTH, WINDOW};
use super::senses::{NOT, Senses};
use crate::engine::numbers::{add_scaled, flat, flat_mut};
use crate::engine::sentence;

/// Rows, for all features together; two features may share one.
pub(super) const ROWS: usize = 1 << 15;
/// Rows of models without pairs of separated words.
pub(super) const FEWER_ROWS: usize = 1 << 14;
/// Words that a negation inverts.
const REACH: usize = 4;
/// Weight of each kind of feature.
const WORD: f32 = 1.0;
const SENSE: f32 = 3.0;
const TURNED: f32 = 3.0;
const BEGINNING: f32 = 0.3;
const PAIR: f32 = 0.1;
/// Weight of all pairs of separated words together, beside 1 for all else.
const APART: f32 = 0.5;
/// The same where each answer is memorised: one word alone seldom says which it is.
const APART_BY_HEART: f32 = 10.0;
/// Words between the two, at most.
const BETWEEN: usize = 12;
/// Such pairs of a prompt, at most.
const PAIRS: usize = 256;

/// The rows of the features.
#[derive(Clone)]
pub(crate) struct Bag {
    pub(super) rows: Array2<f32>,
    /// The matrix that the sentence vector is multiplied with.
    pub(super) meaning: Array2<f32>,
    /// Number of a prompt's last tokens that the network sees in order when it answers, at most [`WINDOW`].
    pub(crate) window: usize,
    /// Whether there are so many different completions that it takes two words of a prompt to distinguish them.
    pub(super) by_heart: bool,
    senses: Arc<Senses>,
}

impl Bag {
    /// Creates one with zero weights.
    pub(super) fn new(rows: usize) -> Self {
        Self {
            rows: Array2::zeros((rows, WIDTH)),
            meaning: Array2::zeros((sentence::WIDTH, WIDTH)),
            window: WINDOW,
            by_heart: false,
            senses: Arc::new(Senses::load()),
        }
    }

    /// Returns the features of a text: row and share, each row once, ascending. The squares of the shares sum to one.
    pub(super) fn features(&self, text: &str) -> Vec<(u16, f32)> {
        let row = |kind: &str, a: &str, b: &str| row(self.rows.nrows(), kind, a, b);
        let lower = text.to_lowercase();
        let mut found: Vec<(u16, f32)> = Vec::new();
        let mut since_not = usize::MAX;
        let mut last = "";
        for word in words(&lower) {
            let senses = self.senses.of(word);
            found.push((row("word", word, ""), WORD));
            found.push((row("pair", last, word), PAIR));
            last = word;
            if word == "but" || !word.chars().any(char::is_alphanumeric) {
                since_not = usize::MAX;
            }
            since_not = since_not.saturating_add(1);
            for sense in senses {
                found.push((row("sense", sense, ""), SENSE));
                if since_not <= REACH {
                    found.push((row("turned", sense, ""), TURNED));
                }
            }
            if senses.is_empty()
                && let Some((cut, _)) = word.char_indices().nth(5)
            {
                found.push((row("beginning", &word[..cut], ""), BEGINNING));
            }
            if senses.contains(&NOT) {
                since_not = 0;
            }
        }
        let mut found = unit(found, 1.0);
        if self.rows.nrows() > FEWER_ROWS {
            let pairs = apart(&lower).take(PAIRS).map(|(a, b)| (row("apart", a, b), 1.0)).collect();
            let length = if self.by_heart { APART_BY_HEART } else { APART };
            found.extend(unit(pairs, length));
            found.sort_by_key(|(row, _)| *row);
        }
        found
    }

    /// Sums the rows of some features and the product of the sentence vector; an empty vector adds nothing.
    pub(super) fn sum(&self, features: &[(u16, f32)], vector: &[f32]) -> Array1<f32> {
        let mut sum = Array1::zeros(WIDTH);
        for (row, share) in features {
            add_scaled(flat_mut(&mut sum), flat(&self.rows.row(usize::from(*row))), *share);
        }
        for (number, row) in vector.iter().zip(self.meaning.rows()) {
            add_scaled(flat_mut(&mut sum), flat(&row), *number);
        }
        sum
    }

    /// Returns a text as one vector.
    pub(crate) fn embed(&self, text: &str, vector: &[f32]) -> Array1<f32> {
        self.sum(&self.features(text), vector)
    }
}

/// Scales features together to `length`, each row once, ascending.
fn unit(mut found: Vec<(u16, f32)>, length: f32) -> Vec<(u16, f32)> {
    found.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    found.dedup_by_key(|(row, _)| *row);
    let whole = found.iter().map(|(_, share)| share * share).sum::<f32>().sqrt();
    for (_, share) in &mut found {
        *share *= length / whole;
    }
    found
}

/// Returns pairs of words with others between them, each in the order of the text; punctuation is skipped.
fn apart(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let all: Vec<&str> = words(text).filter(|word| word.chars().any(char::is_alphanumeric)).collect();
    (0..all.len()).flat_map(move |at| {
        let others = all.iter().skip(at + 2).take(BETWEEN).copied().collect::<Vec<_>>();
        let first = all[at];
        others.into_iter().map(move |other| (first, other))
    })
}

/// Splits a text into runs of letters, runs of digits, and single other characters.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let kind = |c: char| {
        if c.is_alphabetic() || c == '\'' {
            0
        } else if c.is_numeric() {
            1
        } else {
            2
        }
    };
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match kind(first) {
            2 => first.len_utf8(),
            own => rest.find(|c| kind(c) != own).unwrap_or(rest.len()),
        };
        let (word, behind) = rest.split_at(end);
        rest = behind;
        Some(word)
    })
}

/// Returns a feature's row: FNV-1a over its parts, folded.
fn row(rows: usize, kind: &str, a: &str, b: &str) -> u16 {
    let bytes = kind.bytes().chain([0]).chain(a.bytes()).chain([0]).chain(b.bytes());
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    ((hash ^ (hash >> 29)) % rows as u64) as u16
}

/// Concatenates pooled embeddings and feature vector, as the network takes them.
pub(crate) fn join(pooled: ArrayView1<f32>, bag: ArrayView1<f32>) -> Array1<f32> {
    concatenate(Axis(0), &[pooled, bag]).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_part_letters_digits_and_marks() {
        assert_eq!(words("it's 25 kg, ok ->").collect::<Vec<_>>(), ["it's", "25", "kg", ",", "ok", "-", ">"]);
        assert_eq!(words("").count(), 0);
    }

    #[test]
    fn features_have_their_lengths_and_know_negation() {
        let mut bag = Bag::new(ROWS);
        let length = |bag: &Bag| bag.features("The room was not clean.").iter().map(|(_, share)| share * share).sum();
        let near = |a: f32, b: f32| assert!((a - b).abs() < b * 1e-4, "{a} {b}");
        near(length(&bag), 1.0 + APART * APART);
        bag.by_heart = true;
        near(length(&bag), 1.0 + APART_BY_HEART * APART_BY_HEART);
        let turned = row(ROWS, "turned", "clean", "");
        let turns = |text: &str| bag.features(text).iter().any(|(row, _)| *row == turned);
        assert!(turns("The room was not clean.") && !turns("The room was clean."));
        assert!(bag.features("").is_empty());
        assert!(Bag::new(FEWER_ROWS).features("The room was clean.").len() < bag.features("The room was clean.").len());
    }

    #[test]
    fn pairs_are_of_words_that_stand_apart() {
        let pairs: Vec<_> = apart("where, is the map?").collect();
        assert_eq!(pairs, [("where", "the"), ("where", "map"), ("is", "map")]);
        assert!(apart(&"word ".repeat(1000)).take(PAIRS + 1).count() > PAIRS);
    }
}
