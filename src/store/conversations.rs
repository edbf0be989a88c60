//! Conversations without their turns.

use rusqlite::{Connection, OptionalExtension, Row, named_params};

use super::columns::count_of;
use super::drafts::{self, Copies};
use super::error::{DELETED, WriteError};
use super::{search, text};
use crate::record::{ChatParams, Conversation, Head, Id};
use crate::text::Untrusted;

/// Stores a conversation. What this copy did not change may have been changed by another one: a title that was given by
/// hand and the newest time stay. Fails if it was deleted for good.
pub(super) fn write(connection: &Connection, c: &Conversation) -> Result<(), WriteError> {
    let params = serde_json::to_string(&c.params)
        .map_err(|error| WriteError::Invalid(format!("the conversation's parameters cannot be written: {error}")))?;
    refuse_purged(connection, c.id)?;
    let before = title_of(connection, c.id)?;
    let title: String = connection
        .prepare_cached(
            "INSERT INTO conversations (id, title, titled, created_ms, updated_ms, trashed_ms, profile, model, system, \
             params, leaf) VALUES (:id, :title, :titled, :created_ms, :updated_ms, :trashed_ms, :profile, :model, \
             :system, :params, :leaf) ON CONFLICT (id) DO UPDATE SET \
             title = CASE WHEN conversations.titled OR (conversations.title <> '' AND NOT excluded.titled) \
             THEN conversations.title ELSE excluded.title END, \
             titled = max(conversations.titled, excluded.titled), \
             updated_ms = max(conversations.updated_ms, excluded.updated_ms), profile = excluded.profile, \
             model = excluded.model, system = excluded.system, params = excluded.params, leaf = excluded.leaf \
             RETURNING title",
        )?
        .query_row(
            named_params! {
                ":id": c.id.0,
                ":title": c.title,
                ":titled": c.titled,
                ":created_ms": c.created_ms,
                ":updated_ms": c.updated_ms,
                ":trashed_ms": c.trashed_ms,
                ":profile": c.profile,
                ":model": c.model,
                ":system": c.system,
                ":params": params,
                ":leaf": c.leaf.map(|id| id.0),
            },
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

/// Gives a conversation a title. Fails if it does not exist.
pub(super) fn write_title(connection: &Connection, id: Id, title: &Untrusted) -> Result<(), WriteError> {
    let changed = connection
        .prepare_cached("UPDATE conversations SET title = ?2, titled = TRUE WHERE id = ?1")?
        .execute((id.0, title))?;
    require_changed(connection, id, changed)?;
    Ok(search::index(connection, id, title.raw())?)
}

/// Moves a conversation to the trash, or out of it. Fails if it does not exist.
pub(super) fn write_trashed(connection: &Connection, id: Id, at_ms: Option<i64>) -> Result<(), WriteError> {
    let changed =
        connection.prepare_cached("UPDATE conversations SET trashed_ms = ?2 WHERE id = ?1")?.execute((id.0, at_ms))?;
    require_changed(connection, id, changed)
}

/// Fails if a change did not find its conversation.
fn require_changed(connection: &Connection, id: Id, changed: usize) -> Result<(), WriteError> {
    if changed > 0 {
        return Ok(());
    }
    refuse_purged(connection, id)?;
    Err(WriteError::Invalid(DELETED.to_owned()))
}

/// Fails if a conversation was deleted for good: a copy that still shows it does not bring it back.
pub(super) fn refuse_purged(connection: &Connection, id: Id) -> Result<(), WriteError> {
    let purged = connection.prepare_cached("SELECT 1 FROM purged WHERE id = ?1")?.exists([id.0])?;
    if purged { Err(WriteError::Obsolete(DELETED.to_owned())) } else { Ok(()) }
}

/// Deletes a conversation for good, if it is still in the trash: another copy may have restored it.
pub(super) fn purge(connection: &Connection, id: Id) -> Result<(), WriteError> {
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

const SELECT: &str = "SELECT c.id, c.title, c.titled, c.created_ms, c.updated_ms, c.trashed_ms, c.profile, c.model, \
     c.system, c.params, c.leaf";

/// Returns all conversations without their turns, those changed last first. Fails if SQLite does.
pub(super) fn heads(connection: &Connection, copies: &Copies) -> rusqlite::Result<Vec<Head>> {
    let mut drafts = drafts::current(connection, copies)?;
    connection
        .prepare_cached(&format!(
            "{SELECT}, (SELECT count(*) FROM turns WHERE conversation = c.id) AS turns FROM conversations c \
             ORDER BY c.updated_ms DESC, c.id DESC"
        ))?
        .query_map([], |row| {
            let conversation = read(row)?;
            let draft = drafts.remove(&conversation.id).unwrap_or_default();
            Ok(Head { conversation: Conversation { draft, ..conversation }, turns: count_of(row, "turns")? })
        })?
        .collect()
}

/// Returns a conversation with its draft; `None`: it does not exist. Fails if SQLite does.
pub(super) fn load(connection: &Connection, id: Id, copies: &Copies) -> rusqlite::Result<Option<Conversation>> {
    let (draft, _) = drafts::of(connection, copies, id)?;
    let found = connection
        .prepare_cached(&format!("{SELECT} FROM conversations c WHERE c.id = ?1"))?
        .query_row([id.0], read)
        .optional()?;
    Ok(found.map(|conversation| Conversation { draft, ..conversation }))
}

/// Reads a conversation without its draft.
fn read(row: &Row) -> rusqlite::Result<Conversation> {
    // Parameters that a later version wrote differently must not lose the conversation.
    let params: ChatParams = serde_json::from_str(&text::string(row, "params")?).unwrap_or_default();
    Ok(Conversation {
        id: Id(row.get("id")?),
        title: row.get("title")?,
        titled: row.get("titled")?,
        created_ms: row.get("created_ms")?,
        updated_ms: row.get("updated_ms")?,
        trashed_ms: row.get("trashed_ms")?,
        profile: row.get("profile")?,
        model: row.get("model")?,
        system: text::string(row, "system")?,
        params,
        leaf: row.get::<_, Option<i64>>("leaf")?.map(Id),
        draft: String::new(),
    })
}
