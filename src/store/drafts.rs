//! Drafts. Each running copy of benchtop stores its own, so that two copies in the same conversation overwrite nothing
//! of each other.
//!
//! A draft belongs to the copy that wrote it until it is sent. When that copy has ended, the next copy that opens the
//! conversation continues with the newest one; the others stay available.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, params};

use crate::disk::private;
use crate::record::Id;

/// The number of drafts that were laid aside; no copy has it.
const ASIDE: i64 = 0;

/// The copies that share the store. Each holds the lock of a file of its own, named after its number, while it runs.
#[derive(Debug)]
pub(super) struct Copies {
    own: i64,
    /// The store; `None`: memory, which has one copy.
    store: Option<PathBuf>,
    lock: Mutex<Option<File>>,
}

impl Copies {
    /// Returns the only copy, of a store in memory.
    pub(super) fn alone() -> Self {
        Self { own: 1, store: None, lock: Mutex::new(None) }
    }

    /// Announces this copy to the others.
    pub(super) fn enter(store: &Path) -> Self {
        let copies = Self { own: number(), store: Some(store.to_owned()), lock: Mutex::new(None) };
        copies.announce();
        copies
    }

    /// Takes the lock, if this copy has none: the disk may have refused it before, or lost the file.
    pub(super) fn announce(&self) {
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(path) = self.path(self.own) else { return };
        if lock.is_none() || !path.exists() {
            let file = private(OpenOptions::new().write(true).create(true).truncate(false)).open(path);
            *lock = file.ok().filter(|file| file.try_lock().is_ok());
        }
    }

    fn path(&self, copy: i64) -> Option<PathBuf> {
        Some(super::paths::with_suffix(self.store.as_ref()?, &format!(".copy-{copy}")))
    }

    /// Returns whether another copy with this number runs; deletes the lock file of one that has ended.
    fn is_running(&self, copy: i64) -> bool {
        let Some(path) = self.path(copy).filter(|_| copy != self.own && copy != ASIDE) else { return false };
        // Shared, so that two threads or copies that ask at once do not take each other for that copy.
        File::open(&path).is_ok_and(|file| match file.try_lock_shared() {
            Ok(()) => {
                let _ = std::fs::remove_file(path);
                false
            }
            // Where there are no locks, no copy is known to have ended.
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => true,
        })
    }

    /// Returns whether any other copy runs.
    fn others(&self) -> bool {
        let Some(store) = &self.store else { return false };
        let (Some(directory), Some(name)) = (store.parent(), store.file_name().and_then(|name| name.to_str())) else {
            return false;
        };
        let start = format!("{name}.copy-");
        let copies = std::fs::read_dir(directory)
            .into_iter()
            .flatten()
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_prefix(&start)?.parse::<i64>().ok());
        copies.into_iter().any(|copy| self.is_running(copy))
    }
}

impl Drop for Copies {
    fn drop(&mut self) {
        let locked = self.lock.get_mut().unwrap_or_else(PoisonError::into_inner).is_some();
        if let Some(path) = self.path(self.own).filter(|_| locked) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Returns a unique number: microseconds in the upper bits, the process in the lower ones.
fn number() -> i64 {
    (now().as_micros() as i64) << 12 | i64::from(std::process::id() & 0xfff)
}

fn now_ms() -> i64 {
    now().as_millis() as i64
}

fn now() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

/// Stores this copy's draft; an empty one deletes it. Fails if SQLite does.
pub(super) fn write(connection: &Connection, copies: &Copies, conversation: Id, text: &str) -> rusqlite::Result<()> {
    copies.announce();
    let own = (conversation.0, copies.own);
    if text.is_empty() {
        connection.prepare_cached("DELETE FROM drafts WHERE conversation = ?1 AND copy = ?2")?.execute(own)?;
        return Ok(());
    }
    let changed = connection
        .prepare_cached("UPDATE drafts SET text = ?3, at_ms = ?4 WHERE conversation = ?1 AND copy = ?2")?
        .execute(params![own.0, own.1, text, now_ms()])?;
    if changed == 0 {
        connection
            .prepare_cached("INSERT INTO drafts (conversation, copy, text, at_ms) VALUES (?1, ?2, ?3, ?4)")?
            .execute(params![own.0, own.1, text, now_ms()])?;
    }
    Ok(())
}

/// Deletes a draft that was sent, unless another running copy has written the same.
pub(super) fn sent(connection: &Connection, copies: &Copies, conversation: Id, text: &str) -> rusqlite::Result<()> {
    delete(connection, conversation, text, |copy| !copies.is_running(copy))
}

/// Deletes a draft that this copy continues as its own, which is stored already: one that was laid aside, or left by a
/// copy that has ended. While other copies run, one of them may show the latter, too: then it stays. Fails if SQLite
/// does.
pub(super) fn delete_continued(
    connection: &Connection,
    copies: &Copies,
    conversation: Id,
    text: &str,
) -> rusqlite::Result<()> {
    let left = |copy| copy != copies.own && !copies.is_running(copy) && !copies.others();
    delete(connection, conversation, text, |copy| copy == ASIDE || left(copy))
}

/// Deletes drafts that equal `text`, of the copies that the filter accepts.
fn delete(connection: &Connection, conversation: Id, text: &str, of: impl Fn(i64) -> bool) -> rusqlite::Result<()> {
    let rows: Vec<(i64, i64)> = connection
        .prepare_cached("SELECT id, copy FROM drafts WHERE conversation = ?1 AND text = ?2")?
        .query_map(params![conversation.0, text], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let mut delete = connection.prepare_cached("DELETE FROM drafts WHERE id = ?1")?;
    for (id, _) in rows.into_iter().filter(|(_, copy)| of(*copy)) {
        delete.execute([id])?;
    }
    Ok(())
}

/// Lays this copy's draft aside, for any copy to take. Fails if SQLite does.
pub(super) fn release(connection: &Connection, copies: &Copies, conversation: Id) -> rusqlite::Result<()> {
    connection.prepare_cached("UPDATE drafts SET copy = ?3 WHERE conversation = ?1 AND copy = ?2")?.execute((
        conversation.0,
        copies.own,
        ASIDE,
    ))?;
    Ok(())
}

/// Returns the draft for the message box of each conversation that has one. Fails if SQLite does.
pub(super) fn current(connection: &Connection, copies: &Copies) -> rusqlite::Result<HashMap<Id, String>> {
    let mut select = connection
        .prepare_cached("SELECT conversation, copy, text FROM drafts WHERE text <> '' ORDER BY at_ms DESC, id DESC")?;
    let mut rows = select.query([])?;
    let mut runs: HashMap<i64, bool> = HashMap::new();
    let (mut found, mut own) = (HashMap::new(), HashMap::new());
    while let Some(row) = rows.next()? {
        let (conversation, copy) = (Id(row.get(0)?), row.get(1)?);
        if copy == copies.own {
            own.insert(conversation, row.get(2)?);
        } else if !*runs.entry(copy).or_insert_with(|| copies.is_running(copy)) && !found.contains_key(&conversation) {
            found.insert(conversation, row.get(2)?);
        }
    }
    found.extend(own);
    Ok(found)
}

/// Returns the draft of a conversation for the message box, and the others, newest first. Fails if SQLite does.
pub(super) fn of(connection: &Connection, copies: &Copies, id: Id) -> rusqlite::Result<(String, Vec<String>)> {
    let mut select = connection.prepare_cached(
        "SELECT copy, text FROM drafts WHERE conversation = ?1 AND text <> '' ORDER BY at_ms DESC, id DESC",
    )?;
    let mut all: Vec<(i64, String)> =
        select.query_map([id.0], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
    let own = all.iter().position(|(copy, _)| *copy == copies.own);
    let chosen = own.or_else(|| all.iter().position(|(copy, _)| !copies.is_running(*copy)));
    let current = chosen.map(|at| all.remove(at).1).unwrap_or_default();
    let mut others: Vec<String> = all.into_iter().map(|(_, text)| text).filter(|text| *text != current).collect();
    others.dedup();
    Ok((current, others))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_asks_whether_a_copy_runs_is_not_taken_for_it() {
        let home = tempfile::tempdir().unwrap();
        let copies = Copies { own: 1, store: Some(home.path().join("benchtop.db")), lock: Mutex::new(None) };
        let path = copies.path(7).unwrap();
        let ended = File::create(&path).unwrap();
        let asks = File::open(&path).unwrap();
        asks.try_lock_shared().unwrap();
        assert!(!copies.is_running(7), "another thread asks as well");
        let runs = File::create(&path).unwrap();
        runs.try_lock().unwrap();
        assert!(copies.is_running(7));
        drop((ended, runs));
        assert!(!copies.is_running(7));
    }
}
