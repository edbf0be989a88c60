//! Searching a text in the loaded messages.

use std::ops::Range;

use super::Transcript;
use super::entry::Entry;

/// Entry, block and line.
type Place = (usize, usize, usize);

/// The searched text, and the current match.
#[derive(Clone, Debug, Default)]
pub(super) struct Find {
    needle: String,
    current: Option<(Place, usize)>,
    /// The entry where the search began: a longer search text is searched from there again.
    from: Option<usize>,
    /// The counts of each entry, as of the last search.
    counts: Vec<Counted>,
    /// Number of the current match among all, from 1; 0: there is none.
    nth: usize,
}

/// Matches in an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Counted {
    /// `None`: not counted yet.
    matches: Option<usize>,
    /// Bytes of the entry's text when it was counted: once it has grown it is counted again.
    bytes: usize,
}

impl Find {
    /// Sets another text to search. An entry that lacks a text lacks every longer one too.
    fn look_for(&mut self, needle: &str) {
        let longer = !self.needle.is_empty() && matches(needle, &self.needle).next().is_some();
        for counted in &mut self.counts {
            counted.matches = counted.matches.filter(|count| longer && *count == 0);
        }
        (self.needle, self.current, self.nth) = (needle.to_owned(), None, 0);
    }

    /// Returns the number of matches in an entry with a text of so many bytes, if it was counted since it last grew.
    fn known(&self, at: usize, bytes: usize) -> Option<usize> {
        self.counts.get(at).filter(|counted| counted.bytes == bytes)?.matches
    }

    pub(super) fn shift(&mut self, count: usize) {
        self.counts.clear();
        if let Some((place, _)) = &mut self.current {
            place.0 += count;
        }
        if let Some(from) = &mut self.from {
            *from += count;
        }
    }

    pub(super) fn forget(&mut self, from: usize) {
        self.counts.truncate(from);
        if self.current.is_some_and(|(place, _)| place.0 >= from) {
            self.current = None;
            self.nth = 0;
        }
    }

    /// Returns the matches in a line, and whether one is the current one.
    pub(super) fn in_line(&self, text: &str, place: Place) -> Vec<(Range<usize>, bool)> {
        matches(text, &self.needle).map(|found| (found.clone(), self.current == Some((place, found.start)))).collect()
    }
}

/// Returns the matches, ignoring the case of ASCII letters.
fn matches<'a>(text: &'a str, needle: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let mut from = 0;
    std::iter::from_fn(move || {
        let (text_bytes, wanted) = (text.as_bytes(), needle.as_bytes());
        if wanted.is_empty() {
            return None;
        }
        let at = text_bytes.get(from..)?.windows(wanted.len()).position(|part| part.eq_ignore_ascii_case(wanted))?;
        let found = from + at..from + at + wanted.len();
        from = found.end;
        Some(found)
    })
}

/// Returns whether a text may contain a needle when shown, judged by its source: the longest word of the needle must
/// occur there, unless marks within words may be left out.
fn may_show(source: &str, needle: &str) -> bool {
    let words = needle.split(|c: char| !c.is_ascii_alphanumeric());
    let word = words.max_by_key(|word| word.len()).unwrap_or_default();
    // The number of an invisible character is in no source.
    if word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte.eq_ignore_ascii_case(&b'u')) {
        return true;
    }
    let joins = |part: &[u8]| match *part {
        [before, b'*', after] => {
            before == b'*' || after == b'*' || [before, after].iter().all(u8::is_ascii_alphanumeric)
        }
        [b']', b'(' | b'[' | b':', _] | [b'&', _, _] => true,
        _ => false,
    };
    matches(source, word).next().is_some() || source.as_bytes().windows(3).any(joins)
}

impl<K: Copy + Eq + Ord> Transcript<K> {
    /// Begins a search at the visible part.
    pub fn begin_find(&mut self) {
        self.find = Find { from: Some(self.visible().end.saturating_sub(1)), ..Find::default() };
    }

    /// Searches a text upwards from where the search began, wrapping around; an empty one ends the search.
    pub fn find(&mut self, needle: &str) {
        self.find.look_for(needle);
        self.find_next(true);
    }

    /// Searches a text downwards from a message. Returns whether it was found.
    pub fn find_in(&mut self, id: K, needle: &str) -> bool {
        self.find = Find { needle: needle.to_owned(), from: self.index(id), ..Find::default() };
        self.find_next(false)
    }

    /// Returns the message with the current match.
    pub fn found(&self) -> Option<K> {
        let ((at, ..), _) = self.find.current?;
        Some(self.entries.get(at)?.id())
    }

    /// Returns the number of the current match, from 1 (0: none), and how many there are; `None`: there is no search.
    /// Additions to the last message count with the next move.
    pub fn matches(&self) -> Option<(usize, usize)> {
        let count = || self.find.counts.iter().filter_map(|counted| counted.matches).sum();
        (!self.find.needle.is_empty()).then(|| (self.find.nth, count()))
    }

    /// Searches messages that have come since the last search.
    pub(super) fn find_in_new(&mut self) {
        if self.find.needle.is_empty() || self.find.counts.len() == self.entries.len() {
            return;
        }
        match self.find.current {
            Some(current) => self.count(current),
            None => drop(self.find_next(true)),
        }
    }

    /// Moves to the next match, or the one before; wraps around. Returns whether there is one.
    pub fn find_next(&mut self, back: bool) -> bool {
        if self.find.needle.is_empty() || self.entries.is_empty() {
            return false;
        }
        let count = self.entries.len();
        let begin = self.find.from.unwrap_or(self.top.0).min(count - 1);
        let start = self.find.current.map_or(begin, |(place, _)| place.0);
        for step in 0..=count {
            let at = if back { (start + count - step % count) % count } else { (start + step) % count };
            let now = self.find.current.filter(|_| step == 0);
            let Some((place, byte)) = self.match_in(at, now, back) else { continue };
            self.find.current = Some((place, byte));
            if self.entries[at].row_of(place.1, place.2, byte).is_none() {
                // It is among the folded rows.
                self.entries[at].unfold();
            }
            let row = self.entries[at].row_of(place.1, place.2, byte).unwrap_or(0);
            self.show(at, row);
            self.count((place, byte));
            return true;
        }
        self.find.counts = (0..count).map(|at| Counted { matches: Some(0), bytes: self.bytes(at) }).collect();
        self.find.nth = 0;
        false
    }

    /// Returns the bytes of an entry's text.
    fn bytes(&self, at: usize) -> usize {
        self.entries.get(at).map_or(0, |entry| entry.doc().source().len())
    }

    /// Counts the matches: in all entries once for each text, and again in messages that have grown since.
    fn count(&mut self, current: (Place, usize)) {
        self.find.counts.truncate(self.entries.len());
        for at in 0..self.entries.len() {
            let bytes = self.bytes(at);
            let count = self.find.known(at, bytes).unwrap_or_else(|| {
                let mut count = 0;
                self.visit(at, false, |all| {
                    count += all.len();
                    false
                });
                count
            });
            let counted = Counted { matches: Some(count), bytes };
            match self.find.counts.get_mut(at) {
                Some(known) => *known = counted,
                None => self.find.counts.push(counted),
            }
        }
        let (at, _, _) = current.0;
        let mut nth: usize = self.find.counts[..at].iter().filter_map(|counted| counted.matches).sum();
        self.visit(at, false, |all| {
            let before = all.partition_point(|place| *place <= current);
            nth += before;
            before < all.len()
        });
        self.find.nth = nth;
    }

    /// Returns the first match in an entry after `now`, or the last one before it.
    fn match_in(&mut self, at: usize, now: Option<(Place, usize)>, back: bool) -> Option<(Place, usize)> {
        let mut found = None;
        self.visit(at, back, |all| {
            found = match now {
                Some(now) if back => all.iter().rev().find(|place| **place < now),
                Some(now) => all.iter().find(|place| **place > now),
                None if back => all.last(),
                None => all.first(),
            }
            .copied();
            found.is_some()
        });
        found
    }

    /// Passes the matches of an entry to `enough`, block by block, until that returns true. Lines that are built only
    /// for this are dropped again, as there may be many.
    fn visit(&mut self, at: usize, back: bool, mut enough: impl FnMut(&[(Place, usize)]) -> bool) {
        let Some(was) = self.entries.get(at).map(Entry::is_wrapped) else { return };
        let source = self.entries[at].doc().source();
        if self.find.known(at, source.len()) == Some(0) || !may_show(source.raw(), &self.find.needle) {
            return;
        }
        self.wrap_entry(at);
        let (entry, needle) = (&mut self.entries[at], &self.find.needle);
        let count = entry.doc().blocks().len();
        for step in 0..count {
            let block = if back { count - 1 - step } else { step };
            entry.wake_block(block);
            let lines = entry.block(block).map_or(&[][..], |block| &block.lines).iter().enumerate();
            let all: Vec<_> = lines
                .flat_map(|(number, line)| {
                    matches(&line.text, needle).map(move |range| ((at, block, number), range.start))
                })
                .collect();
            entry.drop_offscreen(0..0);
            if enough(&all) {
                break;
            }
        }
        if !was {
            entry.drop_layout();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::text::Line;

    fn transcript(texts: &[&str]) -> Transcript<usize> {
        let mut transcript = Transcript::new();
        transcript.arrange(Rect::new(0, 0, 41, 2));
        for (at, text) in texts.iter().enumerate() {
            transcript.push(Entry::new(at, Line::default(), *text));
        }
        transcript
    }

    /// Returns the entries that were wrapped at this width.
    fn wrapped(transcript: &Transcript<usize>, width: usize) -> Vec<usize> {
        (0..transcript.entries.len()).filter(|at| transcript.entries[*at].wrapped_at() == width).collect()
    }

    #[test]
    fn only_messages_that_may_hold_the_text_are_wrapped() {
        let text = ["a needle", "hay", "some *hay*", "the **Nee**dle", "NEEDLE", "needless", "hay", "hay", "end"];
        let mut found = transcript(&text);
        found.begin_find();
        found.find("needle");
        assert_eq!(found.matches(), Some((1, 4)));
        let looked = wrapped(&found, 40);
        assert!([0, 3, 4, 5].iter().all(|at| looked.contains(at)), "{looked:?}");
        assert!(![2, 6].iter().any(|at| looked.contains(at)), "{looked:?}");
        // A longer text can only be where the shorter one was.
        found.find("e");
        assert_eq!(found.matches(), Some((3, 15)));
        found.set_width(30);
        found.find("ee");
        assert_eq!(found.matches(), Some((1, 4)));
        let looked = wrapped(&found, 30);
        assert!(looked.contains(&3) && !looked.contains(&6), "{looked:?}");
    }

    #[test]
    fn what_takes_the_place_of_removed_messages_is_counted_anew() {
        let mut found = transcript(&["needle", "needle needle", "needle needle", "end"]);
        found.begin_find();
        found.find("needle");
        assert_eq!(found.matches(), Some((3, 5)));
        found.remove_from(1);
        for at in 1..4 {
            found.push(Entry::new(at, Line::default(), "one needle"));
        }
        found.arrange(Rect::new(0, 0, 41, 2));
        assert_eq!(found.matches(), Some((2, 4)));
    }
}
