//! Converts between values of the program and columns of the database.
//!
//! Columns are read by name. Rows that are read by the ten thousand (steps, texts, checks, answers) are read by number:
//! SQLite looks each name up among all names, in each row.

use rusqlite::{Row, RowIndex};

use crate::record::TurnStatus;

/// Converts a count to SQLite's type; what is beyond `i64` becomes its largest value.
pub(super) fn to_column(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Reads a count; a negative one is read as 0. Fails if the column holds no integer.
pub(super) fn count_of(row: &Row, column: impl RowIndex) -> rusqlite::Result<u64> {
    row.get::<_, i64>(column).map(|n| n.max(0) as u64)
}

/// Returns the word that a status is stored as.
pub(super) fn status_word(status: TurnStatus) -> &'static str {
    match status {
        TurnStatus::Done => "done",
        TurnStatus::Streaming => "streaming",
        TurnStatus::Stopped => "stopped",
        TurnStatus::CutOff => "cut off",
        TurnStatus::Failed => "failed",
    }
}

/// Converts the word that a status is stored as.
pub(super) fn status_of(word: &str) -> TurnStatus {
    match word {
        "done" => TurnStatus::Done,
        "streaming" => TurnStatus::Streaming,
        "stopped" => TurnStatus::Stopped,
        "failed" => TurnStatus::Failed,
        // Also a word of a later version: at worst an answer looks less complete than it is.
        _ => TurnStatus::CutOff,
    }
}
