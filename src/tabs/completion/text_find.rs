//! Words looked for in the text: the bar in which they are typed, and where they are.

use std::ops::Range;

use crossterm::event::KeyEvent;

use super::prompt_text::PromptText;
use super::state::{CompletePane, Page, State};
use crate::component::{Cx, FindBar, FindBarEvent, Notice};
use crate::text::Untrusted;

/// The find bar and its matches.
#[derive(Debug, Default)]
pub(super) struct TextFind {
    pub(super) bar: FindBar,
    /// Where the caret was before the words were typed.
    origin: usize,
    /// Where the words occur: also within one another, so that an edit changes only those it touches.
    found: Vec<usize>,
    /// The words that were searched, and how long the text was then.
    searched: String,
    searched_len: usize,
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

    /// Finds the matches of the words: all of them where the words have changed, else those in what was edited.
    pub(super) fn update(&mut self, text: &mut PromptText) {
        let (buffer, words) = (&mut text.buffer, self.bar.text());
        let changed = buffer.take_changed();
        let old_len = std::mem::replace(&mut self.searched_len, buffer.len());
        if words != self.searched {
            self.searched = words.to_owned();
            self.found = occurrences(&buffer.text(), words).collect();
        } else if let Some(Range { start, end }) = changed
            && !words.is_empty()
        {
            // They may begin before what was edited, or end after it.
            let reach = words.len() - 1;
            let head = buffer.slice(start.saturating_sub(reach)..end);
            let (from, part) = (end - head.len(), head + &buffer.slice(end..end + reach));
            let new = occurrences(&part, words).map(|at| from + at);
            let new: Vec<usize> = new.filter(|at| *at < end && at + words.len() > start).collect();
            let old_end = old_len + end - self.searched_len;
            let before = self.found.partition_point(|at| at + words.len() <= start);
            let after = self.found.partition_point(|at| *at < old_end).max(before);
            let rest = before + new.len();
            self.found.splice(before..after, new);
            self.found[rest..].iter_mut().for_each(|at| *at = *at + end - old_end);
        }
    }

    /// Returns where each match begins: they do not overlap.
    fn matches(&self) -> impl Iterator<Item = usize> {
        let mut end = 0;
        let is_free = move |at: &usize| {
            let free = *at >= end;
            end = if free { at + self.searched.len() } else { end };
            free
        };
        self.found.iter().copied().filter(is_free)
    }

    /// Returns which match is selected, and of how many; empty: nothing is looked for.
    pub(super) fn place(&self, text: &PromptText) -> String {
        if self.words().is_empty() {
            return String::new();
        }
        let selected = text.buffer.selection();
        let nth = selected.and_then(|selected| self.matches().position(|at| at == selected.start));
        FindBar::place(nth.map(|at| at + 1), self.matches().count())
    }
}

/// Returns where words occur in a text, also within one another.
fn occurrences(text: &str, words: &str) -> impl Iterator<Item = usize> {
    let (first, mut from) = (words.chars().next().map_or(0, char::len_utf8), 0);
    std::iter::from_fn(move || {
        let at = from + text[from..].find(words).filter(|_| first > 0)?;
        from = at + first;
        Some(at)
    })
}

impl State {
    /// Opens the find bar below the text.
    pub(super) fn open_find(&mut self) {
        (self.page, self.focus) = (Page::Buffer, CompletePane::Browse);
        self.find.start(&self.text);
    }

    /// Handles a key while the words are typed.
    pub(super) fn find_key(&mut self, key: KeyEvent, cx: &mut Cx) {
        match self.find.bar.key(key) {
            FindBarEvent::Changed | FindBarEvent::Cancelled => self.find_typed(cx),
            FindBarEvent::Moved(motion) => self.find_next(motion.rows(1) < 0, cx),
            FindBarEvent::Submitted if self.text.buffer.selection().is_none() => self.find_next(false, cx),
            FindBarEvent::Submitted | FindBarEvent::Ignored => {}
        }
    }

    /// Selects the first match of what is typed.
    pub(super) fn find_typed(&mut self, cx: &mut Cx) {
        self.find.select(&mut self.text);
        self.caret_moved(cx.now);
    }

    /// Selects the next match, or the one before.
    pub(super) fn find_next(&mut self, back: bool, cx: &mut Cx) {
        let words = self.find.words();
        if words.is_empty() {
            return;
        }
        if self.text.find(words, back) {
            self.caret_moved(cx.now);
        } else {
            let words = Untrusted::from(words);
            cx.notify(Notice::warn(format!("“{}” is not in this text", words.line())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_an_edit_the_matches_are_those_of_a_whole_search() {
        for words in ["ab", "é", "aba", "aa", "a b c", "x"] {
            let (mut find, mut text) = (TextFind::default(), PromptText::default());
            find.bar.set_text(words);
            let pieces = ["ab", "a b c", "é", "a", "xé", "", "ba", "aaa", "\nab\n", "caba"];
            for step in 0..400_usize {
                let len = text.buffer.len();
                let (start, removed) = (step * 7919 % (len + 1), if len > 60 { 30 } else { step % 4 });
                text.buffer.splice(start..start + removed, pieces[step * 31 % pieces.len()]);
                if step % 3 > 0 {
                    find.update(&mut text);
                    let whole = text.buffer.text();
                    let expected: Vec<usize> = whole.match_indices(words).map(|(at, _)| at).collect();
                    assert_eq!(find.matches().collect::<Vec<_>>(), expected, "{words:?} in {whole:?}");
                }
            }
        }
    }

    #[test]
    fn only_what_was_edited_is_searched() {
        let (mut find, mut text) = (TextFind::default(), PromptText::default());
        find.bar.set_text("one");
        text.buffer.set_text("one two one");
        find.update(&mut text);
        // Known to be wrong, it stays: what was not edited is not looked at.
        find.found[0] = 3;
        text.buffer.splice(11..11, " on");
        text.buffer.splice(14..14, "e");
        find.update(&mut text);
        assert_eq!(find.found, [3, 8, 12]);
        assert_eq!(text.buffer.take_changed(), None);
    }
}
