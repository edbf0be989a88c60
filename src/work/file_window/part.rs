//! Parts of a file that begin at the beginning of a line.

use std::io;

use super::{OpenFile, lines};
use crate::record::files::{FileWindow, LinePosition};

impl OpenFile {
    /// Reads the part that begins with a byte. Fails if the file cannot be read.
    pub(super) fn from(&mut self, byte: u64) -> io::Result<FileWindow> {
        let byte = byte.min(self.total);
        let bytes = self.read(byte, self.most)?;
        let begins = self.begins(byte)?;
        Ok(self.part(LinePosition { byte, line: None }, LinePosition { byte, line: None }, begins, bytes))
    }

    /// Reads the part that ends before a byte. Fails if the file cannot be read.
    pub(super) fn before(&mut self, byte: u64) -> io::Result<FileWindow> {
        let byte = byte.min(self.total);
        let at = self.even(byte.saturating_sub(self.most as u64));
        let mut bytes = self.read(at, (byte - at) as usize)?;
        let (skipped, begins) = self.skip(at, &bytes, byte.saturating_sub(at + 1))?;
        bytes.drain(..skipped as usize);
        let focus = LinePosition { byte, line: None };
        Ok(self.part(LinePosition { byte: at + skipped, line: None }, focus, begins, bytes))
    }

    /// Reads the part around a place, at most half of it before the place. Fails if the file cannot be read.
    pub(super) fn around(&mut self, focus: LinePosition) -> io::Result<FileWindow> {
        let focus = LinePosition { byte: focus.byte.min(self.total), ..focus };
        let half = if focus.byte == self.total { self.most } else { self.most / 2 } as u64;
        let at = self.even(focus.byte.saturating_sub(half));
        let mut bytes = self.read(at, self.most)?;
        let (skipped, begins) = self.skip(at, &bytes, focus.byte - at)?;
        bytes.drain(..skipped as usize);
        let at = at + skipped;
        let before = &bytes[..((focus.byte - at) as usize).min(bytes.len())];
        let line = focus.line.map(|line| line.saturating_sub(lines::count(self.writing, at, before)));
        Ok(self.part(LinePosition { byte: at, line }, focus, begins, bytes))
    }

    /// Rounds a byte down to the beginning of a UTF-16 code unit.
    fn even(&self, byte: u64) -> u64 {
        byte - byte % self.writing.unit()
    }

    /// Returns how many of the bytes at a place to skip so that a line begins, if one does within the first `within`;
    /// and whether one begins there.
    fn skip(&mut self, at: u64, bytes: &[u8], within: u64) -> io::Result<(u64, bool)> {
        if self.begins(at)? {
            return Ok((0, true));
        }
        let first = lines::ends(self.writing, at, bytes).next().map(|end| end as u64);
        Ok(first.filter(|end| *end <= within).map_or((0, false), |end| (end, true)))
    }

    fn part(&self, at: LinePosition, focus: LinePosition, begins: bool, bytes: Vec<u8>) -> FileWindow {
        let line = at.line.or((at.byte == 0).then_some(1));
        let (total, modified_ms) = (self.total, self.modified_ms);
        FileWindow {
            at: LinePosition { line, ..at },
            bytes,
            begins,
            total,
            modified_ms,
            focus,
            ..FileWindow::default()
        }
    }
}
