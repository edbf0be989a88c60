//! Appends to texts that arrive in parts: the first part is in the row of its owner, each later one in a row of its
//! own, so that a long answer is not rewritten each second.

use rusqlite::{Connection, OptionalExtension};

use super::error::WriteError;
use super::limits::LONG;
use crate::record::Id;
use crate::text::Untrusted;

/// Where a growing text is stored.
pub(super) struct Growing {
    /// What the owner is called in messages.
    noun: &'static str,
    /// Table of the owners.
    table: &'static str,
    /// The owner's column with the first piece.
    column: &'static str,
    /// The later pieces, after `FROM`; `?1` is the owner.
    later: &'static str,
    /// Table and columns for a new piece, after `INTO`; `?1` is the owner, `?2` its position, `?3` the text.
    next: &'static str,
}

/// What a turn says.
pub(super) const CONTENT: Growing = Growing {
    noun: "turn",
    table: "turns",
    column: "content",
    later: "parts WHERE turn = ?1 AND kind = 0",
    next: "parts (turn, kind, place, text) VALUES (?1, 0, ?2, ?3)",
};

/// A turn's reasoning.
pub(super) const REASONING: Growing = Growing {
    noun: "turn",
    table: "turns",
    column: "reasoning",
    later: "parts WHERE turn = ?1 AND kind = 1",
    next: "parts (turn, kind, place, text) VALUES (?1, 1, ?2, ?3)",
};

/// What a step of the playground inserts.
pub(super) const INSERTED: Growing = Growing {
    noun: "step",
    table: "steps",
    column: "inserted",
    later: "grown WHERE step = ?1",
    next: "grown (step, place, text) VALUES (?1, ?2, ?3)",
};

/// Appends to a text in time that does not grow with it. Text that is sent again must be the same. Fails if the owner
/// is gone, the place is beyond the end, or the text differs from what is stored.
pub(super) fn append(
    connection: &Connection,
    growing: &Growing,
    owner: Id,
    place: u64,
    text: &Untrusted,
) -> Result<(), WriteError> {
    let text = text.raw();
    if text.is_empty() {
        return Ok(());
    }
    let Growing { noun, table, column, later, next } = growing;
    let length: Option<i64> = connection
        .prepare_cached(&format!(
            "SELECT coalesce((SELECT place + octet_length(text) FROM {later} ORDER BY place DESC LIMIT 1), \
             octet_length({column})) FROM {table} WHERE id = ?1"
        ))?
        .query_row([owner.0], |row| row.get(0))
        .optional()?;
    let length =
        length.ok_or_else(|| WriteError::Obsolete(format!("the {noun} was deleted before its text arrived")))? as u64;
    if place > length {
        return Err(WriteError::Invalid(format!("text of the {noun} is missing between bytes {length} and {place}")));
    }
    let mut new = text;
    if place < length {
        // Sent again: what is stored from there on and what arrived must agree as far as both go.
        let stored = tail(connection, growing, owner, place)?;
        new = match text.strip_prefix(&*stored) {
            Some(rest) => rest,
            None if stored.starts_with(text) => "",
            None => {
                return Err(WriteError::Invalid(format!(
                    "the {noun}'s stored text differs from the new text from byte {place} on"
                )));
            }
        };
    }
    if !new.is_empty() {
        connection.prepare_cached(&format!("INSERT INTO {next}"))?.execute((owner.0, length as i64, new))?;
    }
    Ok(())
}

/// Returns where the first part of a text ends, if the text is long and stored in several parts exactly as it is. Such
/// a text stays in its parts: SQLite would copy it several times to join them.
pub(super) fn first_piece(
    connection: &Connection,
    growing: &Growing,
    owner: Id,
    text: &Untrusted,
) -> rusqlite::Result<Option<usize>> {
    if text.len() <= LONG {
        return Ok(None);
    }
    let text = text.raw();
    let Growing { table, column, later, .. } = growing;
    let first = format!("SELECT {column} FROM {table} WHERE id = ?1");
    let is_next = |from: usize, piece: &str| text.get(from..).is_some_and(|rest| rest.starts_with(piece));
    let first: Option<usize> = connection
        .prepare_cached(&first)?
        .query_row([owner.0], |row| {
            let piece = row.get_ref(0)?.as_str()?;
            Ok(is_next(0, piece).then_some(piece.len()))
        })
        .optional()?
        .flatten();
    let Some(first) = first else { return Ok(None) };
    let mut statement = connection.prepare_cached(&format!("SELECT text FROM {later} ORDER BY place"))?;
    let mut rows = statement.query([owner.0])?;
    let mut end = first;
    while let Some(row) = rows.next()? {
        let piece = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        if !is_next(end, piece) {
            return Ok(None);
        }
        end += piece.len();
    }
    Ok((end > first && end == text.len()).then_some(first))
}

/// Returns a stored text from a byte on. Fails if the byte is inside a character.
fn tail(connection: &Connection, growing: &Growing, owner: Id, place: u64) -> Result<String, WriteError> {
    let Growing { noun, table, column, later, .. } = growing;
    let mut text: String = connection
        .prepare_cached(&format!("SELECT {column} FROM {table} WHERE id = ?1"))?
        .query_row([owner.0], |row| row.get(0))?;
    let mut statement = connection.prepare_cached(&format!("SELECT text FROM {later} ORDER BY place"))?;
    let mut rows = statement.query([owner.0])?;
    while let Some(row) = rows.next()? {
        text.push_str(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?);
    }
    text.get(place as usize..)
        .map(str::to_owned)
        .ok_or_else(|| WriteError::Invalid(format!("byte {place} of the {noun} is inside a character")))
}
