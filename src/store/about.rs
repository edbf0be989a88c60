//! What a record is about: what it depends on, how large it is, what it is called in messages.

use super::waiting::{Depends, Key};
use crate::record::{Block, Details, Record};
use crate::text::Untrusted;

impl Depends for Record {
    fn changes<'a>(&'a self, name: &mut dyn FnMut(Key<'a>)) {
        match self {
            Self::Conversation(conversation) => name(Key::Row(conversation.id)),
            Self::Title { conversation, .. } | Self::Trashed { conversation, .. } => name(Key::Row(*conversation)),
            Self::Turn(turn) => name(Key::Row(turn.id)),
            Self::Extend { turn, .. }
            | Self::Blocks { turn, .. }
            | Self::DeleteMark(turn)
            | Self::DeleteTurn { turn, .. } => {
                name(Key::Row(*turn));
            }
            Self::Moved { turns, .. } => turns.iter().for_each(|turn| name(Key::Row(*turn))),
            Self::Mark(mark) => name(Key::Row(mark.turn)),
            Self::Draft { conversation, .. }
            | Self::DraftSent { conversation, .. }
            | Self::DraftTaken { conversation, .. }
            | Self::DraftAside(conversation) => name(Key::Draft(*conversation)),
            Self::Purge(conversation) => {
                name(Key::Row(*conversation));
                name(Key::Draft(*conversation));
            }
            Self::Setting(setting, _) => name(Key::Name(setting)),
            Self::Sheet(sheet) => name(Key::Row(sheet.id)),
            Self::Step(step) => name(Key::Row(step.id)),
            Self::Grow { step, .. } => name(Key::Row(*step)),
            Self::Run(run) => name(Key::Row(run.id)),
            Self::Tokens { of, .. } => name(Key::Tokens(*of)),
            Self::Preset(preset) => name(Key::Row(preset.id)),
            Self::DeletePreset(id) | Self::DeleteTextList(id) => name(Key::Row(*id)),
            Self::TextList(list) => name(Key::Row(list.id)),
            Self::TextRows { rows, .. } => rows.iter().for_each(|row| name(Key::Row(row.id))),
            Self::DeleteTextRows(ids) => ids.iter().for_each(|id| name(Key::Row(*id))),
            Self::Batch(records) => records.iter().for_each(|record| record.changes(name)),
            // These only add to what is stored, or change its profile's name.
            Self::Ledger(_)
            | Self::Checks(_)
            | Self::Answers(_)
            | Self::Vectors { .. }
            | Self::ProfileRenamed { .. } => {}
        }
    }

    fn needs<'a>(&'a self, name: &mut dyn FnMut(Key<'a>)) {
        match self {
            Self::Conversation(conversation) => conversation.leaf.into_iter().for_each(|leaf| name(Key::Row(leaf))),
            Self::Turn(turn) => name(Key::Row(turn.conversation)),
            Self::Sheet(sheet) => sheet.current.into_iter().for_each(|step| name(Key::Row(step))),
            Self::Step(step) => name(Key::Row(step.sheet)),
            Self::Run(run) => name(Key::Row(run.sheet)),
            Self::Tokens { of, .. } => name(Key::Row(*of)),
            Self::TextRows { list, .. } => name(Key::Row(*list)),
            Self::Answers(answers) => answers.iter().for_each(|answer| name(Key::Row(answer.list))),
            Self::Batch(records) => records.iter().for_each(|record| record.needs(name)),
            // These need nothing but what they change, or nothing.
            Self::Title { .. }
            | Self::Trashed { .. }
            | Self::Moved { .. }
            | Self::DeleteTurn { .. }
            | Self::Extend { .. }
            | Self::Blocks { .. }
            | Self::Mark(_)
            | Self::DeleteMark(_)
            | Self::Grow { .. }
            | Self::Draft { .. }
            | Self::DraftSent { .. }
            | Self::DraftTaken { .. }
            | Self::DraftAside(_)
            | Self::Purge(_)
            | Self::Setting(..)
            | Self::Preset(_)
            | Self::DeletePreset(_)
            | Self::TextList(_)
            | Self::DeleteTextList(_)
            | Self::DeleteTextRows(_)
            | Self::Ledger(_)
            | Self::Checks(_)
            | Self::ProfileRenamed { .. }
            | Self::Vectors { .. } => {}
        }
    }
}

/// Returns the approximate bytes of a record in memory.
pub(super) fn size(record: &Record) -> usize {
    /// Bytes of a small record besides its texts.
    const SMALL: usize = 256;
    let held =
        |block: &Block| if let Block::File { name, data, .. } = block { name.len() + data.len() } else { block.len() };
    let sum = |blocks: &[Block]| blocks.iter().map(|block| SMALL + held(block)).sum::<usize>();
    SMALL
        + match record {
            Record::Conversation(c) => c.title.len() + c.system.len(),
            Record::Title { title, .. } => title.len(),
            Record::Turn(turn) => {
                let words = turn.content.len() + turn.reasoning.len() + turn.error.len();
                words + sum(&turn.blocks) + turn.details.as_ref().map_or(0, |details| SMALL + texts(details))
            }
            Record::Blocks { blocks, .. } => sum(blocks),
            Record::Batch(records) => records.iter().map(size).sum(),
            Record::Extend { content, reasoning, .. } => content.len() + reasoning.len(),
            Record::Draft { text, .. } | Record::DraftSent { text, .. } | Record::DraftTaken { text, .. } => text.len(),
            Record::Setting(name, value) => name.len() + value.len(),
            Record::Step(step) => step.removed.len() + step.inserted.len(),
            Record::Grow { text, .. } => text.len(),
            Record::Tokens { tokens, .. } => tokens.len() * SMALL,
            Record::Preset(preset) => preset.prompt.len(),
            Record::TextList(list) => list.state.len(),
            Record::TextRows { rows, .. } => rows.iter().map(|row| SMALL + row.name.len() + row.text.len()).sum(),
            Record::DeleteTextRows(ids) => size_of_val(ids.as_slice()),
            Record::Checks(checks) => checks.iter().map(|check| SMALL + check.scores.len() * 16).sum(),
            Record::Answers(answers) => answers.iter().map(|answer| SMALL + answer.text.len()).sum(),
            Record::Mark(mark) => mark.ideal.as_ref().map_or(0, Untrusted::len),
            Record::ProfileRenamed { from, to } => from.len() + to.len(),
            // The numbers of vectors are shared with the tab that has them.
            Record::Vectors { .. }
            | Record::Trashed { .. }
            | Record::Moved { .. }
            | Record::DeleteTurn { .. }
            | Record::DraftAside(_)
            | Record::Ledger(_)
            | Record::Purge(_)
            | Record::Sheet(_)
            | Record::Run(_)
            | Record::DeletePreset(_)
            | Record::DeleteTextList(_)
            | Record::DeleteMark(_) => 0,
        }
}

/// Returns the bytes of a failure's texts.
fn texts(details: &Details) -> usize {
    let words = [&details.code, &details.request_id].into_iter().flatten();
    let headers = details.headers.iter().map(|(name, value)| name.len() + value.len());
    words.map(Untrusted::len).chain(headers).sum::<usize>() + details.body.len()
}

/// Returns what the record is called in messages.
pub(super) fn noun(record: &Record) -> &'static str {
    match record {
        Record::Draft { .. } | Record::DraftSent { .. } | Record::DraftTaken { .. } | Record::DraftAside(_) => "drafts",
        Record::Sheet(_) | Record::Step(_) | Record::Grow { .. } | Record::Run(_) | Record::Tokens { .. } => {
            "text in Complete"
        }
        Record::Preset(_) | Record::DeletePreset(_) => "presets",
        Record::TextList(_) | Record::DeleteTextList(_) | Record::TextRows { .. } | Record::DeleteTextRows(_) => {
            "lists of texts"
        }
        Record::Checks(_) | Record::Answers(_) | Record::Vectors { .. } => "results",
        Record::Ledger(_) | Record::ProfileRenamed { .. } => "costs",
        Record::Setting(..) => "settings",
        Record::Mark(_) | Record::DeleteMark(_) => "marks",
        Record::Batch(records) => records.first().map_or("texts", noun),
        Record::Conversation(_)
        | Record::Title { .. }
        | Record::Trashed { .. }
        | Record::Turn(_)
        | Record::Moved { .. }
        | Record::DeleteTurn { .. }
        | Record::Extend { .. }
        | Record::Blocks { .. }
        | Record::Purge(_) => "messages",
    }
}
