//! Searches all texts at once, ignoring case; each letter that is typed costs one pass.

use memchr::memmem;

use crate::text::Untrusted;

/// Texts in small letters, one after the other.
#[derive(Debug)]
pub(crate) struct TextIndex {
    all: String,
    /// Where each text ends.
    ends: Vec<usize>,
}

impl TextIndex {
    /// Indexes texts. What is searched in a text may have several parts.
    pub(crate) fn new<'a, const PARTS: usize>(texts: impl Iterator<Item = [&'a Untrusted; PARTS]>) -> Self {
        let (mut all, mut ends) = (String::new(), Vec::with_capacity(texts.size_hint().0));
        for parts in texts {
            for part in parts.map(Untrusted::raw) {
                if part.is_ascii() {
                    let from = all.len();
                    all.push_str(part);
                    all[from..].make_ascii_lowercase();
                } else {
                    all.push_str(&part.to_lowercase());
                }
                // So that nothing is found across a border.
                all.push('\0');
            }
            ends.push(all.len() - 1);
        }
        Self { all, ends }
    }

    /// Returns for each text whether it contains these words; `None`: there are none to look for.
    pub(crate) fn find(&self, words: &str) -> Option<Vec<bool>> {
        let words = words.trim().to_lowercase();
        if words.is_empty() {
            return None;
        }
        let mut found = vec![false; self.ends.len()];
        let mut at = 0;
        for place in memmem::find_iter(self.all.as_bytes(), words.as_bytes()) {
            // Matches come in order: the text of the next one is not before this one's.
            at += self.ends[at..].partition_point(|end| *end <= place);
            if let Some(text) = found.get_mut(at) {
                *text = true;
            }
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_in_a_part_of_a_text_whatever_their_case() {
        let texts: [[Untrusted; 2]; 3] =
            [["a.txt", "Refund in"], ["b.txt", "30 days"], ["c.txt", "KØB"]].map(|text| text.map(Untrusted::from));
        let index = TextIndex::new(texts.iter().map(|[name, text]| [name, text]));
        assert_eq!(index.find(" refund "), Some(vec![true, false, false]));
        assert_eq!(index.find("B.TXT"), Some(vec![false, true, false]));
        assert_eq!(index.find("køb"), Some(vec![false, false, true]));
        assert_eq!(index.find("txtrefund"), Some(vec![false; 3]), "parts are not one word");
        assert_eq!(index.find(" "), None);
    }
}
