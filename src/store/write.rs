//! From records to rows. Everything here runs inside the writer's transaction.

use rusqlite::{Connection, OptionalExtension};

use super::columns::{status_word, to_column};
use super::drafts::{self, Copies};
use super::error::{DELETED, WriteError};
use super::{answers, append_text, details, marks, playground, search, texts};
use crate::record::{Conversation, Id, LedgerRow, Record, Turn, TurnStatus};
use crate::text::Untrusted;

/// Writes a record. Fails if its owner does not exist, it does not fit what is stored, or SQLite fails.
pub(super) fn write(connection: &Connection, record: &Record, copies: &Copies) -> Result<(), WriteError> {
    match record {
        Record::Conversation(conversation) => write_conversation(connection, conversation),
        Record::Title { conversation, title } => write_title(connection, *conversation, title),
        Record::Trashed { conversation, at_ms } => write_trashed(connection, *conversation, *at_ms),
        Record::Turn(turn) => write_turn(connection, turn),
        Record::Moved { turns, parent } => {
            let mut statement = connection.prepare_cached("UPDATE turns SET parent = ?2 WHERE id = ?1")?;
            for turn in turns {
                statement.execute((turn.0, parent.map(|id| id.0)))?;
            }
            Ok(())
        }
        Record::DeleteTurn { turn, parent } => delete_turn(connection, *turn, *parent),
        Record::Batch(records) => records.iter().try_for_each(|record| write(connection, record, copies)),
        Record::Extend { turn, content_at, content, reasoning_at, reasoning } => {
            append_text::append(connection, &append_text::CONTENT, *turn, *content_at, content.raw())?;
            append_text::append(connection, &append_text::REASONING, *turn, *reasoning_at, reasoning.raw())
        }
        Record::Blocks { turn, blocks } => details::write_blocks(connection, *turn, blocks),
        Record::Draft { conversation, text } => {
            refuse_purged(connection, *conversation)?;
            Ok(drafts::write(connection, copies, *conversation, text)?)
        }
        Record::DraftSent { conversation, text } => Ok(drafts::sent(connection, copies, *conversation, text)?),
        Record::DraftTaken { conversation, text } => {
            Ok(drafts::delete_continued(connection, copies, *conversation, text)?)
        }
        Record::DraftAside(conversation) => Ok(drafts::release(connection, copies, *conversation)?),
        Record::Ledger(row) => write_ledger(connection, row),
        Record::Setting(name, value) if value.is_empty() => {
            connection.prepare_cached("DELETE FROM settings WHERE name = ?1")?.execute([name])?;
            Ok(())
        }
        Record::Setting(name, value) => {
            connection
                .prepare_cached(
                    "INSERT INTO settings (name, value) VALUES (?1, ?2) \
                     ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                )?
                .execute((name, value))?;
            Ok(())
        }
        Record::Sheet(sheet) => playground::write_sheet(connection, sheet),
        Record::Step(step) => playground::write_step(connection, step),
        Record::Grow { step, at, text } => {
            append_text::append(connection, &append_text::INSERTED, *step, *at, text.raw())
        }
        Record::Run(run) => playground::write_run(connection, run),
        Record::Tokens { of, at, tokens } => playground::write_tokens(connection, *of, *at, tokens),
        Record::Preset(preset) => playground::write_preset(connection, preset),
        Record::DeletePreset(id) => playground::delete_preset(connection, *id),
        Record::TextList(list) => texts::write_list(connection, list),
        Record::DeleteTextList(id) => texts::delete_list(connection, *id),
        Record::TextRows { list, rows } => texts::write_rows(connection, *list, rows),
        Record::DeleteTextRows(ids) => texts::delete_rows(connection, ids),
        Record::Checks(checks) => texts::write_checks(connection, checks),
        Record::Answers(answers) => answers::write(connection, answers),
        Record::Mark(mark) => marks::write(connection, mark),
        Record::DeleteMark(turn) => marks::delete(connection, *turn),
        // They never come here alone; and what is in two files cannot be stored atomically.
        Record::Vectors { .. } => Err(WriteError::Invalid("vectors have a database of their own".to_owned())),
        Record::Purge(id) => purge(connection, *id),
    }
}

fn write_conversation(connection: &Connection, c: &Conversation) -> Result<(), WriteError> {
    let params = serde_json::to_string(&c.params)
        .map_err(|error| WriteError::Invalid(format!("the conversation's parameters cannot be written: {error}")))?;
    refuse_purged(connection, c.id)?;
    let before = title_of(connection, c.id)?;
    // What this copy did not change may have been changed by another one.
    let title: String = connection
        .prepare_cached(
            "INSERT INTO conversations (id, title, titled, created_ms, updated_ms, trashed_ms, profile, model, system, \
             params, leaf) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON CONFLICT (id) DO UPDATE SET \
             title = CASE WHEN conversations.titled OR (conversations.title <> '' AND NOT excluded.titled) \
             THEN conversations.title ELSE excluded.title END, \
             titled = max(conversations.titled, excluded.titled), \
             updated_ms = max(conversations.updated_ms, excluded.updated_ms), profile = excluded.profile, \
             model = excluded.model, system = excluded.system, params = excluded.params, leaf = excluded.leaf \
             RETURNING title",
        )?
        .query_row(
            rusqlite::params![
                c.id.0,
                c.title,
                c.titled,
                c.created_ms,
                c.updated_ms,
                c.trashed_ms,
                c.profile,
                c.model,
                c.system,
                params,
                c.leaf.map(|id| id.0)
            ],
            |row| row.get(0),
        )?;
    if before.unwrap_or_default() != title {
        search::index(connection, c.id, &title)?;
    }
    Ok(())
}

fn title_of(connection: &Connection, id: Id) -> rusqlite::Result<Option<String>> {
    connection
        .prepare_cached("SELECT title FROM conversations WHERE id = ?1")?
        .query_row([id.0], |row| row.get(0))
        .optional()
}

fn write_title(connection: &Connection, id: Id, title: &Untrusted) -> Result<(), WriteError> {
    let changed = connection
        .prepare_cached("UPDATE conversations SET title = ?2, titled = TRUE WHERE id = ?1")?
        .execute((id.0, title))?;
    there(connection, id, changed)?;
    Ok(search::index(connection, id, title.raw())?)
}

fn write_trashed(connection: &Connection, id: Id, at_ms: Option<i64>) -> Result<(), WriteError> {
    let changed =
        connection.prepare_cached("UPDATE conversations SET trashed_ms = ?2 WHERE id = ?1")?.execute((id.0, at_ms))?;
    there(connection, id, changed)
}

/// Fails if a change did not find its conversation.
fn there(connection: &Connection, id: Id, changed: usize) -> Result<(), WriteError> {
    if changed > 0 {
        return Ok(());
    }
    refuse_purged(connection, id)?;
    Err(WriteError::Invalid(DELETED.to_owned()))
}

/// Fails if a conversation was deleted for good: a copy that still shows it does not bring it back.
fn refuse_purged(connection: &Connection, id: Id) -> Result<(), WriteError> {
    let purged = connection.prepare_cached("SELECT 1 FROM purged WHERE id = ?1")?.exists([id.0])?;
    if purged { Err(WriteError::Obsolete(DELETED.to_owned())) } else { Ok(()) }
}

fn write_turn(connection: &Connection, t: &Turn) -> Result<(), WriteError> {
    let first = append_text::first_piece(connection, &append_text::CONTENT, t.id, &t.content)?;
    let content = first.map_or(t.content.raw(), |end| &t.content.raw()[..end]);
    connection
        .prepare_cached(
            "INSERT INTO turns (id, conversation, parent, role, content, reasoning, model, choice, status, error, \
             finish_reason, created_ms, prompt_tokens, completion_tokens, estimated, cost_nano, first_token_ms, total_ms) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18) \
             ON CONFLICT (id) DO UPDATE SET conversation = excluded.conversation, parent = excluded.parent, \
             role = excluded.role, content = excluded.content, reasoning = excluded.reasoning, model = excluded.model, \
             choice = excluded.choice, status = excluded.status, error = excluded.error, \
             finish_reason = excluded.finish_reason, created_ms = excluded.created_ms, \
             prompt_tokens = excluded.prompt_tokens, completion_tokens = excluded.completion_tokens, \
             estimated = excluded.estimated, cost_nano = excluded.cost_nano, \
             first_token_ms = excluded.first_token_ms, total_ms = excluded.total_ms",
        )?
        .execute(rusqlite::params![
            t.id.0,
            t.conversation.0,
            t.parent.map(|id| id.0),
            t.role,
            content,
            t.reasoning,
            t.model,
            t.choice,
            status_word(t.status),
            t.error,
            t.finish_reason,
            t.created_ms,
            to_column(t.prompt_tokens),
            to_column(t.completion_tokens),
            t.estimated,
            t.cost_nano,
            to_column(t.first_token_ms),
            to_column(t.total_ms)
        ])
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

/// Deletes a turn with its parts and its mark. What followed it follows `parent`.
fn delete_turn(connection: &Connection, id: Id, parent: Option<Id>) -> Result<(), WriteError> {
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

fn write_ledger(connection: &Connection, row: &LedgerRow) -> Result<(), WriteError> {
    connection
        .prepare_cached(
            "INSERT INTO ledger (request_id, at_ms, profile, tab, model, prompt_tokens, completion_tokens, estimated, \
             cost_nano) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (request_id) DO NOTHING",
        )?
        .execute(rusqlite::params![
            row.request_id,
            row.at_ms,
            row.profile,
            row.tab,
            row.model,
            to_column(row.prompt_tokens),
            to_column(row.completion_tokens),
            row.estimated,
            row.cost_nano
        ])?;
    Ok(())
}

/// Deletes a conversation for good, if it is still in the trash: another copy may have restored it.
fn purge(connection: &Connection, id: Id) -> Result<(), WriteError> {
    let trashed: Option<bool> = connection
        .prepare_cached("SELECT trashed_ms IS NOT NULL FROM conversations WHERE id = ?1")?
        .query_row([id.0], |row| row.get(0))
        .optional()?;
    if trashed == Some(false) {
        return Err(WriteError::Invalid("the conversation is not in the trash; move it there first".to_owned()));
    }
    let one = |sql: &str| connection.prepare_cached(sql)?.execute([id.0]);
    one("DELETE FROM words WHERE rowid IN (SELECT id FROM turns WHERE conversation = ?1)")?;
    one("DELETE FROM words WHERE rowid = ?1")?;
    one("DELETE FROM tokens WHERE owner IN (SELECT id FROM turns WHERE conversation = ?1)")?;
    one("DELETE FROM drafts WHERE conversation = ?1")?;
    one("DELETE FROM conversations WHERE id = ?1")?;
    one("INSERT OR IGNORE INTO purged (id) VALUES (?1)")?;
    Ok(())
}
