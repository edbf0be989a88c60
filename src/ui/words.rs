//! Characters and words in a line of text, as the keys of all text boxes step over them.

use unicode_segmentation::UnicodeSegmentation as _;

/// What a word is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum WordKind {
    Blank,
    Mark,
    Word,
}

impl WordKind {
    /// Returns the kind of what a reader sees as one character.
    fn of(grapheme: &str) -> Self {
        match grapheme.chars().next() {
            Some(char) if char.is_whitespace() => Self::Blank,
            Some('_') => Self::Word,
            Some('\u{2010}'..='\u{205e}' | '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff0f}') => Self::Mark,
            Some(char) if char.is_ascii_punctuation() => Self::Mark,
            _ => Self::Word,
        }
    }
}

/// Returns the byte at which the last character of `before` begins; 0: there is none.
pub(super) fn character_start(before: &str) -> usize {
    before.grapheme_indices(true).next_back().map_or(0, |(at, _)| at)
}

/// Returns the byte at which the first character of `after` ends; 0: there is none.
pub(super) fn character_end(after: &str) -> usize {
    after.graphemes(true).next().map_or(0, str::len)
}

/// Returns the byte at which the last word of `before` begins. Letters are a word, and so are marks that stand
/// together.
pub(super) fn word_start(before: &str) -> usize {
    let characters = before.grapheme_indices(true).rev();
    before.len() - word_length(characters.map(|(_, character)| character))
}

/// Returns the byte at which the first word of `after` ends.
pub(super) fn word_end(after: &str) -> usize {
    word_length(after.graphemes(true))
}

/// Returns the byte at which the second word of `after` begins, or the first if there are blanks before it; its end:
/// there is none.
pub(super) fn next_word_start(after: &str) -> usize {
    let mut last = WordKind::of(after);
    for (at, character) in after.grapheme_indices(true) {
        let kind = WordKind::of(character);
        if kind != WordKind::Blank && kind != last {
            return at;
        }
        last = kind;
    }
    after.len()
}

/// Returns the bytes of the first word with the blanks before it.
fn word_length<'t>(characters: impl Iterator<Item = &'t str>) -> usize {
    let (mut length, mut word) = (0, WordKind::Blank);
    for character in characters {
        let kind = WordKind::of(character);
        if word == WordKind::Blank {
            word = kind;
        } else if kind != word {
            break;
        }
        length += character.len();
    }
    length
}

/// Returns the byte after the last blank before the last word of `before`; 0: there is none.
pub(super) fn blank_end(before: &str) -> usize {
    let mut characters = before.grapheme_indices(true).rev();
    let is_blank = |(_, character): &(usize, &str)| WordKind::of(character) == WordKind::Blank;
    let word = characters.find(|character| !is_blank(character));
    let blank = word.and_then(|_| characters.find(is_blank));
    blank.map_or(0, |(at, character)| at + character.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_at_blanks_and_marks_and_characters_are_whole() {
        assert_eq!((word_start("one  two"), word_start("one  "), word_start("a, (")), (5, 0, 3));
        assert_eq!((word_end("  two-three"), word_end("->x"), word_end("")), (5, 2, 0));
        assert_eq!(
            (next_word_start("one  two"), next_word_start("  a"), next_word_start("a-b"), next_word_start("a ")),
            (5, 2, 1, 2)
        );
        assert_eq!((word_start("cd /tmp/one.txt"), word_start("don't"), word_end("don't")), (12, 4, 3));
        assert_eq!((blank_end("cd /tmp/one.txt  "), blank_end("a  "), blank_end("")), (3, 0, 0));
        // A blank with an accent is one character, and a blank.
        assert_eq!((blank_end("a \u{301}b"), blank_end("a b \u{301}")), (4, 2));
        assert_eq!((character_start("ae\u{301}"), character_end("👨‍👩‍👧b"), character_start("")), (1, 18, 0));
        // A mark with a variation selector is one character.
        assert_eq!(word_start("a*\u{fe0f}\u{20e3}"), 1);
    }
}
