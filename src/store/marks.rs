//! Turns that were marked for training.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::error::WriteError;
use crate::record::{Id, Mark, Marked};
use crate::text::Untrusted;

/// Characters of a text in the list of marks.
const BEGINNING: usize = 400;

/// Stores a mark; of two marks of a turn the later one stays. Fails if the turn was deleted or has a newer mark.
pub(super) fn write(connection: &Connection, mark: &Mark) -> Result<(), WriteError> {
    if !connection.prepare_cached("SELECT 1 FROM turns WHERE id = ?1")?.exists([mark.turn.0])? {
        let why = "the message was deleted, perhaps by another copy of benchtop";
        return Err(WriteError::Obsolete(why.to_owned()));
    }
    let kept = connection
        .prepare_cached(
            "INSERT INTO marks (turn, ideal, at_ms) VALUES (?1, ?2, ?3) ON CONFLICT (turn) DO UPDATE SET \
             ideal = excluded.ideal, at_ms = excluded.at_ms WHERE excluded.at_ms >= marks.at_ms",
        )?
        .execute(params![mark.turn.0, mark.ideal, mark.at_ms])?;
    if kept == 0 {
        // Also if this machine's clock was set back: a mark that was not stored must not look as if it were.
        let why = "this message has a newer mark, perhaps from another copy of benchtop; open it again";
        return Err(WriteError::Obsolete(why.to_owned()));
    }
    Ok(())
}

/// Deletes a turn's mark. Fails if SQLite does.
pub(super) fn delete(connection: &Connection, turn: Id) -> Result<(), WriteError> {
    connection.prepare_cached("DELETE FROM marks WHERE turn = ?1")?.execute([turn.0])?;
    Ok(())
}

/// Returns the marks of a conversation's turns. Fails if SQLite does.
pub(super) fn of(connection: &Connection, conversation: Id) -> rusqlite::Result<Vec<Mark>> {
    connection
        .prepare_cached(
            "SELECT m.turn, m.ideal, m.at_ms FROM turns t JOIN marks m ON m.turn = t.id WHERE t.conversation = ?1",
        )?
        .query_map([conversation.0], read)?
        .collect()
}

fn read(row: &Row) -> rusqlite::Result<Mark> {
    Ok(Mark { turn: Id(row.get(0)?), ideal: row.get(1)?, at_ms: row.get(2)? })
}

/// Returns all marked turns, those marked last first, with the beginnings of their texts. Fails if SQLite does.
pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<Marked>> {
    let mut select = connection.prepare_cached(
        "SELECT m.turn, m.ideal, m.at_ms, t.conversation, c.title, c.trashed_ms IS NOT NULL, t.model, t.parent \
         FROM marks m JOIN turns t ON t.id = m.turn JOIN conversations c ON c.id = t.conversation \
         ORDER BY m.at_ms DESC, m.turn DESC",
    )?;
    let mut rows = select.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let mark = read(row)?;
        let asked = row.get::<_, Option<i64>>(7)?.map(|parent| beginning(connection, Id(parent))).transpose()?;
        let text = beginning(connection, mark.turn)?;
        found.push(Marked {
            conversation: Id(row.get(3)?),
            title: row.get(4)?,
            trashed: row.get(5)?,
            model: row.get(6)?,
            asked: asked.unwrap_or_default(),
            text,
            mark,
        });
    }
    Ok(found)
}

/// Returns the beginning of a turn's text, which may be stored in several rows.
fn beginning(connection: &Connection, turn: Id) -> rusqlite::Result<Untrusted> {
    let first: Option<String> = connection
        .prepare_cached("SELECT substr(content, 1, ?2) FROM turns WHERE id = ?1")?
        .query_row(params![turn.0, BEGINNING as i64], |row| row.get(0))
        .optional()?;
    let mut text = first.unwrap_or_default();
    if text.chars().nth(BEGINNING - 1).is_none() {
        let mut parts = connection.prepare_cached(
            "SELECT substr(text, 1, ?2) FROM parts WHERE turn = ?1 AND kind = 0 ORDER BY place LIMIT 8",
        )?;
        for part in parts.query_map(params![turn.0, BEGINNING as i64], |row| row.get::<_, String>(0))? {
            text.push_str(&part?);
        }
        let end = text.char_indices().nth(BEGINNING).map_or(text.len(), |(at, _)| at);
        text.truncate(end);
    }
    Ok(text.into())
}

/// Repairs marks after turns were lost with a damaged file: an ideal answer becomes a turn of its own, other marks
/// without a turn are deleted. Runs before lost conversations are created again. Fails if SQLite does.
pub(super) fn repair_rows(new: &Connection) -> rusqlite::Result<()> {
    new.execute_batch(
        "INSERT OR IGNORE INTO turns
             SELECT turn, -turn, NULL, 'assistant', ideal, '', '', 0, 'done', '', '', at_ms, 0, 0, 1, NULL, 0, 0
             FROM marks WHERE ideal IS NOT NULL AND turn NOT IN (SELECT id FROM turns);
         DELETE FROM marks WHERE turn NOT IN (SELECT id FROM turns);",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::schema::{self, Medium};

    #[test]
    fn an_ideal_answer_outlives_the_turn_that_was_lost() {
        let mut store = Connection::open_in_memory().unwrap();
        schema::prepare(&store, Medium::Memory).unwrap();
        schema::migrate(&mut store).unwrap();
        store.pragma_update(None, "foreign_keys", false).unwrap();
        store.execute_batch("INSERT INTO marks VALUES (7, 'what it should have been', 5), (8, NULL, 6)").unwrap();
        repair_rows(&store).unwrap();
        let left: Vec<(i64, i64, String)> = store
            .prepare("SELECT m.turn, t.conversation, t.content FROM marks m JOIN turns t ON t.id = m.turn")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(left, [(7, -7, "what it should have been".to_owned())]);
        let marks: i64 = store.query_row("SELECT count(*) FROM marks", [], |row| row.get(0)).unwrap();
        assert_eq!(marks, 1, "a mark that says nothing of a turn that is lost goes");
    }
}
