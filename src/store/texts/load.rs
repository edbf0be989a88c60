//! From rows to what Moderate and Embed query.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Row};

use super::super::columns::count_of;
use super::{score, word};
use crate::record::{Bench, Check, Id, TextKey, TextList, TextRow};
use crate::text::Untrusted;

const LIST: &str = "SELECT id, bench, name, source, created_ms, updated_ms, state, \
     (SELECT count(*) FROM texts WHERE list = lists.id) AS count FROM lists";

/// Returns the lists of a bench, the one changed last first. Fails if SQLite does.
pub(crate) fn lists(connection: &Connection, bench: Bench) -> rusqlite::Result<Vec<TextList>> {
    connection
        .prepare_cached(&format!("{LIST} WHERE bench = ?1 ORDER BY updated_ms DESC, id DESC"))?
        .query_map([word(bench)], read_list)?
        .collect()
}

/// Returns a list and its rows by place. Fails if SQLite does.
pub(crate) fn texts(connection: &Connection, id: Id) -> rusqlite::Result<Option<(TextList, Vec<TextRow>)>> {
    let list = connection.prepare_cached(&format!("{LIST} WHERE id = ?1"))?.query_row([id.0], read_list).optional()?;
    let Some(list) = list else { return Ok(None) };
    let mut rows = Vec::with_capacity(list.rows as usize);
    let mut select = connection
        .prepare_cached("SELECT id, place, name, text, label FROM texts WHERE list = ?1 ORDER BY place, id")?;
    for row in select.query_map([id.0], read_row)? {
        rows.push(row?);
    }
    Ok(Some((list, rows)))
}

fn read_list(row: &Row) -> rusqlite::Result<TextList> {
    Ok(TextList {
        id: Id(row.get("id")?),
        bench: bench(row.get_ref("bench")?.as_str()?),
        name: row.get("name")?,
        source: row.get("source")?,
        created_ms: row.get("created_ms")?,
        updated_ms: row.get("updated_ms")?,
        state: row.get("state")?,
        rows: count_of(row, "count")?,
    })
}

/// Returns the bench of a list; an unknown word of a later version counts as Moderate's.
fn bench(name: &str) -> Bench {
    [Bench::Embed, Bench::Score].into_iter().find(|bench| word(*bench) == name).unwrap_or(Bench::Moderate)
}

fn read_row(row: &Row) -> rusqlite::Result<TextRow> {
    Ok(TextRow { id: Id(row.get(0)?), place: row.get(1)?, name: row.get(2)?, text: row.get(3)?, label: row.get(4)? })
}

/// Returns, for each text of a list, the newest check for each profile and model asked. Fails if SQLite does.
pub(crate) fn list_checks(connection: &Connection, list: Id) -> rusqlite::Result<Vec<Check>> {
    let mut keys: Vec<[u8; 16]> = connection
        .prepare_cached("SELECT key FROM texts WHERE list = ?1")?
        .query_map([list.0], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    // In the order of the index, so that each of its pages is read once; below in the order of the table.
    keys.sort_unstable();
    keys.dedup();
    let mut select =
        connection.prepare_cached("SELECT asked, id FROM checks WHERE text = ?1 ORDER BY asked, at_ms, id")?;
    let mut newest: Vec<i64> = Vec::new();
    for key in &keys {
        let mut rows = select.query([key.as_slice()])?;
        let mut before = None;
        while let Some(row) = rows.next()? {
            let asked: i64 = row.get(0)?;
            if before == Some(asked) {
                newest.pop();
            }
            before = Some(asked);
            newest.push(row.get(1)?);
        }
    }
    newest.sort_unstable();
    let mut select = connection.prepare_cached(&format!("{CHECK} WHERE id = ?1"))?;
    let shared = Shared::load(connection)?;
    let mut found = Vec::with_capacity(newest.len());
    for id in newest {
        found.extend(select.query_row([id], |row| shared.check(row))?);
    }
    Ok(found)
}

/// Returns all checks of these texts, newest first. Fails if SQLite does.
pub(crate) fn checks(connection: &Connection, texts: &[TextKey]) -> rusqlite::Result<Vec<Check>> {
    let mut keys = texts.to_vec();
    keys.sort_unstable();
    keys.dedup();
    let mut select = connection.prepare_cached(&format!("{CHECK} WHERE text = ?1"))?;
    let shared = Shared::load(connection)?;
    let mut found = Vec::new();
    for key in &keys {
        for check in select.query_map([key.0.as_slice()], |row| shared.check(row))? {
            found.extend(check?);
        }
    }
    found.sort_unstable_by_key(|check: &Check| std::cmp::Reverse((check.at_ms, check.id)));
    Ok(found)
}

const CHECK: &str = "SELECT id, text, asked, categories, model, at_ms, latency_ms, flagged, scores, flags FROM checks";

/// What many checks have in common: some rows, read once.
struct Shared {
    asked: HashMap<i64, (String, Untrusted)>,
    categories: HashMap<i64, Arc<[Untrusted]>>,
}

impl Shared {
    fn load(connection: &Connection) -> rusqlite::Result<Self> {
        let asked = connection
            .prepare_cached("SELECT id, profile, model FROM asked")?
            .query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?))))?
            .collect::<rusqlite::Result<_>>()?;
        let names = |row: &Row| {
            let names: Vec<String> = serde_json::from_str(row.get_ref(1)?.as_str()?).unwrap_or_default();
            Ok((row.get(0)?, names.into_iter().map(Untrusted::from).collect()))
        };
        let categories = connection
            .prepare_cached("SELECT id, names FROM categories")?
            .query_map([], names)?
            .collect::<rusqlite::Result<_>>()?;
        Ok(Self { asked, categories })
    }

    /// Reads a check; `None`: a row that it shares with others is lost.
    fn check(&self, row: &Row) -> rusqlite::Result<Option<Check>> {
        let (asked, categories) = (self.asked.get(&row.get(2)?), self.categories.get(&row.get(3)?));
        let (Some((profile, asked)), Some(categories)) = (asked, categories) else { return Ok(None) };
        Ok(Some(Check {
            id: Id(row.get(0)?),
            text: TextKey(row.get(1)?),
            profile: profile.clone(),
            asked: asked.clone(),
            model: row.get(4)?,
            at_ms: row.get(5)?,
            latency_ms: row.get(6)?,
            flagged: row.get(7)?,
            categories: Arc::clone(categories),
            scores: score::read_scores(row.get_ref(8)?.as_blob()?),
            flags: score::read_flags(row.get_ref(9)?.as_blob()?),
        }))
    }
}
