//! The thesaurus: which words are alike, so that a fine-tuned model can interpret words it was not trained on.

use std::collections::HashMap;

const SENSES: &str = include_str!("../../../../assets/tune/senses.txt");

/// The sense that inverts those after it.
pub(super) const NOT: &str = "not";

/// Words and their senses.
pub(super) struct Senses {
    of: HashMap<String, Vec<&'static str>>,
}

impl Senses {
    /// Reads the shipped list; takes about a millisecond.
    pub(super) fn load() -> Self {
        let mut of: HashMap<String, Vec<&'static str>> = HashMap::new();
        let lines = SENSES.lines().filter(|line| !line.starts_with('#'));
        for (sense, words) in lines.filter_map(|line| line.split_once(':')) {
            for word in words.split_whitespace() {
                for form in [word, root(word)] {
                    let senses = of.entry(form.to_owned()).or_default();
                    if !senses.contains(&sense) {
                        senses.push(sense);
                    }
                }
            }
        }
        Self { of }
    }

    /// Returns the senses of a word in lower case; none for a word that the list does not have.
    pub(super) fn of(&self, word: &str) -> &[&'static str] {
        self.of.get(word).or_else(|| self.of.get(root(word))).map_or(&[], Vec::as_slice)
    }
}

/// Removes a word's ending, roughly.
fn root(word: &str) -> &str {
    const ENDINGS: [&str; 15] =
        ["ingly", "edly", "iest", "ings", "ing", "ies", "ier", "est", "ely", "ed", "es", "er", "ly", "s", "y"];
    let cut = ENDINGS.iter().filter_map(|ending| word.strip_suffix(ending)).find(|cut| cut.len() >= 3);
    let cut = cut.unwrap_or(word);
    cut.strip_suffix('e').filter(|cut| cut.len() >= 3).unwrap_or(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_its_senses() {
        let senses = Senses::load();
        assert!(senses.of("filthy").contains(&"dirty"));
        assert!(senses.of("leaked").contains(&"broken") && senses.of("leaking").contains(&"broken"));
        assert!(senses.of("not").contains(&NOT));
        assert!(senses.of("zxqv").is_empty());
    }
}
