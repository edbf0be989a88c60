//! From the playground's records to rows. Rows are identified by their ids alone, so what two copies of benchtop add to
//! one sheet is stored side by side.

use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::super::append_text;
use super::super::columns::{status_word, to_column};
use super::super::error::WriteError;
use super::token;
use crate::record::{CompletionParams, Id, Made, Preset, Run, Sheet, Step, Token};

pub(crate) fn write_sheet(connection: &Connection, s: &Sheet) -> Result<(), WriteError> {
    connection
        .prepare_cached(
            "INSERT INTO sheets (id, created_ms, updated_ms, current, caret) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (id) DO UPDATE SET updated_ms = max(sheets.updated_ms, excluded.updated_ms), \
             current = excluded.current, caret = excluded.caret",
        )?
        .execute(params![s.id.0, s.created_ms, s.updated_ms, s.current.map(|id| id.0), to_column(s.caret)])?;
    Ok(())
}

pub(crate) fn write_step(connection: &Connection, s: &Step) -> Result<(), WriteError> {
    need_sheet(connection, s.sheet)?;
    let (made, run, choice) = match s.made {
        Made::Typed => ("typed", None, None),
        Made::Generated { run, choice } => ("generated", Some(run.0), Some(choice)),
        Made::Picked => ("picked", None, None),
        Made::Accepted => ("accepted", None, None),
    };
    let first = append_text::first_piece(connection, &append_text::INSERTED, s.id, &s.inserted)?;
    let inserted = s.inserted.part(0..first.unwrap_or(s.inserted.len()));
    connection
        .prepare_cached(
            "INSERT INTO steps (id, sheet, parent, made, run, choice, at, removed, inserted, status, finish_reason, \
             created_ms) VALUES (:id, :sheet, :parent, :made, :run, :choice, :at, :removed, :inserted, :status, \
             :finish_reason, :created_ms) ON CONFLICT (id) DO UPDATE SET sheet = excluded.sheet, \
             parent = excluded.parent, made = excluded.made, run = excluded.run, choice = excluded.choice, \
             at = excluded.at, removed = excluded.removed, inserted = excluded.inserted, status = excluded.status, \
             finish_reason = excluded.finish_reason, created_ms = excluded.created_ms",
        )?
        .execute(named_params! {
            ":id": s.id.0,
            ":sheet": s.sheet.0,
            ":parent": s.parent.map(|id| id.0),
            ":made": made,
            ":run": run,
            ":choice": choice,
            ":at": to_column(s.at),
            ":removed": s.removed,
            ":inserted": inserted,
            ":status": status_word(s.status),
            ":finish_reason": s.finish_reason,
            ":created_ms": s.created_ms,
        })?;
    if first.is_none() {
        connection.prepare_cached("DELETE FROM grown WHERE step = ?1")?.execute([s.id.0])?;
    }
    Ok(())
}

pub(crate) fn write_run(connection: &Connection, r: &Run) -> Result<(), WriteError> {
    need_sheet(connection, r.sheet)?;
    connection
        .prepare_cached(
            "INSERT INTO runs (id, sheet, parent, profile, model, params, excerpt, status, error, created_ms, \
             prompt_tokens, completion_tokens, estimated, cost_nano, first_token_ms, total_ms) \
             VALUES (:id, :sheet, :parent, :profile, :model, :params, :excerpt, :status, :error, :created_ms, \
             :prompt_tokens, :completion_tokens, :estimated, :cost_nano, :first_token_ms, :total_ms) \
             ON CONFLICT (id) DO UPDATE SET sheet = excluded.sheet, parent = excluded.parent, \
             profile = excluded.profile, model = excluded.model, params = excluded.params, \
             excerpt = excluded.excerpt, status = excluded.status, error = excluded.error, \
             created_ms = excluded.created_ms, prompt_tokens = excluded.prompt_tokens, \
             completion_tokens = excluded.completion_tokens, estimated = excluded.estimated, \
             cost_nano = excluded.cost_nano, first_token_ms = excluded.first_token_ms, total_ms = excluded.total_ms",
        )?
        .execute(named_params! {
            ":id": r.id.0,
            ":sheet": r.sheet.0,
            ":parent": r.parent.map(|id| id.0),
            ":profile": r.profile,
            ":model": r.model,
            ":params": settings(&r.params)?,
            ":excerpt": r.excerpt,
            ":status": status_word(r.status),
            ":error": r.error,
            ":created_ms": r.created_ms,
            ":prompt_tokens": to_column(r.prompt_tokens),
            ":completion_tokens": to_column(r.completion_tokens),
            ":estimated": r.estimated,
            ":cost_nano": r.cost_nano,
            ":first_token_ms": to_column(r.first_token_ms),
            ":total_ms": to_column(r.total_ms),
        })?;
    Ok(())
}

pub(crate) fn write_preset(connection: &Connection, p: &Preset) -> Result<(), WriteError> {
    connection
        .prepare_cached(
            "INSERT INTO presets (id, name, prompt, caret, model, params, created_ms) \
             VALUES (:id, :name, :prompt, :caret, :model, :params, :created_ms) \
             ON CONFLICT (id) DO UPDATE SET name = excluded.name, \
             prompt = excluded.prompt, caret = excluded.caret, model = excluded.model, params = excluded.params, \
             created_ms = excluded.created_ms",
        )?
        .execute(named_params! {
            ":id": p.id.0,
            ":name": p.name,
            ":prompt": p.prompt,
            ":caret": to_column(p.caret),
            ":model": p.model,
            ":params": settings(&p.params)?,
            ":created_ms": p.created_ms,
        })?;
    Ok(())
}

pub(crate) fn delete_preset(connection: &Connection, id: Id) -> Result<(), WriteError> {
    connection.prepare_cached("DELETE FROM presets WHERE id = ?1")?.execute([id.0])?;
    Ok(())
}

/// Appends tokens in time that does not grow with those that are there. Tokens that are sent again must be the same.
/// Fails if their owner is gone, the place is beyond the end, or they differ from what is stored.
pub(crate) fn write_tokens(connection: &Connection, of: Id, place: u64, tokens: &[Token]) -> Result<(), WriteError> {
    if tokens.is_empty() {
        return Ok(());
    }
    // Also, what was deleted for good must not come back token by token.
    let owned = "SELECT EXISTS (SELECT 1 FROM steps WHERE id = ?1) OR EXISTS (SELECT 1 FROM runs WHERE id = ?1) \
         OR EXISTS (SELECT 1 FROM turns WHERE id = ?1)";
    if !connection.prepare_cached(owned)?.query_row([of.0], |row| row.get(0))? {
        return Err(WriteError::Invalid("the text these tokens belong to no longer exists".to_owned()));
    }
    let stored: Option<i64> = connection
        .prepare_cached("SELECT place + amount FROM tokens WHERE owner = ?1 ORDER BY place DESC LIMIT 1")?
        .query_row([of.0], |row| row.get(0))
        .optional()?;
    let stored = stored.unwrap_or(0) as u64;
    if place > stored {
        return Err(WriteError::Invalid(format!("tokens are missing between the {stored} stored and number {place}")));
    }
    let again = (stored - place).min(tokens.len() as u64) as usize;
    if again > 0 && !same(connection, of, place, &tokens[..again])? {
        return Err(WriteError::Invalid(format!("the stored tokens differ from the new ones from number {place} on")));
    }
    let new = &tokens[again..];
    if !new.is_empty() {
        connection
            .prepare_cached("INSERT INTO tokens (owner, place, amount, tokens) VALUES (?1, ?2, ?3, ?4)")?
            .execute((of.0, stored as i64, new.len() as i64, json(new)?))?;
    }
    Ok(())
}

/// Returns whether these are the tokens stored from a place on.
fn same(connection: &Connection, of: Id, place: u64, tokens: &[Token]) -> Result<bool, WriteError> {
    let mut statement = connection.prepare_cached(
        "SELECT place, tokens FROM tokens WHERE owner = ?1 AND place + amount > ?2 AND place < ?3 ORDER BY place",
    )?;
    let mut rows = statement.query((of.0, to_column(place), to_column(place + tokens.len() as u64)))?;
    let mut kept = Vec::new();
    while let Some(row) = rows.next()? {
        let first: i64 = row.get(0)?;
        let Ok(some) = token::decode(row.get_ref(1)?.as_str().map_err(rusqlite::Error::from)?) else {
            return Ok(false);
        };
        kept.extend(some.into_iter().skip((to_column(place) - first).max(0) as usize));
    }
    kept.truncate(tokens.len());
    // Compared as they are written, where NaN equals itself.
    Ok(json(&kept)? == json(tokens)?)
}

fn json(tokens: &[Token]) -> Result<String, WriteError> {
    token::encode(tokens).map_err(|error| WriteError::Invalid(format!("the tokens cannot be written: {error}")))
}

fn settings(params: &CompletionParams) -> Result<String, WriteError> {
    serde_json::to_string(params)
        .map_err(|error| WriteError::Invalid(format!("the settings cannot be written: {error}")))
}

fn need_sheet(connection: &Connection, id: Id) -> Result<(), WriteError> {
    let exists = connection.prepare_cached("SELECT 1 FROM sheets WHERE id = ?1")?.exists([id.0])?;
    if exists { Ok(()) } else { Err(WriteError::Invalid("the text this belongs to is not stored".to_owned())) }
}
