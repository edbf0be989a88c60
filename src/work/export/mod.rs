//! Results as files: never over another file, with mode 0600, complete or not at all.
//!
//! CSV is for spreadsheets: a cell that one would take for a formula begins with `'`. JSON is the exact form.

mod checks;
pub(super) mod conversations;
pub(super) mod rows;
mod scores;
#[cfg(test)]
mod tests;
mod vectors;

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
