//! A row of a training file, unparsed.

use crate::dataset::texts::rows::RowOutcome;

/// One row as it stands, readable or not.
#[derive(Debug)]
pub(super) struct RawRecord<'a> {
    /// The line it begins in, from 1.
    pub(super) line: u64,
    /// The column it begins in, in characters, from 1.
    pub(super) column: u64,
    /// The byte it begins at.
    pub(super) at: u64,
    /// Without its end.
    pub(super) bytes: &'a [u8],
    pub(super) form: RowOutcome,
}

impl RawRecord<'_> {
    /// Returns the line and the column of one of its bytes.
    pub(super) fn place(&self, at: usize) -> (u64, u64) {
        let before = String::from_utf8_lossy(&self.bytes[..at.min(self.bytes.len())]);
        match before.rsplit_once('\n') {
            None => (self.line, self.column + before.chars().count() as u64),
            Some((lines, last)) => {
                (self.line + 1 + lines.matches('\n').count() as u64, last.chars().count() as u64 + 1)
            }
        }
    }
}
