//! Splits JSON into its tokens, without checking that it is JSON: signs, strings, and words such as numbers.

use std::ops::Range;

/// The tokens of a text, each as its position. Blanks are skipped.
#[derive(Clone, Debug)]
pub(crate) struct JsonTokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> JsonTokens<'a> {
    /// Begins at a byte of the text.
    pub(crate) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    /// Returns the first byte of the next token; `None` at the end.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let blanks = rest.iter().take_while(|byte| is_blank(**byte)).count();
        self.at += blanks;
        rest.get(blanks).copied()
    }

    /// Skips the next token if it is this sign. Returns whether it does.
    pub(crate) fn skip_sign(&mut self, sign: u8) -> bool {
        self.peek() == Some(sign) && self.next().is_some()
    }

    /// Returns the position of the next value: a token, or all tokens of a container. It is empty before a sign that
    /// begins no value, and at the end.
    pub(crate) fn value(&mut self) -> Range<usize> {
        let is_none = self.peek().is_none_or(|first| matches!(first, b'}' | b']' | b',' | b':'));
        let (begin, mut end, mut depth) = (self.at, self.at, 0_usize);
        if is_none {
            return begin..begin;
        }
        while let Some(token) = self.next() {
            end = token.end;
            match self.text.as_bytes()[token.start] {
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        begin..end
    }
}

impl Iterator for JsonTokens<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let first = self.peek()?;
        let (bytes, begin) = (self.text.as_bytes(), self.at);
        self.at = match first {
            b'"' => string_end(bytes, begin),
            _ if is_sign(first) => begin + 1,
            _ => begin + bytes[begin..].iter().take_while(|byte| !ends_word(**byte)).count(),
        };
        Some(begin..self.at)
    }
}

/// Returns where the string that begins at a quote ends.
fn string_end(bytes: &[u8], begin: usize) -> usize {
    let mut at = begin + 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found + 1;
        if bytes[at - 1] == b'"' {
            return at;
        }
        at += 1;
    }
    bytes.len()
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_sign(byte: u8) -> bool {
    matches!(byte, b'{' | b'}' | b'[' | b']' | b',' | b':')
}

fn ends_word(byte: u8) -> bool {
    is_blank(byte) || is_sign(byte) || byte == b'"'
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn signs_strings_and_words_are_tokens() {
        let text = " {\"a\\\\\":[-1.5e3,true , \"\\\"}é\"]}\n";
        let tokens: Vec<&str> = JsonTokens::new(text, 0).map(|token| &text[token]).collect();
        assert_eq!(tokens, ["{", "\"a\\\\\"", ":", "[", "-1.5e3", ",", "true", ",", "\"\\\"}é\"", "]", "}"]);
        let mut rest = JsonTokens::new(text, 8);
        assert_eq!(&text[rest.value()], "[-1.5e3,true , \"\\\"}é\"]");
        assert!(rest.value().is_empty() && rest.skip_sign(b'}') && !rest.skip_sign(b'}') && rest.value().is_empty());
    }

    proptest! {
        #[test]
        fn every_text_is_split_at_characters(text in "[\\[\\]{}\",:a\\\\ é1]{0,40}") {
            let joined: String = JsonTokens::new(&text, 0).map(|token| &text[token]).collect();
            let blanks = |text: &str| text.chars().filter(|c| *c == ' ').count();
            prop_assert_eq!(joined.len() + blanks(&text) - blanks(&joined), text.len());
            let mut tokens = JsonTokens::new(&text, 0);
            let _ = &text[tokens.value()];
        }
    }
}
