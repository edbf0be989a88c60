//! Words looked for in the text: the bar in which they are typed, and where they are.

use std::ops::Range;

use crossterm::event::KeyEvent;

use crate::component::{Cx, FindBar, FindBarEvent, Notice};
use crate::text::Untrusted;
use crate::ui::buffer::Buffer;

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
    pub(super) fn start(&mut self, buffer: &Buffer) {
        self.origin = buffer.selection().map_or(buffer.caret(), |selected| selected.start);
        self.bar.start_typing();
    }

    /// Selects the first match of what is typed after the place where typing began; nothing, if there is none.
    fn select_typed(&mut self, buffer: &mut Buffer) {
        buffer.set_caret(self.origin);
        select_match(buffer, self.bar.text(), false);
        self.update(buffer);
    }

    /// Handles a key while the words are typed. Returns whether the caret is elsewhere now.
    pub(super) fn key(&mut self, key: KeyEvent, buffer: &mut Buffer, cx: &mut Cx) -> bool {
        match self.bar.key(key) {
            FindBarEvent::Changed | FindBarEvent::Cancelled => self.select_typed(buffer),
            FindBarEvent::Moved(motion) => return self.select_next(buffer, motion.rows(1) < 0, cx),
            FindBarEvent::Submitted if buffer.selection().is_none() => return self.select_next(buffer, false, cx),
            FindBarEvent::Submitted | FindBarEvent::Ignored => return false,
        }
        true
    }

    /// Pastes into the words while they are typed. Returns whether they are.
    pub(super) fn paste(&mut self, text: &str, buffer: &mut Buffer) -> bool {
        let typing = self.bar.paste(text);
        if typing {
            self.select_typed(buffer);
        }
        typing
    }

    /// Selects the next match, or the one before. Returns whether there is one; says so if there is none.
    pub(super) fn select_next(&self, buffer: &mut Buffer, back: bool, cx: &mut Cx) -> bool {
        let found = select_match(buffer, self.words(), back);
        if !found && !self.words().is_empty() {
            let words = Untrusted::from(self.words());
            cx.notify(Notice::warn(format!("“{}” is not in this text", words.line())));
        }
        found
    }

    /// Looks for nothing any more.
    pub(super) fn clear(&mut self) {
        self.bar.clear();
    }

    /// Finds the matches of the words: all of them where the words have changed, else those in what was edited.
    pub(super) fn update(&mut self, buffer: &mut Buffer) {
        let words = self.bar.text();
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
    pub(super) fn place(&self, buffer: &Buffer) -> String {
        if self.words().is_empty() {
            return String::new();
        }
        let selected = buffer.selection();
        let nth = selected.and_then(|selected| self.matches().position(|at| at == selected.start));
        FindBar::place(nth.map(|at| at + 1), self.matches().count())
    }
}

/// Selects the next match of some words, or the one before. Returns whether there is one.
fn select_match(buffer: &mut Buffer, words: &str, back: bool) -> bool {
    let from = match (buffer.selection(), back) {
        (Some(selected), true) => selected.start,
        _ => buffer.caret(),
    };
    let found = buffer.find(words, from, back);
    if found.is_some() {
        buffer.select(found.clone());
    }
    found.is_some()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_an_edit_the_matches_are_those_of_a_whole_search() {
        for words in ["ab", "é", "aba", "aa", "a b c", "x"] {
            let (mut find, mut buffer) = (TextFind::default(), Buffer::new());
            find.bar.set_text(words);
            let pieces = ["ab", "a b c", "é", "a", "xé", "", "ba", "aaa", "\nab\n", "caba"];
            for step in 0..400_usize {
                let len = buffer.len();
                let (start, removed) = (step * 7919 % (len + 1), if len > 60 { 30 } else { step % 4 });
                buffer.splice(start..start + removed, pieces[step * 31 % pieces.len()]);
                if step % 3 > 0 {
                    find.update(&mut buffer);
                    let whole = buffer.text();
                    let expected: Vec<usize> = whole.match_indices(words).map(|(at, _)| at).collect();
                    assert_eq!(find.matches().collect::<Vec<_>>(), expected, "{words:?} in {whole:?}");
                }
            }
        }
    }

    #[test]
    fn only_what_was_edited_is_searched() {
        let (mut find, mut buffer) = (TextFind::default(), Buffer::new());
        find.bar.set_text("one");
        buffer.set_text("one two one");
        find.update(&mut buffer);
        // Known to be wrong, it stays: what was not edited is not looked at.
        find.found[0] = 3;
        buffer.splice(11..11, " on");
        buffer.splice(14..14, "e");
        find.update(&mut buffer);
        assert_eq!(find.found, [3, 8, 12]);
        assert_eq!(buffer.take_changed(), None);
    }
}
