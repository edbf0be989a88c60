//! The windows of a text that are scored: runs of sentences, with and without asides. A harmful sentence is scored as
//! if it stood alone, whatever harmless text surrounds it.

use std::ops::Range;

use super::lexicon::{Lexicon, Tags};
use super::words::{Gap, Word};

/// The most words of a window.
pub(super) const MAX_WINDOW_WORDS: usize = 56;
/// Sentences of a window, at most.
const SENTENCES: usize = 6;
/// Words of an aside that may be left out, at most.
const ASIDE: usize = 8;
/// Asides that are tried at each end of a sentence.
const ASIDES: usize = 4;
/// Tags of words that do not change what the sentence says.
const NEUTRAL: [&str; 8] = ["allof", "me", "you", "they", "person", "opening", "closing", "everyday"];

/// A window: neighbouring ranges of words, each within one sentence.
pub(super) type Window = Vec<Range<usize>>;

/// What separates a sentence from asides.
#[derive(Debug)]
pub(super) struct Edges {
    opening: Tags,
    closing: Tags,
    not: Tags,
    neutral: Tags,
}

impl Edges {
    pub(super) fn new(lexicon: &Lexicon) -> Self {
        let neutral = NEUTRAL.iter().fold(Tags::default(), |all, name| all.union(lexicon.named(name)));
        let tag = |name| lexicon.named(name);
        Self { opening: tag("opening"), closing: tag("closing"), not: tag("not"), neutral }
    }

    /// Returns the windows of a text, sentence by sentence.
    pub(super) fn windows(&self, words: &[Word], sentences: &[Range<usize>]) -> Vec<Window> {
        let mut out = Vec::new();
        for (i, first) in sentences.iter().enumerate() {
            if first.len() > MAX_WINDOW_WORDS {
                let starts = first.clone().step_by(MAX_WINDOW_WORDS / 2);
                let ends = starts.clone().map(|start| (start + MAX_WINDOW_WORDS).min(first.end));
                let long = starts
                    .zip(ends)
                    .take_while(|(start, _)| *start == first.start || start + MAX_WINDOW_WORDS / 2 < first.end);
                out.extend(long.map(|(start, end)| std::iter::once(start..end).collect()));
            }
            let starts = self.starts(words, first);
            for (j, last) in sentences.iter().enumerate().skip(i).take(SENTENCES) {
                if last.end - first.start > MAX_WINDOW_WORDS + 4 * ASIDE {
                    break;
                }
                let ends = self.ends(words, last);
                let pairs = starts.iter().flat_map(|start| ends.iter().map(move |end| (*start, *end)));
                for (start, end) in pairs.filter(|(start, end)| start < end && end - start <= MAX_WINDOW_WORDS) {
                    let mut window = sentences[i..=j].to_vec();
                    window[0].start = start;
                    window[j - i].end = end;
                    out.push(window);
                }
            }
        }
        out
    }

    /// Returns where a sentence may begin: at its first word, and after asides.
    fn starts(&self, words: &[Word], sentence: &Range<usize>) -> Vec<usize> {
        let lengths = |start: usize| self.openings(&words[start..sentence.end]).map(|length| start + length);
        places(sentence.start, lengths, |place| place < sentence.end)
    }

    /// Returns where a sentence may end: after its last word, and before asides.
    fn ends(&self, words: &[Word], sentence: &Range<usize>) -> Vec<usize> {
        let lengths = |end: usize| self.closings(&words[sentence.start..end]).map(|length| end - length);
        places(sentence.end, lengths, |place| place > sentence.start)
    }

    /// Returns how many words at the beginning may be an aside: those of another script, a neutral clause, a greeting,
    /// a greeting and a name.
    fn openings(&self, words: &[Word]) -> [usize; 4] {
        let foreign = words.iter().take_while(|word| !word.form.is_ascii()).count();
        let clause = words.iter().position(|word| word.gap == Gap::Pause).map_or(words.len(), |at| at + 1);
        let clause = if clause <= ASIDE && self.are_neutral(&words[..clause]) { clause } else { 0 };
        let greeting = words.iter().take_while(|word| word.tags.has(self.opening)).count();
        let named = greeting > 0 && words.get(greeting).is_some_and(|word| word.tags.is_empty());
        [foreign, clause, greeting, greeting + usize::from(named)]
    }

    /// Returns how many words at the end may be an aside: those of another script, a neutral clause, a farewell.
    fn closings(&self, words: &[Word]) -> [usize; 3] {
        let foreign = words.iter().rev().take_while(|word| !word.form.is_ascii()).count();
        let clause = words.iter().rev().skip(1).take_while(|word| word.gap != Gap::Pause).count() + 1;
        let clause = if clause <= ASIDE && self.are_neutral(&words[words.len() - clause..]) { clause } else { 0 };
        let end = &words[words.len().saturating_sub(ASIDE)..];
        let farewell = end.iter().position(|word| word.tags.has(self.closing)).map(|at| &end[at..]);
        [foreign, clause, farewell.filter(|rest| !self.negates(rest)).map_or(0, <[Word]>::len)]
    }

    fn negates(&self, words: &[Word]) -> bool {
        words.iter().any(|word| word.tags.has(self.not))
    }

    fn are_neutral(&self, words: &[Word]) -> bool {
        words.iter().all(|word| word.tags.without(self.neutral).is_empty())
    }
}

/// Returns the word of a block at which the windows that continue in the next block may begin; 0 where it has too few.
pub(super) fn rest(words: &[Word], sentences: &[Range<usize>]) -> usize {
    let near = words.len().saturating_sub(MAX_WINDOW_WORDS + 4 * ASIDE);
    let last = &sentences[sentences.len().saturating_sub(SENTENCES)..];
    let whole = last.iter().map(|sentence| sentence.start).find(|start| *start >= near);
    whole.unwrap_or(words.len().saturating_sub(MAX_WINDOW_WORDS))
}

/// Returns the first place and those that `further` leads to from it, as long as they are `within`; about [`ASIDES`] at
/// most.
fn places<const N: usize>(
    first: usize,
    further: impl Fn(usize) -> [usize; N],
    within: impl Fn(usize) -> bool,
) -> Vec<usize> {
    let mut places = vec![first];
    let mut next = 0;
    while let Some(place) = places.get(next).copied()
        && places.len() <= ASIDES
    {
        for place in further(place) {
            if within(place) && !places.contains(&place) {
                places.push(place);
            }
        }
        next += 1;
    }
    places
}

/// Returns the sentences of a text, as ranges of its words.
pub(super) fn sentences(words: &[Word]) -> Vec<Range<usize>> {
    let mut start = 0;
    let lengths = words.split_inclusive(Word::last).map(<[Word]>::len);
    lengths
        .map(|length| {
            start += length;
            start - length..start
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::words::words;
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        let lexicon = Lexicon::new();
        let words = words(text, &lexicon, |_| false);
        let windows = Edges::new(&lexicon).windows(&words, &sentences(&words));
        let text = |window: &Window| {
            text[words[window[0].start].at.start..words[window[window.len() - 1].end - 1].at.end].to_owned()
        };
        windows.iter().map(text).collect()
    }

    #[test]
    fn a_sentence_stands_alone_and_with_its_neighbours() {
        assert_eq!(
            texts("One two. Three! Four?"),
            ["One two", "One two. Three", "One two. Three! Four", "Three", "Three! Four", "Four"]
        );
    }

    #[test]
    fn what_is_said_around_a_sentence_is_left_out_too() {
        for text in [
            "Hello Anna, they kill him",
            "hi they kill him",
            "Привет they kill him 你好",
            "they kill him, see you tomorrow",
            "they kill him have a nice day",
            "dear all, it is me again, they kill him, thanks, Anna",
        ] {
            assert!(texts(text).iter().any(|window| window == "they kill him"), "{text}: {:?}", texts(text));
        }
        assert!(!texts("Do not, kill him").contains(&"kill him".to_owned()), "it takes the meaning with it");
    }

    #[test]
    fn a_long_sentence_is_read_in_overlapping_parts() {
        let text = (0..130).map(|n| format!("w{n}")).collect::<Vec<_>>().join(" ");
        let found = texts(&text);
        assert!(found.iter().all(|window| window.split(' ').count() <= MAX_WINDOW_WORDS));
        assert!(
            found[0].starts_with("w0 ")
                && found[1].starts_with("w28 ")
                && found.last().is_some_and(|last| last.ends_with(" w129"))
        );
    }
}
