//! Tokenizers, context limits and prices: text → count, count → cost.
//!
//! [`count`] loads a vocabulary of some 20 MB at its first use: call it on a worker. [`estimate`] needs no table.
//! Prices are a dated table, `assets/prices.tsv`; the local service's models cost nothing, which its caller knows and
//! this module does not: the same names stand for paid models elsewhere.

mod prices;

pub use prices::{Price, context, price};

use tiktoken_rs::{CoreBPE, cl100k_base_singleton, r50k_base_singleton};

/// Tokens of `text` as `model` would count them: `r50k` for the models of 2022 and before, `cl100k` for all others.
pub fn count(model: &str, text: &str) -> u64 {
    vocabulary(model).encode_ordinary(text).len() as u64
}

/// Tokens of a chat prompt: the texts, four for the frame of each message and three that open the answer.
pub fn count_chat(model: &str, messages: &[(&str, &str)]) -> u64 {
    messages.iter().map(|(role, text)| count(model, role) + count(model, text) + 3).sum::<u64>() + 3
}

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

/// The vocabulary a model id is counted with.
fn vocabulary(model: &str) -> &'static CoreBPE {
    const OLD: [&str; 6] = ["davinci", "curie", "babbage", "ada", "text-similarity", "text-search"];
    let old = OLD.iter().any(|name| model.starts_with(name))
        || (model.starts_with("text-") && model.ends_with("-001"))
        || model.starts_with("text-davinci")
        || model.starts_with("code-");
    if old { r50k_base_singleton() } else { cl100k_base_singleton() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_differ_by_vocabulary() {
        assert_eq!(count("gpt-3.5-turbo", "hello world"), 2);
        assert_eq!(count("davinci", "hello world"), 2);
        let code = "        return    x\n\n\n\n";
        assert!(count("gpt-3.5-turbo", code) < count("davinci", code));
    }

    #[test]
    fn an_estimate_is_near() {
        let text =
            "The quick brown fox jumps over the lazy dog, and then it explains tokenization to everybody. ".repeat(9);
        let (guess, true_count) = (estimate(&text) as f64, count("gpt-3.5-turbo", &text) as f64);
        assert!((guess / true_count - 1.0).abs() < 0.25, "{guess} {true_count}");
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate(" "), 1);
    }
}
