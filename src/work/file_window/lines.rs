//! Counting the lines of a file.

use std::io;

use super::{CHUNK, OpenFile};
use crate::record::files::{FileQuery, FileWindow, LinePosition, Reached, TextEncoding};
use crate::work::course::Course;

/// Distance of the places whose lines are reported on the way.
const APART: u64 = 8 << 20;

/// Returns where lines end in bytes that begin at `at`: the places after their ends, counted from the first of the
/// bytes.
pub(super) fn ends(writing: TextEncoding, at: u64, bytes: &[u8]) -> impl DoubleEndedIterator<Item = usize> + '_ {
    let wide = move |place: &usize| match writing {
        TextEncoding::Utf8 => true,
        TextEncoding::Utf16Low => (at + *place as u64).is_multiple_of(2) && bytes.get(place + 1) == Some(&0),
        TextEncoding::Utf16High => {
            !(at + *place as u64).is_multiple_of(2) && place.checked_sub(1).and_then(|high| bytes.get(high)) == Some(&0)
        }
    };
    let behind = if writing == TextEncoding::Utf16Low { 2 } else { 1 };
    memchr::memchr_iter(b'\n', bytes).filter(wide).map(move |place| place + behind)
}

/// Counts the lines that end in bytes that begin at `at`.
pub(super) fn count(writing: TextEncoding, at: u64, bytes: &[u8]) -> u64 {
    match writing {
        // Counted without stopping at each.
        TextEncoding::Utf8 => memchr::memchr_iter(b'\n', bytes).count() as u64,
        _ => ends(writing, at, bytes).count() as u64,
    }
}

impl OpenFile {
    /// Returns the part around a line, counting from a known place. Fails if the file cannot be read.
    pub(super) fn line(&mut self, line: u64, from: LinePosition, course: &Course) -> io::Result<FileWindow> {
        let mut walk = Walk::new(from);
        let mut left = line.saturating_sub(walk.line);
        // A known place may be anywhere in its line; the beginning of the file is the beginning of its line.
        while left > 0 {
            if walk.stops(from, self.total, course) {
                return Ok(walk.far(self));
            }
            self.chunk(&mut walk, u64::MAX)?;
            if walk.chunk.is_empty() {
                // It was truncated after it was opened.
                self.total = self.total.min(self.file.metadata()?.len());
                walk.at = self.total;
                return self.last(walk);
            }
            let ended = count(self.writing, walk.at, &walk.chunk);
            if ended >= left {
                let nth = ends(self.writing, walk.at, &walk.chunk).nth(left as usize - 1).unwrap_or(0);
                walk.line += left;
                walk.at += nth as u64;
                // What follows the last line's end is no line.
                if walk.at == self.total {
                    return self.last(walk);
                }
                break;
            }
            left -= ended;
            walk.pass(ended);
            if walk.at >= self.total {
                return self.last(walk);
            }
        }
        let found = LinePosition { byte: walk.at, line: Some(walk.line) };
        Ok(FileWindow { marks: walk.marks, ..self.around(found)? })
    }

    /// Returns the part around the last line, if there are fewer than were asked for.
    fn last(&mut self, mut walk: Walk) -> io::Result<FileWindow> {
        // After a line end at the end of the file there is no line.
        let over = self.total > 0 && self.begins(self.total)?;
        let line = walk.line.saturating_sub(u64::from(over)).max(1);
        let end = LinePosition { byte: self.total, line: Some(walk.line) };
        let mut window = self.around(end)?;
        let before = self.total - u64::from(over) * self.writing.unit().min(self.total);
        let held = &window.bytes[..(before.saturating_sub(window.at.byte) as usize).min(window.bytes.len())];
        let begin = ends(self.writing, window.at.byte, held).next_back();
        let byte = window.at.byte + begin.unwrap_or(0) as u64;
        window.focus = LinePosition { byte, line: Some(line) };
        window.reached = Reached::Nowhere;
        window.marks = std::mem::take(&mut walk.marks);
        Ok(window)
    }

    /// Counts lines up to a byte, up to the limit of one request. Fails if the file cannot be read.
    pub(super) fn count(&mut self, from: LinePosition, to: u64, course: &Course) -> io::Result<FileWindow> {
        let to = to.min(self.total);
        let mut walk = Walk::new(from);
        while walk.at < to {
            if walk.stops(from, to, course) {
                return Ok(walk.far(self));
            }
            self.chunk(&mut walk, to)?;
            if walk.chunk.is_empty() {
                break;
            }
            let ended = count(self.writing, walk.at, &walk.chunk);
            walk.pass(ended);
        }
        let begins = self.begins(walk.at)?;
        let here = LinePosition { byte: walk.at, line: Some(walk.line) };
        Ok(FileWindow { begins, marks: walk.marks, ..self.nothing(here, Reached::Found) })
    }

    /// Reads the next chunk of a scan.
    fn chunk(&mut self, walk: &mut Walk, to: u64) -> io::Result<()> {
        let most = to.saturating_sub(walk.at).min(CHUNK as u64);
        self.refill(walk.at, most as usize, &mut walk.chunk)
    }
}

/// A scan through the file, line by line.
struct Walk {
    at: u64,
    line: u64,
    chunk: Vec<u8>,
    marks: Vec<LinePosition>,
}

impl Walk {
    fn new(from: LinePosition) -> Self {
        Self { at: from.byte, line: from.line.unwrap_or(1), chunk: Vec::new(), marks: Vec::new() }
    }

    /// Returns whether one request has read enough.
    fn stops(&self, from: LinePosition, to: u64, course: &Course) -> bool {
        course.is_stopped() || (self.at - from.byte >= FileQuery::STEP && self.at < to)
    }

    /// Advances past the chunk, in which so many lines end.
    fn pass(&mut self, ended: u64) {
        self.at += self.chunk.len() as u64;
        self.line += ended;
        if self.at / APART > (self.at - self.chunk.len() as u64) / APART {
            self.marks.push(LinePosition { byte: self.at, line: Some(self.line) });
        }
    }

    fn far(self, source: &OpenFile) -> FileWindow {
        let here = LinePosition { byte: self.at, line: Some(self.line) };
        FileWindow { marks: self.marks, ..source.nothing(here, Reached::Far(here)) }
    }
}
