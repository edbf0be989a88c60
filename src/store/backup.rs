//! Daily copies of the store, seven of them, in `backups/` beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::Instant;

use rusqlite::{Connection, InterruptHandle};
use tempfile::NamedTempFile;

use super::connection::{flags, leave_log};
use super::limits::{BUSY, KEPT, OFTEN, STALE};
use crate::disk::sync_directory;
use crate::settings::paths::make_private;

/// Suffix of a copy that is not complete yet.
const HALF: &str = ".part";

/// Makes a copy once a day, on a thread of its own, beside the writer.
#[derive(Default)]
pub(super) struct Backups {
    /// The store; `None`: no backups.
    path: Option<PathBuf>,
    asked: Option<Instant>,
    running: Option<(JoinHandle<()>, InterruptHandle)>,
}

impl Backups {
    /// Creates the backups of the store at `path`.
    pub(super) fn of(path: PathBuf) -> Self {
        Self { path: Some(path), ..Self::default() }
    }

    /// Starts today's copy if there is none yet; called after a commit.
    pub(super) fn start_if_due(&mut self) {
        let Some(path) = &self.path else { return };
        if self.asked.is_some_and(|asked| asked.elapsed() < OFTEN) {
            return;
        }
        self.asked = Some(Instant::now());
        if self.running.as_ref().is_some_and(|(thread, _)| !thread.is_finished()) {
            return;
        }
        let target = directory(path).join(name(path, &jiff::Zoned::now().date().to_string()));
        if target.exists() {
            return;
        }
        // A copy that fails is tried again later; the store itself is not in danger.
        let Ok(connection) = Connection::open_with_flags(path, flags()) else { return };
        leave_log(&connection);
        let handle = connection.get_interrupt_handle();
        let path = path.clone();
        let thread = std::thread::Builder::new().name("store-backup".to_owned()).spawn(move || {
            if make(&connection, &target).is_ok() {
                prune(&path);
            }
        });
        self.running = thread.ok().map(|thread| (thread, handle));
    }

    /// Stops a copy that is being made.
    pub(super) fn stop(self) {
        if let Some((thread, handle)) = self.running {
            if !thread.is_finished() {
                handle.interrupt();
            }
            let _ = thread.join();
        }
    }
}

/// Returns the newest copy.
pub(super) fn newest(path: &Path) -> Option<PathBuf> {
    all(path).pop()
}

fn directory(path: &Path) -> PathBuf {
    path.with_file_name("backups")
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

fn name(path: &Path, day: &str) -> String {
    format!("{}-{day}.db", stem(path))
}

/// Returns all copies, oldest first: their dates sort as names.
fn all(path: &Path) -> Vec<PathBuf> {
    let start = format!("{}-", stem(path));
    let is_copy = |name: &str| {
        name.strip_prefix(&start)
            .and_then(|rest| rest.strip_suffix(".db"))
            .is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok())
    };
    let Ok(entries) = fs::read_dir(directory(path)) else { return Vec::new() };
    let mut copies: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(is_copy))
        .collect();
    copies.sort();
    copies
}

/// Makes the copy of a day; a file with a day's name is complete.
fn make(connection: &Connection, target: &Path) -> Result<(), Box<dyn std::error::Error>> {
    copy(connection, target)?.persist(target)?;
    sync_directory(directory_of(target))?;
    Ok(())
}

/// Writes a copy beside `target` under a name of its own, as another copy of benchtop may be doing the same. It is
/// complete and synced, and deleted unless it is renamed. Fails if the disk or SQLite does.
pub(super) fn copy(connection: &Connection, target: &Path) -> Result<NamedTempFile, Box<dyn std::error::Error>> {
    let directory = directory_of(target);
    make_private(directory)?;
    let start = target.file_name().ok_or("a copy has a name")?;
    // Created empty and with mode 0600, which SQLite accepts.
    let half = tempfile::Builder::new().prefix(start).suffix(HALF).tempfile_in(directory)?;
    let name = half.path().to_str().ok_or("SQLite takes only UTF-8 names")?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "cache_size", -1024)?;
    connection.execute("VACUUM INTO ?1", [name])?;
    half.as_file().sync_all()?;
    Ok(half)
}

fn directory_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new("/"))
}

/// Removes what is too old: complete copies beyond those kept, incomplete ones whose process ended.
fn prune(path: &Path) {
    let copies = all(path);
    for old in &copies[..copies.len().saturating_sub(KEPT)] {
        let _ = fs::remove_file(old);
    }
    let start = format!("{}-", stem(path));
    let Ok(entries) = fs::read_dir(directory(path)) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(&start) && name.ends_with(HALF));
        let changed = entry.metadata().and_then(|about| about.modified()).ok();
        if ours && changed.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > STALE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_made_at_once_do_not_meet() {
        let home = tempfile::tempdir().unwrap();
        let store = home.path().join("a.db");
        let connection = Connection::open(&store).unwrap();
        connection.execute_batch("CREATE TABLE t (x); INSERT INTO t VALUES (1)").unwrap();
        let target = directory(&store).join(name(&store, "2026-01-02"));
        make_private(&directory(&store)).unwrap();
        // One that another copy of benchtop writes at this moment, and one that was left long ago.
        let others = super::super::paths::with_suffix(&target, HALF);
        fs::write(&others, "half").unwrap();
        let dead = super::super::paths::with_suffix(&target, ".x.part");
        let old = std::time::SystemTime::now() - 2 * STALE;
        fs::File::create(&dead).unwrap().set_modified(old).unwrap();
        make(&connection, &target).unwrap();
        make(&connection, &target).unwrap();
        prune(&store);
        assert_eq!(fs::read_to_string(&others).unwrap(), "half");
        assert_eq!(fs::read_dir(directory(&store)).unwrap().count(), 2);
        let count: i64 =
            Connection::open(&target).unwrap().query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
        assert_eq!(count, 1);
    }
}
