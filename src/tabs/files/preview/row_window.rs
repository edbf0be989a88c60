//! The part of the file that is in memory, split into rows.
//!
//! New parts are added before or behind it, what is furthest from the cursor is dropped. A row is a line, a record of a
//! table, or so many bytes. A line of more than [`LONG`] bytes is cut into pieces at fixed places of the file, so that
//! no row is ever longer.

use crate::dataset::rows::At;
use crate::record::files::{LinePosition, TextEncoding};

/// Bytes of a line that is still one row.
pub(super) const LONG: usize = 256 << 10;
/// Bytes of a piece of a longer one.
const PIECE: u64 = 16 << 10;
/// Rows that are held at most.
const ROWS: usize = 400_000;

/// How bytes are cut into rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RowSplit {
    /// Lines.
    Lines,
    /// Records whose cells are separated by a byte: a line end between quotes is part of a cell.
    Records(u8),
    /// So many bytes each.
    Bytes(u64),
}

/// A row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row<'a> {
    /// Its first byte's place in the file.
    pub(super) at: u64,
    /// Its bytes, without its line's end.
    pub(super) bytes: &'a [u8],
    /// Its line, counted from 1, where known.
    pub(super) line: Option<u64>,
    /// Whether it begins where its line does.
    pub(super) begins: bool,
    /// Whether it ends where its line does.
    pub(super) ends: bool,
    /// Whether what follows of its line is not here yet.
    pub(super) open: bool,
}

impl Row<'_> {
    /// Returns whether it is all of its line.
    pub(super) fn whole(&self) -> bool {
        self.begins && self.ends && !self.open
    }
}

/// Where a row begins, and how many lines ended before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct RowStart {
    at: u32,
    line: u32,
}

/// The part of the file that is in memory.
#[derive(Debug)]
pub(super) struct RowWindow {
    at: LinePosition,
    /// Whether the first byte begins a line.
    begins: bool,
    bytes: Vec<u8>,
    /// Bytes of the file, where known.
    total: Option<u64>,
    cut: RowSplit,
    writing: TextEncoding,
    rows: Vec<RowStart>,
    /// Bytes at most.
    most: usize,
}

impl RowWindow {
    pub(super) fn new(most: usize) -> Self {
        Self {
            at: LinePosition::START,
            begins: true,
            bytes: Vec::new(),
            total: None,
            cut: RowSplit::Lines,
            writing: TextEncoding::Utf8,
            rows: Vec::new(),
            most,
        }
    }

    pub(super) fn at(&self) -> LinePosition {
        self.at
    }

    /// Returns the place behind the last byte.
    pub(super) fn end(&self) -> u64 {
        self.at.byte + self.bytes.len() as u64
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(super) fn writing(&self) -> TextEncoding {
        self.writing
    }

    /// Returns whether the file ends here.
    pub(super) fn at_end(&self) -> bool {
        self.total.is_some_and(|total| self.end() >= total)
    }

    pub(super) fn set_total(&mut self, total: Option<u64>) {
        self.total = total;
    }

    /// Cuts it another way.
    pub(super) fn recut(&mut self, cut: RowSplit, writing: TextEncoding) {
        if (cut, writing) != (self.cut, self.writing) || self.rows.is_empty() {
            (self.cut, self.writing) = (cut, writing);
            self.index();
        }
    }

    /// Holds another part instead.
    pub(super) fn replace(&mut self, at: LinePosition, begins: bool, bytes: Vec<u8>) {
        (self.at, self.begins, self.bytes) = (at, begins, bytes);
        self.index();
    }

    /// Takes in what follows; the beginning is dropped if it grows too long, but nothing behind `keep`.
    pub(super) fn append(&mut self, more: &[u8], keep: u64) {
        self.bytes.extend_from_slice(more);
        self.index();
        let rows = self.rows.len().saturating_sub(ROWS);
        let over = self.bytes.len().saturating_sub(self.most);
        if rows == 0 && over == 0 {
            return;
        }
        // More is dropped than needed, so that this does not happen with every part.
        let over = (over + self.most / 4).min(keep.saturating_sub(self.at.byte) as usize);
        let row = self.rows.partition_point(|row| (row.at as usize) <= over).saturating_sub(1).max(rows);
        let Some(first) = self.rows.get(row).copied().filter(|first| first.at > 0) else { return };
        self.begins = self.begins_line(row);
        self.at.byte += u64::from(first.at);
        self.at.line = self.at.line.map(|line| line + u64::from(first.line));
        self.bytes.drain(..first.at as usize);
        self.index();
    }

    /// Takes in what is before; the end is dropped if it grows too long, but nothing before `keep`.
    pub(super) fn prepend(&mut self, begins: bool, mut more: Vec<u8>, keep: u64) {
        let lines = self.ends_in(&more);
        self.at.byte -= more.len() as u64;
        self.at.line =
            if self.at.byte == 0 { Some(1) } else { self.at.line.map(|line| line.saturating_sub(lines).max(1)) };
        more.append(&mut self.bytes);
        (self.bytes, self.begins) = (more, begins);
        self.index();
        let least = (keep.saturating_sub(self.at.byte) as usize).min(self.bytes.len());
        let by_rows = self.rows.get(ROWS).map_or(usize::MAX, |row| row.at as usize);
        let most = if self.bytes.len() > self.most { self.most * 3 / 4 } else { usize::MAX };
        let end = by_rows.min(most).max(least);
        if end < self.bytes.len() {
            let row = self.rows.partition_point(|row| (row.at as usize) < end);
            let end = self.rows.get(row).map_or(self.bytes.len(), |row| row.at as usize);
            self.bytes.truncate(end);
            self.index();
        }
    }

    /// Takes a line of the file that has become known.
    pub(super) fn note_line(&mut self, mark: LinePosition) {
        if mark.byte == self.at.byte && self.at.line.is_none() {
            self.at.line = mark.line;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the row that a byte is in, or the last one before it.
    pub(super) fn index_of(&self, byte: u64) -> usize {
        let at = u32::try_from(byte.saturating_sub(self.at.byte)).unwrap_or(u32::MAX);
        self.rows.partition_point(|row| row.at <= at).saturating_sub(1)
    }

    /// Returns whether a byte is in what is held, or is the file's end.
    pub(super) fn holds(&self, byte: u64) -> bool {
        (self.at.byte..self.end()).contains(&byte) || (byte == self.end() && self.at_end())
    }

    /// Returns the place of a row.
    pub(super) fn place(&self, row: usize) -> u64 {
        self.at.byte + self.rows.get(row).map_or(0, |row| u64::from(row.at))
    }

    /// Returns the row where a line begins; `None`: it is not here, or nobody knows.
    pub(super) fn line(&self, line: u64) -> Option<usize> {
        let ended = line.checked_sub(self.at.line?)?;
        let row = self.rows.partition_point(|row| u64::from(row.line) < ended);
        let begin = self.rows.get(row)?;
        // A record may hold several lines.
        let row = if u64::from(begin.line) == ended { row } else { row.saturating_sub(1) };
        // The beginning of a long line may not be loaded.
        Some(row).filter(|row| self.begins_line(*row))
    }

    pub(super) fn row(&self, index: usize) -> Option<Row<'_>> {
        let begin = *self.rows.get(index)?;
        let next = self.rows.get(index + 1);
        let end = next.map_or(self.bytes.len(), |next| next.at as usize);
        let bytes = &self.bytes[begin.at as usize..end];
        let stripped = if matches!(self.cut, RowSplit::Bytes(_)) { bytes } else { strip_end(bytes, self.writing) };
        let ended = stripped.len() < bytes.len();
        Some(Row {
            at: self.at.byte + u64::from(begin.at),
            bytes: stripped,
            line: self.at.line.map(|line| line + u64::from(begin.line)),
            begins: self.begins_line(index),
            ends: ended || (next.is_none() && self.at_end()),
            open: next.is_none() && !ended && !self.at_end(),
        })
    }

    /// Returns a byte's place with its line, where known.
    pub(super) fn mark(&self, byte: u64) -> LinePosition {
        let before = byte.checked_sub(self.at.byte).and_then(|within| self.bytes.get(..within as usize));
        let line = before.and_then(|before| Some(self.at.line? + self.ends_in(before)));
        LinePosition { byte, line }
    }

    /// Returns how many lines end in what is held.
    pub(super) fn lines_ended(&self) -> u64 {
        self.ends_in(&self.bytes)
    }

    /// Returns whether the last byte ends a line.
    pub(super) fn ends_line(&self) -> bool {
        self.bytes.is_empty() || strip_end(&self.bytes, self.writing).len() < self.bytes.len()
    }

    fn begins_line(&self, index: usize) -> bool {
        let at = self.rows.get(index).map_or(0, |row| row.at as usize);
        if at == 0 { self.begins } else { strip_end(&self.bytes[..at], self.writing).len() < at }
    }

    fn ends_in(&self, bytes: &[u8]) -> u64 {
        match self.writing {
            TextEncoding::Utf8 => memchr::memchr_iter(b'\n', bytes).count() as u64,
            _ => wide_ends(bytes, self.writing).count() as u64,
        }
    }

    /// Finds where rows begin.
    fn index(&mut self) {
        self.rows.clear();
        self.rows.shrink_to(ROWS);
        if self.bytes.is_empty() {
            return;
        }
        match self.cut {
            RowSplit::Lines => self.index_lines(),
            RowSplit::Records(part) => self.index_records(part),
            RowSplit::Bytes(width) => {
                let first = width - self.at.byte % width;
                let begins = std::iter::once(0).chain((first..self.bytes.len() as u64).step_by(width.max(1) as usize));
                self.rows.extend(begins.map(|at| RowStart { at: at as u32, line: 0 }));
            }
        }
    }

    fn index_lines(&mut self) {
        let (mut from, mut line) = (0, 0);
        let mut rows = std::mem::take(&mut self.rows);
        let mut add = |end: usize| {
            self.pieces(from, end, line, &mut rows);
            (from, line) = (end, line + 1);
        };
        match self.writing {
            TextEncoding::Utf8 => memchr::memchr_iter(b'\n', &self.bytes).for_each(|at| add(at + 1)),
            writing => wide_ends(&self.bytes, writing).for_each(&mut add),
        }
        if from < self.bytes.len() {
            self.pieces(from, self.bytes.len(), line, &mut rows);
        }
        self.rows = rows;
    }

    /// Adds the rows of a line.
    fn pieces(&self, from: usize, end: usize, line: u32, rows: &mut Vec<RowStart>) {
        rows.push(RowStart { at: from as u32, line });
        // A line whose beginning is not loaded is a long one.
        if end - from <= LONG && (from > 0 || self.begins) {
            return;
        }
        let first = (self.at.byte + from as u64) / PIECE + 1;
        let places = (first..).map(|piece| (piece * PIECE - self.at.byte) as usize).take_while(|at| *at < end);
        for place in places {
            // A cut is never within a character.
            let rest = &self.bytes[place..end];
            let inside = match self.writing {
                TextEncoding::Utf8 => rest.iter().take(3).take_while(|byte| (0x80..0xc0).contains(*byte)).count(),
                _ => 0,
            };
            if place + inside < end {
                rows.push(RowStart { at: (place + inside) as u32, line });
            }
        }
    }

    fn index_records(&mut self, part: u8) {
        let bytes = &self.bytes;
        let (mut from, mut line, mut begun) = (0, 0, 0);
        let mut cell = At::Start;
        // Where a quoted cell began, and in which line.
        let mut quoted = (0, 0);
        let mut at = 0;
        while let Some(skip) = cell.next(&bytes[at..], part) {
            let place = at + skip;
            at = place + 1;
            if bytes[place] != b'\n' {
                let before = cell;
                cell = cell.after(bytes[place], part);
                if (before, cell) == (At::Start, At::Quoted) {
                    quoted = (place, line);
                }
                continue;
            }
            line += 1;
            if cell == At::Quoted {
                let (begin, lines) = quoted;
                if place - begin <= LONG {
                    continue;
                }
                // A quoted part this long begins with a stray quotation mark: its lines are rows.
                at = begin + memchr::memchr(b'\n', &bytes[begin..]).unwrap_or(0) + 1;
                line = lines + 1;
            }
            self.rows.push(RowStart { at: from as u32, line: begun });
            (from, begun, cell) = (at, line, At::Start);
        }
        if from < bytes.len() {
            self.rows.push(RowStart { at: from as u32, line: begun });
        }
    }
}

/// Returns where lines of wide characters end: the places behind their ends.
fn wide_ends(bytes: &[u8], writing: TextEncoding) -> impl Iterator<Item = usize> + '_ {
    let end = if writing == TextEncoding::Utf16High { [0, b'\n'] } else { [b'\n', 0] };
    bytes.chunks_exact(2).zip(1..).filter(move |(unit, _)| **unit == end).map(|(_, units)| units * 2)
}

/// Returns the bytes of a line without its line end.
fn strip_end(bytes: &[u8], writing: TextEncoding) -> &[u8] {
    let (end, back): (&[u8], &[u8]) = match writing {
        TextEncoding::Utf8 => (b"\n", b"\r"),
        TextEncoding::Utf16Low => (b"\n\0", b"\r\0"),
        TextEncoding::Utf16High => (b"\0\n", b"\0\r"),
    };
    let Some(line) = bytes.strip_suffix(end) else { return bytes };
    line.strip_suffix(back).unwrap_or(line)
}
