//! Token counts, context limits and prices: text → count, count → cost. [`estimate`] guesses at once, [`Encoding`]
//! counts exactly.
//!
//! Prices belong to a server: the hosted service's are a dated table, `assets/prices.tsv`, others are the user's
//! ([`Tariff`]).

mod encodings;
mod fit;
mod models;
mod prices;
mod tariff;

pub use encodings::{Encoding, NoToken};
pub use fit::{Fit, fit};
pub use models::encoding;
pub use prices::{Price, Used, context, training_limit};
pub use tariff::{PriceSource, Prices, Tariff};

/// Estimates the tokens of `text` from its characters alone: within about a fifth for English and code, without loading
/// a table.
pub fn estimate(text: &str) -> u64 {
    let mut estimate = Estimate::default();
    estimate.add(text);
    estimate.tokens()
}

/// [`estimate`] of a text that arrives in parts: the result does not depend on where the text was split.
#[derive(Clone, Copy, Debug, Default)]
pub struct Estimate {
    /// Quarters of a token so far.
    quarters: u64,
    /// Letters of the word that the text ends with so far.
    word: u64,
    some: bool,
}

impl Estimate {
    /// Adds the next part of the text.
    pub fn add(&mut self, text: &str) {
        self.some |= !text.is_empty();
        for c in text.chars() {
            if c.is_ascii_alphanumeric() {
                self.word += 1;
                // A word of up to six letters is mostly one token; a longer one gains one for each four more.
                self.quarters += match self.word {
                    1 => 4,
                    2..=6 => 0,
                    _ => 1,
                };
            } else {
                self.word = 0;
                self.quarters += match c {
                    ' ' | '\n' | '\t' => 0,
                    _ if c.is_ascii() => 3,
                    _ if c < '\u{2E80}' && c.is_alphabetic() => 2,
                    _ => 5,
                };
            }
        }
    }

    /// Returns the estimated tokens so far, rounded up; at least 1 for a text that is not empty.
    pub fn tokens(&self) -> u64 {
        self.quarters.div_ceil(4).max(u64::from(self.some))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_estimate_is_near() {
        let text =
            "The quick brown fox jumps over the lazy dog, and then it explains tokenization to everybody. ".repeat(9);
        let counted = tiktoken_rs::cl100k_base_singleton().encode_ordinary(&text).len();
        let (guess, true_count) = (estimate(&text) as f64, counted as f64);
        assert!((guess / true_count - 1.0).abs() < 0.25, "{guess} {true_count}");
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate(" "), 1);
    }

    #[test]
    fn an_estimate_does_not_depend_on_where_a_text_is_cut() {
        let text = "Antidisestablishmentarianism, says the naïve reader; 漢字 and 12345678.";
        for size in 1..text.len() {
            let mut pieces = Estimate::default();
            let mut rest = text;
            while !rest.is_empty() {
                let (piece, after) = rest.split_at(rest.ceil_char_boundary(size.min(rest.len())));
                pieces.add(piece);
                rest = after;
            }
            assert_eq!(pieces.tokens(), estimate(text), "{size}");
        }
    }
}
