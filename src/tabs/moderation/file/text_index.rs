//! Searches all texts at once, ignoring case; each letter that is typed costs one pass.

use memchr::memmem;

use super::dataset::TextDataset;

/// The texts of a file in small letters, one after the other.
#[derive(Debug)]
pub(super) struct TextIndex {
    all: String,
    /// Where each text ends.
    ends: Vec<usize>,
}

impl TextIndex {
    /// Indexes the texts of a file.
    pub(super) fn of(dataset: &TextDataset) -> Self {
        let mut all = String::with_capacity(
            dataset.texts().iter().map(|text| dataset.rows[text.first as usize].text.len() + 1).sum(),
        );
        let mut ends = Vec::with_capacity(dataset.texts().len());
        for text in dataset.texts() {
            let text = dataset.rows[text.first as usize].text.raw();
            if text.is_ascii() {
                let from = all.len();
                all.push_str(text);
                all[from..].make_ascii_lowercase();
            } else {
                all.push_str(&text.to_lowercase());
            }
            ends.push(all.len());
            // So that nothing is found across a border.
            all.push('\0');
        }
        Self { all, ends }
    }

    /// Returns for each text whether it contains these words; `None`: there are none to look for.
    pub(super) fn find(&self, words: &str) -> Option<Vec<bool>> {
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
