//! Copies what can still be read of a damaged store into a new one.
//!
//! The damaged file is read page by page, without SQLite: the tables' columns are known, so neither the file's header
//! nor its schema is needed, and a page that cannot be read loses only its own content. The log beside the file is read
//! too.

mod cells;
mod log;
mod pages;
mod shape;
mod trees;

use std::path::Path;

use rusqlite::{Connection, params_from_iter};

use self::cells::Cell;
use self::pages::Pages;
use self::shape::Shape;
use super::schema::{self, TABLES};
use super::{answers, marks, playground, search, texts};
use crate::record::Id;

pub(super) use self::pages::{HEADER, is_sound};

/// Returns whether a store at `path` and its log contain any table at all.
pub(super) fn holds_tables(path: &Path) -> bool {
    Pages::open(path).is_ok_and(|pages| !trees::tables(&pages).is_empty())
}

/// Returns whether SQLite would drop some of the log of the store at `path`, as a part of it is damaged.
pub(super) fn is_log_torn(path: &Path) -> bool {
    Pages::open(path).is_ok_and(|pages| pages.torn())
}

/// What was found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Saved {
    pub(super) conversations: u64,
    pub(super) turns: u64,
    pub(super) steps: u64,
    pub(super) texts: u64,
    pub(super) checks: u64,
}

/// Counts what a salvaged store contains. Fails if SQLite does.
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

/// Copies all readable rows of the stores at `sources` into `new`, which is empty, and makes them consistent again. Of
/// rows with the same key the first counts. The sources are only read. Fails only if the new store does.
pub(super) fn salvage(sources: &[&Path], new: &mut Connection) -> rusqlite::Result<()> {
    let sources: Vec<Pages> = sources.iter().filter_map(|path| Pages::open(path).ok()).collect();
    // Off while rows are inserted whose owners may be lost.
    new.pragma_update(None, "foreign_keys", false)?;
    schema::build(new, sources.iter().map(version).max().unwrap_or(schema::LATEST))?;
    let transaction = new.transaction()?;
    for pages in &sources {
        copy(pages, &transaction)?;
    }
    transaction.commit()?;
    schema::build(new, schema::LATEST)?;
    let transaction = new.transaction()?;
    make_consistent(&transaction)?;
    transaction.commit()?;
    new.pragma_update(None, "foreign_keys", true)
}

/// Returns the version of a store's tables. One that its schema contradicts, or that is impossible, is taken for the
/// latest.
fn version(pages: &Pages) -> usize {
    let declared = pages.read(1).map_or(0, |page| pages::number(&page, 60)) as usize;
    let found = trees::tables(pages);
    let has = |table: &str| found.contains(table);
    match schema::tables(declared) {
        Some(tables) if TABLES.iter().all(|table| !has(table) || tables.iter().any(|known| known == table)) => declared,
        _ => schema::LATEST,
    }
}

/// Copies the rows of all tables.
fn copy(pages: &Pages, new: &Connection) -> rusqlite::Result<()> {
    let shapes = TABLES.iter().map(|table| Shape::of(new, table)).collect::<rusqlite::Result<Vec<_>>>()?;
    // Earlier versions have fewer tables.
    let shapes: Vec<Shape> = shapes.into_iter().filter(Shape::is_there).collect();
    for leaf in trees::leaves(pages, &shapes) {
        let (shape, page) = (&shapes[leaf.table], pages.read(leaf.page));
        let places = page.as_deref().and_then(|page| cells::rows(page, leaf.page == 1));
        let cells = page
            .iter()
            .zip(places)
            .flat_map(|(page, places)| places.into_iter().filter_map(|place| Cell::read(page, place)));
        for cell in cells.filter(|cell| leaf.led_to || shape.fits(cell)) {
            let payload = cell.payload(pages);
            if let Some(values) = payload.as_deref().and_then(cells::values) {
                insert(new, shape, cell.key, &values)?;
            }
        }
    }
    Ok(())
}

fn insert(new: &Connection, shape: &Shape, key: i64, values: &[rusqlite::types::ValueRef<'_>]) -> rusqlite::Result<()> {
    let mut statement = new.prepare_cached(&shape.insert(values.len()))?;
    match statement.execute(params_from_iter(shape.row(key, values))) {
        // What does not fit its column was damaged, too.
        Ok(_)
        | Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error { code: rusqlite::ErrorCode::ConstraintViolation, .. },
            _,
        )) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Makes rows consistent again after some were lost, and rebuilds the search index.
fn make_consistent(new: &Connection) -> rusqlite::Result<()> {
    // What was deleted for good stays deleted, wherever it was found.
    new.execute_batch(
        "DELETE FROM turns WHERE conversation IN (SELECT id FROM purged);
         DELETE FROM conversations WHERE id IN (SELECT id FROM purged);
         DELETE FROM drafts WHERE conversation IN (SELECT id FROM purged);",
    )?;
    marks::repair_rows(new)?;
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
    playground::repair_rows(new)?;
    texts::repair_rows(new)?;
    answers::repair_rows(new)?;
    for (table, sql) in APPENDED {
        cut_after_gaps(new, table, sql)?;
    }
    playground::repair_steps(new)?;
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

/// Texts in parts, as a table and its rows: id, owner, which of its texts, place, length, length of what precedes all
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

/// Deletes parts that do not follow what precedes them: a text with a gap would look like what the model wrote.
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
