//! From queries to rows.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rusqlite::Connection;

use super::drafts::{self, Copies};
use super::error::sentence;
use super::lock_file::CorruptionFlag;
use super::{answers, conversations, ledger, marks, playground, search, settings, texts, turns};
use crate::record::{Query, Rows, Stored, VectorTable};

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

/// Answers a query as of one moment. Fails if SQLite does.
pub(super) fn answer(connection: &mut Connection, query: Query, copies: &Copies) -> rusqlite::Result<Rows> {
    let snapshot = connection.transaction()?;
    Ok(match query {
        Query::Heads => Rows::Heads(conversations::heads(&snapshot, copies)?),
        Query::Conversation(id) => Rows::Conversation(conversations::load(&snapshot, id, copies)?.map(Box::new)),
        Query::Drafts(id) => Rows::Drafts(id, drafts::of(&snapshot, copies, id)?.1),
        Query::Outline(id) => Rows::Outline(id, turns::outline(&snapshot, id)?),
        Query::Turns(ids) => Rows::Turns(turns::load(&snapshot, &ids)?),
        Query::Search(words) => Rows::Found(search::find(&snapshot, &words)?),
        Query::Setting(name) => {
            let value = settings::load(&snapshot, &name)?;
            Rows::Setting(name, value)
        }
        Query::Settings(prefix) => Rows::Settings(settings::load_all(&snapshot, &prefix)?),
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
        Query::Spent { profile, since_ms } => Rows::Spent(ledger::spent(&snapshot, &profile, since_ms)?),
        Query::UsedModels(profile) => Rows::UsedModels(ledger::models(&snapshot, &profile)?),
    })
}
