//! Turns of conversations.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::append_text::{self, CONTENT, REASONING};
use super::columns::{count_of, status_of, status_word, to_column};
use super::conversations::refuse_purged;
use super::error::WriteError;
use super::{details, search, text};
use crate::record::{Id, Turn, TurnStatus};
use crate::text::Untrusted;

/// Stores a turn with its details, and has its words found if it is finished. Fails if its conversation does not exist.
pub(super) fn write(connection: &Connection, t: &Turn) -> Result<(), WriteError> {
    let first = append_text::first_piece(connection, &CONTENT, t.id, &t.content)?;
    let content = first.map_or(t.content.raw(), |end| &t.content.raw()[..end]);
    connection
        .prepare_cached(
            "INSERT INTO turns (id, conversation, parent, role, content, reasoning, model, choice, status, error, \
             finish_reason, created_ms, prompt_tokens, completion_tokens, estimated, cost_nano, first_token_ms, \
             total_ms) VALUES (:id, :conversation, :parent, :role, :content, :reasoning, :model, :choice, :status, \
             :error, :finish_reason, :created_ms, :prompt_tokens, :completion_tokens, :estimated, :cost_nano, \
             :first_token_ms, :total_ms) \
             ON CONFLICT (id) DO UPDATE SET conversation = excluded.conversation, parent = excluded.parent, \
             role = excluded.role, content = excluded.content, reasoning = excluded.reasoning, model = excluded.model, \
             choice = excluded.choice, status = excluded.status, error = excluded.error, \
             finish_reason = excluded.finish_reason, created_ms = excluded.created_ms, \
             prompt_tokens = excluded.prompt_tokens, completion_tokens = excluded.completion_tokens, \
             estimated = excluded.estimated, cost_nano = excluded.cost_nano, \
             first_token_ms = excluded.first_token_ms, total_ms = excluded.total_ms",
        )?
        .execute(named_params! {
            ":id": t.id.0,
            ":conversation": t.conversation.0,
            ":parent": t.parent.map(|id| id.0),
            ":role": t.role,
            ":content": content,
            ":reasoning": t.reasoning,
            ":model": t.model,
            ":choice": t.choice,
            ":status": status_word(t.status),
            ":error": t.error,
            ":finish_reason": t.finish_reason,
            ":created_ms": t.created_ms,
            ":prompt_tokens": to_column(t.prompt_tokens),
            ":completion_tokens": to_column(t.completion_tokens),
            ":estimated": t.estimated,
            ":cost_nano": t.cost_nano,
            ":first_token_ms": to_column(t.first_token_ms),
            ":total_ms": to_column(t.total_ms),
        })
        .or_else(|error| {
            refuse_purged(connection, t.conversation)?;
            Err(WriteError::from(error))
        })?;
    let others = "DELETE FROM parts WHERE turn = ?1 AND (kind <> 0 OR NOT ?2)";
    connection.prepare_cached(others)?.execute((t.id.0, first.is_some()))?;
    details::write(connection, t)?;
    if t.status == TurnStatus::Streaming {
        search::forget(connection, t.id)?;
    } else {
        search::index(connection, t.id, t.content.raw())?;
    }
    Ok(())
}

/// Appends what has arrived of an answer, each text from its byte on. Fails if the turn was deleted, or as
/// [`append_text::append`] does.
pub(super) fn extend(
    connection: &Connection,
    turn: Id,
    (content_at, content): (u64, &Untrusted),
    (reasoning_at, reasoning): (u64, &Untrusted),
) -> Result<(), WriteError> {
    append_text::append(connection, &CONTENT, turn, content_at, content)?;
    append_text::append(connection, &REASONING, turn, reasoning_at, reasoning)
}

/// Puts turns after another one. Fails if SQLite does.
pub(super) fn move_to(connection: &Connection, turns: &[Id], parent: Option<Id>) -> Result<(), WriteError> {
    let mut statement = connection.prepare_cached("UPDATE turns SET parent = ?2 WHERE id = ?1")?;
    for turn in turns {
        statement.execute((turn.0, parent.map(|id| id.0)))?;
    }
    Ok(())
}

/// Deletes a turn with its parts and its mark. What followed it follows `parent`. Fails if SQLite does.
pub(super) fn delete(connection: &Connection, id: Id, parent: Option<Id>) -> Result<(), WriteError> {
    // By its conversation, for which there is an index.
    connection
        .prepare_cached(
            "UPDATE turns SET parent = ?2 \
             WHERE conversation = (SELECT conversation FROM turns WHERE id = ?1) AND parent = ?1",
        )?
        .execute((id.0, parent.map(|id| id.0)))?;
    search::forget(connection, id)?;
    connection.prepare_cached("DELETE FROM tokens WHERE owner = ?1")?.execute([id.0])?;
    connection.prepare_cached("DELETE FROM turns WHERE id = ?1")?.execute([id.0])?;
    Ok(())
}

/// Returns the turns of a conversation, each with the one it follows. Fails if SQLite does.
pub(super) fn outline(connection: &Connection, id: Id) -> rusqlite::Result<Vec<(Id, Option<Id>)>> {
    connection
        .prepare_cached("SELECT id, parent FROM turns WHERE conversation = ?1 ORDER BY id")?
        .query_map([id.0], |row| Ok((Id(row.get(0)?), row.get::<_, Option<i64>>(1)?.map(Id))))?
        .collect()
}

/// Returns the turns that exist of those asked for, in the order asked. Fails if SQLite does.
pub(super) fn load(connection: &Connection, ids: &[Id]) -> rusqlite::Result<Vec<Turn>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, conversation, parent, role, content, reasoning, model, choice, status, error, finish_reason, \
         created_ms, prompt_tokens, completion_tokens, estimated, cost_nano, first_token_ms, total_ms \
         FROM turns WHERE id = ?1",
    )?;
    let mut parts = connection.prepare_cached("SELECT kind, text FROM parts WHERE turn = ?1 ORDER BY kind, place")?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        let Some(mut turn) = statement.query_row([id.0], read).optional()? else { continue };
        let mut rows = parts.query([id.0])?;
        while let Some(row) = rows.next()? {
            let text = text::string(row, 1)?;
            if row.get::<_, i64>(0)? == 0 { turn.content.push(&text) } else { turn.reasoning.push(&text) }
        }
        details::read(connection, &mut turn)?;
        found.push(turn);
    }
    Ok(found)
}

fn read(row: &Row) -> rusqlite::Result<Turn> {
    Ok(Turn {
        id: Id(row.get("id")?),
        conversation: Id(row.get("conversation")?),
        parent: row.get::<_, Option<i64>>("parent")?.map(Id),
        role: row.get("role")?,
        content: row.get("content")?,
        reasoning: row.get("reasoning")?,
        blocks: Vec::new(),
        model: row.get("model")?,
        choice: row.get("choice")?,
        status: status_of(row.get_ref("status")?.as_str().unwrap_or_default()),
        error: row.get("error")?,
        details: None,
        finish_reason: row.get("finish_reason")?,
        created_ms: row.get("created_ms")?,
        prompt_tokens: count_of(row, "prompt_tokens")?,
        completion_tokens: count_of(row, "completion_tokens")?,
        estimated: row.get("estimated")?,
        cost_nano: row.get("cost_nano")?,
        first_token_ms: count_of(row, "first_token_ms")?,
        total_ms: count_of(row, "total_ms")?,
    })
}
