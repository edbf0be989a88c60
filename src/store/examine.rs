//! Checks an open store for damage.

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::schema::{self, OpenError};

/// How thoroughly a store is checked when it is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckDepth {
    /// After an unclean exit: the pages.
    Quick,
    /// After damage was found: also all that can be cross-checked.
    Full,
}

/// Checks for damage; fails if there is any.
pub(super) fn examine(connection: &Connection, depth: CheckDepth) -> Result<(), OpenError> {
    let sql = match depth {
        CheckDepth::Quick => "PRAGMA quick_check(1)",
        CheckDepth::Full => "PRAGMA integrity_check(1)",
    };
    let verdict: String = connection.query_row(sql, [], |row| row.get(0))?;
    if verdict != "ok" {
        return Err(schema::damage(&verdict));
    }
    // A key with a wrong bit is a valid key, but its rows do not refer to each other any more.
    if depth == CheckDepth::Full && connection.prepare("PRAGMA foreign_key_check")?.exists([])? {
        return Err(schema::damage("rows whose owner is missing"));
    }
    if depth == CheckDepth::Full { legible(connection) } else { Ok(()) }
}

/// Checks for text that is not UTF-8, which SQLite accepts.
fn legible(connection: &Connection) -> Result<(), OpenError> {
    for table in schema::TABLES {
        let mut select = connection.prepare(&format!("SELECT * FROM {table}"))?;
        let columns = select.column_count();
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            for column in 0..columns {
                if let ValueRef::Text(text) = row.get_ref(column)?
                    && str::from_utf8(text).is_err()
                {
                    return Err(schema::damage("invalid UTF-8"));
                }
            }
        }
    }
    Ok(())
}
