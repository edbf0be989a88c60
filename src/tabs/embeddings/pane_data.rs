//! What the panes read: a snapshot of the list, its vectors and what is known of them.

use std::sync::Arc;

use super::labels::TextLabels;
use crate::record::vectors::Matrix;
use crate::record::{Id, TextKey, TextRow, VectorKey, VectorTable};
use crate::text::Untrusted;
use crate::ui::heatmap::letter;

/// Texts that are named by letters; those of a longer list by their numbers.
const LETTERS: usize = 702;

/// Which pane has the keys. In the wide form inputs, matrix and map stand side by side; else the one with the keys
/// alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Page {
    /// The texts.
    #[default]
    Inputs,
    /// Similarities: the matrix, or above [`crate::record::vectors::MATRIX`] texts the list.
    Matrix,
    /// The 2-D map.
    Map,
    /// Pairs above a threshold, near-duplicates.
    Pairs,
    /// Two texts in full.
    Pair,
    /// A text that is typed, and the ranking of all others by it.
    Query,
    /// Two models, or two lengths.
    Compare,
    /// What the vectors are like.
    Hygiene,
}

/// What is known of a text's vector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum VectorStatus {
    /// The text has no vector, as far as is known.
    #[default]
    None,
    /// On disk from an earlier run.
    Cached,
    /// On disk, from this run.
    New,
    /// Asked for.
    Waiting,
    /// Came to nothing.
    Failed,
    /// Longer than the model reads.
    TooLong,
}

/// One text of the list.
#[derive(Clone, Debug)]
pub(super) struct TextItem {
    pub(super) id: Id,
    /// Place in the stored list, ascending.
    pub(super) place: u32,
    /// What it is called; empty: nothing.
    pub(super) name: Untrusted,
    /// As it was typed or read.
    pub(super) text: Untrusted,
    pub(super) label: Option<Untrusted>,
    /// Names what is sent of it: its newlines may become spaces.
    pub(super) sent: TextKey,
    /// Its tokens as the model cuts it; `None`: not counted yet.
    pub(super) tokens: Option<u32>,
}

impl TextItem {
    /// Returns a stored row as an item; `sent` names what is sent of it.
    pub(super) fn new(row: TextRow, sent: TextKey) -> Self {
        Self { id: row.id, place: row.place, name: row.name, text: row.text, label: row.label, sent, tokens: None }
    }

    /// Returns it as it is stored.
    pub(super) fn row(&self) -> TextRow {
        let (name, text, label) = (self.name.clone(), self.text.clone(), self.label.clone());
        TextRow { id: self.id, place: self.place, name, text, label }
    }
}

/// A snapshot of what every pane may read. Rows of the table and of the matrix are the texts, in the texts' order.
#[derive(Clone, Debug)]
pub(super) struct PaneData {
    pub(super) texts: Arc<Vec<TextItem>>,
    pub(super) labels: Arc<TextLabels>,
    /// Whose vectors are shown.
    pub(super) key: VectorKey,
    /// The vectors that are here; `None`: none yet. Another `Arc` whenever anything in it is another.
    pub(super) table: Option<Arc<VectorTable>>,
    /// All similarities, up to [`crate::record::vectors::MATRIX`] texts; `None`: not computed yet.
    pub(super) matrix: Option<Arc<Matrix>>,
    /// The text the cursor is on, and the one it is compared with, as places in `texts`.
    pub(super) cursor: (usize, usize),
    /// Pairs at least so similar are named.
    pub(super) above: f32,
    /// First numbers of each vector that are looked at; `None`: all.
    pub(super) cut: Option<usize>,
    /// What is known of each text's vector, in the texts' order.
    pub(super) statuses: Arc<Vec<VectorStatus>>,
    /// Why a text has no vector, by its place in `texts`, ascending.
    pub(super) failures: Arc<Vec<(usize, Untrusted)>>,
    /// Whether the model's own vocabulary counted the tokens.
    pub(super) exact: bool,
    /// The pane with the keys; `None`: a dialog has them.
    pub(super) focus: Option<Page>,
}

impl Default for PaneData {
    fn default() -> Self {
        Self {
            texts: Arc::default(),
            labels: Arc::default(),
            key: VectorKey { profile: String::new(), model: Untrusted::default(), dimensions: None },
            table: None,
            matrix: None,
            cursor: (0, 0),
            above: 0.8,
            cut: None,
            statuses: Arc::default(),
            failures: Arc::default(),
            exact: false,
            focus: None,
        }
    }
}

impl PaneData {
    /// Returns what a text is called besides its words: `A` … `Z`, `AA` …; in a long list its number, counted from 1.
    pub(super) fn letter(&self, row: usize) -> String {
        if self.texts.len() > LETTERS {
            return (row + 1).to_string();
        }
        letter(row)
    }

    /// Returns the words of a text on one line, safe for the screen: its name, else what it says.
    pub(super) fn words(&self, row: usize) -> String {
        let Some(text) = self.texts.get(row) else { return String::new() };
        if text.name.is_empty() { text.text.line().into_owned() } else { text.name.line().into_owned() }
    }

    /// Returns the cosine of two rows, where the matrix has it.
    pub(super) fn cosine(&self, row: usize, column: usize) -> Option<f32> {
        self.matrix.as_ref()?.cosine(row, column)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn letters_go_on_after_z() {
        let names: Vec<String> = [0, 25, 26, 51, 52, 701, 702].into_iter().map(super::letter).collect();
        assert_eq!(names, ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]);
    }
}
