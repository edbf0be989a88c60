//! From the records of Moderate and Embed to rows.

use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::super::error::WriteError;
use super::{score, word};
use crate::record::{Check, Id, TextKey, TextList, TextRow};
use crate::text::Untrusted;

/// For a list that does not exist any more.
const GONE: &str = "the list was deleted, perhaps by another copy of benchtop";

pub(crate) fn write_list(connection: &Connection, l: &TextList) -> Result<(), WriteError> {
    if purged(connection, l.id)? {
        return Err(WriteError::Obsolete(GONE.to_owned()));
    }
    connection
        .prepare_cached(
            "INSERT INTO lists (id, bench, name, source, created_ms, updated_ms, state) \
             VALUES (:id, :bench, :name, :source, :created_ms, :updated_ms, :state) \
             ON CONFLICT (id) DO UPDATE SET bench = excluded.bench, \
             name = excluded.name, source = excluded.source, \
             updated_ms = max(lists.updated_ms, excluded.updated_ms), state = excluded.state",
        )?
        .execute(named_params! {
            ":id": l.id.0,
            ":bench": word(l.bench),
            ":name": l.name,
            ":source": l.source,
            ":created_ms": l.created_ms,
            ":updated_ms": l.updated_ms,
            ":state": l.state,
        })?;
    Ok(())
}

/// Deletes a list and its rows for good: a copy that still shows it does not bring it back. Fails if SQLite does.
pub(crate) fn delete_list(connection: &Connection, id: Id) -> Result<(), WriteError> {
    connection.prepare_cached("DELETE FROM lists WHERE id = ?1")?.execute([id.0])?;
    connection.prepare_cached("INSERT OR IGNORE INTO purged (id) VALUES (?1)")?.execute([id.0])?;
    Ok(())
}

fn purged(connection: &Connection, id: Id) -> rusqlite::Result<bool> {
    connection.prepare_cached("SELECT 1 FROM purged WHERE id = ?1")?.exists([id.0])
}

pub(crate) fn write_rows(connection: &Connection, list: Id, rows: &[TextRow]) -> Result<(), WriteError> {
    if !connection.prepare_cached("SELECT 1 FROM lists WHERE id = ?1")?.exists([list.0])? {
        return Err(if purged(connection, list)? {
            WriteError::Obsolete(GONE.to_owned())
        } else {
            WriteError::Invalid("the list these texts belong to is not stored".to_owned())
        });
    }
    let mut insert = connection.prepare_cached(
        "INSERT INTO texts (id, list, place, key, name, label, text) \
         VALUES (:id, :list, :place, :key, :name, :label, :text) ON CONFLICT (id) DO UPDATE SET \
         list = excluded.list, place = excluded.place, key = excluded.key, name = excluded.name, \
         label = excluded.label, text = excluded.text",
    )?;
    for row in rows {
        insert.execute(named_params! {
            ":id": row.id.0,
            ":list": list.0,
            ":place": row.place,
            ":key": TextKey::of(&row.text).0.as_slice(),
            ":name": row.name,
            ":label": row.label,
            ":text": row.text,
        })?;
    }
    Ok(())
}

pub(crate) fn delete_rows(connection: &Connection, ids: &[Id]) -> Result<(), WriteError> {
    let mut delete = connection.prepare_cached("DELETE FROM texts WHERE id = ?1")?;
    for id in ids {
        delete.execute([id.0])?;
    }
    Ok(())
}

pub(crate) fn write_checks(connection: &Connection, checks: &[Check]) -> Result<(), WriteError> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO checks (id, text, asked, categories, model, at_ms, latency_ms, flagged, scores, flags) \
         VALUES (:id, :text, :asked, :categories, :model, :at_ms, :latency_ms, :flagged, :scores, :flags) \
         ON CONFLICT (id) DO NOTHING",
    )?;
    // Checks of one answer share what is looked up.
    let mut before: Option<(&Check, i64, i64)> = None;
    for c in checks {
        let asked = match before {
            Some((b, asked, _)) if (&b.profile, &b.asked) == (&c.profile, &c.asked) => asked,
            _ => asked(connection, c)?,
        };
        let categories = match before {
            Some((b, _, categories)) if b.categories == c.categories => categories,
            _ => categories(connection, &c.categories)?,
        };
        before = Some((c, asked, categories));
        insert.execute(named_params! {
            ":id": c.id.0,
            ":text": c.text.0.as_slice(),
            ":asked": asked,
            ":categories": categories,
            ":model": c.model,
            ":at_ms": c.at_ms,
            ":latency_ms": c.latency_ms,
            ":flagged": c.flagged,
            ":scores": score::scores(&c.scores),
            ":flags": score::flags(&c.flags),
        })?;
    }
    Ok(())
}

/// Returns the row of the profile and model asked, inserting it if needed.
fn asked(connection: &Connection, c: &Check) -> Result<i64, WriteError> {
    let found = connection
        .prepare_cached("SELECT id FROM asked WHERE profile = ?1 AND model = ?2")?
        .query_row(params![c.profile, c.asked], |row| row.get(0))
        .optional()?;
    if let Some(id) = found {
        return Ok(id);
    }
    let mut insert = connection.prepare_cached("INSERT INTO asked (profile, model) VALUES (?1, ?2) RETURNING id")?;
    Ok(insert.query_row(params![c.profile, c.asked], |row| row.get(0))?)
}

/// Returns the row with the categories' names, inserting it if needed.
fn categories(connection: &Connection, names: &[Untrusted]) -> Result<i64, WriteError> {
    let names = serde_json::to_string(&names.iter().map(Untrusted::raw).collect::<Vec<_>>())
        .map_err(|error| WriteError::Invalid(format!("the categories cannot be written: {error}")))?;
    let found = connection
        .prepare_cached("SELECT id FROM categories WHERE names = ?1")?
        .query_row([&names], |row| row.get(0))
        .optional()?;
    if let Some(id) = found {
        return Ok(id);
    }
    let mut insert = connection.prepare_cached("INSERT INTO categories (names) VALUES (?1) RETURNING id")?;
    Ok(insert.query_row([&names], |row| row.get(0))?)
}
