//! The rows of a file of texts, one in memory at a time, each with the line where it begins.

use std::io::{self, BufRead};

/// A byte order mark.
pub(crate) const BOM: &[u8] = b"\xef\xbb\xbf";

/// What ends a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ends {
    /// `\n`, with or without a `\r` before it.
    Lf,
    /// `\r` alone, as on old Macs.
    Cr,
    /// Either, but not inside quotes; the byte separates cells.
    Quoted(u8),
}

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowOutcome {
    /// The complete row.
    Whole,
    /// It is longer than a row may be; the bytes are dropped.
    Long,
    /// A quote in it is never closed, so it extends to the end of the file.
    Unclosed,
}

/// One row.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    /// Line where it begins, from 1.
    pub(crate) line: u64,
    /// Bytes before it.
    pub(crate) at: u64,
    /// Without its end.
    pub(crate) bytes: &'a [u8],
    pub(crate) form: RowOutcome,
}

/// Where a scan is within a row of cells. A quote within a cell that does not begin with one is a character of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At {
    /// At the start of a cell.
    Start,
    /// In a cell without quotes.
    Bare,
    /// In quotes.
    Quoted,
    /// After a quote that may close them.
    Quote,
}

impl At {
    /// Returns where the scan is after a byte, which ends no row; `part` separates cells.
    pub(crate) fn after(self, byte: u8, part: u8) -> Self {
        match (self, byte) {
            (Self::Quoted, b'"') => Self::Quote,
            (Self::Quoted, _) | (Self::Start | Self::Quote, b'"') => Self::Quoted,
            _ if byte == part => Self::Start,
            _ => Self::Bare,
        }
    }

    /// Returns the place of the first byte that has an effect or ends a line; `None`: there is none.
    pub(crate) fn next(self, bytes: &[u8], part: u8) -> Option<usize> {
        match self {
            Self::Quoted => memchr::memchr3(b'"', b'\n', b'\r', bytes),
            Self::Bare => memchr::memchr3(part, b'\n', b'\r', bytes),
            Self::Start | Self::Quote => (!bytes.is_empty()).then_some(0),
        }
    }
}

/// The rows of a reader.
#[derive(Debug)]
pub(crate) struct Rows<R> {
    reader: R,
    ends: Ends,
    /// Bytes of a row at most.
    most: usize,
    buffer: Vec<u8>,
    /// Line ends passed.
    lines: u64,
    /// Bytes passed.
    read: u64,
    /// A `\n` at the start belongs to the `\r` before it.
    after_cr: bool,
}

impl<R: BufRead> Rows<R> {
    /// Reads the rows of a reader, after a byte order mark. At most `most` bytes of a row are kept.
    pub(crate) fn new(reader: R, ends: Ends, most: usize) -> Self {
        Self { reader, ends, most, buffer: Vec::new(), lines: 0, read: 0, after_cr: false }
    }

    /// Returns the bytes passed so far.
    pub(crate) fn read(&self) -> u64 {
        self.read
    }

    /// Returns the next row, empty ones too; `None` at the end of the file.
    pub(crate) fn next(&mut self) -> io::Result<Option<Row<'_>>> {
        self.buffer.clear();
        let (mut any, mut long, mut ended) = (false, false, false);
        let mut at = At::Start;
        let mut lines = self.lines;
        let mut after_cr = false;
        let mut begins = self.read;
        while !ended {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                Err(why) => return Err(why),
            };
            if chunk.is_empty() {
                break;
            }
            if std::mem::take(&mut self.after_cr) && chunk[0] == b'\n' {
                self.reader.consume(1);
                self.read += 1;
                begins = self.read;
                continue;
            }
            any = true;
            let end = match self.ends {
                Ends::Lf => memchr::memchr(b'\n', chunk),
                Ends::Cr => memchr::memchr(b'\r', chunk),
                Ends::Quoted(part) => quoted(chunk, part, &mut at, &mut lines, &mut after_cr),
            };
            let taken = end.unwrap_or(chunk.len());
            if long || self.buffer.len() + taken > self.most {
                long = true;
                self.buffer.clear();
            } else {
                self.buffer.extend_from_slice(&chunk[..taken]);
            }
            if let Some(end) = end {
                ended = true;
                self.after_cr = matches!(self.ends, Ends::Quoted(_)) && chunk[end] == b'\r';
            }
            let consumed = taken + usize::from(ended);
            self.read += consumed as u64;
            self.reader.consume(consumed);
        }
        if !any {
            return Ok(None);
        }
        let line = self.lines + 1;
        self.lines = lines + 1;
        if self.ends == Ends::Lf && ended {
            self.buffer.pop_if(|last| *last == b'\r');
        }
        let form = match () {
            () if long => RowOutcome::Long,
            () if at == At::Quoted => RowOutcome::Unclosed,
            () => RowOutcome::Whole,
        };
        Ok(Some(Row { line, at: begins, bytes: &self.buffer, form }))
    }
}

/// Returns where a row of cells ends within the bytes; `None`: not there. Bytes without effect are skipped at once.
fn quoted(chunk: &[u8], part: u8, at: &mut At, lines: &mut u64, after_cr: &mut bool) -> Option<usize> {
    let mut from = 0;
    loop {
        let rest = &chunk[from..];
        let Some(skip) = at.next(rest, part) else {
            *after_cr &= rest.is_empty();
            return None;
        };
        let byte = rest[skip];
        let end = matches!(byte, b'\n' | b'\r');
        if *at == At::Quoted && end {
            *lines += u64::from(!(skip == 0 && *after_cr && byte == b'\n'));
        }
        *after_cr = byte == b'\r';
        if *at != At::Quoted && end {
            return Some(from + skip);
        }
        *at = at.after(byte, part);
        from += skip + 1;
    }
}

/// Returns the line (of the file) and column (in characters, from 1) of a byte of a row.
pub(crate) fn place(row: &Row<'_>, at: usize) -> (u64, usize) {
    let before = String::from_utf8_lossy(&row.bytes[..at.min(row.bytes.len())]);
    let lines = before.replace("\r\n", "\n").replace('\r', "\n");
    let (ends, last) = (lines.matches('\n').count(), lines.rsplit('\n').next().unwrap_or_default());
    (row.line + ends as u64, last.chars().count() + 1)
}

/// Returns where each of the cells begins that [`cells`] returns.
pub(crate) fn starts(row: &[u8], part: u8) -> Vec<usize> {
    let (mut at, mut starts) = (At::Start, vec![0]);
    for (place, byte) in row.iter().enumerate() {
        at = at.after(*byte, part);
        if at == At::Start {
            starts.push(place + 1);
        }
    }
    starts
}

/// Splits a row into cells as the csv library does, which takes far longer to start than to read a row.
pub(crate) fn cells(row: &[u8], part: u8) -> Vec<Vec<u8>> {
    let (mut cells, mut cell) = (Vec::new(), Vec::new());
    if row.is_empty() {
        return cells;
    }
    let (mut at, mut from) = (At::Start, 0);
    while from < row.len() {
        let rest = &row[from..];
        let run = match at {
            At::Quoted => memchr::memchr(b'"', rest).unwrap_or(rest.len()),
            At::Bare => memchr::memchr(part, rest).unwrap_or(rest.len()),
            At::Start | At::Quote => 0,
        };
        cell.extend_from_slice(&rest[..run]);
        from += run + 1;
        let Some(byte) = rest.get(run) else { break };
        let before = at;
        at = at.after(*byte, part);
        match at {
            At::Start => cells.push(std::mem::take(&mut cell)),
            At::Bare => cell.push(*byte),
            At::Quoted if before == At::Quote => cell.push(b'"'),
            At::Quoted | At::Quote => {}
        }
    }
    cells.push(cell);
    cells
}
