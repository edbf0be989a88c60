//! Token counts, context limits and prices: text → count, count → cost. [`estimate`] guesses at once, [`Encoding`]
//! counts exactly.
//!
//! Prices are a dated table, `assets/prices.tsv`; the local service's models cost nothing, which its caller knows and
//! this module does not: the same names stand for paid models elsewhere.

mod encodings;
mod fit;
mod models;
mod prices;

pub use encodings::{Encoding, NoToken};
pub use fit::{Fit, fit};
pub use models::encoding;
pub use prices::{Price, context, price, training_limit, training_price};

/// A guess at the tokens of `text`, from its bytes alone: within about a fifth for English and code, no tables loaded.
pub fn estimate(text: &str) -> u64 {
    let mut quarters = 0_u64;
    let mut word = 0_u64;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            word += 1;
            // A word of up to six letters is mostly one token; a longer one gains one for each four more.
            quarters += match word {
                1 => 4,
                2..=6 => 0,
                _ => 1,
            };
        } else {
            word = 0;
            quarters += match c {
                ' ' | '\n' | '\t' => 0,
                _ if c.is_ascii() => 3,
                _ if c.is_alphabetic() && c < '\u{2E80}' => 2,
                _ => 5,
            };
        }
    }
    quarters.div_ceil(4).max(u64::from(!text.is_empty()))
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
}
