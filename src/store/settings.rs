//! Small values by name.

use rusqlite::{Connection, OptionalExtension};

use super::error::WriteError;
use crate::text::Untrusted;

/// Stores a value; an empty one deletes it. Fails if SQLite does.
pub(super) fn write(connection: &Connection, name: &str, value: &Untrusted) -> Result<(), WriteError> {
    if value.is_empty() {
        connection.prepare_cached("DELETE FROM settings WHERE name = ?1")?.execute([name])?;
        return Ok(());
    }
    connection
        .prepare_cached(
            "INSERT INTO settings (name, value) VALUES (?1, ?2) \
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )?
        .execute((name, value))?;
    Ok(())
}

/// Returns the value of this name. Fails if SQLite does.
pub(super) fn load(connection: &Connection, name: &str) -> rusqlite::Result<Option<Untrusted>> {
    connection
        .prepare_cached("SELECT value FROM settings WHERE name = ?1")?
        .query_row([name], |row| row.get(0))
        .optional()
}

/// Returns the names that begin so with their values, by name. Fails if SQLite does.
pub(super) fn load_all(connection: &Connection, prefix: &str) -> rusqlite::Result<Vec<(String, Untrusted)>> {
    connection
        .prepare_cached("SELECT name, value FROM settings WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name")?
        .query_map([prefix], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect()
}
