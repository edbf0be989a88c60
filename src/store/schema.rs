//! The tables, their version, and the settings of each connection.

use std::collections::BTreeSet;

use ring::digest::{Context, SHA256};
use rusqlite::{Connection, TransactionBehavior};

use super::error::StoreError;
use super::limits::BUSY;

/// Distinguishes our files from other SQLite files: "btop" in ASCII, read as a number.
pub(super) const APPLICATION: i32 = 0x6274_6f70;

/// Each step migrates the store from its index to the next version. Never edit a step that was released: add one.
const STEPS: &[&str] = &[
    "
CREATE TABLE conversations (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, titled INTEGER NOT NULL, created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL, trashed_ms INTEGER, profile TEXT NOT NULL, model TEXT NOT NULL, system TEXT NOT NULL,
    params TEXT NOT NULL, leaf INTEGER
) STRICT;
-- Apart from the conversation: a draft is written at each pause in typing, and may come before its conversation.
CREATE TABLE drafts (conversation INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
CREATE TABLE turns (
    id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
    parent INTEGER, role TEXT NOT NULL, content TEXT NOT NULL, reasoning TEXT NOT NULL, model TEXT NOT NULL,
    choice INTEGER NOT NULL, status TEXT NOT NULL, error TEXT NOT NULL, finish_reason TEXT NOT NULL,
    created_ms INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
    estimated INTEGER NOT NULL, cost_nano INTEGER, first_token_ms INTEGER NOT NULL, total_ms INTEGER NOT NULL
) STRICT;
-- Holds all an outline needs.
CREATE INDEX turns_of ON turns (conversation, id, parent);
-- What arrived for a turn after its row was written: appended, so that a long answer is not rewritten each second.
-- kind: 0 content, 1 reasoning. place: bytes before it.
CREATE TABLE parts (
    id INTEGER PRIMARY KEY, turn INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE, kind INTEGER NOT NULL,
    place INTEGER NOT NULL, text TEXT NOT NULL, UNIQUE (turn, kind, place)
) STRICT;
CREATE TABLE ledger (
    id INTEGER PRIMARY KEY, request_id TEXT NOT NULL UNIQUE, at_ms INTEGER NOT NULL, profile TEXT NOT NULL,
    tab TEXT NOT NULL, model TEXT NOT NULL, prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL,
    estimated INTEGER NOT NULL, cost_nano INTEGER
) STRICT;
CREATE INDEX ledger_of ON ledger (profile, at_ms, cost_nano);
CREATE TABLE settings (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, value TEXT NOT NULL) STRICT;
-- Words of titles (row: the conversation's id) and finished turns (row: the turn's). Keeps no text of its own.
CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1, tokenize = 'unicode61');
",
    "
-- Conversations deleted for good: a copy that still shows one must not bring it back.
CREATE TABLE purged (id INTEGER PRIMARY KEY) STRICT;
",
    "
CREATE TABLE sheets (
    id INTEGER PRIMARY KEY, created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, current INTEGER,
    caret INTEGER NOT NULL
) STRICT;
-- made: 'typed', 'generated' (by a run, as its choice), 'picked', 'accepted'.
CREATE TABLE steps (
    id INTEGER PRIMARY KEY, sheet INTEGER NOT NULL REFERENCES sheets (id) ON DELETE CASCADE, parent INTEGER,
    made TEXT NOT NULL, run INTEGER, choice INTEGER, at INTEGER NOT NULL, removed TEXT NOT NULL,
    inserted TEXT NOT NULL, status TEXT NOT NULL, finish_reason TEXT NOT NULL, created_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX steps_of ON steps (sheet, id);
-- What a step inserted after its row was written; see parts.
CREATE TABLE grown (
    id INTEGER PRIMARY KEY, step INTEGER NOT NULL REFERENCES steps (id) ON DELETE CASCADE, place INTEGER NOT NULL,
    text TEXT NOT NULL, UNIQUE (step, place)
) STRICT;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, sheet INTEGER NOT NULL REFERENCES sheets (id) ON DELETE CASCADE, parent INTEGER,
    profile TEXT NOT NULL, model TEXT NOT NULL, params TEXT NOT NULL, excerpt TEXT NOT NULL, status TEXT NOT NULL,
    error TEXT NOT NULL, created_ms INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL, estimated INTEGER NOT NULL, cost_nano INTEGER,
    first_token_ms INTEGER NOT NULL, total_ms INTEGER NOT NULL
) STRICT;
-- Tokens of a step, a turn or a run's prompt, some at a time. place: tokens before these; amount: how many these are.
CREATE TABLE tokens (
    id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, place INTEGER NOT NULL, amount INTEGER NOT NULL,
    tokens TEXT NOT NULL, UNIQUE (owner, place)
) STRICT;
CREATE TABLE presets (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, prompt TEXT NOT NULL, caret INTEGER NOT NULL, model TEXT NOT NULL,
    params TEXT NOT NULL, created_ms INTEGER NOT NULL
) STRICT;
",
    "
-- bench: 'moderate', 'embed'.
CREATE TABLE lists (
    id INTEGER PRIMARY KEY, bench TEXT NOT NULL, name TEXT NOT NULL, source TEXT NOT NULL,
    created_ms INTEGER NOT NULL, updated_ms INTEGER NOT NULL, state TEXT NOT NULL
) STRICT;
-- key: names the text; 16 bytes.
CREATE TABLE texts (
    id INTEGER PRIMARY KEY, list INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE, place INTEGER NOT NULL,
    key BLOB NOT NULL, name TEXT NOT NULL, label TEXT, text TEXT NOT NULL
) STRICT;
-- Counts a list's rows and names its texts without reading them.
CREATE INDEX texts_of ON texts (list, place, id, key);
-- Who was asked, and for which categories scores are: once for all the checks that share them.
CREATE TABLE asked (id INTEGER PRIMARY KEY, profile TEXT NOT NULL, model TEXT NOT NULL, UNIQUE (profile, model)) STRICT;
CREATE TABLE categories (id INTEGER PRIMARY KEY, names TEXT NOT NULL UNIQUE) STRICT;
-- What was said of a text, by its key. scores: 8 bytes each; flags: a byte each.
CREATE TABLE checks (
    id INTEGER PRIMARY KEY, text BLOB NOT NULL, asked INTEGER NOT NULL, categories INTEGER NOT NULL,
    model TEXT NOT NULL, at_ms INTEGER NOT NULL, latency_ms INTEGER NOT NULL, flagged INTEGER NOT NULL,
    scores BLOB NOT NULL, flags BLOB NOT NULL
) STRICT;
-- Finds the newest of each without reading any.
CREATE INDEX checks_of ON checks (text, asked, at_ms, id);
",
    "
-- Turns to learn from. ideal: what the answer should have been; NULL: it is good as it is.
CREATE TABLE marks (
    turn INTEGER PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE, ideal TEXT, at_ms INTEGER NOT NULL
) STRICT;
-- What models answered to the rows of a list (bench: 'score').
CREATE TABLE answers (
    id INTEGER PRIMARY KEY, list INTEGER NOT NULL REFERENCES lists (id) ON DELETE CASCADE, row INTEGER NOT NULL,
    profile TEXT NOT NULL, model TEXT NOT NULL, text TEXT NOT NULL, at_ms INTEGER NOT NULL,
    latency_ms INTEGER NOT NULL, finish TEXT NOT NULL, prompt_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL, estimated INTEGER NOT NULL, cost_nano INTEGER,
    UNIQUE (list, row, profile, model)
) STRICT;
",
    "
-- What few turns have besides their texts, as JSON. kind: 'blocks' (a refusal, calls, …), 'failure'.
CREATE TABLE details (
    id INTEGER PRIMARY KEY, turn INTEGER NOT NULL REFERENCES turns (id) ON DELETE CASCADE, kind TEXT NOT NULL,
    value TEXT NOT NULL, UNIQUE (turn, kind)
) STRICT;
",
    "
-- A draft for each copy of benchtop that writes in a conversation. copy: 0: nobody's.
ALTER TABLE drafts RENAME TO drafts_before;
CREATE TABLE drafts (
    id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL, copy INTEGER NOT NULL DEFAULT 0,
    at_ms INTEGER NOT NULL DEFAULT 0, text TEXT NOT NULL
) STRICT;
INSERT INTO drafts (conversation, text) SELECT conversation, text FROM drafts_before WHERE text <> '';
DROP TABLE drafts_before;
CREATE INDEX drafts_of ON drafts (conversation);
",
];

/// The version of the tables that this program creates.
pub(super) const LATEST: usize = STEPS.len();

/// The tables that hold irreplaceable data, in the order in which they can be filled.
pub(super) const TABLES: &[&str] = &[
    "conversations",
    "drafts",
    "turns",
    "parts",
    "details",
    "ledger",
    "settings",
    "purged",
    "sheets",
    "steps",
    "grown",
    "runs",
    "tokens",
    "presets",
    "lists",
    "texts",
    "asked",
    "categories",
    "checks",
    "marks",
    "answers",
];

/// Where the file is, which decides the journal mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Medium {
    /// A disk of this machine: write-ahead log.
    Local,
    /// A network or user-space file system, where the log's shared memory does not work: a rollback journal.
    Network,
    /// Memory.
    Memory,
}

/// Sets up a connection; every connection of every copy gets the same settings. Fails if SQLite does.
pub(super) fn prepare(connection: &Connection, medium: Medium) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(64);
    let (journal, synchronous) = match medium {
        Medium::Local => ("WAL", "FULL"),
        // EXTRA also syncs the directory after the journal was deleted.
        Medium::Network => ("TRUNCATE", "EXTRA"),
        Medium::Memory => ("MEMORY", "OFF"),
    };
    connection.pragma_update_and_check(None, "journal_mode", journal, |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", synchronous)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    // What is deleted for good is overwritten, as far as that takes no extra writes.
    connection.pragma_update_and_check(None, "secure_delete", "FAST", |_| Ok(()))?;
    // The log may grow while a long read uses it; the space is released afterwards.
    connection.pragma_update_and_check(None, "journal_size_limit", 16 << 20, |_| Ok(()))?;
    connection.pragma_update(None, "cache_size", -1024)?;
    Ok(())
}

/// Fails for files of another program or of a later version. Returns the version, 0 for an empty file. Writes nothing.
pub(super) fn check_version(connection: &Connection) -> Result<usize, OpenError> {
    let found = version(connection)?;
    let tables: u32 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let application = application(connection)?;
    if application != APPLICATION && (tables > 0 || found > 0) {
        return Err(if is_nearly_ours(application) {
            damage("another application's mark")
        } else {
            OpenError::Refused(StoreError::Foreign)
        });
    }
    if found > LATEST {
        return Err(OpenError::Refused(StoreError::Newer { found, known: LATEST }));
    }
    Ok(found)
}

/// Returns whether a file's application id is ours except for a damaged byte.
pub(super) fn is_nearly_ours(application: i32) -> bool {
    (application ^ APPLICATION).count_ones() <= 8
}

/// Migrates the tables to this version. Fails for the files that [`check_version`] refuses, and if the tables do not
/// match their version.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), OpenError> {
    if check_version(connection)? == LATEST {
        return Ok(());
    }
    build(connection, LATEST).map_err(|error| match error {
        // The tables do not match the file's version: some exist already or are missing.
        rusqlite::Error::SqlInputError { msg, .. } => damage(&msg),
        error => OpenError::Sqlite(error),
    })
}

/// Migrates the tables to a version, if they are of an earlier one.
pub(super) fn build(connection: &mut Connection, target: usize) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read under the lock: another copy may just have migrated them.
    let found = version(&transaction)?;
    if found < target {
        for step in &STEPS[found..target] {
            transaction.execute_batch(step)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", target as i64)?;
    }
    transaction.commit()
}

/// The items of a file's schema.
type Schema = BTreeSet<(String, String, Option<String>)>;

/// Returns the tables and indices of a version; `None`: there is no such version.
fn expected(version: usize) -> rusqlite::Result<Option<Schema>> {
    if !(1..=LATEST).contains(&version) {
        return Ok(None);
    }
    let mut store = Connection::open_in_memory()?;
    build(&mut store, version)?;
    found(&store).map(Some)
}

fn found(connection: &Connection) -> rusqlite::Result<Schema> {
    let mut schema = connection.prepare("SELECT type, name, sql FROM sqlite_schema")?;
    schema.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?.collect()
}

/// Returns the names of a version's tables; `None`: there is no such version.
pub(super) fn tables(version: usize) -> Option<Vec<String>> {
    let schema = expected(version).ok()??;
    Some(schema.into_iter().filter(|(kind, ..)| kind == "table").map(|(_, name, _)| name).collect())
}

/// The [`digest`] of the latest version's schema.
const SOUND: u64 = 0xd4eb_c7bb_7777_6342;

/// Returns a hash of a schema.
fn digest(schema: &Schema) -> u64 {
    let mut context = Context::new(&SHA256);
    for (kind, name, sql) in schema {
        for text in [kind, name, sql.as_ref().unwrap_or(&String::new())] {
            context.update(text.as_bytes());
            context.update(&[0]);
        }
    }
    context.finish().as_ref().iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}

/// Checks that all tables and indices of the latest version exist unchanged; fails if not.
pub(super) fn compare_schema(connection: &Connection) -> Result<(), OpenError> {
    let found = found(connection)?;
    // Nearly always; creating the tables in memory for a comparison takes long.
    if digest(&found) == SOUND {
        return Ok(());
    }
    match expected(LATEST)? {
        Some(expected) if !expected.is_subset(&found) => Err(damage("the schema is not as it was made")),
        _ => Ok(()),
    }
}

/// Returns the error that SQLite gives for a damaged file, for damage found here.
pub(super) fn damage(what: &str) -> OpenError {
    let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    OpenError::Sqlite(rusqlite::Error::SqliteFailure(code, Some(what.to_owned())))
}

/// Why tables cannot be used.
#[derive(Debug)]
pub(super) enum OpenError {
    /// A sound file that this version must not write to.
    Refused(StoreError),
    /// SQLite failed; perhaps the file is damaged.
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for OpenError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

fn version(connection: &Connection) -> rusqlite::Result<usize> {
    connection.pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).map(|v| v.max(0) as usize)
}

fn application(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "application_id", |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_of_any_version_is_brought_up_to_date() {
        for from in 1..STEPS.len() {
            let mut store = Connection::open_in_memory().unwrap();
            store.execute_batch(&STEPS[..from].concat()).unwrap();
            store.execute_batch("INSERT INTO settings (name, value) VALUES ('a', 'kept')").unwrap();
            store.pragma_update(None, "application_id", APPLICATION).unwrap();
            store.pragma_update(None, "user_version", from as i64).unwrap();
            migrate(&mut store).unwrap();
            assert_eq!(check_version(&store).unwrap(), STEPS.len());
            let count = |table: &str| store.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0));
            for table in TABLES {
                assert_eq!(count(table), Ok(i64::from(*table == "settings")), "{table}");
            }
        }
    }

    #[test]
    fn the_latest_schema_is_known_by_its_digest() {
        let latest = expected(LATEST).unwrap().unwrap();
        assert_eq!(digest(&latest), SOUND, "a step was added: set SOUND to {:#018x}", digest(&latest));
    }

    #[test]
    fn a_schema_that_lacks_or_changes_something_is_damaged_and_one_with_more_is_not() {
        for (change, sound) in [
            ("", true),
            ("CREATE TABLE more (x)", true),
            ("DROP INDEX drafts_of", false),
            ("ALTER TABLE presets RENAME COLUMN caret TO carat", false),
        ] {
            let mut store = Connection::open_in_memory().unwrap();
            migrate(&mut store).unwrap();
            store.execute_batch(change).unwrap();
            assert_eq!(compare_schema(&store).is_ok(), sound, "{change}");
        }
    }

    /// Tests that every table is named: one that is not would be lost with a damaged file.
    #[test]
    fn all_tables_are_named() {
        let mut store = Connection::open_in_memory().unwrap();
        migrate(&mut store).unwrap();
        let mut tables = store
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'words%' ORDER BY name")
            .unwrap();
        let found: Vec<String> = tables.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
        let mut named = TABLES.to_vec();
        named.sort_unstable();
        assert_eq!(found, named);
    }
}
