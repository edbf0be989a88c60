//! From text to word pieces, as the model was trained on them: WordPiece over text without case and accents.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The piece for a word that the vocabulary cannot spell.
const UNKNOWN: &str = "[UNK]";
/// Characters above which a word is unknown.
const LONGEST: usize = 100;

/// A text in pieces.
#[derive(Debug, Default)]
pub struct Pieces {
    /// Their numbers in the vocabulary.
    pub numbers: Vec<u32>,
    /// Words that the vocabulary cannot spell.
    pub unknown: Vec<String>,
}

/// The pieces and their numbers.
pub(super) struct Vocabulary(HashMap<&'static str, u32>);

impl Vocabulary {
    pub(super) fn new(lines: &'static str) -> Self {
        Self(lines.split('\n').zip(0..).collect())
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn has(&self, piece: &str) -> bool {
        self.0.contains_key(piece)
    }

    /// Returns the number of a piece; that of an unknown word if there is none.
    pub(super) fn number(&self, piece: &str) -> u32 {
        self.0.get(piece).or_else(|| self.0.get(UNKNOWN)).copied().unwrap_or_default()
    }

    /// Splits a text into pieces, without marks of its beginning and end.
    pub(super) fn pieces(&self, text: &str) -> Pieces {
        let mut pieces = Pieces::default();
        let plain: String = text.chars().filter(|c| !is_removed(*c)).nfd().filter(|c| !is_combining_mark(*c)).collect();
        let plain = plain.to_lowercase();
        let mut from = 0;
        for (at, c) in plain.char_indices() {
            if c.is_whitespace() || is_alone(c) {
                self.word(&plain[from..at], &mut pieces);
                from = at + c.len_utf8();
                if is_alone(c) {
                    self.word(&plain[at..from], &mut pieces);
                }
            }
        }
        self.word(&plain[from..], &mut pieces);
        pieces
    }

    /// Adds the longest piece that a word begins with, then the longest continuation, to its end; or the unknown piece.
    fn word(&self, word: &str, pieces: &mut Pieces) {
        let Pieces { numbers, unknown } = pieces;
        let begin = numbers.len();
        let mut rest = if word.chars().count() > LONGEST { None } else { Some(word) };
        let mut key = String::new();
        while let Some(left) = rest.filter(|left| !left.is_empty()) {
            let mut ends = left.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
            let found = ends.find_map(|end| {
                key.clear();
                key.push_str(if numbers.len() > begin { "##" } else { "" });
                key.push_str(&left[..end]);
                Some((end, *self.0.get(key.as_str())?))
            });
            rest = found.map(|(end, piece)| {
                numbers.push(piece);
                &left[end..]
            });
        }
        if rest.is_none() {
            numbers.truncate(begin);
            numbers.push(self.number(UNKNOWN));
            unknown.push(word.to_owned());
        }
    }
}

/// Returns whether a character is ignored: control and format characters, and those for private use.
fn is_removed(c: char) -> bool {
    let formats = matches!(c,
        '\u{ad}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{e000}'..='\u{f8ff}' | '\u{feff}'
        | '\u{fff9}'..='\u{fffd}' | '\u{e0001}'..='\u{e007f}' | '\u{f0000}'..);
    formats || (c.is_control() && !matches!(c, '\t' | '\n' | '\r'))
}

/// Returns whether a character is a word by itself: punctuation, and the ideographs of Chinese, Japanese and Korean.
fn is_alone(c: char) -> bool {
    c.is_ascii_punctuation() || is_ideograph(c) || is_punctuation(c)
}

fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{2a6df}'
        | '\u{2a700}'..='\u{2b73f}' | '\u{2b740}'..='\u{2b81f}' | '\u{2b920}'..='\u{2ceaf}' | '\u{2f800}'..='\u{2fa1f}')
}

/// Returns whether a character is punctuation beyond ASCII that is used with Latin, Chinese and Japanese text.
fn is_punctuation(c: char) -> bool {
    matches!(c,
        '¡' | '§' | '«' | '¶' | '·' | '»' | '¿' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{2043}'
        | '\u{2045}'..='\u{2051}' | '\u{2053}'..='\u{205e}' | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}'
        | '\u{3014}'..='\u{301f}' | '\u{30fb}' | '\u{ff01}'..='\u{ff03}' | '\u{ff05}'..='\u{ff0a}'
        | '\u{ff0c}'..='\u{ff0f}' | '\u{ff1a}' | '\u{ff1b}' | '\u{ff1f}' | '\u{ff20}' | '\u{ff3b}'..='\u{ff3d}'
        | '\u{ff3f}' | '\u{ff5b}' | '\u{ff5d}' | '\u{ff5f}'..='\u{ff65}')
}
