//! The position of each token in the text that is shown, in characters, and which tokens remain of a text that was cut.

use std::collections::VecDeque;

/// A token with its position.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed<T> {
    /// Its bytes, as far as the text goes; may be a part of a character.
    pub bytes: Vec<u8>,
    /// The character at which it begins or of which it is a part, counted from 0.
    pub offset: u64,
    /// Its id, log-probability and alternatives.
    pub token: T,
}

/// A token whose text is not yet shown.
#[derive(Clone, Debug)]
struct Due<T> {
    placed: Placed<T>,
    /// Its first bytes, if they belong to a character begun before it.
    lead: usize,
    /// The character after it.
    end: u64,
}

/// Releases text and its tokens together: no token before its text, no text before its token.
#[derive(Clone, Debug)]
pub struct Placing<T> {
    /// Complete characters of the tokens added so far.
    whole: u64,
    /// Bytes of the incomplete character.
    open: Vec<u8>,
    due: VecDeque<Due<T>>,
    /// Text whose tokens are not released yet.
    text: String,
    /// Characters released.
    shown: u64,
}

impl<T> Placing<T> {
    /// Starts a text whose first character has this number.
    pub fn new(begin: u64) -> Self {
        Self { whole: begin, open: Vec::new(), due: VecDeque::new(), text: String::new(), shown: begin }
    }

    /// Adds a token.
    pub fn push(&mut self, bytes: Vec<u8>, token: T) {
        let lead = self.lead(&bytes);
        if lead == 0 && !self.open.is_empty() {
            // Incomplete bytes that can never become a character are shown as one U+FFFD.
            self.whole += 1;
            self.open.clear();
        }
        let offset = self.whole;
        self.open.extend_from_slice(&bytes);
        let whole = std::mem::take(&mut self.open);
        let mut chunks = whole.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            self.whole += chunk.valid().chars().count() as u64;
            match chunk.invalid() {
                [] => {}
                begun if chunks.peek().is_none() && unfinished(begun) => self.open = begun.to_vec(),
                _ => self.whole += 1,
            }
        }
        let end = self.whole + u64::from(!self.open.is_empty());
        self.due.push_back(Due { placed: Placed { bytes, offset, token }, lead, end });
    }

    /// Returns how many of the bytes continue the incomplete character.
    fn lead(&self, bytes: &[u8]) -> usize {
        let mut open = self.open.clone();
        if open.is_empty() {
            return 0;
        }
        for (at, byte) in bytes.iter().enumerate() {
            open.push(*byte);
            match std::str::from_utf8(&open) {
                Ok(_) => return at + 1,
                Err(_) if unfinished(&open) => {}
                Err(_) => return at,
            }
        }
        bytes.len()
    }

    /// Adds text that may be shown, and returns what is complete: text, and the tokens that make it up.
    pub fn show(&mut self, text: &str) -> (String, Vec<Placed<T>>) {
        self.text.push_str(text);
        let known = self.shown + self.text.chars().count() as u64;
        let complete = self.due.iter().take_while(|due| due.end <= known).count();
        let tokens: Vec<Due<T>> = self.due.drain(..complete).collect();
        let until = tokens.last().map_or(self.shown, |due| due.end.max(self.shown));
        let bytes = self.text.char_indices().nth((until - self.shown) as usize).map_or(self.text.len(), |(at, _)| at);
        self.shown = until;
        let rest = self.text.split_off(bytes);
        (std::mem::replace(&mut self.text, rest), tokens.into_iter().map(|due| due.placed).collect())
    }

    /// Ends the text with what was added: returns the rest. Tokens past its end are dropped, and so are the bytes of a
    /// token past it.
    pub fn end(&mut self) -> (String, Vec<Placed<T>>) {
        let end = self.shown + self.text.chars().count() as u64;
        let tokens = self.due.drain(..).filter(|due| due.placed.offset < end).map(|mut due| {
            if due.end > end {
                let keep = due.keep((end - due.placed.offset) as usize);
                due.placed.bytes.truncate(keep);
            }
            due.placed
        });
        let tokens = tokens.collect();
        (self.shown, self.whole) = (end, end);
        self.open.clear();
        (std::mem::take(&mut self.text), tokens)
    }
}

impl<T> Due<T> {
    /// Returns how many of the token's bytes make up its first `most` characters, at least one.
    fn keep(&self, most: usize) -> usize {
        let mut left = most - usize::from(self.lead > 0);
        let mut keep = self.lead;
        for chunk in self.placed.bytes[self.lead..].utf8_chunks() {
            let whole = chunk.valid().chars().map(char::len_utf8);
            for bytes in whole.chain((!chunk.invalid().is_empty()).then_some(chunk.invalid().len())) {
                if left == 0 {
                    return keep;
                }
                keep += bytes;
                left -= 1;
            }
        }
        keep
    }
}

/// Returns whether bytes are an incomplete beginning of a character.
fn unfinished(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|why| why.valid_up_to() == 0 && why.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::engine::language::{StopBuffer, Utf8Buffer};

    /// Generates bytes that are mostly characters, with some invalid ones.
    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        let part = prop_oneof![
            4 => "[a-c日é🙂 ]{0,4}".prop_map(String::into_bytes),
            1 => prop::collection::vec(any::<u8>(), 0..3),
        ];
        prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn tokens_make_the_text_and_stand_where_they_say(
            bytes in bytes(),
            sizes in prop::collection::vec(1_usize..6, 60),
            stop in prop::option::of("[a-c日é🙂 ]{1,2}"),
            begin in 0_u64..9,
        ) {
            let (mut characters, mut stops) = (Utf8Buffer::default(), StopBuffer::new(&Vec::from_iter(stop.clone())));
            let mut placing = Placing::new(begin);
            let (mut text, mut tokens) = (String::new(), Vec::new());
            let mut take = |(more, placed): (String, Vec<Placed<()>>)| {
                text.push_str(&more);
                tokens.extend(placed);
            };
            let mut rest = bytes.as_slice();
            for size in sizes {
                let (token, behind) = rest.split_at(size.min(rest.len()));
                if token.is_empty() || stops.hit() {
                    break;
                }
                placing.push(token.to_vec(), ());
                take(placing.show(&stops.push(&characters.push(token))));
                rest = behind;
            }
            let mut last = stops.push(&characters.rest());
            last.push_str(&stops.rest());
            take(placing.show(&last));
            take(placing.end());

            let read = bytes[..bytes.len() - rest.len()].to_vec();
            let whole = String::from_utf8_lossy(&read);
            let cut = stop.and_then(|stop| whole.find(&stop)).unwrap_or(whole.len());
            prop_assert_eq!(&text, &whole[..cut]);
            let joined: Vec<u8> = tokens.iter().flat_map(|token| token.bytes.clone()).collect();
            prop_assert_eq!(String::from_utf8_lossy(&joined), text.as_str());
            let mut before = Vec::new();
            for token in tokens {
                // With the token's first byte added, the text must have no more characters than the token's position
                // says.
                before.push(token.bytes[0]);
                let characters = String::from_utf8_lossy(&before).chars().count() as u64;
                prop_assert_eq!(token.offset, begin + characters - 1);
                before.extend(&token.bytes[1..]);
            }
        }
    }
}
