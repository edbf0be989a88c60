//! Finds the positions of tokens in a text that should be, but need not be, all of them one after the other.

use std::ops::Range;

use crate::record::Token;

/// How many groups, and bytes of text, may be without a match before the next group is looked for further on.
const GROUPS: usize = 4;
const BYTES: usize = 32;

/// So many bytes in a row are where they were looked for, and so many are looked for at once.
const SURE: usize = 3;
const ANCHOR: usize = 8;

/// How often the whole rest of the text is searched, so that all takes time in proportion to the text; and how often
/// what is near is searched in vain, before a text is taken for another one.
const SEARCHES: usize = 16;
const VAIN: usize = 2000;

/// Returns which bytes of the text each token covers, from one boundary of characters to another: tokens that are parts
/// of one character share its place. Ascending; empty for what cannot be placed (a token without text, one that a stop
/// cut off, what differs from the text). Takes time in proportion to text and tokens.
pub fn token_ranges(tokens: &[Token], text: &str) -> Vec<Range<usize>> {
    let groups = groups(tokens);
    let at = Aligner::new(&groups, text).all();
    let mut ranges = Vec::with_capacity(tokens.len());
    for (group, (place, found)) in groups.iter().zip(at) {
        // Of what was not found as it is, all tokens cover what stands in its place.
        let inside = |at: usize| (place.start + at).min(place.end);
        ranges.extend(
            group.tokens.iter().map(|token| if found { inside(token.start)..inside(token.end) } else { place.clone() }),
        );
    }
    ranges
}

/// Tokens that are whole characters together, mostly one.
#[derive(Default)]
struct TokenGroup {
    /// What is no character is replaced as servers do it, by `U+FFFD`.
    text: String,
    /// The range of each token in the text.
    tokens: Vec<Range<usize>>,
}

fn groups(tokens: &[Token]) -> Vec<TokenGroup> {
    let mut groups = Vec::with_capacity(tokens.len());
    let (mut bytes, mut ends, mut whole) = (Vec::new(), Vec::new(), 0);
    for (nth, token) in tokens.iter().enumerate() {
        bytes.extend_from_slice(&token.bytes);
        ends.push(bytes.len());
        // All but a beginning of a character at the end.
        let open = loop {
            match str::from_utf8(&bytes[whole..]) {
                Ok(_) => break false,
                Err(error) => {
                    whole += error.valid_up_to();
                    match error.error_len() {
                        Some(broken) => whole += broken,
                        None => break true,
                    }
                }
            }
        };
        if !open || nth + 1 == tokens.len() {
            groups.push(TokenGroup::new(&bytes, &ends));
            bytes.clear();
            ends.clear();
            whole = 0;
        }
    }
    groups
}

impl TokenGroup {
    fn new(bytes: &[u8], ends: &[usize]) -> Self {
        let mut group = Self::default();
        let (mut at, mut ends, mut before) = (0, ends.iter().copied().peekable(), 0);
        // The ends of tokens within a piece of bytes that came to be a piece of text.
        let mut close = |group: &mut Self, to: usize, end: &dyn Fn(usize) -> usize, start: &dyn Fn(usize) -> usize| {
            while let Some(token) = ends.next_if(|token| *token <= to) {
                group.tokens.push(before..end(token));
                before = start(token);
            }
        };
        for chunk in bytes.utf8_chunks() {
            let (base, valid) = (group.text.len(), chunk.valid());
            group.text.push_str(valid);
            let from = at;
            let end = |token: usize| base + valid.ceil_char_boundary(token - from);
            let start = |token: usize| base + valid.floor_char_boundary(token - from);
            at += valid.len();
            close(&mut group, at, &end, &start);
            if !chunk.invalid().is_empty() {
                let base = group.text.len();
                group.text.push(char::REPLACEMENT_CHARACTER);
                let after = group.text.len();
                at += chunk.invalid().len();
                let last = at;
                close(&mut group, at, &|_| after, &|token| if token == last { after } else { base });
            }
        }
        close(&mut group, usize::MAX, &|_| 0, &|_| 0);
        group
    }
}

/// Finds the groups one after the other in the text.
struct Aligner<'a> {
    groups: &'a [TokenGroup],
    text: &'a str,
    /// Up to here the text is covered.
    at: usize,
    /// Searches in vain of what is near, so far.
    vain: usize,
    /// Searches of the whole rest of the text.
    far: usize,
}

impl<'a> Aligner<'a> {
    fn new(groups: &'a [TokenGroup], text: &'a str) -> Self {
        Self { groups, text, at: 0, vain: 0, far: 0 }
    }

    /// Returns the place of each group, and whether it is found as it is, at least its beginning.
    fn all(&mut self) -> Vec<(Range<usize>, bool)> {
        let mut ranges = Vec::with_capacity(self.groups.len());
        while ranges.len() < self.groups.len() {
            self.next(&mut ranges);
        }
        ranges
    }

    /// Places the next group, or several at once.
    fn next(&mut self, ranges: &mut Vec<(Range<usize>, bool)>) {
        let first = ranges.len();
        let (group, rest) = (&self.groups[first].text, &self.text[self.at..]);
        let covered = if rest.starts_with(group) {
            Some(group.len())
        } else {
            // The text ends within it.
            group.starts_with(rest).then_some(rest.len())
        };
        if let Some(covered) = covered {
            ranges.push((self.at..self.at + covered, true));
            self.at += covered;
            return;
        }
        let Some((groups, bytes)) = self.resume(first) else {
            ranges.push((self.at..self.at, false));
            return;
        };
        let skipped = self.at..self.at + bytes;
        let one = self.text[skipped.clone()].chars().count() == 1;
        let place = if groups == 1 || one { skipped.clone() } else { skipped.start..skipped.start };
        ranges.extend(std::iter::repeat_n((place, false), groups));
        self.at = skipped.end;
    }

    /// Returns after how many groups and bytes of text the two agree again, as few as possible.
    fn resume(&mut self, first: usize) -> Option<(usize, usize)> {
        if self.vain == VAIN {
            return None;
        }
        let left = self.groups.len() - first;
        let anchors: Vec<Vec<u8>> = (0..=GROUPS.min(left - 1)).map(|skip| self.anchor(first + skip)).collect();
        let rest = &self.text[self.at..];
        let near = (1..=GROUPS + BYTES).find_map(|cost| {
            (0..anchors.len().min(cost + 1)).find_map(|groups| {
                let bytes = cost - groups;
                let there = bytes <= BYTES && rest.is_char_boundary(bytes);
                (there && agree(&anchors[groups], &rest.as_bytes()[bytes..])).then_some((groups, bytes))
            })
        });
        if near.is_some() {
            return near;
        }
        self.vain += 1;
        if self.far == SEARCHES {
            return None;
        }
        self.far += 1;
        anchors.iter().enumerate().find_map(|(groups, anchor)| {
            let bytes = (anchor.len() == ANCHOR).then(|| memchr::memmem::find(rest.as_bytes(), anchor))??;
            // The first byte of a group is that of a character. Without a step there is no end.
            (groups + bytes > 0).then_some((groups, bytes))
        })
    }

    /// Returns the first bytes of the groups from here on.
    fn anchor(&self, from: usize) -> Vec<u8> {
        self.groups[from..].iter().flat_map(|group| group.text.bytes()).take(ANCHOR).collect()
    }
}

/// Returns whether a text continues as groups do.
fn agree(anchor: &[u8], rest: &[u8]) -> bool {
    let same = anchor.iter().zip(rest).take_while(|(a, b)| a == b).count();
    same >= SURE || (same > 0 && (same == anchor.len() || same == rest.len()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn token(bytes: &[u8]) -> Token {
        Token { bytes: bytes.to_owned(), ..Token::default() }
    }

    fn of(pieces: &[&str], text: &str) -> Vec<String> {
        let tokens: Vec<Token> = pieces.iter().map(|piece| token(piece.as_bytes())).collect();
        token_ranges(&tokens, text).into_iter().map(|place| text[place].to_owned()).collect()
    }

    #[test]
    fn parts_of_a_character_share_its_place() {
        let tokens = [token(b"a\xe6"), token(b"\x97"), token(b"\xa5b"), token(b"c")];
        assert_eq!(token_ranges(&tokens, "a日bc"), [0..4, 1..4, 1..5, 5..6]);
        assert_eq!(token_ranges(&[token(b"a\xe6"), token(b"\x97"), token(b" b")], "a\u{fffd} b"), [0..4, 1..4, 4..6]);
        assert_eq!(token_ranges(&[token(b"\xff"), token(b"\xfe"), token(b"x\xe6")], "��x�"), [0..3, 3..6, 6..10]);
    }

    #[test]
    fn what_differs_from_the_text_costs_the_others_nothing() {
        assert_eq!(of(&["One", " two", " three"], "One two th"), ["One", " two", " th"], "a stop");
        assert_eq!(of(&["One", " two", " three", "."], "One tw"), ["One", " tw", "", ""]);
        assert_eq!(of(&[" One", " two", " six"], "One two six"), ["One", " two", " six"], "a space less");
        assert_eq!(of(&["One", "<|end|>", " two", " six"], "One two six"), ["One", "", " two", " six"], "no text");
        assert_eq!(of(&["One", "\u{fffd}", " two", " six"], "Oneé two six"), ["One", "é", " two", " six"]);
        assert_eq!(
            of(&["a ", "\u{fffd}", "\u{fffd}", "\u{fffd}", " six"], "a 日 six"),
            ["a ", "日", "日", "日", " six"]
        );
        assert_eq!(
            of(&["One", " five", " six"], "One, and a long while after that, then five six"),
            ["One", " five", " six"]
        );
        assert_eq!(of(&["x", "y"], "ab"), ["", ""]);
        assert_eq!(of(&["x", ""], ""), ["", ""]);
    }

    #[test]
    fn a_text_of_which_nothing_fits_is_searched_so_often_and_no_more() {
        let text = "no such thing, ".repeat(500);
        for many in [3 * VAIN, 6 * VAIN] {
            let tokens: Vec<Token> = (0..many).map(|at| token(format!(" {at}").as_bytes())).collect();
            let groups = groups(&tokens);
            let mut aligner = Aligner::new(&groups, &text);
            assert!(aligner.all().iter().all(|(place, found)| place.is_empty() && !found));
            assert_eq!((aligner.vain, aligner.far), (VAIN, SEARCHES), "of {many} tokens");
        }
    }

    fn pieces(bytes: &[u8], cuts: &[usize]) -> Vec<Token> {
        let (mut tokens, mut at) = (Vec::new(), 0);
        for cut in cuts {
            let end = (at + cut).min(bytes.len());
            tokens.push(token(&bytes[at..end]));
            at = end;
        }
        tokens.push(token(&bytes[at..]));
        tokens
    }

    proptest! {
        #[test]
        fn a_text_is_covered_by_its_pieces(text in "[a-c日é🙂 ]{0,40}", cuts in prop::collection::vec(0_usize..6, 0..40)) {
            let tokens = pieces(text.as_bytes(), &cuts);
            let mut at = 0;
            for (token, place) in tokens.iter().zip(token_ranges(&tokens, &text)) {
                let end = at + token.bytes.len();
                if at == end {
                    prop_assert!(place.len() <= 4);
                } else {
                    prop_assert_eq!(place, text.floor_char_boundary(at)..text.ceil_char_boundary(end));
                }
                at = end;
            }
        }

        #[test]
        fn a_lossy_text_is_covered_too(
            bytes in prop::collection::vec(prop::sample::select(&b"ab\xe6\x97\xa5\xff\xc3\xa9"[..]), 0..40),
            cuts in prop::collection::vec(1_usize..4, 0..40),
        ) {
            let text = String::from_utf8_lossy(&bytes).into_owned();
            let mut at = 0;
            for place in token_ranges(&pieces(&bytes, &cuts), &text) {
                prop_assert!(place.start <= at && place.end >= at, "{:?} after {}", place, at);
                at = place.end;
            }
            prop_assert_eq!(at, text.len());
        }

        #[test]
        fn places_are_within_the_text_and_ascend(
            tokens in prop::collection::vec(prop::collection::vec(prop::sample::select(&b"ab \xe6\x97\xa5\xff"[..]), 0..4), 0..30),
            text in "[ab 日\u{fffd}]{0,40}",
        ) {
            let tokens: Vec<Token> = tokens.iter().map(|bytes| token(bytes)).collect();
            let ranges = token_ranges(&tokens, &text);
            prop_assert_eq!(ranges.len(), tokens.len());
            prop_assert!(ranges.iter().all(|place| text.get(place.clone()).is_some()));
            prop_assert!(ranges.is_sorted_by(|a, b| a.start <= b.start && a.end <= b.end));
        }
    }
}
