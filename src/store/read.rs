//! From queries to rows.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row};

use super::columns::{count_of, status_of};
use super::drafts::{self, Copies};
use super::error::sentence;
use super::lock_file::CorruptionFlag;
use super::{answers, details, marks, playground, search, text, texts};
use crate::record::{ChatParams, Conversation, Cost, Head, Id, Query, Rows, Stored, Turn, VectorTable};

/// Answers a query; an error or a panic becomes a failed answer.
pub(super) fn respond(
    connection: &mut Connection,
    query: Query,
    copies: &Copies,
    corruption: &CorruptionFlag,
) -> Stored {
    match catch_unwind(AssertUnwindSafe(|| answer(connection, query, copies))) {
        Ok(Ok(rows)) => Stored::Rows(rows),
        Ok(Err(error)) => {
            corruption.report_damage(&error);
            Stored::Failed(sentence(&error).into())
        }
        Err(_) => Stored::Failed("internal error in the store; please report it".into()),
    }
}

/// Answers a query as of one moment.
fn answer(connection: &mut Connection, query: Query, copies: &Copies) -> rusqlite::Result<Rows> {
    let snapshot = connection.transaction()?;
    Ok(match query {
        Query::Heads => Rows::Heads(heads(&snapshot, copies)?),
        Query::Conversation(id) => Rows::Conversation(conversation(&snapshot, id, copies)?.map(Box::new)),
        Query::Drafts(id) => Rows::Drafts(id, drafts::of(&snapshot, copies, id)?.1),
        Query::Outline(id) => Rows::Outline(id, outline(&snapshot, id)?),
        Query::Turns(ids) => Rows::Turns(turns(&snapshot, &ids)?),
        Query::Search(words) => Rows::Found(search::find(&snapshot, &words)?),
        Query::Setting(name) => {
            let value = snapshot
                .prepare_cached("SELECT value FROM settings WHERE name = ?1")?
                .query_row([&name], |row| row.get(0))
                .optional()?;
            Rows::Setting(name, value)
        }
        Query::Settings(prefix) => {
            let mut statement = snapshot.prepare_cached(
                "SELECT name, value FROM settings WHERE substr(name, 1, length(?1)) = ?1 ORDER BY name",
            )?;
            let rows = statement.query_map([&prefix], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Rows::Settings(rows.collect::<rusqlite::Result<_>>()?)
        }
        Query::Sheet(id) => Rows::Sheet(playground::sheet(&snapshot, id)?),
        Query::Runs(most) => Rows::Runs(playground::runs(&snapshot, most)?),
        Query::Presets => Rows::Presets(playground::presets(&snapshot)?),
        Query::Tokens(ids) => Rows::Tokens(playground::tokens(&snapshot, &ids)?),
        Query::TextLists(bench) => Rows::TextLists(texts::lists(&snapshot, bench)?),
        Query::Texts(id) => Rows::Texts(texts::texts(&snapshot, id)?),
        Query::ListChecks(id) => Rows::Checks(texts::list_checks(&snapshot, id)?),
        Query::Checks(keys) => Rows::Checks(texts::checks(&snapshot, &keys)?),
        Query::Answers(list) => Rows::Answers(answers::load(&snapshot, list)?),
        Query::Marks => Rows::Marked(marks::all(&snapshot)?),
        Query::MarksOf(id) => Rows::Marks(id, marks::of(&snapshot, id)?),
        // Answered by their cache; see vectors.
        Query::HasVectors { texts, .. } => Rows::HasVectors(vec![false; texts.len()]),
        Query::Vectors { texts, .. } => Rows::Vectors(Arc::new(VectorTable::new(texts.len()))),
        Query::Spent { profile, since_ms } => spent(&snapshot, &profile, since_ms)?,
    })
}

const CONVERSATION: &str = "SELECT c.id, c.title, c.titled, c.created_ms, c.updated_ms, c.trashed_ms, c.profile, \
     c.model, c.system, c.params, c.leaf";

fn heads(connection: &Connection, copies: &Copies) -> rusqlite::Result<Vec<Head>> {
    let mut drafts = drafts::current(connection, copies)?;
    connection
        .prepare_cached(&format!(
            "{CONVERSATION}, (SELECT count(*) FROM turns WHERE conversation = c.id) FROM conversations c \
             ORDER BY c.updated_ms DESC, c.id DESC"
        ))?
        .query_map([], |row| {
            let conversation = read_conversation(row)?;
            let draft = drafts.remove(&conversation.id).unwrap_or_default();
            Ok(Head { conversation: Conversation { draft, ..conversation }, turns: count_of(row, 11)? })
        })?
        .collect()
}

fn conversation(connection: &Connection, id: Id, copies: &Copies) -> rusqlite::Result<Option<Conversation>> {
    let (draft, _) = drafts::of(connection, copies, id)?;
    let found = connection
        .prepare_cached(&format!("{CONVERSATION} FROM conversations c WHERE c.id = ?1"))?
        .query_row([id.0], read_conversation)
        .optional()?;
    Ok(found.map(|conversation| Conversation { draft, ..conversation }))
}

/// Reads a conversation without its draft.
fn read_conversation(row: &Row) -> rusqlite::Result<Conversation> {
    // Parameters that a later version wrote differently must not lose the conversation.
    let params: ChatParams = serde_json::from_str(&text::string(row, 9)?).unwrap_or_default();
    Ok(Conversation {
        id: Id(row.get(0)?),
        title: row.get(1)?,
        titled: row.get(2)?,
        created_ms: row.get(3)?,
        updated_ms: row.get(4)?,
        trashed_ms: row.get(5)?,
        profile: row.get(6)?,
        model: row.get(7)?,
        system: text::string(row, 8)?,
        params,
        leaf: row.get::<_, Option<i64>>(10)?.map(Id),
        draft: String::new(),
    })
}

fn outline(connection: &Connection, id: Id) -> rusqlite::Result<Vec<(Id, Option<Id>)>> {
    connection
        .prepare_cached("SELECT id, parent FROM turns WHERE conversation = ?1 ORDER BY id")?
        .query_map([id.0], |row| Ok((Id(row.get(0)?), row.get::<_, Option<i64>>(1)?.map(Id))))?
        .collect()
}

/// Returns the turns that exist of those asked for, in the order asked.
fn turns(connection: &Connection, ids: &[Id]) -> rusqlite::Result<Vec<Turn>> {
    let mut statement = connection.prepare_cached(
        "SELECT id, conversation, parent, role, content, reasoning, model, choice, status, error, finish_reason, \
         created_ms, prompt_tokens, completion_tokens, estimated, cost_nano, first_token_ms, total_ms \
         FROM turns WHERE id = ?1",
    )?;
    let mut parts = connection.prepare_cached("SELECT kind, text FROM parts WHERE turn = ?1 ORDER BY kind, place")?;
    let mut found = Vec::with_capacity(ids.len());
    for id in ids {
        let Some(mut turn) = statement.query_row([id.0], read_turn).optional()? else { continue };
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

fn read_turn(row: &Row) -> rusqlite::Result<Turn> {
    Ok(Turn {
        id: Id(row.get(0)?),
        conversation: Id(row.get(1)?),
        parent: row.get::<_, Option<i64>>(2)?.map(Id),
        role: row.get(3)?,
        content: row.get(4)?,
        reasoning: row.get(5)?,
        blocks: Vec::new(),
        model: row.get(6)?,
        choice: row.get(7)?,
        status: status_of(row.get_ref(8)?.as_str().unwrap_or_default()),
        error: row.get(9)?,
        details: None,
        finish_reason: row.get(10)?,
        created_ms: row.get(11)?,
        prompt_tokens: count_of(row, 12)?,
        completion_tokens: count_of(row, 13)?,
        estimated: row.get(14)?,
        cost_nano: row.get(15)?,
        first_token_ms: count_of(row, 16)?,
        total_ms: count_of(row, 17)?,
    })
}

/// Sums the costs of a profile since `since_ms`. Summed here and not in SQL, where one absurd row would make every sum
/// overflow.
fn spent(connection: &Connection, profile: &str, since_ms: i64) -> rusqlite::Result<Rows> {
    let mut statement = connection.prepare_cached("SELECT cost_nano FROM ledger WHERE profile = ?1 AND at_ms >= ?2")?;
    let mut rows = statement.query((profile, since_ms))?;
    let mut spent = None;
    while let Some(row) = rows.next()? {
        let cost = Cost::from(row.get::<_, Option<i64>>(0)?);
        spent = Some(spent.unwrap_or_default() + cost);
    }
    Ok(Rows::Spent(spent))
}
