//! What models answered to the rows of a list.

use rusqlite::{Connection, Row, named_params};

use super::columns::{count_of, to_column};
use super::error::WriteError;
use crate::record::{Answer, Id};

/// Stores answers. An existing answer to the same row by the same model stays, as it was paid for. Fails if the list
/// was deleted.
pub(super) fn write(connection: &Connection, answers: &[Answer]) -> Result<(), WriteError> {
    let mut lists = connection.prepare_cached("SELECT 1 FROM lists WHERE id = ?1")?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO answers (id, list, row, profile, model, text, at_ms, latency_ms, finish, prompt_tokens, \
         completion_tokens, estimated, cost_nano) VALUES (:id, :list, :row, :profile, :model, :text, :at_ms, \
         :latency_ms, :finish, :prompt_tokens, :completion_tokens, :estimated, :cost_nano) ON CONFLICT DO NOTHING",
    )?;
    let mut before = None;
    for a in answers {
        if before != Some(a.list) && !lists.exists([a.list.0])? {
            let why = "the rows these answers belong to were deleted, perhaps by another copy of benchtop";
            return Err(WriteError::Obsolete(why.to_owned()));
        }
        before = Some(a.list);
        insert.execute(named_params! {
            ":id": a.id.0,
            ":list": a.list.0,
            ":row": a.row.0,
            ":profile": a.profile,
            ":model": a.model,
            ":text": a.text,
            ":at_ms": a.at_ms,
            ":latency_ms": a.latency_ms,
            ":finish": a.finish,
            ":prompt_tokens": to_column(a.prompt_tokens),
            ":completion_tokens": to_column(a.completion_tokens),
            ":estimated": a.estimated,
            ":cost_nano": a.cost_nano,
        })?;
    }
    Ok(())
}

/// Returns all answers to a list's rows. Fails if SQLite does.
pub(super) fn load(connection: &Connection, list: Id) -> rusqlite::Result<Vec<Answer>> {
    connection
        .prepare_cached(
            "SELECT id, list, row, profile, model, text, at_ms, latency_ms, finish, prompt_tokens, completion_tokens, \
             estimated, cost_nano FROM answers WHERE list = ?1",
        )?
        .query_map([list.0], read)?
        .collect()
}

fn read(row: &Row) -> rusqlite::Result<Answer> {
    Ok(Answer {
        id: Id(row.get(0)?),
        list: Id(row.get(1)?),
        row: Id(row.get(2)?),
        profile: row.get(3)?,
        model: row.get(4)?,
        text: row.get(5)?,
        at_ms: row.get(6)?,
        latency_ms: row.get(7)?,
        finish: row.get(8)?,
        prompt_tokens: count_of(row, 9)?,
        completion_tokens: count_of(row, 10)?,
        estimated: row.get(11)?,
        cost_nano: row.get(12)?,
    })
}

/// Deletes answers to lists of which nothing is left after rows were lost with a damaged file. Fails if SQLite does.
pub(super) fn repair_rows(new: &Connection) -> rusqlite::Result<()> {
    new.execute_batch("DELETE FROM answers WHERE list NOT IN (SELECT id FROM lists)")
}
