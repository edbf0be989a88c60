//! From rows to what the playground queries.

use rusqlite::{Connection, OptionalExtension, Row};

use super::super::columns::{count_of, status_of};
use super::token;
use crate::record::{Id, Made, Preset, Run, Sheet, Step, Token};

/// Returns a sheet and its steps, oldest first, each with its whole text. Fails if SQLite does.
pub(crate) fn sheet(connection: &Connection, id: Id) -> rusqlite::Result<Option<(Sheet, Vec<Step>)>> {
    let found = connection
        .prepare_cached("SELECT id, created_ms, updated_ms, current, caret FROM sheets WHERE id = ?1")?
        .query_row([id.0], |row| {
            Ok(Sheet {
                id: Id(row.get(0)?),
                created_ms: row.get(1)?,
                updated_ms: row.get(2)?,
                current: row.get::<_, Option<i64>>(3)?.map(Id),
                caret: count_of(row, 4)?,
            })
        })
        .optional()?;
    let Some(sheet) = found else { return Ok(None) };
    let mut steps: Vec<Step> = connection
        .prepare_cached(
            "SELECT id, sheet, parent, made, run, choice, at, removed, inserted, status, finish_reason, created_ms \
             FROM steps WHERE sheet = ?1 ORDER BY id",
        )?
        .query_map([id.0], read_step)?
        .collect::<rusqlite::Result<_>>()?;
    // Both in the order of the steps, so that one pass joins them.
    let mut statement = connection.prepare_cached(
        "SELECT g.step, g.text FROM steps s CROSS JOIN grown g ON g.step = s.id WHERE s.sheet = ?1 \
         ORDER BY s.id, g.place",
    )?;
    let mut rows = statement.query([id.0])?;
    let mut at = 0;
    while let Some(row) = rows.next()? {
        let of = Id(row.get(0)?);
        at += steps[at..].partition_point(|step| step.id < of);
        if let Some(step) = steps.get_mut(at).filter(|step| step.id == of) {
            step.inserted.push(row.get_ref(1)?.as_str()?);
        }
    }
    Ok(Some((sheet, steps)))
}

fn read_step(row: &Row) -> rusqlite::Result<Step> {
    Ok(Step {
        id: Id(row.get(0)?),
        sheet: Id(row.get(1)?),
        parent: row.get::<_, Option<i64>>(2)?.map(Id),
        made: made(row.get_ref(3)?.as_str()?, row.get(4)?, row.get(5)?),
        at: count_of(row, 6)?,
        removed: row.get(7)?,
        inserted: row.get(8)?,
        status: status_of(row.get_ref(9)?.as_str()?),
        finish_reason: row.get(10)?,
        created_ms: row.get(11)?,
    })
}

fn made(word: &str, run: Option<i64>, choice: Option<i64>) -> Made {
    match (word, run) {
        ("generated", Some(run)) => {
            Made::Generated { run: Id(run), choice: choice.and_then(|n| u32::try_from(n).ok()).unwrap_or(0) }
        }
        ("picked", _) => Made::Picked,
        ("accepted", _) => Made::Accepted,
        // Also what a later version may write: the text matters, not its author.
        _ => Made::Typed,
    }
}

/// Returns the runs of all sheets, newest first. Fails if SQLite does.
pub(crate) fn runs(connection: &Connection, most: u32) -> rusqlite::Result<Vec<Run>> {
    connection
        .prepare_cached(
            "SELECT id, sheet, parent, profile, model, params, excerpt, status, error, created_ms, prompt_tokens, \
             completion_tokens, estimated, cost_nano, first_token_ms, total_ms FROM runs ORDER BY id DESC LIMIT ?1",
        )?
        .query_map([most], read_run)?
        .collect()
}

fn read_run(row: &Row) -> rusqlite::Result<Run> {
    Ok(Run {
        id: Id(row.get("id")?),
        sheet: Id(row.get("sheet")?),
        parent: row.get::<_, Option<i64>>("parent")?.map(Id),
        profile: row.get("profile")?,
        model: row.get("model")?,
        // Settings that a later version wrote differently must not lose the run.
        params: serde_json::from_str(row.get_ref("params")?.as_str()?).unwrap_or_default(),
        excerpt: row.get("excerpt")?,
        status: status_of(row.get_ref("status")?.as_str()?),
        error: row.get("error")?,
        created_ms: row.get("created_ms")?,
        prompt_tokens: count_of(row, "prompt_tokens")?,
        completion_tokens: count_of(row, "completion_tokens")?,
        estimated: row.get("estimated")?,
        cost_nano: row.get("cost_nano")?,
        first_token_ms: count_of(row, "first_token_ms")?,
        total_ms: count_of(row, "total_ms")?,
    })
}

/// Returns all presets by name. Fails if SQLite does.
pub(crate) fn presets(connection: &Connection) -> rusqlite::Result<Vec<Preset>> {
    let mut presets: Vec<Preset> = connection
        .prepare_cached("SELECT id, name, prompt, caret, model, params, created_ms FROM presets ORDER BY id")?
        .query_map([], |row| {
            Ok(Preset {
                id: Id(row.get("id")?),
                name: row.get("name")?,
                prompt: row.get("prompt")?,
                caret: count_of(row, "caret")?,
                model: row.get("model")?,
                params: serde_json::from_str(row.get_ref("params")?.as_str()?).unwrap_or_default(),
                created_ms: row.get("created_ms")?,
            })
        })?
        .collect::<rusqlite::Result<_>>()?;
    // Sorted here, as SQL ignores the case of ASCII letters only.
    presets.sort_by_cached_key(|preset| preset.name.line().to_lowercase());
    Ok(presets)
}

/// Returns the tokens of those that have any, in the order asked for. Fails if SQLite does.
pub(crate) fn tokens(connection: &Connection, ids: &[Id]) -> rusqlite::Result<Vec<(Id, Vec<Token>)>> {
    let mut statement = connection.prepare_cached("SELECT tokens FROM tokens WHERE owner = ?1 ORDER BY place")?;
    let mut found = Vec::new();
    for id in ids {
        let mut tokens = Vec::new();
        let mut rows = statement.query([id.0])?;
        while let Some(row) = rows.next()? {
            // Unreadable tokens are no reason to fail; those after them have lost their place.
            let Ok(some) = token::decode(row.get_ref(0)?.as_str()?) else { break };
            tokens.extend(some);
        }
        if !tokens.is_empty() {
            found.push((*id, tokens));
        }
    }
    Ok(found)
}
