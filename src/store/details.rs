//! What few turns have besides their texts: blocks of an answer, files of a message, details of a failure. Stored as
//! JSON, a row for each kind.

use std::borrow::Cow;

use rusqlite::Connection;
use serde::{Deserialize, Serialize};

use super::error::WriteError;
use crate::record::{Block, Details, Id, Turn};
use crate::text::Untrusted;

const BLOCKS: &str = "blocks";
const FAILURE: &str = "failure";

/// A block as it is stored. Written, its texts are the block's own: a picture is large.
#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum StoredBlock<'a> {
    Refusal {
        text: Cow<'a, str>,
        #[serde(default)]
        profile: Cow<'a, str>,
    },
    Call {
        index: u32,
        id: Cow<'a, str>,
        name: Cow<'a, str>,
        arguments: Cow<'a, str>,
    },
    ResultOf {
        id: Cow<'a, str>,
        name: Cow<'a, str>,
    },
    Transcript {
        text: Cow<'a, str>,
    },
    Attachment {
        of: Cow<'a, str>,
        place: Cow<'a, str>,
    },
    File {
        name: Cow<'a, str>,
        of: Cow<'a, str>,
        data: Cow<'a, str>,
    },
}

/// Bytes of a block's JSON besides its texts, about.
const AROUND: usize = 200;

/// Details of a failure as they are stored.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct StoredDetails {
    status: Option<u16>,
    code: Option<String>,
    request_id: Option<String>,
    attempts: u8,
    headers: Vec<(String, String)>,
    body: String,
}

/// Stores the details of a turn, in place of those stored before. Fails if SQLite does.
pub(super) fn write(connection: &Connection, turn: &Turn) -> Result<(), WriteError> {
    connection.prepare_cached("DELETE FROM details WHERE turn = ?1")?.execute([turn.id.0])?;
    if !turn.blocks.is_empty() {
        write_blocks(connection, turn.id, &turn.blocks)?;
    }
    if let Some(details) = &turn.details {
        put(connection, turn.id, FAILURE, &StoredDetails::of(details), AROUND + details.body.len())?;
    }
    Ok(())
}

/// Stores the blocks of an existing turn, in place of those it has. Fails if the turn was deleted.
pub(super) fn write_blocks(connection: &Connection, turn: Id, blocks: &[Block]) -> Result<(), WriteError> {
    if !connection.prepare_cached("SELECT 1 FROM turns WHERE id = ?1")?.exists([turn.0])? {
        return Err(WriteError::Obsolete("the turn was deleted before its text arrived".to_owned()));
    }
    let kept: Vec<StoredBlock> = blocks.iter().map(StoredBlock::of).collect();
    let file = |block: &Block| block.picture().map_or(0, Untrusted::len);
    let size = blocks.iter().map(|block| AROUND + block.len() + file(block)).sum();
    put(connection, turn, BLOCKS, &kept, size)
}

/// Writes a value as JSON of about this size.
fn put(connection: &Connection, turn: Id, kind: &str, value: &impl Serialize, size: usize) -> Result<(), WriteError> {
    let unfit =
        |why: &dyn std::fmt::Display| WriteError::Invalid(format!("the {kind} of a turn cannot be written: {why}"));
    let mut json = Vec::with_capacity(size);
    serde_json::to_writer(&mut json, value).map_err(|error| unfit(&error))?;
    let json = str::from_utf8(&json).map_err(|error| unfit(&error))?;
    connection
        .prepare_cached(
            "INSERT INTO details (turn, kind, value) VALUES (?1, ?2, ?3) \
             ON CONFLICT (turn, kind) DO UPDATE SET value = excluded.value",
        )?
        .execute((turn.0, kind, json))?;
    Ok(())
}

/// Adds the stored details to a turn. What a later version wrote differently is left out. Fails if SQLite does.
pub(super) fn read(connection: &Connection, turn: &mut Turn) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("SELECT kind, value FROM details WHERE turn = ?1")?;
    let mut rows = statement.query([turn.id.0])?;
    while let Some(row) = rows.next()? {
        let json = row.get_ref(1)?.as_str()?;
        match row.get_ref(0)?.as_str()? {
            BLOCKS => {
                // One that this version does not know must not affect the others.
                let kept: Vec<serde_json::Value> = serde_json::from_str(json).unwrap_or_default();
                let known = kept.into_iter().filter_map(|value| serde_json::from_value::<StoredBlock>(value).ok());
                turn.blocks = known.map(StoredBlock::block).collect();
            }
            FAILURE => {
                turn.details = serde_json::from_str(json).ok().map(|kept: StoredDetails| Box::new(kept.details()));
            }
            _ => {}
        }
    }
    Ok(())
}

impl<'a> StoredBlock<'a> {
    fn of(block: &'a Block) -> Self {
        fn text(text: &Untrusted) -> Cow<'_, str> {
            Cow::Borrowed(text.raw())
        }
        match block {
            Block::Refusal { words, profile } => Self::Refusal { text: text(words), profile: text(profile) },
            Block::Call { index, id, name, arguments } => {
                Self::Call { index: *index, id: text(id), name: text(name), arguments: text(arguments) }
            }
            Block::ResultOf { id, name } => Self::ResultOf { id: text(id), name: text(name) },
            Block::Transcript(words) => Self::Transcript { text: text(words) },
            Block::Attachment { kind, place } => Self::Attachment { of: text(kind), place: text(place) },
            Block::File { name, kind, data } => Self::File { name: text(name), of: text(kind), data: text(data) },
        }
    }

    fn block(self) -> Block {
        let own = |text: Cow<'_, str>| Untrusted::new(text);
        match self {
            Self::Refusal { text, profile } => Block::Refusal { words: own(text), profile: own(profile) },
            Self::Call { index, id, name, arguments } => {
                Block::Call { index, id: own(id), name: own(name), arguments: own(arguments) }
            }
            Self::ResultOf { id, name } => Block::ResultOf { id: own(id), name: own(name) },
            Self::Transcript { text } => Block::Transcript(own(text)),
            Self::Attachment { of, place } => Block::Attachment { kind: own(of), place: own(place) },
            Self::File { name, of, data } => Block::File { name: own(name), kind: own(of), data: own(data) },
        }
    }
}

impl StoredDetails {
    fn of(details: &Details) -> Self {
        let text = |text: &Untrusted| text.raw().to_owned();
        Self {
            status: details.status,
            code: details.code.as_ref().map(text),
            request_id: details.request_id.as_ref().map(text),
            attempts: details.attempts,
            headers: details.headers.iter().map(|(name, value)| (name.clone(), text(value))).collect(),
            body: text(&details.body),
        }
    }

    fn details(self) -> Details {
        Details {
            status: self.status,
            code: self.code.map(Into::into),
            request_id: self.request_id.map(Into::into),
            attempts: self.attempts,
            headers: self.headers.into_iter().map(|(name, value)| (name, value.into())).collect(),
            body: self.body.into(),
        }
    }
}
