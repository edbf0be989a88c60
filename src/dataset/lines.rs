//! JSON Lines in bounded memory: one line at a time, with its number.

use std::fmt;
use std::io::{BufRead, ErrorKind, Read as _};

use serde::de::{Deserializer as _, IgnoredAny, MapAccess, Visitor};

use super::problem::{Fault, Problem};

/// Characters of a line that a [`Fault::NotObject`] repeats.
const START: usize = 10;
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// How much of a file is read before it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineLimits {
    /// Bytes of a line without its end: what is held in memory at once.
    pub line: usize,
    /// Rows of the file.
    pub rows: usize,
    /// Bytes of the file.
    pub bytes: u64,
}

impl Default for LineLimits {
    /// Returns the default limits: lines of 8 MiB, far above the longest context, and 1 GiB, as much as an organisation
    /// may store.
    fn default() -> Self {
        Self { line: 8 << 20, rows: usize::MAX, bytes: 1 << 30 }
    }
}

/// Checks that every line is a JSON object; returns the number of rows, at least one, or the first fault. A byte order
/// mark at the start, either line end and empty lines at the end are accepted; empty lines before others are not.
pub fn check(reader: impl BufRead, limits: LineLimits) -> Result<usize, Problem> {
    let mut lines = Lines::new(reader, limits);
    while let Some(line) = lines.next_line()? {
        object(line.text).map_err(|(column, fault)| Problem::at(line.number, column, fault))?;
    }
    Ok(lines.rows)
}

/// Checks that a line is one JSON object and nothing else, without building it in memory.
fn object(text: &str) -> Result<(), (usize, Fault)> {
    let mut json = serde_json::Deserializer::from_str(text);
    json.deserialize_any(LineObject).and_then(|()| json.end()).map_err(|why| not_object(text, &why))
}

/// Returns the fault of a line that the JSON parser refused, with its column.
pub(super) fn not_object(text: &str, why: &serde_json::Error) -> (usize, Fault) {
    let fault = Fault::NotObject { start: text.chars().take(START).collect(), why: why.to_string() };
    // For valid JSON of another type the parser's position is after its beginning.
    let begins = text.chars().take_while(|c| c.is_whitespace()).count() + 1;
    (if why.is_data() { begins } else { column(text, why) }, fault)
}

/// Returns the parser's position in characters.
pub(super) fn column(text: &str, why: &serde_json::Error) -> usize {
    // It counts bytes, from 1; 0 is before the first.
    let bytes = why.column().saturating_sub(1).min(text.len());
    text.char_indices().take_while(|(at, _)| *at < bytes).count() + 1
}

struct LineObject;

impl<'de> Visitor<'de> for LineObject {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(())
    }
}

/// A line that is not empty.
pub(super) struct Line<'a> {
    /// Counted from 1.
    pub(super) number: usize,
    /// Without its end.
    pub(super) text: &'a str,
}

/// The lines of a file, one in memory at a time.
#[derive(Debug)]
pub(super) struct Lines<R> {
    reader: R,
    limits: LineLimits,
    buffer: Vec<u8>,
    number: usize,
    bytes: u64,
    rows: usize,
    /// The first of the empty lines just passed: allowed if nothing follows them.
    empty: Option<usize>,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(reader: R, limits: LineLimits) -> Self {
        Self { reader, limits, buffer: Vec::new(), number: 0, bytes: 0, rows: 0, empty: None }
    }

    /// Returns the next line, `None` at the end of a file that had any. Fails if it is too long, empty between others,
    /// or no UTF-8.
    pub(super) fn next_line(&mut self) -> Result<Option<Line<'_>>, Problem> {
        loop {
            if !self.fill()? {
                let none = Problem::at(1, 1, Fault::Empty);
                return if self.rows == 0 { Err(none) } else { Ok(None) };
            }
            if !self.buffer.trim_ascii().is_empty() {
                break;
            }
            self.empty.get_or_insert(self.number);
        }
        if let Some(line) = self.empty {
            let why = "the line is empty".to_owned();
            return Err(Problem::at(line, 1, Fault::NotObject { start: String::new(), why }));
        }
        if self.rows == self.limits.rows {
            return Err(Problem::at(self.number, 1, Fault::Rows(self.limits.rows)));
        }
        self.rows += 1;
        match str::from_utf8(&self.buffer) {
            Ok(text) => Ok(Some(Line { number: self.number, text })),
            Err(why) => {
                let before = str::from_utf8(&self.buffer[..why.valid_up_to()]).unwrap_or_default();
                let wide = self.number == 1 && matches!(self.buffer[..], [0xff, 0xfe, ..] | [0xfe, 0xff, ..]);
                Err(Problem::at(self.number, before.chars().count() + 1, Fault::Encoding { wide }))
            }
        }
    }

    /// Reads a line without its end into the buffer; false at the end of the file.
    fn fill(&mut self) -> Result<bool, Problem> {
        self.buffer.clear();
        // The mark, the longest line and its end, and one byte more to detect a line that is too long.
        let most = self.limits.line + BOM.len() + 3;
        let read = loop {
            match self.reader.by_ref().take((most - self.buffer.len()) as u64).read_until(b'\n', &mut self.buffer) {
                Ok(_) => break self.buffer.len(),
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) => return Err(Problem::at(self.number + 1, 1, Fault::Read(why.to_string()))),
            }
        };
        if read == 0 {
            return Ok(false);
        }
        self.number += 1;
        self.bytes += read as u64;
        if self.bytes > self.limits.bytes {
            return Err(Problem::at(self.number, 1, Fault::Bytes(self.limits.bytes)));
        }
        if self.number == 1 && self.buffer.starts_with(BOM) {
            self.buffer.drain(..BOM.len());
        }
        for end in [b'\n', b'\r'] {
            self.buffer.pop_if(|last| *last == end);
        }
        if self.buffer.len() > self.limits.line {
            return Err(Problem::at(self.number, 1, Fault::LongLine(self.limits.line)));
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    const SMALL: LineLimits = LineLimits { line: 20, rows: 3, bytes: 50 };

    fn found(text: impl AsRef<[u8]>) -> Result<usize, Problem> {
        // A buffer of two bytes: lines arrive in parts.
        check(BufReader::with_capacity(2, text.as_ref()), SMALL)
    }

    #[test]
    fn objects_pass_with_either_line_end_a_mark_and_empty_lines_at_the_end() {
        for (text, rows) in [("{}", 1), ("{}\n", 1), ("\u{feff}{}\r\n {\"a\":[{}]} \n", 2), ("{}\n\n \r\n\n", 1)] {
            assert_eq!(found(text), Ok(rows), "{text:?}");
        }
    }

    #[test]
    fn the_first_line_that_is_no_object_is_named() {
        for (text, line, column, start) in [
            ("[]", 1, 1, "[]"),
            ("{}\n{", 2, 1, "{"),
            ("{}\n{}\n{\"ä\":x}", 3, 6, "{\"ä\":x}"),
            ("{}\n\n{}", 2, 1, ""),
            ("{} {}", 1, 4, "{} {}"),
            ("name,text is long", 1, 2, "name,text "),
            ("\"{}\"", 1, 1, "\"{}\""),
            ("{\"a\":1}x\n", 1, 8, "{\"a\":1}x"),
        ] {
            let problem = found(text).expect_err(text);
            let Fault::NotObject { start: said, .. } = &problem.fault else { panic!("{text}: {problem}") };
            assert_eq!((problem.line, problem.column, said.as_str()), (line, column, start), "{text:?}: {problem}");
        }
    }

    #[test]
    fn what_is_not_utf_8_is_named_with_its_place() {
        let problem = found(b"{}\n{\"\xc3\xa4\xff\"}").unwrap_err();
        assert_eq!(problem, Problem::at(2, 4, Fault::Encoding { wide: false }));
        let problem = found(b"\xff\xfe{\0}\0").unwrap_err();
        assert_eq!(problem, Problem::at(1, 1, Fault::Encoding { wide: true }));
        assert!(problem.sentence().contains("UTF-16"));
    }

    #[test]
    fn every_limit_holds_at_its_edge() {
        let object = |length: usize| format!("{{{}}}", " ".repeat(length - 2));
        assert_eq!(found(object(20)), Ok(1));
        assert_eq!(found(format!("\u{feff}{}\r\n{{}}", object(20))), Ok(2));
        assert_eq!(found(object(21)).unwrap_err().fault, Fault::LongLine(20));
        assert_eq!(found(object(49)).unwrap_err().fault, Fault::LongLine(20));
        assert_eq!(found("{}\n{}\n{}\n"), Ok(3));
        assert_eq!(found("{}\n{}\n{}\n{}").unwrap_err(), Problem::at(4, 1, Fault::Rows(3)));
        let long = format!("{}\n{}\n{}", object(20), object(20), object(8));
        assert_eq!(found(&long), Ok(3));
        assert_eq!(found(long + " ").unwrap_err(), Problem::at(3, 1, Fault::Bytes(50)));
        for none in ["", "\n", "\u{feff}", " \r\n\n"] {
            assert_eq!(found(none).unwrap_err().fault, Fault::Empty, "{none:?}");
        }
    }

    #[test]
    fn a_line_without_end_is_not_gathered() {
        let endless = BufReader::new(std::io::repeat(b'x'));
        assert_eq!(check(endless, SMALL).unwrap_err(), Problem::at(1, 1, Fault::LongLine(20)));
    }
}
