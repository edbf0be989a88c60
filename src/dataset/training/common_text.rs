//! What all prompts, or all completions, have in common: how they begin and end, their letter case, which endings occur
//! in none of them.

use memchr::memmem::{self, Finder};

/// Endings offered for prompts, likeliest first, and the one for when all of them occur in prompts. The first is for
/// prompts of one line.
const PROMPT_ENDS: &[&str] = &[" ->", "\n\n###\n\n", "\n\n===\n\n", "\n\n---\n\n", "\n\n===>\n\n", "\n\n--->\n\n"];
const PROMPT_LAST: &str = "\n\n### =>\n\n";
/// As above, for completions.
const COMPLETION_ENDS: &[&str] = &["\n", ".", " END", "***", "+++", "&&&", "$$$", "@@@", "%%%"];
const COMPLETION_LAST: &str = " [END]";
/// The full stop. It is never proposed for texts without it, which may end with a question mark; and a text that ends
/// with it may still lack the ending that most texts have.
const SENTENCE_END: &str = ".";

/// A usual ending, and where texts have it.
#[derive(Debug)]
struct UsualEnd {
    words: &'static str,
    /// Texts that end with it.
    at_end: u64,
    /// Whether it occurs in a text before its end; of the first for prompts, also whether a text has several lines.
    inside: bool,
}

/// What texts have in common.
#[derive(Debug)]
pub(super) struct CommonText {
    pub(super) count: u64,
    /// The common beginning of all texts; then the common end.
    pub(super) prefix: String,
    pub(super) suffix: String,
    /// Whether all texts are equal.
    pub(super) identical: bool,
    /// Whether one of them is no longer than the prefix.
    shortest: usize,
    /// Whether the suffix also occurs in one of them before its end. The first `unsure` texts were not searched for the
    /// present suffix.
    pub(super) inside: bool,
    pub(super) unsure: u64,
    /// Number of upper-case letters.
    upper: u64,
    lower: u64,
    /// Texts with an upper-case letter.
    pub(super) capitals: u64,
    /// Texts that do not begin with a space.
    pub(super) spaceless: u64,
    /// Whether one of them is not blank.
    pub(super) has_text: bool,
    /// Searches for the present suffix.
    finder: Option<Finder<'static>>,
    /// Ends that may be suggested.
    ends: Vec<UsualEnd>,
    side: Side,
}

/// Which texts of the rows these are: their usual endings differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Prompts,
    Completions,
}

impl Side {
    /// Returns the usual endings, and the one that is offered where all of them occur in a text.
    fn ends(self) -> (&'static [&'static str], &'static str) {
        match self {
            Self::Prompts => (PROMPT_ENDS, PROMPT_LAST),
            Self::Completions => (COMPLETION_ENDS, COMPLETION_LAST),
        }
    }
}

impl CommonText {
    pub(super) fn prompts() -> Self {
        Self::new(Side::Prompts)
    }

    pub(super) fn completions() -> Self {
        Self::new(Side::Completions)
    }

    fn new(side: Side) -> Self {
        Self {
            count: 0,
            prefix: String::new(),
            suffix: String::new(),
            identical: true,
            shortest: usize::MAX,
            inside: false,
            unsure: 0,
            upper: 0,
            lower: 0,
            capitals: 0,
            spaceless: 0,
            has_text: false,
            finder: None,
            ends: side.ends().0.iter().map(|words| UsualEnd { words, at_end: 0, inside: false }).collect(),
            side,
        }
    }

    /// Adds a text. Returns whether it has a capital.
    pub(super) fn take(&mut self, text: &str) -> bool {
        if self.count == 0 {
            text.clone_into(&mut self.prefix);
            text.clone_into(&mut self.suffix);
        } else {
            self.identical &= text.len() == self.shortest && text == self.prefix;
            self.common(text);
        }
        self.count += 1;
        self.shortest = self.shortest.min(text.len());
        self.has_text = self.has_text || !text.trim().is_empty();
        self.spaceless += u64::from(!text.starts_with(' '));
        let capitals = self.letters(text);
        if !self.inside && !self.suffix.is_empty() {
            let finder = self.finder.get_or_insert_with(|| Finder::new(&self.suffix).into_owned());
            self.inside = finder.find(&text.as_bytes()[..text.len() - self.suffix.len()]).is_some();
        }
        self.look_for_ends(text);
        capitals
    }

    fn look_for_ends(&mut self, text: &str) {
        let bytes = text.as_bytes();
        let mut stands = |at: usize| {
            for end in &mut self.ends {
                let is_last = at + end.words.len() == bytes.len();
                if (is_last || !end.inside) && bytes[at..].starts_with(end.words.as_bytes()) {
                    end.at_end += u64::from(is_last);
                    end.inside |= !is_last;
                }
            }
        };
        if self.side == Side::Prompts {
            // All but the first begin with a line end; the first is for texts of one line.
            memchr::memchr_iter(b'\n', bytes).for_each(&mut stands);
            if let Some(end) = self.ends.first_mut() {
                end.at_end += u64::from(text.ends_with(end.words));
                // Once a text ends with it, it is not offered as a new one.
                if end.at_end == 0 && !end.inside {
                    end.inside = bytes.contains(&b'\n') || memmem::find(bytes, end.words.as_bytes()).is_some();
                }
            }
        } else {
            let begins = |byte: u8| matches!(byte, b'\n' | b'.' | b'E' | b'*' | b'+' | b'&' | b'$' | b'@' | b'%');
            for at in (0..bytes.len()).filter(|at| begins(bytes[*at])) {
                // Of ` END` the letter is rarer than the blank.
                stands(if bytes[at] == b'E' { at.saturating_sub(1) } else { at });
            }
        }
    }

    fn common(&mut self, text: &str) {
        if !text.starts_with(&self.prefix) {
            let same = self.prefix.bytes().zip(text.bytes()).take_while(|(a, b)| a == b).count();
            self.prefix.truncate(self.prefix.floor_char_boundary(same));
        }
        if !text.ends_with(&self.suffix) {
            let same = self.suffix.bytes().rev().zip(text.bytes().rev()).take_while(|(a, b)| a == b).count();
            let from = self.suffix.ceil_char_boundary(self.suffix.len() - same);
            self.suffix.drain(..from);
            self.finder = None;
            self.unsure = self.count;
        }
    }

    fn letters(&mut self, text: &str) -> bool {
        let (upper, lower) = if text.is_ascii() {
            (count(text, u8::is_ascii_uppercase), count(text, u8::is_ascii_lowercase))
        } else {
            text.chars().fold((0, 0), |(upper, lower), c| {
                (upper + usize::from(c.is_uppercase()), lower + usize::from(c.is_lowercase()))
            })
        };
        self.upper += upper as u64;
        self.lower += lower as u64;
        self.capitals += u64::from(upper > 0);
        upper > 0
    }

    /// Returns whether there are so many capitals that lower case is worth considering.
    pub(super) fn shouts(&self) -> bool {
        self.upper * 2 > self.lower
    }

    /// Returns the first of the usual endings that occurs in no text.
    pub(super) fn end(&self) -> &str {
        let free = self.ends.iter().find(|end| end.at_end == 0 && !end.inside);
        free.map_or(self.side.ends().1, |end| end.words)
    }

    /// Returns the usual ending that more than half of the texts have, and how many do not; `None`: there is none, or
    /// completions would stop at it before their end.
    pub(super) fn frequent_end(&self) -> Option<(&'static str, u64)> {
        let frequent = self.ends.iter().find(|end| end.at_end * 2 > self.count)?;
        let stops_early = self.side == Side::Completions && frequent.inside;
        let is_usable = frequent.words != SENTENCE_END && !stops_early;
        is_usable.then(|| (frequent.words, self.count - frequent.at_end))
    }

    /// Returns whether a text has none of the usual endings; that of sentences is not counted.
    pub(super) fn is_open(&self, text: &str) -> bool {
        !self.ends.iter().any(|end| end.words != SENTENCE_END && text.ends_with(end.words))
    }

    /// Returns what all texts end with, without what belongs to the texts before a usual ending; empty: nothing, a part
    /// of a word, or there is only one text.
    pub(super) fn common_end(&self) -> &str {
        if self.count < 2 {
            return "";
        }
        let usual = self.ends.iter().map(|end| end.words).chain([self.side.ends().1]);
        usual
            .filter(|end| self.suffix.ends_with(end))
            .max_by_key(|end| end.len())
            .unwrap_or_else(|| if self.suffix.starts_with(char::is_alphanumeric) { "" } else { &self.suffix })
    }

    /// Returns whether some text is equal to the prefix.
    pub(super) fn is_all_prefix(&self) -> bool {
        self.shortest <= self.prefix.len()
    }
}

/// Counts the bytes that satisfy the predicate, in blocks whose count fits a byte, so that the loop can be vectorised.
fn count(text: &str, is: impl Fn(&u8) -> bool) -> usize {
    let stretch = |bytes: &[u8]| bytes.iter().map(|byte| u8::from(is(byte))).sum::<u8>();
    text.as_bytes().chunks(128).map(|bytes| usize::from(stretch(bytes))).sum()
}

/// Returns whether a suffix also occurs in a text before its end.
pub(super) fn is_inside(text: &str, suffix: &str) -> bool {
    let before = &text.as_bytes()[..text.len() - suffix.len()];
    memmem::find(before, suffix.as_bytes()).is_some()
}

/// Converts a text to lower case, each character by itself, so that a common beginning stays common.
pub(super) fn small(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn alike(texts: &[&str]) -> CommonText {
        let mut alike = CommonText::prompts();
        for text in texts {
            alike.take(text);
        }
        alike
    }

    #[test]
    fn what_is_common_is_found() {
        let found = alike(&["Q: é one ->", "Q: è two ->", "Q: three ->"]);
        assert_eq!((found.prefix.as_str(), found.suffix.as_str()), ("Q: ", " ->"));
        assert!(!found.identical && !found.inside && !found.is_all_prefix());
        assert_eq!((found.capitals, found.spaceless, found.unsure), (3, 3, 1));
        assert!(!found.shouts());
        let found = alike(&["x ->", "a -> b ->", "c ->"]);
        assert!(found.inside);
        // Parts of a character are no common beginning or end.
        let found = alike(&["é", "è"]);
        assert_eq!((found.prefix.as_str(), found.suffix.as_str()), ("", ""));
        assert_eq!(
            (alike(&["my problem ->", "a problem ->"]).common_end(), alike(&["a?", "b?"]).common_end()),
            (" ->", "?")
        );
        assert!(alike(&["same", "same"]).identical);
        assert!(!alike(&["same", "same", "sam"]).identical);
        assert!(alike(&["same", "same", "sam"]).is_all_prefix());
        assert!(alike(&["ABcd", "ABC"]).shouts() && !alike(&["ABcd", "cd"]).shouts());
    }

    #[test]
    fn an_end_is_offered_that_stands_in_no_text() {
        assert_eq!(alike(&["a", "b"]).end(), " ->");
        assert_eq!(alike(&["a", "b -> c"]).end(), "\n\n###\n\n");
        assert_eq!(alike(&["a\nb", "b"]).end(), "\n\n###\n\n");
        assert_eq!(alike(&["a\n\n###\n\nb", "b"]).end(), "\n\n===\n\n");
        let all = PROMPT_ENDS.concat();
        assert_eq!(alike(&[&all]).end(), PROMPT_LAST);
        let mut completions = CommonText::completions();
        completions.take("One. Two\nEND");
        assert_eq!(completions.end(), " END");
        completions.take(&COMPLETION_ENDS.concat());
        assert_eq!(completions.end(), COMPLETION_LAST);
        completions.take("a ");
    }

    #[test]
    fn an_end_that_most_texts_have_is_found() {
        assert_eq!(alike(&["a ->", "b ->", "c"]).frequent_end(), Some((" ->", 1)));
        assert_eq!(alike(&["a ->", "b"]).frequent_end(), None, "half are not most");
        // In prompts it may also stand before the end, and others may have several lines.
        assert_eq!(alike(&["a -> b ->", "b ->", "c\nd"]).frequent_end(), Some((" ->", 1)));
        assert_eq!(alike(&["a\n\n###\n\n", "b\n\n###\n\n", "c"]).frequent_end(), Some(("\n\n###\n\n", 1)));
        let completions = |texts: &[&str]| {
            let mut completions = CommonText::completions();
            for text in texts {
                completions.take(text);
            }
            completions.frequent_end()
        };
        assert_eq!(completions(&[" a\n", " b\n", " c"]), Some(("\n", 1)));
        assert_eq!(completions(&[" a\nb\n", " b\n", " c"]), None, "an answer would stop after its first line");
        assert_eq!(completions(&[" It is.", " So it is.", " Is it?"]), None);
        assert_eq!(completions(&[" a END", " b END", " c"]), Some((" END", 1)));
    }

    proptest! {
        #[test]
        fn the_common_is_in_all_and_cannot_be_longer(texts in prop::collection::vec("é?[ab]{0,4}é?", 1..6)) {
            let found = alike(&texts.iter().map(String::as_str).collect::<Vec<_>>());
            prop_assert!(texts.iter().all(|text| text.starts_with(&found.prefix) && text.ends_with(&found.suffix)));
            let longer = |c: char| texts.iter().all(|text| text[found.prefix.len()..].starts_with(c));
            prop_assert!(!"abé".chars().any(longer));
            prop_assert_eq!(found.identical, texts.iter().all(|text| *text == texts[0]));
        }

        #[test]
        fn small_letters_keep_what_is_common(a in any::<String>(), b in any::<String>()) {
            prop_assert_eq!(small(&format!("{a}{b}")), small(&a) + &small(&b));
            // Lower case stays lower case.
            prop_assert_eq!(small(&small(&a)), small(&a));
        }
    }
}
