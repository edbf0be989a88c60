//! Exact token counts: the encodings of the interface's models. A table is loaded at its first use, which takes 0.1 s
//! or more: never on a thread that draws or serves sockets.

use std::borrow::Cow;

use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton, p50k_base_singleton, r50k_base_singleton};

/// A way to split text into tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// `cl100k_base`: the chat models, `text-embedding-ada-002` and later embedding models.
    Cl100k,
    /// `o200k_base`: gpt-4o and later models.
    O200k,
    /// `p50k_base`: text-davinci-002 and -003, the code models.
    P50k,
    /// `r50k_base`: the first models, among them the sixteen `-001` embedding models.
    R50k,
}

/// An id that the encoding has no token for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is no token of this encoding; send ids that it made")]
pub struct NoToken(pub u32);

/// Bytes that are tokenised at a time: some milliseconds of work. A run of a million blanks would exceed the regex
/// engine's step limit.
const STRETCH: usize = 1 << 16;
/// Bytes of the longest token of any encoding.
const LONGEST: usize = 128;

impl Encoding {
    /// Returns the name it was published under, as `cl100k_base`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cl100k => "cl100k_base",
            Self::O200k => "o200k_base",
            Self::P50k => "p50k_base",
            Self::R50k => "r50k_base",
        }
    }

    /// Counts the tokens of `text`. Special tokens in it count as ordinary text.
    pub fn count(self, text: &str) -> u64 {
        stretches(text).map(|part| self.table().count_ordinary(part) as u64).sum()
    }

    /// Counts the beginning of `text`, for counting a long text a little at a time: its tokens, and the rest of the
    /// text.
    pub fn count_some(self, text: &str) -> (u64, &str) {
        let (part, rest) = text.split_at(cut(text));
        (self.table().count_ordinary(part) as u64, rest)
    }

    /// Returns the least number of tokens that a text of `bytes` bytes can have.
    pub fn least(bytes: usize) -> u64 {
        bytes.div_ceil(LONGEST) as u64
    }

    /// Returns the token ids of `text`. Special tokens in it are encoded as ordinary text.
    pub fn encode(self, text: &str) -> Vec<u32> {
        stretches(text).flat_map(|part| self.table().encode_ordinary(part)).collect()
    }

    /// Returns the byte at which each of `ids` ends in the bytes they spell, in order; an end may lie inside a
    /// character. Fails at an id that the encoding does not have.
    pub fn ends(self, ids: &[u32]) -> Result<Vec<usize>, NoToken> {
        let mut end = 0;
        ids.iter()
            .map(|id| {
                end += self.token(*id)?.len();
                Ok(end)
            })
            .collect()
    }

    /// Returns the bytes of one token; fails if the encoding does not have it.
    pub fn token(self, id: u32) -> Result<Vec<u8>, NoToken> {
        self.bytes(&[id])
    }

    /// Returns the bytes of `ids`, which may end inside a character. Special tokens are spelled out. Fails at an id
    /// that the encoding does not have.
    pub fn bytes(self, ids: &[u32]) -> Result<Vec<u8>, NoToken> {
        self.table().decode_bytes(ids).map_err(|why| NoToken(why.token))
    }

    /// Returns the text of `ids`; bytes that are no whole character become `U+FFFD`. Fails at an id that the encoding
    /// does not have.
    pub fn decode(self, ids: &[u32]) -> Result<String, NoToken> {
        self.bytes(ids).map(|bytes| match String::from_utf8_lossy(&bytes) {
            Cow::Borrowed(text) => text.to_owned(),
            Cow::Owned(text) => text,
        })
    }

    fn table(self) -> &'static CoreBPE {
        match self {
            Self::Cl100k => cl100k_base_singleton(),
            Self::O200k => o200k_base_singleton(),
            Self::P50k => p50k_base_singleton(),
            Self::R50k => r50k_base_singleton(),
        }
    }
}

/// Splits `text` into parts of at most [`STRETCH`] bytes. They end before a blank between two words, where every
/// encoding splits as well; only a run without such a place is split anywhere, which may add a token.
fn stretches(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, after) = rest.split_at(cut(rest));
        rest = after;
        Some(part)
    })
}

/// Returns the byte at which the first part of `text` ends.
fn cut(text: &str) -> usize {
    if text.len() <= STRETCH {
        return text.len();
    }
    let bytes = text.as_bytes();
    let between =
        |at: &usize| bytes[*at] == b' ' && bytes[*at - 1].is_ascii_alphabetic() && bytes[*at + 1].is_ascii_alphabetic();
    (1..STRETCH).rev().find(between).unwrap_or_else(|| text.floor_char_boundary(STRETCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Encoding; 4] = [Encoding::Cl100k, Encoding::O200k, Encoding::P50k, Encoding::R50k];

    #[test]
    fn counts_are_the_encodings_own() {
        // The examples that the authors of the encodings published.
        for (text, cl100k, r50k) in
            [("", 0, 0), ("antidisestablishmentarianism", 6, 5), ("2 + 2 = 4", 7, 5), ("hello world", 2, 2)]
        {
            assert_eq!((Encoding::Cl100k.count(text), Encoding::R50k.count(text)), (cl100k, r50k), "{text:?}");
        }
    }

    #[test]
    fn ids_and_text_go_both_ways() {
        for encoding in ALL {
            let text = "Größe: 3 €, naïve 🎈 lines\n\n\tend";
            let ids = encoding.encode(text);
            assert_eq!(encoding.decode(&ids).as_deref(), Ok(text));
            assert_eq!(ids.len() as u64, encoding.count(text));
            let ends = encoding.ends(&ids).unwrap();
            let starts = std::iter::once(0).chain(ends.iter().copied());
            let pieces: Vec<&[u8]> = starts.zip(&ends).map(|(start, end)| &text.as_bytes()[start..*end]).collect();
            let spelt: Vec<Vec<u8>> = ids.iter().map(|id| encoding.token(*id).unwrap()).collect();
            assert_eq!(pieces, spelt, "{}", encoding.name());
        }
        assert_eq!(Encoding::R50k.decode(&[31373, 995]).as_deref(), Ok("hello world"));
        assert_eq!(Encoding::R50k.decode(&[50_257]), Err(NoToken(50_257)));
        assert_eq!(Encoding::Cl100k.decode(&[15339, 100_256]), Err(NoToken(100_256)));
    }

    #[test]
    fn long_texts_are_cut_where_the_encodings_cut() {
        let text = "Some words, then more of them. ".repeat(20_000);
        let (mut counted, mut rest) = (0, text.as_str());
        while !rest.is_empty() {
            let (some, after) = Encoding::Cl100k.count_some(rest);
            (counted, rest) = (counted + some, after);
        }
        assert_eq!(counted, Encoding::Cl100k.count(&text));
        assert!(stretches(&text).count() > 2);
        for encoding in ALL {
            assert_eq!(encoding.count(&text), encoding.table().encode_ordinary(&text).len() as u64);
        }
        for encoding in ALL {
            assert!(encoding.count(&" ".repeat(2_000_000)) > 10_000, "a run of blanks ends");
        }
    }

    #[test]
    fn no_token_is_longer_than_the_longest() {
        for (encoding, ids) in [
            (Encoding::Cl100k, 100_256),
            (Encoding::O200k, 199_998),
            (Encoding::P50k, 50_281),
            (Encoding::R50k, 50_256),
        ] {
            let longest = (0..ids).filter_map(|id| encoding.token(id).ok()).map(|bytes| bytes.len()).max();
            assert!(longest.is_some_and(|longest| longest <= LONGEST), "{}: {longest:?}", encoding.name());
        }
        assert_eq!([0, 1, 128, 129].map(Encoding::least), [0, 1, 1, 2]);
    }

    #[test]
    fn no_text_is_too_odd() {
        for piece in
            ["\n", "\t ", " \n", "\r\n\n", "!", "a", "aB", "é", "日", "\u{301}", "🎈", "\u{3000}", "1", "'", "\0"]
        {
            let text = piece.repeat(40_000 / piece.len());
            for encoding in ALL {
                let ids = encoding.encode(&text);
                let ends = encoding.ends(&ids).unwrap();
                assert_eq!(ends.last(), Some(&text.len()), "{piece:?} {}", encoding.name());
            }
        }
    }
}
