//! From vectors to rows and back. A vector is a blob of 32-bit floats, little-endian.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::{Connection, OptionalExtension, params};

use super::super::error::WriteError;
use super::{CacheError, NewVectors, VectorQuery};
use crate::record::{Rows, TextKey, VectorKey, VectorTable};

/// Writes vectors; existing ones are replaced. Runs inside a transaction. Fails if SQLite does.
pub(super) fn write(connection: &Connection, batch: &NewVectors) -> Result<(), WriteError> {
    let key = match find(connection, &batch.key)? {
        Some(key) => key,
        None => connection
            .prepare_cached("INSERT INTO keys (profile, model, dimensions) VALUES (?1, ?2, ?3) RETURNING id")?
            .query_row(params![batch.key.profile, batch.key.model, dimensions(&batch.key)], |row| row.get(0))?,
    };
    let mut insert = connection.prepare_cached(
        "INSERT INTO vectors (key, text, vector) VALUES (?1, ?2, ?3) \
         ON CONFLICT (key, text) DO UPDATE SET vector = excluded.vector",
    )?;
    let mut bytes = Vec::new();
    for (text, vector) in &batch.vectors {
        bytes.clear();
        bytes.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
        // An empty vector is not stored.
        if !bytes.is_empty() {
            insert.execute(params![key, text.0.as_slice(), bytes])?;
        }
    }
    Ok(())
}

/// Gives the vectors of a profile its new name; where both names have vectors of a model, each keeps its own. Fails if
/// SQLite does.
pub(super) fn rename(connection: &Connection, from: &str, to: &str) -> rusqlite::Result<()> {
    connection.execute("UPDATE OR IGNORE keys SET profile = ?2 WHERE profile = ?1", (from, to)).map(drop)
}

/// Answers a query as of one moment. Fails if SQLite does, or the cache is being closed.
pub(super) fn read(connection: &mut Connection, query: &VectorQuery, closing: &AtomicBool) -> Result<Rows, CacheError> {
    let snapshot = connection.transaction()?;
    let Some(key) = find(&snapshot, &query.key)? else { return Ok(empty_answer(query)) };
    if query.whole {
        Ok(Rows::Vectors(Arc::new(table(&snapshot, key, &query.texts, closing)?)))
    } else {
        Ok(Rows::HasVectors(existing(&snapshot, key, &query.texts, closing)?))
    }
}

/// Returns the answer for a key without vectors.
pub(super) fn empty_answer(query: &VectorQuery) -> Rows {
    if query.whole {
        Rows::Vectors(Arc::new(VectorTable::new(query.texts.len())))
    } else {
        Rows::HasVectors(vec![false; query.texts.len()])
    }
}

/// Returns the vectors, read row by row straight into the table, which is the only large thing here.
fn table(
    connection: &Connection,
    key: i64,
    texts: &[TextKey],
    closing: &AtomicBool,
) -> Result<VectorTable, CacheError> {
    let mut select = connection.prepare_cached("SELECT vector FROM vectors WHERE key = ?1 AND text = ?2")?;
    let mut table = VectorTable::new(texts.len());
    let mut vector: Vec<f32> = Vec::new();
    for (row, text) in texts.iter().enumerate() {
        check_not_closing(closing)?;
        let mut rows = select.query(params![key, text.0.as_slice()])?;
        if let Some(found) = rows.next()? {
            let (numbers, _) = found.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?.as_chunks::<4>();
            vector.clear();
            vector.extend(numbers.iter().map(|number| f32::from_le_bytes(*number)));
            table.set(row, &vector);
        }
    }
    Ok(table)
}

/// Returns which vectors exist; reads only the index.
fn existing(
    connection: &Connection,
    key: i64,
    texts: &[TextKey],
    closing: &AtomicBool,
) -> Result<Vec<bool>, CacheError> {
    let mut select = connection.prepare_cached("SELECT 1 FROM vectors WHERE key = ?1 AND text = ?2")?;
    let exists = |text: &TextKey| {
        check_not_closing(closing)?;
        Ok(select.exists(params![key, text.0.as_slice()])?)
    };
    texts.iter().map(exists).collect()
}

fn check_not_closing(closing: &AtomicBool) -> Result<(), CacheError> {
    if closing.load(Ordering::Relaxed) { Err(CacheError::Refused("benchtop is closing".to_owned())) } else { Ok(()) }
}

fn find(connection: &Connection, key: &VectorKey) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached("SELECT id FROM keys WHERE profile = ?1 AND model = ?2 AND dimensions = ?3")?
        .query_row(params![key.profile, key.model, dimensions(key)], |row| row.get(0))
        .optional()
}

/// Returns the length asked for as it is stored: the model's own is −1, as NULL does not even equal itself.
fn dimensions(key: &VectorKey) -> i64 {
    key.dimensions.map_or(-1, i64::from)
}
