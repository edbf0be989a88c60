//! Results as files: never over another file, with mode 0600, complete or not at all.
//!
//! CSV is for spreadsheets: a cell that one would take for a formula begins with `'`. JSON is the exact form.

mod checks;
pub(super) mod conversations;
mod scores;
#[cfg(test)]
mod tests;
mod vectors;

use std::borrow::Cow;
use std::io;
use std::path::PathBuf;

use super::course::Course;
use crate::record::work::{Done, Export, Form};

/// Writes a new file.
pub(super) fn export(path: &str, form: Form, what: &Export, course: &Course) -> Done {
    let written = match what {
        Export::Checks { .. } => checks::write(path, form, what, course),
        Export::Vectors { .. } | Export::Matrix { .. } => {
            vectors::write(path, form, what, course).map(|path| (path, None))
        }
        Export::Scores(rows) => scores::write(path, form, rows, course).map(|path| (path, None)),
        Export::Conversations(all) => conversations::write(path, form, all, course).map(|path| (path, None)),
    };
    let name = |path: PathBuf| path.to_string_lossy().into_owned().into();
    match written {
        Ok((path, None)) => Done::Saved(name(path)),
        Ok((path, Some(without))) => Done::SavedWithout(name(path), without.into()),
        Err(why) => Done::Failed(why.into()),
    }
}

/// Rows of texts between two reports of progress.
const OFTEN: usize = 5_000;

/// Reports progress; fails if nobody waits any more, so that nothing is written.
fn moved(course: &Course, at: usize, all: usize) -> io::Result<()> {
    if at > 0 && at.is_multiple_of(OFTEN) {
        course.moved(at as u64, all as u64);
    }
    if course.is_stopped() { Err(io::Error::other("it was stopped")) } else { Ok(()) }
}

/// Returns a text as a spreadsheet cell: with a `'` before it if a spreadsheet would take it for a formula, that is if
/// it begins, after blanks, with `=`, `+`, `-`, `@` or their full-width forms, or with a tab or a line end. Quoting is
/// left to the CSV writer.
pub(super) fn cell(text: &str) -> Cow<'_, str> {
    let blank = |char: char| char.is_whitespace() || char.is_control() || matches!(char, '\u{feff}' | '\u{200b}');
    let first = text.trim_start_matches(blank).chars().next();
    let formula = matches!(first, Some('=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '−' | '＠'));
    if formula || text.starts_with(['\t', '\r', '\n']) { Cow::Owned(format!("'{text}")) } else { Cow::Borrowed(text) }
}
