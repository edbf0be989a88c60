//! Tokens as they are stored: JSON, `[["the","-0.25",[["the","-0.25"],["a","-2.5"]]], …]`.
//!
//! Bytes that are text are a string, others a list of numbers. Logarithms are strings in their shortest form, because a
//! number read from JSON may come back off by its last bit, and because JSON has no infinity.

use std::borrow::Cow;
use std::str::FromStr;

use serde::de::{Deserializer, Error as _};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::record::{Alternative, Token};

#[derive(Serialize, Deserialize)]
struct Row<'a>(#[serde(borrow)] Bytes<'a>, Option<Log>, #[serde(borrow)] Vec<(Bytes<'a>, Log)>);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Bytes<'a> {
    Text(Cow<'a, str>),
    Numbers(Cow<'a, [u8]>),
}

struct Log(f64);

/// Encodes tokens as text. Fails if JSON cannot be written.
pub(super) fn encode(tokens: &[Token]) -> serde_json::Result<String> {
    serde_json::to_string(&tokens.iter().map(Row::from).collect::<Vec<_>>())
}

/// Decodes what [`encode`] returned; fails for anything else.
pub(super) fn decode(text: &str) -> serde_json::Result<Vec<Token>> {
    let rows: Vec<Row> = serde_json::from_str(text)?;
    Ok(rows.into_iter().map(Token::from).collect())
}

impl<'a> From<&'a Token> for Row<'a> {
    fn from(token: &'a Token) -> Self {
        let top = token.top.iter().map(|other| (Bytes::from(&*other.bytes), Log(other.logprob)));
        Self(Bytes::from(&*token.bytes), token.logprob.map(Log), top.collect())
    }
}

impl From<Row<'_>> for Token {
    fn from(Row(bytes, logprob, top): Row) -> Self {
        let top = top.into_iter().map(|(bytes, log)| Alternative { bytes: bytes.into(), logprob: log.0 });
        Self { bytes: bytes.into(), logprob: logprob.map(|log| log.0), top: top.collect() }
    }
}

impl<'a> From<&'a [u8]> for Bytes<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        std::str::from_utf8(bytes).map_or(Self::Numbers(bytes.into()), |text| Self::Text(text.into()))
    }
}

impl From<Bytes<'_>> for Vec<u8> {
    fn from(bytes: Bytes) -> Self {
        match bytes {
            Bytes::Text(text) => text.into_owned().into_bytes(),
            Bytes::Numbers(numbers) => numbers.into_owned(),
        }
    }
}

impl Serialize for Log {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // `{:?}` and not `{}`, which writes tiny numbers as hundreds of zeros.
        serializer.collect_str(&format_args!("{:?}", self.0))
    }
}

impl<'de> Deserialize<'de> for Log {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<str>::deserialize(deserializer)?;
        f64::from_str(&text).map(Self).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(bytes: &[u8], logprob: Option<f64>, top: &[(&[u8], f64)]) -> Token {
        let top = top.iter().map(|(bytes, logprob)| Alternative { bytes: bytes.to_vec(), logprob: *logprob }).collect();
        Token { bytes: bytes.to_vec(), logprob, top }
    }

    #[test]
    fn tokens_come_back_as_they_were_to_the_last_bit() {
        let odd = [0.1 + 0.2, -0.0, -1e-300, f64::MIN_POSITIVE, f64::MAX, f64::NEG_INFINITY, -17.123_456_789_012_345];
        let mut tokens = vec![
            token(b"a\"\0\\\n", Some(-0.25), &[(b"a", -0.25), (b"\xe2\x98", -2.5)]),
            token(b"\xff\x00", None, &[]),
            token("世\u{202e}".as_bytes(), Some(0.0), &[(b"", -3.0)]),
            token(b"", None, &[]),
        ];
        tokens.extend(odd.iter().map(|n| token(b"x", Some(*n), &[(b"y", *n)])));
        // Numbers with all their digits, many of which JSON's own parser gets wrong.
        let mut bits = 0x1234_5678_9abc_def1_u64;
        for _ in 0..2000 {
            bits = bits.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            tokens.push(token(b"z", Some(-((bits >> 11) as f64) / (1_u64 << 49) as f64), &[]));
        }
        let back = decode(&encode(&tokens).unwrap()).unwrap();
        assert_eq!(back, tokens);
        let exact = |tokens: &[Token]| tokens.iter().map(|t| t.logprob.map(f64::to_bits)).collect::<Vec<_>>();
        assert_eq!(exact(&back), exact(&tokens));
    }

    #[test]
    fn a_token_is_kept_in_few_readable_bytes() {
        let tokens = [token(b" the", Some(-0.25), &[(b" the", -0.25), (b"\xe2\x98", -2.5)]), token(b"x", None, &[])];
        assert_eq!(
            encode(&tokens).unwrap(),
            r#"[[" the","-0.25",[[" the","-0.25"],[[226,152],"-2.5"]]],["x",null,[]]]"#
        );
        assert!(decode("[[1,2]]").is_err() && decode("").is_err() && decode(r#"[["x","low",[]]]"#).is_err());
    }
}
