//! Replaces `NaN`, `Infinity` and the like, which Python writes, by null in a body on its way to the JSON parser.
//! Limits the length of strings and the depth of nesting.

use std::borrow::Cow;

use memchr::memchr2;

use crate::api::probe::Probe;
use crate::settings::limits;

/// Parses a body, and if that fails, once more with null in place of numbers that JSON does not have.
pub(super) fn parse_with_nan<T, E>(body: &[u8], parse: impl Fn(&[u8]) -> Result<T, E>) -> Result<T, E> {
    parse(body).or_else(|error| match without_nan(body.into()) {
        Cow::Owned(clean) => parse(&clean),
        Cow::Borrowed(_) => Err(error),
    })
}

/// Returns the bytes unchanged if they are JSON, else with null in place of numbers that JSON does not have.
pub(super) fn without_nan(bytes: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if Probe::of(&bytes).is_ok() {
        return bytes;
    }
    let (mut filter, mut filtered) = (NanFilter::default(), Vec::with_capacity(bytes.len()));
    if filter.push(&bytes, &mut filtered).is_err() {
        return bytes;
    }
    filter.finish(&mut filtered);
    Cow::Owned(filtered)
}

/// Bytes of the longest word that is examined, `-Infinity`.
const MAX_WORD_BYTES: usize = 9;

/// Filters a body that arrives in parts.
#[derive(Default)]
pub(super) struct NanFilter {
    place: ScanState,
    /// Letters and signs outside of strings that are not classified yet.
    word: Vec<u8>,
    /// Bytes of the open string.
    text: usize,
    /// Depth of open lists and objects.
    depth: usize,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum ScanState {
    #[default]
    Outside,
    /// Inside quotes.
    Text,
    /// After a backslash inside quotes.
    Escape,
}

impl NanFilter {
    /// Filters a part of a body. Fails if it is nested too deeply or has too long a string, and says which.
    pub(super) fn push(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
        while let Some(first) = bytes.first() {
            let taken = match self.place {
                ScanState::Outside => self.process_outside(*first, bytes, out)?,
                ScanState::Text => self.process_string(bytes)?,
                ScanState::Escape => {
                    self.place = ScanState::Text;
                    1
                }
            };
            let (passed, rest) = bytes.split_at(taken);
            if self.word.is_empty() {
                out.extend_from_slice(passed);
            }
            bytes = rest;
        }
        Ok(())
    }

    /// Ends the body: writes what was held back.
    pub(super) fn finish(&mut self, out: &mut Vec<u8>) {
        let word = std::mem::take(&mut self.word);
        let bare = word.strip_prefix(b"-").or(word.strip_prefix(b"+")).unwrap_or(&word);
        let is_number = [&b"nan"[..], b"inf", b"infinity"].iter().any(|name| bare.eq_ignore_ascii_case(name));
        out.extend_from_slice(if is_number { b"null" } else { &word });
    }

    /// Processes bytes outside of strings, and returns how many. Words are held back. Fails if the nesting is too deep.
    fn process_outside(&mut self, first: u8, bytes: &[u8], out: &mut Vec<u8>) -> Result<usize, String> {
        if is_word(first) && self.word.len() <= MAX_WORD_BYTES {
            self.word.push(first);
            return Ok(1);
        }
        self.finish(out);
        match first {
            b'"' => (self.place, self.text) = (ScanState::Text, 0),
            b'[' | b'{' => {
                self.depth += 1;
                if self.depth > limits::JSON_DEPTH {
                    return Err(format!("it is nested more than {} levels deep", limits::JSON_DEPTH));
                }
            }
            b']' | b'}' => self.depth = self.depth.saturating_sub(1),
            _ => {
                let plain = |byte: &u8| is_word(*byte) || matches!(byte, b'"' | b'[' | b'{' | b']' | b'}');
                return Ok(1 + bytes[1..].iter().position(plain).unwrap_or(bytes.len() - 1));
            }
        }
        Ok(1)
    }

    /// Processes bytes of a string up to its end or a backslash, and returns how many. Fails if the string is too long.
    fn process_string(&mut self, bytes: &[u8]) -> Result<usize, String> {
        let end = memchr2(b'"', b'\\', bytes);
        let taken = end.map_or(bytes.len(), |at| at + 1);
        self.text += taken;
        // Its closing quote does not count.
        if self.text - usize::from(end.is_some()) > limits::JSON_TEXT {
            return Err(format!("it contains a string of more than {} MiB", limits::JSON_TEXT >> 20));
        }
        match end.map(|at| bytes[at]) {
            Some(b'"') => self.place = ScanState::Outside,
            Some(_) => self.place = ScanState::Escape,
            None => {}
        }
        Ok(taken)
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'+')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Filters a body in parts of `piece` bytes.
    fn filtered(body: &[u8], piece: usize) -> Result<Vec<u8>, String> {
        let (mut filter, mut out) = (NanFilter::default(), Vec::new());
        for piece in body.chunks(piece) {
            filter.push(piece, &mut out)?;
        }
        filter.finish(&mut out);
        Ok(out)
    }

    #[test]
    fn words_that_are_no_json_become_null_and_nothing_else_changes() {
        for (sent, read) in [
            (r#"{"a":[1,NaN,-Infinity,Infinity, +inf ,nan,-nan]}"#, r#"{"a":[1,null,null,null, null ,null,null]}"#),
            (r#"{"NaN":"NaN, -Infinity","b":NaN}"#, r#"{"NaN":"NaN, -Infinity","b":null}"#),
            (r#"["\"NaN\\",NaN]"#, r#"["\"NaN\\",null]"#),
            (r"[true,false,null,-1.5e-7,1E+5,-0]", r"[true,false,null,-1.5e-7,1E+5,-0]"),
            ("NaN", "null"),
            ("Internal Server Error", "Internal Server Error"),
            ("Infinitypool-", "Infinitypool-"),
            ("nan-cy", "nan-cy"),
        ] {
            for piece in [1, 2, 3, 7, 1000] {
                let out = filtered(sent.as_bytes(), piece).expect("within bounds");
                assert_eq!(String::from_utf8(out).expect("text"), read, "{piece}");
            }
        }
    }

    #[test]
    fn a_text_has_a_length_and_nesting_a_depth() {
        for (over, good) in [(-1, true), (0, true), (1, false)] {
            let text = "x".repeat(limits::JSON_TEXT.saturating_add_signed(over));
            for piece in [4096, usize::MAX] {
                assert_eq!(filtered(format!("[\"{text}\",\"{}\"]", "y".repeat(100)).as_bytes(), piece).is_ok(), good);
                assert_eq!(filtered(format!("[\"{text}").as_bytes(), piece).is_ok(), good);
            }
            let depth = limits::JSON_DEPTH.saturating_add_signed(over);
            let nested = format!("{}{}[]", "[{".repeat(depth / 2), "[".repeat(depth % 2));
            assert_eq!(filtered(&nested.as_bytes()[..depth], 5).is_ok(), good, "{over:+}");
            assert!(filtered("[]{}".repeat(depth).as_bytes(), 5).is_ok(), "beside one another");
        }
    }

    proptest! {
        #[test]
        fn what_is_json_stays_as_it_is_however_it_comes(text in "[ -~\u{e9}\n]{0,40}", number: f64, piece in 1..9_usize) {
            let value = serde_json::json!({ &text: [number, text, true, null, {"-": "+"}] });
            let sent = value.to_string();
            prop_assert_eq!(filtered(sent.as_bytes(), piece).expect("small"), sent.into_bytes());
        }

        #[test]
        fn anything_passes(bytes: Vec<u8>, piece in 1..9_usize) {
            prop_assert!(filtered(&bytes, piece).is_ok());
        }
    }

    #[test]
    fn figures_that_json_does_not_have_become_null() {
        let told = |text: &str| String::from_utf8(without_nan(text.as_bytes().into()).into_owned()).unwrap();
        assert_eq!(
            told(r#"{"m":"NaN \" NaN","d":{"a":NaN,"b":-Infinity,"c":[Infinity]}}"#),
            r#"{"m":"NaN \" NaN","d":{"a":null,"b":null,"c":[null]}}"#
        );
        for same in [r#"{"m":"NaN"}"#, "{", r#"{"m":"NaN\"#, "", "[DON"] {
            assert_eq!(told(same), same);
        }
    }
}
