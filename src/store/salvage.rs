//! Reading what can still be read of a damaged store into a new one.

use std::collections::VecDeque;
use std::path::Path;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, params_from_iter};

use super::limits::HOLES;
use super::schema::TABLES;
use super::{answers, marks, playground, search, texts};
use crate::record::Id;

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Saved {
    pub(super) conversations: u64,
    pub(super) turns: u64,
    pub(super) steps: u64,
    pub(super) texts: u64,
    pub(super) checks: u64,
}

/// What a salvaged store holds.
pub(super) fn saved(store: &Connection) -> rusqlite::Result<Saved> {
    let count = |table: &str| store.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0));
    Ok(Saved {
        conversations: count("conversations").map(|n: i64| n as u64)?,
        turns: count("turns").map(|n: i64| n as u64)?,
        steps: count("steps").map(|n: i64| n as u64)?,
        texts: count("texts").map(|n: i64| n as u64)?,
        checks: count("checks").map(|n: i64| n as u64)?,
    })
}

/// Copies all readable rows of the damaged file into `new` and makes them fit each other again. The damaged file is
/// only read. An error means that the new store failed, not the old one.
pub(super) fn salvage(damaged: &Path, new: &mut Connection) -> rusqlite::Result<()> {
    // Off while rows come whose owners may be lost.
    new.pragma_update(None, "foreign_keys", false)?;
    let transaction = new.transaction()?;
    if let Ok(old) = Connection::open_with_flags(damaged, OpenFlags::SQLITE_OPEN_READ_ONLY) {
        let _ = old.pragma_update(None, "cell_size_check", true);
        for table in TABLES {
            copy(&old, &transaction, table)?;
        }
    }
    mend(&transaction)?;
    transaction.commit()?;
    new.pragma_update(None, "foreign_keys", true)
}

/// Copies a table's readable rows. Its first column is the key; what lies behind an unreadable page is reached from the
/// other end, and what lies between two such pages by halving the gap.
fn copy(old: &Connection, new: &Connection, table: &str) -> rusqlite::Result<()> {
    let ours = columns(new, table)?;
    let Ok(theirs) = columns(old, table) else { return Ok(()) };
    let shared: Vec<&str> = ours.iter().filter(|name| theirs.contains(name)).map(String::as_str).collect();
    let Some(key) = shared.first() else { return Ok(()) };
    let names = shared.join(", ");
    let marks = vec!["?"; shared.len()].join(", ");
    let mut insert = new.prepare(&format!("INSERT OR IGNORE INTO {table} ({names}) VALUES ({marks})"))?;
    let select = |order: &str| {
        old.prepare(&format!("SELECT {names} FROM {table} WHERE {key} > ?1 AND {key} < ?2 ORDER BY {key} {order}"))
    };
    let (Ok(mut forward), Ok(mut backward)) = (select("ASC"), select("DESC")) else { return Ok(()) };
    // Wide gaps come first: in one that is a bad page and nothing else there is nothing, however often it is halved.
    let mut gaps = VecDeque::from([(i64::MIN, i64::MAX)]);
    let mut holes = HOLES;
    while let Some((low, high)) = gaps.pop_front() {
        let Some(low) = run(&mut forward, &mut insert, (low, high), low)? else { continue };
        let Some(high) = run(&mut backward, &mut insert, (low, high), high)? else { continue };
        // The first and the last key between them were tried.
        if holes == 0 || high.saturating_sub(low) <= 3 {
            continue;
        }
        holes -= 1;
        let middle = low.midpoint(high);
        gaps.extend([(low, middle), (middle - 1, high)]);
    }
    Ok(())
}

/// Copies rows of a range until its end (`None`) or until one cannot be read (the key of the last one that could).
fn run(
    select: &mut rusqlite::Statement,
    insert: &mut rusqlite::Statement,
    (low, high): (i64, i64),
    mut last: i64,
) -> rusqlite::Result<Option<i64>> {
    let width = select.column_count();
    let Ok(mut rows) = select.query((low, high)) else { return Ok(Some(last)) };
    loop {
        let row = match rows.next() {
            Ok(Some(row)) => row,
            Ok(None) => return Ok(None),
            Err(_) => return Ok(Some(last)),
        };
        let values: Result<Vec<ToSqlOutput>, _> = (0..width).map(|n| row.get_ref(n).map(readable)).collect();
        let (Ok(values), Ok(key)) = (values, row.get(0)) else { return Ok(Some(last)) };
        match insert.execute(params_from_iter(values)) {
            // What does not fit its column was damaged, too.
            Ok(_)
            | Err(rusqlite::Error::SqliteFailure(
                rusqlite::ffi::Error { code: rusqlite::ErrorCode::ConstraintViolation, .. },
                _,
            )) => {}
            Err(error) => return Err(error),
        }
        last = key;
    }
}

/// A value as it was, but text as text: bytes that are none would make the row unreadable for ever.
fn readable(value: ValueRef<'_>) -> ToSqlOutput<'_> {
    match value {
        ValueRef::Text(bytes) if std::str::from_utf8(bytes).is_err() => {
            ToSqlOutput::from(String::from_utf8_lossy(bytes).into_owned())
        }
        value => ToSqlOutput::Borrowed(value),
    }
}

fn columns(connection: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let statement = connection.prepare(&format!("SELECT * FROM {table} LIMIT 0"))?;
    Ok(statement.column_names().map(str::to_owned).collect())
}

/// Makes rows fit each other again after some were lost, and finds their words anew.
fn mend(new: &Connection) -> rusqlite::Result<()> {
    marks::adopt(new)?;
    new.execute_batch(
        "INSERT OR IGNORE INTO conversations
             SELECT conversation, 'Recovered', 0, min(created_ms), max(created_ms), NULL, '', '', '', '{}', NULL
             FROM turns GROUP BY conversation;
         UPDATE turns SET parent = NULL WHERE parent IS NOT NULL AND parent NOT IN (SELECT id FROM turns);
         UPDATE conversations SET leaf = (SELECT max(id) FROM turns WHERE conversation = conversations.id)
             WHERE leaf IS NULL OR leaf NOT IN (SELECT id FROM turns);
         DELETE FROM parts WHERE turn NOT IN (SELECT id FROM turns);
         DELETE FROM details WHERE turn NOT IN (SELECT id FROM turns);",
    )?;
    playground::adopt(new)?;
    texts::adopt(new)?;
    answers::adopt(new)?;
    for (table, sql) in APPENDED {
        cut_after_gaps(new, table, sql)?;
    }
    playground::refit(new)?;
    let mut titles = new.prepare("SELECT id, title FROM conversations")?;
    let mut texts = new.prepare("SELECT id, content FROM turns WHERE status <> 'streaming'")?;
    for statement in [&mut titles, &mut texts] {
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            search::index(new, Id(row.get(0)?), &row.get::<_, String>(1)?)?;
        }
    }
    Ok(())
}

/// What is appended to, a table and its rows: id, whose, which of its texts, place, length, length of what is before all
/// of them.
const APPENDED: [(&str, &str); 3] = [
    (
        "parts",
        "SELECT p.id, p.turn, p.kind, p.place, octet_length(p.text),
         octet_length(CASE p.kind WHEN 0 THEN t.content ELSE t.reasoning END)
         FROM parts p JOIN turns t ON t.id = p.turn ORDER BY p.turn, p.kind, p.place",
    ),
    (
        "grown",
        "SELECT g.id, g.step, 0, g.place, octet_length(g.text), octet_length(s.inserted)
         FROM grown g JOIN steps s ON s.id = g.step ORDER BY g.step, g.place",
    ),
    ("tokens", "SELECT id, owner, 0, place, amount, 0 FROM tokens ORDER BY owner, place"),
];

/// Drops rows that do not follow what is before them: a text with a hole would look like what the model said.
fn cut_after_gaps(new: &Connection, table: &str, sql: &str) -> rusqlite::Result<()> {
    let mut statement = new.prepare(sql)?;
    let mut rows = statement.query([])?;
    let mut stray = Vec::new();
    let mut at: Option<(i64, i64, i64)> = None;
    while let Some(row) = rows.next()? {
        let (id, owner, kind, place, length): (i64, i64, i64, i64, i64) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?);
        let end = match at {
            Some((o, k, end)) if (o, k) == (owner, kind) => end,
            _ => row.get(5)?,
        };
        let end = if place == end {
            end + length
        } else {
            stray.push(id);
            end
        };
        at = Some((owner, kind, end));
    }
    for id in stray {
        new.execute(&format!("DELETE FROM {table} WHERE id = ?1"), [id])?;
    }
    Ok(())
}
