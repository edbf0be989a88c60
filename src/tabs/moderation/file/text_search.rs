//! The words looked for in the texts of a file, and which texts have them.

use super::dataset::TextDataset;
use crate::component::FindBar;
use crate::tabs::texts::TextIndex;

/// The find bar and what it found.
#[derive(Debug, Default)]
pub(super) struct TextSearch {
    pub(super) bar: FindBar,
    /// Built when words are first looked for.
    index: Option<TextIndex>,
    /// Whether each text contains the words.
    found: Option<Vec<bool>>,
}

impl TextSearch {
    /// Builds the index, so that the first letter costs no more than the others.
    pub(super) fn prepare(&mut self, dataset: &TextDataset) {
        let texts = || dataset.texts().iter().map(|text| [&dataset.rows[text.first as usize].text]);
        self.index.get_or_insert_with(|| TextIndex::new(texts()));
    }

    /// Looks for the words of the find bar.
    pub(super) fn update(&mut self, dataset: &TextDataset) {
        if self.bar.text().is_empty() {
            (self.index, self.found) = (None, None);
        } else {
            self.prepare(dataset);
            self.found = self.index.as_ref().and_then(|index| index.find(self.bar.text()));
        }
    }

    /// Returns of each text whether it has the words; `None`: none are looked for.
    pub(super) fn found(&self) -> Option<&[bool]> {
        self.found.as_deref()
    }
}
