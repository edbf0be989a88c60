//! JSON values one after another, in a list or not, separated without parsing: one in memory at a time.
//!
//! Commas, and the brackets of the list around them all, are skipped at any position: the values become lines anyway.
//! Whether a value is valid is checked by its reader.

use std::io::{self, BufRead};

use super::raw_record::RawRecord;
use crate::dataset::texts::rows::RowOutcome;

/// The values of a reader.
#[derive(Debug)]
pub(super) struct Values<R> {
    reader: R,
    /// Bytes of a value at most.
    most: usize,
    buffer: Vec<u8>,
    read: u64,
    line: u64,
    column: u64,
}

/// The position of a byte within a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Before the value.
    Before,
    /// Inside brackets and braces, at this depth.
    Deep(u32),
    /// Inside a string, at this depth; whether after a backslash.
    Text(u32, bool),
    /// Inside a number or a word.
    Bare,
}

impl<R: BufRead> Values<R> {
    pub(super) fn new(reader: R, most: usize) -> Self {
        Self { reader, most, buffer: Vec::new(), read: 0, line: 1, column: 1 }
    }

    pub(super) fn read(&self) -> u64 {
        self.read
    }

    /// Returns the next value; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<RawRecord<'_>>> {
        self.buffer.clear();
        let mut at = At::Before;
        let (mut begins, mut line, mut column) = (self.read, self.line, self.column);
        let (mut long, mut open) = (false, false);
        'all: loop {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                Err(why) => return Err(why),
            };
            if chunk.is_empty() {
                if at == At::Before {
                    return Ok(None);
                }
                open = at != At::Bare;
                break;
            }
            let mut passed = 0;
            for byte in chunk {
                if at == At::Bare && matches!(byte, b',' | b']' | b'[' | b'{' | b'}' | b' ' | b'\t' | b'\n' | b'\r') {
                    self.reader.consume(passed);
                    break 'all;
                }
                if at == At::Before && !matches!(byte, b',' | b'[' | b']' | b' ' | b'\t' | b'\n' | b'\r') {
                    (begins, line, column) = (self.read, self.line, self.column);
                    at = match byte {
                        b'{' => At::Deep(0),
                        b'"' => At::Text(0, true),
                        _ => At::Bare,
                    };
                }
                passed += 1;
                self.read += 1;
                if *byte == b'\n' {
                    (self.line, self.column) = (self.line + 1, 1);
                } else if *byte & 0xc0 != 0x80 {
                    self.column += 1;
                }
                if at == At::Before {
                    continue;
                }
                if self.buffer.len() < self.most {
                    self.buffer.push(*byte);
                } else {
                    long = true;
                }
                at = match (at, byte) {
                    // The first quote of a text that is a value by itself opens it, as if it followed a backslash.
                    (At::Text(deep, true), _) | (At::Deep(deep), b'"') => At::Text(deep, false),
                    (At::Text(deep, false), b'\\') => At::Text(deep, true),
                    (At::Text(0, false), b'"') | (At::Deep(0 | 1), b'}' | b']') => {
                        // The end of the list does not end an object.
                        open = *byte == b']' && self.buffer.starts_with(b"{");
                        self.reader.consume(passed);
                        break 'all;
                    }
                    (At::Text(deep, false), b'"') => At::Deep(deep),
                    (At::Deep(deep), b'{' | b'[') => At::Deep(deep + 1),
                    (At::Deep(deep), b'}' | b']') => At::Deep(deep - 1),
                    (at, _) => at,
                };
            }
            self.reader.consume(passed);
        }
        // If only the last value is cut off, its parser reports it.
        let form = match open {
            true if long || others(&self.buffer) => RowOutcome::Unclosed,
            _ if long => RowOutcome::Long,
            _ => RowOutcome::Whole,
        };
        Ok(Some(RawRecord { line, column, at: begins, bytes: &self.buffer, form }))
    }
}

/// Returns whether further objects seem to begin within the text of one: lines that begin with a brace.
fn others(value: &[u8]) -> bool {
    let ends = memchr::memchr_iter(b'\n', value);
    ends.map(|end| &value[end + 1..]).any(|rest| rest.trim_ascii_start().starts_with(b"{"))
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    fn parted(text: &str) -> Vec<(u64, u64, u64, String)> {
        let mut values = Values::new(BufReader::with_capacity(3, text.as_bytes()), 40);
        let mut all = Vec::new();
        while let Some(piece) = values.next().unwrap() {
            let text = String::from_utf8(piece.bytes.to_vec()).unwrap();
            all.push((piece.line, piece.column, piece.at, text));
        }
        all
    }

    #[test]
    fn values_are_parted_with_their_places() {
        let text = "[\n  {\"a\": \"}\\\"é\"}, {\"b\":[1,{}]}\n, 5,\"x\\\\\" ,null]\n";
        let found = parted(text);
        let expected = [
            (2, 3, 4, "{\"a\": \"}\\\"é\"}"),
            (2, 18, 20, "{\"b\":[1,{}]}"),
            (3, 3, 35, "5"),
            (3, 5, 37, "\"x\\\\\""),
            (3, 12, 44, "null"),
        ];
        let expected: Vec<_> = expected.iter().map(|(l, c, a, t)| (*l, *c, *a, (*t).to_owned())).collect();
        assert_eq!(found, expected);
        for (_, _, at, piece) in found {
            assert!(text[at as usize..].starts_with(&piece));
        }
        assert_eq!(parted("{\"a\":1}\n{\"b\":\n2}{}").len(), 3);
        assert_eq!(parted("[ ]").len(), 0);
        assert_eq!(parted("[{\"a\":1},{\"b").last().unwrap().3, "{\"b");
        assert_eq!(parted(&format!("[\"{}\",1]", "x".repeat(99))).len(), 2);
    }
}
