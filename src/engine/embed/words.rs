//! A text's words and what they say.

use super::project::{Feature, name};

/// The words of a text, lower-case.
pub(super) struct Words(Vec<String>);

impl Words {
    /// Cuts `text` into words; in `code`, names such as `readLine` and `read_line` are cut as well.
    pub(super) fn of(text: &str, code: bool) -> Self {
        let mut words = Vec::new();
        for run in text.split(|c: char| !c.is_alphanumeric()).filter(|run| !run.is_empty()) {
            if code { parts(run, &mut words) } else { words.push(run.to_lowercase()) }
        }
        Self(words)
    }

    /// Weighted features; never empty.
    pub(super) fn features(&self) -> Vec<Feature> {
        let mut features: Vec<Feature> = self.0.iter().map(|word| (name(1, word.as_bytes()), 1.0)).collect();
        features.push((name(0, b""), 0.1));
        features
    }
}

/// The parts of a name such as `parseHTTPBody2`: `parse`, `http`, `body`, `2`.
fn parts(run: &str, words: &mut Vec<String>) {
    let letters: Vec<char> = run.chars().collect();
    let mut word = String::new();
    for (at, c) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let begins = before.is_some_and(|before| {
            let lower_next = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
            c.is_numeric() != before.is_numeric()
                || c.is_uppercase() && (before.is_lowercase() || before.is_uppercase() && lower_next)
        });
        if begins {
            words.push(std::mem::take(&mut word));
        }
        word.extend(c.to_lowercase());
    }
    words.push(word);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_code_are_cut() {
        let words = |code| Words::of("parseHTTPBody2 read_line iOS", code).0;
        assert_eq!(words(true), ["parse", "http", "body", "2", "read", "line", "i", "os"]);
        assert_eq!(words(false), ["parsehttpbody2", "read", "line", "ios"]);
    }
}
