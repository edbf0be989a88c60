//! Search for a text in a file, in both directions.

use std::fmt::Write as _;
use std::io;

use regex::bytes::{Regex, RegexBuilder};

use super::{CHUNK, OpenFile, lines};
use crate::record::files::{FileQuery, FileWindow, LinePosition, Reached, TextEncoding};
use crate::text::Untrusted;
use crate::work::course::Course;

impl OpenFile {
    /// Searches forward from a byte, up to the limit of one request. Fails if the file cannot be read.
    pub(super) fn find(&mut self, text: &Untrusted, from: LinePosition, course: &Course) -> io::Result<FileWindow> {
        let sought = Sought::new(text, self.writing)?;
        let mut here = from;
        let mut chunk = Vec::new();
        loop {
            if course.is_stopped() || here.byte - from.byte >= FileQuery::STEP {
                return Ok(self.nothing(here, Reached::Far(here)));
            }
            // A text that begins in the chunk may end after it.
            self.refill(here.byte, CHUNK + sought.longest, &mut chunk)?;
            let begins = chunk.len().min(CHUNK);
            if let Some(at) = sought.first(here.byte, &chunk).filter(|at| *at < begins) {
                let found = self.on(here, &chunk[..at]);
                return self.around(found);
            }
            here = self.on(here, &chunk[..begins]);
            if here.byte >= self.total || chunk.is_empty() {
                return Ok(self.nothing(here, Reached::Nowhere));
            }
        }
    }

    /// Searches backward from a byte: a match must begin before it. Stops at the limit of one request; fails if the
    /// file cannot be read.
    pub(super) fn find_back(
        &mut self,
        text: &Untrusted,
        from: LinePosition,
        course: &Course,
    ) -> io::Result<FileWindow> {
        let sought = Sought::new(text, self.writing)?;
        let mut here = LinePosition { byte: from.byte.min(self.total), line: from.line };
        let begun = here.byte;
        let mut chunk = Vec::new();
        while here.byte > 0 {
            if course.is_stopped() || begun - here.byte >= FileQuery::STEP {
                return Ok(self.nothing(here, Reached::Far(here)));
            }
            let at = here.byte.saturating_sub(CHUNK as u64);
            let begins = (here.byte - at) as usize;
            self.refill(at, begins + sought.longest, &mut chunk)?;
            let begins = begins.min(chunk.len());
            let found = sought.last(at, &chunk, begins);
            let rest = found.unwrap_or(0);
            let ended = lines::count(self.writing, at + rest as u64, &chunk[rest..begins]);
            here = LinePosition { byte: at + rest as u64, line: here.line.map(|line| line.saturating_sub(ended)) };
            if found.is_some() {
                return self.around(here);
            }
        }
        Ok(self.nothing(here, Reached::Nowhere))
    }

    /// Returns the position after bytes that follow a place.
    fn on(&self, from: LinePosition, bytes: &[u8]) -> LinePosition {
        let line = from.line.map(|line| line + lines::count(self.writing, from.byte, bytes));
        LinePosition { byte: from.byte + bytes.len() as u64, line }
    }
}

/// The text that is searched for.
struct Sought {
    pattern: Regex,
    /// The most bytes of a match.
    longest: usize,
    unit: u64,
}

impl Sought {
    fn new(text: &Untrusted, writing: TextEncoding) -> io::Result<Self> {
        let pattern = match writing {
            TextEncoding::Utf8 => regex::escape(text.raw()),
            wide => wide_pattern(text.raw(), wide),
        };
        let pattern = RegexBuilder::new(&pattern).case_insensitive(writing == TextEncoding::Utf8).build();
        let pattern = pattern.map_err(|_| io::Error::other("the text is too long to search for; use part of it"))?;
        // The other case of a letter takes at most four bytes.
        Ok(Self { pattern, longest: text.len() * 4, unit: writing.unit() })
    }

    /// Returns the first match in bytes that begin at a place.
    fn first(&self, place: u64, bytes: &[u8]) -> Option<usize> {
        self.next(place, bytes, 0)
    }

    /// Returns the last match that begins before `end`.
    fn last(&self, place: u64, bytes: &[u8], end: usize) -> Option<usize> {
        let next = |from: usize| self.next(place, bytes, from).filter(|at| *at < end);
        std::iter::successors(next(0), |at| next(at + 1)).last()
    }

    fn next(&self, place: u64, bytes: &[u8], from: usize) -> Option<usize> {
        let mut from = from;
        while from <= bytes.len() {
            let at = self.pattern.find_at(bytes, from)?.start();
            if (place + at as u64).is_multiple_of(self.unit) {
                return Some(at);
            }
            from = at + 1;
        }
        None
    }
}

/// Returns a pattern for the text in either case as bytes of UTF-16.
fn wide_pattern(text: &str, writing: TextEncoding) -> String {
    let mut pattern = "(?-u)".to_owned();
    for char in text.chars() {
        let cases = [char.to_string(), char.to_lowercase().collect(), char.to_uppercase().collect::<String>()];
        let spelt = cases.map(|case| {
            case.encode_utf16().fold(String::new(), |mut spelt, unit| {
                let [one, other] =
                    if writing == TextEncoding::Utf16High { unit.to_be_bytes() } else { unit.to_le_bytes() };
                // Writing to a String cannot fail.
                let _ = write!(spelt, "\\x{one:02X}\\x{other:02X}");
                spelt
            })
        });
        let _ = write!(pattern, "(?:{}|{}|{})", spelt[0], spelt[1], spelt[2]);
    }
    pattern
}
