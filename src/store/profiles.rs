//! Gives what is stored under a profile's name its new name.

use rusqlite::Connection;

/// Of each table the rows under the new name win where both names have one. Checks name their profile through `asked`.
const RENAME: &[&str] = &[
    "UPDATE conversations SET profile = ?2 WHERE profile = ?1",
    "UPDATE ledger SET profile = ?2 WHERE profile = ?1",
    "UPDATE runs SET profile = ?2 WHERE profile = ?1",
    "UPDATE OR IGNORE answers SET profile = ?2 WHERE profile = ?1",
    "UPDATE OR IGNORE asked SET profile = ?2 WHERE profile = ?1",
    // Models that both names have asked.
    "UPDATE checks SET asked = new.id FROM asked AS old JOIN asked AS new ON new.model = old.model \
     WHERE checks.asked = old.id AND old.profile = ?1 AND new.profile = ?2",
];

/// Renames a profile in all tables. Fails if SQLite does.
pub(super) fn rename(connection: &Connection, from: &str, to: &str) -> rusqlite::Result<()> {
    for statement in RENAME {
        connection.prepare_cached(statement)?.execute((from, to))?;
    }
    Ok(())
}
