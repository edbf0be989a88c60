//! Tokens and their log-probabilities in the two forms of the interface: columns for completions, entries for chat.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::api::completion::{LogprobColumns, LogprobEntry, LogprobOther, Logprobs};
use crate::engine::language::{Placed, Scored, spelling};

/// Returns the form of completions; `most`, the number of alternatives asked for, may be 0.
pub(super) fn columns(tokens: &[Placed<Scored>], most: usize) -> Logprobs {
    let names: Vec<String> = tokens.iter().map(|token| name(&token.bytes)).collect();
    let top = tokens.iter().zip(&names).map(|(Placed { token, .. }, name)| {
        let logprob = f64::from(token.logprob?);
        let named = |(id, logprob): &(u32, f32)| (self::name(&spelling::bytes(*id)), f64::from(*logprob));
        let mut top: BTreeMap<String, f64> = token.top.iter().map(named).collect();
        // The token itself is always among them. One that a stop sequence cut short may have the same text as another:
        // its own probability counts.
        top.insert(name.clone(), logprob);
        Some(top)
    });
    Logprobs::Columns(LogprobColumns {
        top_logprobs: (most > 0).then(|| top.collect()),
        token_logprobs: tokens.iter().map(|token| token.token.logprob.map(f64::from)).collect(),
        text_offset: tokens.iter().map(|token| token.offset).collect(),
        tokens: names,
    })
}

/// Returns the form of chat.
pub(super) fn entries(tokens: &[Placed<Scored>]) -> Logprobs {
    let entry = |Placed { bytes, token, .. }: &Placed<Scored>| LogprobEntry {
        token: escaped(bytes),
        logprob: token.logprob.map(f64::from),
        bytes: bytes.clone(),
        top_logprobs: token.top.iter().map(|(id, logprob)| alternative(*id, *logprob)).collect(),
    };
    Logprobs::Entries { content: tokens.iter().map(entry).collect() }
}

fn alternative(id: u32, logprob: f32) -> LogprobOther {
    let bytes = spelling::bytes(id);
    LogprobOther { token: Some(escaped(&bytes)), logprob: Some(f64::from(logprob)), bytes }
}

/// Returns a token as text; a part of a character as in the interface of 2023: `bytes:\xe6\x97`.
fn name(bytes: &[u8]) -> String {
    match str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => format!("bytes:{}", escaped(bytes)),
    }
}

/// Returns a token as text, or its bytes if it is none: visible ones as they are, others as `\xe6`.
fn escaped(bytes: &[u8]) -> String {
    if let Ok(text) = str::from_utf8(bytes) {
        return text.to_owned();
    }
    let mut out = String::new();
    for byte in bytes {
        match byte {
            b' '..=b'~' if *byte != b'\\' => out.push(char::from(*byte)),
            byte => {
                let _ = write!(out, "\\x{byte:02x}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_characters_are_written_as_bytes() {
        assert_eq!(name(" déjà".as_bytes()), " déjà");
        assert_eq!(name(b"\xe6\x97"), "bytes:\\xe6\\x97");
        assert_eq!(name(b" \xe2\x80"), "bytes: \\xe2\\x80");
        assert_eq!(escaped(b"\\\xff"), "\\x5c\\xff");
    }

    #[test]
    fn the_token_itself_is_among_the_alternatives() {
        let token = Scored { token: 995, logprob: Some(-3.0), top: vec![(11, -0.5), (50_256, -1.0)] };
        let first = Scored { token: 15_496, logprob: None, top: Vec::new() };
        let placed = [(first, 0, "Hello"), (token, 5, " world")].map(|(token, offset, text)| Placed {
            bytes: text.into(),
            offset,
            token,
        });
        let Logprobs::Columns(columns) = columns(&placed, 2) else { panic!("columns") };
        assert_eq!((columns.tokens, columns.text_offset), (vec!["Hello".into(), " world".into()], vec![0, 5]));
        assert_eq!(columns.token_logprobs, [None, Some(-3.0)]);
        let top = columns.top_logprobs.expect("asked for");
        assert_eq!(top[0], None);
        let names: Vec<&str> = top[1].iter().flatten().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, [" world", ",", "<|endoftext|>"]);
        let Logprobs::Columns(columns) = super::columns(&placed, 0) else { panic!("columns") };
        assert_eq!(columns.top_logprobs, None);
    }

    #[test]
    fn a_token_cut_by_a_stop_keeps_its_own_figure() {
        // 11 is `,`: the rest of the token that was written has the same text.
        let token = Scored { token: 995, logprob: Some(-3.0), top: vec![(11, -0.5), (50_256, -1.0)] };
        let Logprobs::Columns(columns) = columns(&[Placed { bytes: b",".into(), offset: 0, token }], 2) else {
            panic!("columns")
        };
        let top = columns.top_logprobs.expect("asked for");
        assert_eq!(top[0].as_ref().and_then(|top| top.get(",")), Some(&-3.0));
    }
}
