//! What exports of rows have in common: their progress, and texts as cells of a spreadsheet.

use std::borrow::Cow;
use std::io;

use crate::work::course::Course;

/// Rows of texts between two reports of progress.
const OFTEN: usize = 5_000;

/// Reports progress; fails if nobody waits any more, so that nothing is written.
pub(super) fn moved(course: &Course, at: usize, all: usize) -> io::Result<()> {
    if at > 0 && at.is_multiple_of(OFTEN) {
        course.moved(at as u64, all as u64);
    }
    if course.is_stopped() { Err(io::Error::other("it was stopped")) } else { Ok(()) }
}

/// Returns a text as a spreadsheet cell: with a `'` before it if a spreadsheet would take it for a formula, that is if
/// it begins, after blanks, with `=`, `+`, `-`, `@` or their full-width forms, or with a tab or a line end. Quoting is
/// left to the CSV writer.
pub(in crate::work) fn cell(text: &str) -> Cow<'_, str> {
    let blank = |char: char| char.is_whitespace() || char.is_control() || matches!(char, '\u{feff}' | '\u{200b}');
    let first = text.trim_start_matches(blank).chars().next();
    let formula = matches!(first, Some('=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '−' | '＠'));
    if formula || text.starts_with(['\t', '\r', '\n']) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}
