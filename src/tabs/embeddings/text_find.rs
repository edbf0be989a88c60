//! Words looked for in the texts: the bar in which they are typed, and which texts have them.

use std::sync::{Arc, Weak};

use super::pane_data::TextItem;
use crate::component::FindBar;
use crate::tabs::texts::TextIndex;

/// The find bar and its matches.
#[derive(Debug, Default)]
pub(super) struct TextFind {
    pub(super) bar: FindBar,
    /// The row under the cursor before the words were typed.
    origin: usize,
    /// Built when words are first looked for; of the texts as they were then.
    index: Option<(Weak<Vec<TextItem>>, TextIndex)>,
    /// The words that the matches have.
    searched: String,
    /// The rows that have the words, in order.
    matches: Vec<usize>,
}

impl TextFind {
    /// Returns the words; empty: nothing is looked for.
    pub(super) fn words(&self) -> &str {
        self.bar.text().trim()
    }

    /// Begins typing words to find from the cursor on.
    pub(super) fn start(&mut self, texts: &Arc<Vec<TextItem>>, cursor: usize) {
        self.origin = cursor;
        self.bar.start_typing();
        self.update(texts);
    }

    /// Finds the matches again, where the words or the texts have changed.
    pub(super) fn update(&mut self, texts: &Arc<Vec<TextItem>>) {
        if !self.bar.is_shown() {
            (self.index, self.searched, self.matches) = Default::default();
            return;
        }
        // A change moves the texts to another place, as this pointer holds on to the one they had.
        if self.index.as_ref().is_none_or(|(indexed, _)| indexed.as_ptr() != Arc::as_ptr(texts)) {
            let index = TextIndex::new(texts.iter().map(|item| [&item.name, &item.text]));
            self.index = Some((Arc::downgrade(texts), index));
        } else if self.searched == self.bar.text() {
            return;
        }
        self.bar.text().clone_into(&mut self.searched);
        let found = self.index.as_ref().and_then(|(_, index)| index.find(&self.searched)).unwrap_or_default();
        self.matches = (0..).zip(found).filter_map(|(row, found)| found.then_some(row)).collect();
    }

    /// Returns the first match from the row on where typing began, or that row if there is none.
    pub(super) fn first(&self) -> usize {
        let after = self.matches.partition_point(|row| *row < self.origin);
        *self.matches.get(after).or(self.matches.first()).unwrap_or(&self.origin)
    }

    /// Returns the match after a row, or with `back` the one before; `None`: there is none.
    pub(super) fn next(&self, row: usize, back: bool) -> Option<usize> {
        let (before, after) =
            (self.matches.partition_point(|at| *at < row), self.matches.partition_point(|at| *at <= row));
        let next = if back {
            before.checked_sub(1).map_or(self.matches.last(), |at| self.matches.get(at))
        } else {
            self.matches.get(after).or(self.matches.first())
        };
        next.copied()
    }

    /// Returns which match is under the cursor, and of how many; empty: nothing is looked for.
    pub(super) fn place(&self, cursor: usize) -> String {
        if self.words().is_empty() {
            return String::new();
        }
        FindBar::place(self.matches.binary_search(&cursor).ok().map(|at| at + 1), self.matches.len())
    }
}
