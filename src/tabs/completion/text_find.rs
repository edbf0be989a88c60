//! Words looked for in the text: the bar in which they are typed, and where they are.

use super::prompt_text::PromptText;
use crate::component::FindBar;

/// The find bar and its matches.
#[derive(Debug, Default)]
pub(super) struct TextFind {
    pub(super) bar: FindBar,
    /// Where the caret was before the words were typed.
    origin: usize,
    /// Where each match begins.
    matches: Vec<usize>,
    /// What was searched: the words, and the text by its revision and length.
    searched: (String, u64, usize),
}

impl TextFind {
    /// Returns the words; empty: nothing is looked for.
    pub(super) fn words(&self) -> &str {
        self.bar.text()
    }

    /// Begins typing words to find from the caret on.
    pub(super) fn start(&mut self, text: &PromptText) {
        self.origin = text.buffer.selection().map_or(text.buffer.caret(), |selected| selected.start);
        self.bar.start_typing();
    }

    /// Selects the first match of what is typed after the place where typing began; nothing, if there is none.
    pub(super) fn select(&mut self, text: &mut PromptText) {
        text.buffer.set_caret(self.origin);
        text.find(self.bar.text(), false);
        self.update(text);
    }

    /// Looks for nothing any more.
    pub(super) fn clear(&mut self) {
        self.bar.clear();
    }

    /// Finds the matches again, where the words or the text have changed.
    pub(super) fn update(&mut self, text: &PromptText) {
        let searched = (self.words().to_owned(), text.revision, text.buffer.len());
        if searched == self.searched {
            return;
        }
        self.matches.clear();
        if !searched.0.is_empty() {
            self.matches.extend(text.buffer.text().match_indices(&searched.0).map(|(at, _)| at));
        }
        self.searched = searched;
    }

    /// Returns which match is selected, and of how many; empty: nothing is looked for.
    pub(super) fn place(&self, text: &PromptText) -> String {
        if self.words().is_empty() {
            return String::new();
        }
        let nth = text.buffer.selection().and_then(|selected| self.matches.binary_search(&selected.start).ok());
        FindBar::place(nth.map(|at| at + 1), self.matches.len())
    }
}
