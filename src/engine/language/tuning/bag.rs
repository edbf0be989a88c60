//! The bag: the whole prompt at one glance, as the set of its words, of what they mean and of pairs of them.
//!
//! Each feature has a row of numbers, found by its hash; their weighted sum over a prompt is added to the network's
//! output. That is what lets a tuned model tell classes of prompts apart after a few hundred examples.

use std::sync::Arc;

use ndarray::{Array1, Array2};

use super::super::network::{WIDTH, WINDOW};
use super::senses::{NOT, Senses};

/// Rows, for all features together; two features may share one.
pub(super) const ROWS: usize = 1 << 14;
/// Words that a negation turns around.
const REACH: usize = 4;
/// How much each kind of feature counts.
const WORD: f32 = 1.0;
const SENSE: f32 = 3.0;
const TURNED: f32 = 3.0;
const BEGINNING: f32 = 0.3;
const PAIR: f32 = 0.1;

/// The rows of the features.
#[derive(Clone)]
pub(in super::super) struct Bag {
    pub(super) rows: Array2<f32>,
    /// How many of a prompt's last tokens the network sees in order when it answers, at most [`WINDOW`].
    pub(in super::super) window: usize,
    senses: Arc<Senses>,
}

impl Default for Bag {
    fn default() -> Self {
        Self { rows: Array2::zeros((ROWS, WIDTH)), window: WINDOW, senses: Arc::new(Senses::load()) }
    }
}

impl Bag {
    /// The features of a text: row and share, each row once, ascending. The squares of the shares sum to one.
    pub(super) fn features(&self, text: &str) -> Vec<(u16, f32)> {
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
        found.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        found.dedup_by_key(|(row, _)| *row);
        let length = found.iter().map(|(_, share)| share * share).sum::<f32>().sqrt();
        for (_, share) in &mut found {
            *share /= length;
        }
        found
    }

    /// The sum of some features' rows.
    pub(super) fn sum(&self, features: &[(u16, f32)]) -> Array1<f32> {
        let mut sum = Array1::zeros(WIDTH);
        for (row, share) in features {
            sum.scaled_add(*share, &self.rows.row(usize::from(*row)));
        }
        sum
    }

    /// A text at one glance.
    pub(in super::super) fn glance(&self, text: &str) -> Array1<f32> {
        self.sum(&self.features(text))
    }
}

/// Runs of letters and of digits, and every other mark by itself.
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

/// A feature's row: FNV-1a over its parts, folded.
fn row(kind: &str, a: &str, b: &str) -> u16 {
    let bytes = kind.bytes().chain([0]).chain(a.bytes()).chain([0]).chain(b.bytes());
    let hash = bytes
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    ((hash ^ (hash >> 29)) % ROWS as u64) as u16
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
    fn features_have_length_one_and_know_negation() {
        let bag = Bag::default();
        let features = bag.features("The room was not clean.");
        let length: f32 = features.iter().map(|(_, share)| share * share).sum();
        assert!((length - 1.0).abs() < 1e-5);
        let turned = row("turned", "clean", "");
        assert!(features.iter().any(|(row, _)| *row == turned));
        assert!(!bag.features("The room was clean.").iter().any(|(row, _)| *row == turned));
        assert!(bag.features("").is_empty());
    }
}
