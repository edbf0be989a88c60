//! Where tokens stand in a text that should be, but need not be, all of them one after the other.

use std::ops::Range;

use crate::record::Token;

/// How many tokens, and bytes of text, may be without a match before the next one is looked for further on.
const TOKENS: usize = 4;
const BYTES: usize = 32;

/// So many bytes in a row are where they were looked for, and so many are looked for at once.
const SURE: usize = 3;
const ANCHOR: usize = 8;

/// How often the whole rest of the text is searched, so that all takes time in proportion to the text.
const SEARCHES: usize = 16;

/// Which bytes of the text each token covers, from one boundary of characters to another: tokens that are parts of one
/// character share its place. Ascending; empty for what cannot be placed (a token without text, one that a stop cut off,
/// what differs from the text). Takes time in proportion to text and tokens.
pub fn places(tokens: &[Token], text: &str) -> Vec<Range<usize>> {
    let mut placing = Placing { tokens, text: text.as_bytes(), at: 0, searches: 0 };
    let mut places = Vec::with_capacity(tokens.len());
    while places.len() < tokens.len() {
        placing.next(&mut places);
    }
    for place in &mut places {
        if place.start < place.end {
            *place = text.floor_char_boundary(place.start)..text.ceil_char_boundary(place.end);
        } else {
            let at = text.floor_char_boundary(place.start);
            *place = at..at;
        }
    }
    places
}

struct Placing<'a> {
    tokens: &'a [Token],
    text: &'a [u8],
    /// Up to here the text is covered.
    at: usize,
    searches: usize,
}

impl Placing<'_> {
    /// Places the next token, or several at once.
    fn next(&mut self, places: &mut Vec<Range<usize>>) {
        let first = places.len();
        let (bytes, rest) = (&self.tokens[first].bytes, &self.text[self.at..]);
        let covered = if rest.starts_with(bytes) {
            Some(bytes.len())
        } else {
            // The text ends within it.
            bytes.starts_with(rest).then_some(rest.len())
        };
        if let Some(covered) = covered {
            places.push(self.at..self.at + covered);
            self.at += covered;
            return;
        }
        let Some((tokens, bytes)) = self.resume(first) else {
            places.push(self.at..self.at);
            return;
        };
        let skipped = self.at..self.at + bytes;
        let one = str::from_utf8(&self.text[skipped.clone()]).is_ok_and(|text| text.chars().count() == 1);
        let place = if tokens == 1 || one { skipped.clone() } else { skipped.start..skipped.start };
        places.extend(std::iter::repeat_n(place, tokens));
        self.at = skipped.end;
        if tokens == 0 {
            self.next(places);
        }
    }

    /// After how many tokens and bytes of text the two agree again, as few as possible.
    fn resume(&mut self, first: usize) -> Option<(usize, usize)> {
        let left = self.tokens.len() - first;
        let anchors: Vec<Vec<u8>> = (0..=TOKENS.min(left - 1)).map(|skip| self.anchor(first + skip)).collect();
        let rest = &self.text[self.at..];
        let near = (1..=TOKENS + BYTES).find_map(|cost| {
            (0..anchors.len().min(cost + 1)).find_map(|tokens| {
                let bytes = cost - tokens;
                (bytes <= BYTES && agree(&anchors[tokens], rest.get(bytes..)?)).then_some((tokens, bytes))
            })
        });
        if near.is_some() || self.searches == SEARCHES {
            return near;
        }
        self.searches += 1;
        let far = |(tokens, anchor): (usize, &Vec<u8>)| {
            (anchor.len() >= ANCHOR).then(|| Some((tokens, memchr::memmem::find(rest, anchor)?)))?
        };
        anchors.iter().enumerate().find_map(far)
    }

    /// The first bytes of the tokens from here on.
    fn anchor(&self, from: usize) -> Vec<u8> {
        self.tokens[from..].iter().flat_map(|token| token.bytes.iter().copied()).take(ANCHOR).collect()
    }
}

/// Whether a text goes on as tokens do.
fn agree(anchor: &[u8], rest: &[u8]) -> bool {
    let same = anchor.iter().zip(rest).take_while(|(a, b)| a == b).count();
    same >= SURE || (same > 0 && (same == anchor.len() || same == rest.len()))
}
