//! From records to rows. Everything here runs inside the writer's transaction.

use rusqlite::Connection;

use super::drafts::{self, Copies};
use super::error::WriteError;
use super::{
    answers, append_text, conversations, details, ledger, marks, playground, profiles, settings, texts, turns,
};
use crate::record::Record;

/// Writes a record. Fails if its owner does not exist, it does not fit what is stored, or SQLite fails.
pub(super) fn write(connection: &Connection, record: &Record, copies: &Copies) -> Result<(), WriteError> {
    match record {
        Record::Conversation(conversation) => conversations::write(connection, conversation),
        Record::Title { conversation, title } => conversations::write_title(connection, *conversation, title),
        Record::Trashed { conversation, at_ms } => conversations::write_trashed(connection, *conversation, *at_ms),
        Record::Turn(turn) => turns::write(connection, turn),
        Record::Moved { turns, parent } => turns::move_to(connection, turns, *parent),
        Record::DeleteTurn { turn, parent } => turns::delete(connection, *turn, *parent),
        Record::Batch(records) => records.iter().try_for_each(|record| write(connection, record, copies)),
        Record::Extend { turn, content_at, content, reasoning_at, reasoning } => {
            turns::extend(connection, *turn, (*content_at, content), (*reasoning_at, reasoning))
        }
        Record::Blocks { turn, blocks } => details::write_blocks(connection, *turn, blocks),
        Record::Draft { conversation, text } => {
            conversations::refuse_purged(connection, *conversation)?;
            Ok(drafts::write(connection, copies, *conversation, text)?)
        }
        Record::DraftSent { conversation, text } => Ok(drafts::sent(connection, copies, *conversation, text)?),
        Record::DraftTaken { conversation, text } => {
            Ok(drafts::delete_continued(connection, copies, *conversation, text)?)
        }
        Record::DraftAside(conversation) => Ok(drafts::release(connection, copies, *conversation)?),
        Record::Ledger(row) => ledger::write(connection, row),
        Record::Setting(name, value) => settings::write(connection, name, value),
        Record::Sheet(sheet) => playground::write_sheet(connection, sheet),
        Record::Step(step) => playground::write_step(connection, step),
        Record::Grow { step, at, text } => append_text::append(connection, &append_text::INSERTED, *step, *at, text),
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
        Record::ProfileRenamed { from, to } => Ok(profiles::rename(connection, from, to)?),
        // They never come here alone; and what is in two files cannot be stored atomically.
        Record::Vectors { .. } => Err(WriteError::Invalid("vectors have a database of their own".to_owned())),
        Record::Purge(id) => conversations::purge(connection, *id),
    }
}
