//! Opens the store's file: its real path, whether it is sound, and what is done if it is not.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;

use super::connection::{OpenedStore, connect, create, leftover, reader};
use super::error::{FULL, StoreError, is_damage, is_io, sentence};
use super::examine::CheckDepth;
use super::limits::{CHECKING, ROOM};
use super::lock_file::LockFile;
use super::paths::with_suffix;
use super::schema::{self, Medium, OpenError};
use super::{backup, reading, repair, salvage};
use crate::settings::paths::make_private;

/// Opens the store, checking and repairing it if the last exit was not clean; for reading, if it cannot be written.
pub(super) fn open(path: &Path) -> Result<OpenedStore, StoreError> {
    let path = resolve_path(path).map_err(|error| unusable(path, error))?;
    let medium = medium(&path);
    open_on(path, medium)
}

fn open_on(path: PathBuf, medium: Medium) -> Result<OpenedStore, StoreError> {
    match open_writable(&path, medium, CHECKING) {
        Ok(opened) => Ok(opened),
        Err(StoreError::Foreign) => Err(StoreError::Foreign),
        Err(error) => reading::open(path, medium, error),
    }
}

/// Opens the store for writing. Waits up to `timeout` for a copy that checks it. Fails if it cannot be opened, is
/// another program's or of a later version, or is damaged and in use.
pub(super) fn open_writable(path: &Path, medium: Medium, timeout: Duration) -> Result<OpenedStore, StoreError> {
    let mut warnings = Vec::new();
    if medium == Medium::Network {
        warnings.push(
            "the store is on a network file system, where it is slower and has no daily backups; \
             use a data directory on a local disk if you can"
                .to_owned(),
        );
    }
    let mut lock = LockFile::acquire(path, timeout)?;
    if !lock.alone() && repair::has_complete_copy(path) {
        return Err(StoreError::DamagedInUse);
    }
    let mut repaired = None;
    if lock.alone() {
        let resumed = repair::resume(path)
            .map_err(|error| unusable(path, format!("its repair could not be finished: {error}; check its folder")))?;
        repaired = resumed.map(|aside| Repaired { aside, from: None, emptied: false });
    }
    let check = check(path, &mut lock);
    let opened = match detect_loss(path, lock.alone()) {
        // A damaged header or an empty file would make SQLite delete or overwrite sound data.
        Some(loss) => Err(loss),
        None => {
            create(path).map_err(|error| unusable(path, error))?;
            match connect(path, medium, check) {
                Err(OpenError::Sqlite(error)) if is_damage(&error) => Err(Loss::Damaged),
                connected => Ok(connected.map_err(|error| open_error(path, error))?),
            }
        }
    };
    let writer = match opened {
        Ok(writer) => writer,
        Err(_) if !lock.alone() => return Err(StoreError::DamagedInUse),
        Err(loss) => {
            // If the repair fails, nothing else may tell the next start.
            lock.ask_check();
            repaired = Some(recover(path, &loss)?);
            connect(path, medium, None).map_err(|error| open_error(path, error))?
        }
    };
    if writer.is_readonly("main").unwrap_or(false) {
        return Err(unusable(path, "it is read-only; check its permissions"));
    }
    if let Some(repaired) = repaired {
        warnings.push(repair_summary(path, &writer, &repaired)?);
    }
    let reader = reader(path, medium).map_err(|error| open_error(path, OpenError::Sqlite(error)))?;
    lock.release_exclusive();
    let (path, reader, checked) = (path.to_owned(), Some(reader), check.is_some());
    Ok(OpenedStore { path, writer, reader, lock, medium, warnings, unsaved: None, checked })
}

/// Why a store must not be opened before it is repaired.
enum Loss {
    Damaged,
    /// The file is empty, but its log or this backup is not.
    Emptied(Option<PathBuf>),
}

/// The result of a repair.
struct Repaired {
    /// Where the file that it replaced, and its log, are now.
    aside: PathBuf,
    /// The backup it was filled from.
    from: Option<PathBuf>,
    /// Whether the file was empty.
    emptied: bool,
}

/// Checks for damage that SQLite does not notice or report. What another copy writes at this moment looks damaged.
fn detect_loss(path: &Path, alone: bool) -> Option<Loss> {
    let (length, logged) = (fs::metadata(path).map_or(0, |file| file.len()), leftover(path, "-wal"));
    if length == 0 {
        let backup = backup::newest(path);
        return (logged || backup.is_some()).then_some(Loss::Emptied(backup));
    }
    if !alone {
        return None;
    }
    if logged && salvage::is_log_torn(path) {
        return Some(Loss::Damaged);
    }
    let mut header = [0; salvage::HEADER];
    let read = fs::File::open(path).and_then(|mut file| io::Read::read_exact(&mut file, &mut header));
    let clean = !logged && !leftover(path, "-journal");
    let ours = schema::is_nearly_ours(i32::from_be_bytes([header[68], header[69], header[70], header[71]]));
    if read.is_ok() && ours {
        return (!salvage::is_sound(&header, clean.then_some(length))).then_some(Loss::Damaged);
    }
    // How SQLite leaves a new file in which nothing was created yet.
    let bare = clean && length <= 4096 && header.starts_with(b"SQLite") && !salvage::holds_tables(path);
    let backup = if bare { backup::newest(path) } else { None };
    backup.map(|backup| Loss::Emptied(Some(backup)))
}

/// Renames the store and replaces it by what can be read of it, or of files beside it.
fn recover(path: &Path, loss: &Loss) -> Result<Repaired, StoreError> {
    let (emptied, from) = match loss {
        Loss::Damaged => (false, None),
        Loss::Emptied(backup) => (true, backup.clone()),
    };
    let sources: Vec<&Path> = std::iter::once(path).chain(from.as_deref()).collect();
    let aside = repair::repair(path, |new| salvage::salvage(&sources, new))?;
    Ok(Repaired { aside, from, emptied })
}

pub(super) fn unusable(path: &Path, reason: impl ToString) -> StoreError {
    StoreError::Unusable { path: path.to_owned(), reason: reason.to_string() }
}

fn open_error(path: &Path, error: OpenError) -> StoreError {
    match error {
        OpenError::Refused(error) => error,
        // The file that copies share is extended in a way that does not report the reason of a failure.
        OpenError::Sqlite(error) if is_io(&error) && is_full(path) => unusable(path, FULL),
        OpenError::Sqlite(error) => unusable(path, sentence(&error)),
    }
}

/// Returns whether the disk has no space left for a small file.
fn is_full(path: &Path) -> bool {
    free_space(path.parent().unwrap_or(Path::new("/"))).is_some_and(|free| free < ROOM)
}

/// Returns the bytes that the user may still write in a folder; `None`: it is not known.
#[cfg(unix)]
pub(super) fn free_space(folder: &Path) -> Option<u64> {
    rustix::fs::statvfs(folder).ok().map(|disk| disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Returns `None`: the free space is not known on this system.
#[cfg(not(unix))]
pub(super) fn free_space(_folder: &Path) -> Option<u64> {
    None
}

/// Returns the check that the last exit requires. It stays requested until it was made: a start that ends during it was
/// not clean either.
fn check(path: &Path, lock: &mut LockFile) -> Option<CheckDepth> {
    if !lock.alone() {
        return None;
    }
    if lock.check_asked() {
        return Some(CheckDepth::Full);
    }
    // A clean exit of the last copy removes the log.
    let unclean = leftover(path, "-wal") || leftover(path, "-journal") || repair::is_interrupted(path);
    unclean.then(|| {
        lock.ask_check();
        CheckDepth::Quick
    })
}

/// Returns the file's real path; creates its directory.
fn resolve_path(path: &Path) -> io::Result<PathBuf> {
    if let Ok(path) = fs::canonicalize(path) {
        return Ok(path);
    }
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    make_private(directory)?;
    let name = path.file_name().ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    Ok(fs::canonicalize(directory)?.join(name))
}

/// Returns what the user is told about a store that was repaired.
fn repair_summary(path: &Path, writer: &Connection, repaired: &Repaired) -> Result<String, StoreError> {
    let saved = salvage::saved(writer).map_err(|error| unusable(path, sentence(&error)))?;
    let count = |number, noun| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let mut told = format!(
        "the store was {}; recovered: {} in {}, {} in Complete, {} in lists and {}",
        if repaired.emptied { "empty or missing" } else { "damaged" },
        count(saved.turns, "turn"),
        count(saved.conversations, "conversation"),
        count(saved.steps, "step"),
        count(saved.texts, "text"),
        count(saved.checks, "moderation result")
    );
    let (file, log) = (&repaired.aside, with_suffix(&repaired.aside, "-wal"));
    // Writing to a String cannot fail.
    if let Some(backup) = &repaired.from {
        let _ = write!(told, ", from the backup {}", backup.display());
    }
    if !repaired.emptied && file.exists() {
        let _ = write!(told, "; the damaged file is kept as {}", file.display());
    } else if log.exists() {
        let _ = write!(told, " and from its log, which is kept as {}", log.display());
    }
    if let (false, Some(newest)) = (repaired.emptied, backup::newest(path)) {
        let (newest, path) = (newest.display(), path.display());
        let _ = write!(told, "; a backup is {newest}: to go back to it, quit all copies and copy it over {path}");
    }
    Ok(told)
}

/// Returns what kind of file system the store's directory is on.
#[cfg(target_os = "linux")]
pub(super) fn medium(path: &Path) -> Medium {
    // statfs(2) and linux/magic.h: NFS, SMB, CIFS, SMB2, FUSE, 9P, AFS, CODA, CEPH.
    const NETWORK: [u32; 9] =
        [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x6573_5546, 0x0102_1997, 0x5346_414f, 0x7375_7245, 0x00c3_6400];
    let directory = path.parent().unwrap_or(Path::new("/"));
    match rustix::fs::statfs(directory) {
        Ok(about) if NETWORK.contains(&(about.f_type as u32)) => Medium::Network,
        _ => Medium::Local,
    }
}

/// Returns `Local`: the kind of file system is not known on this system.
#[cfg(not(target_os = "linux"))]
pub(super) fn medium(_path: &Path) -> Medium {
    Medium::Local
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(connection: &Connection) -> (String, i64, i64) {
        let word = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        let number = |name| connection.pragma_query_value(None, name, |row| row.get(0)).unwrap();
        (word, number("synchronous"), number("foreign_keys"))
    }

    #[test]
    fn each_medium_has_its_journal() {
        let home = tempfile::tempdir().unwrap();
        for (name, medium, expected) in [
            ("a.db", Medium::Local, ("wal".to_owned(), 2, 1)),
            ("b.db", Medium::Network, ("truncate".to_owned(), 3, 1)),
        ] {
            let opened = open_on(home.path().canonicalize().unwrap().join(name), medium).unwrap();
            assert_eq!(settings(&opened.writer), expected);
            assert_eq!(settings(&opened.reader.unwrap()), expected);
            assert_eq!(opened.warnings.len(), usize::from(medium == Medium::Network));
        }
    }

    #[test]
    fn a_check_that_was_asked_for_is_made() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().canonicalize().unwrap().join("a.db");
        let opened = open_on(path.clone(), Medium::Local).unwrap();
        opened.writer.execute_batch("INSERT INTO settings (name, value) VALUES ('a', 'b')").unwrap();
        drop((opened.reader, opened.writer));
        // Damage that only a check finds: an index that has lost its rows.
        let rows = Connection::open(&path).unwrap();
        let sql = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema \
             WHERE name = 'turns_of') WHERE name = 'sqlite_autoindex_settings_1'";
        rows.execute_batch(sql).unwrap();
        drop(rows);
        let lock = opened.lock;
        drop(LockFile::acquire(&path, CHECKING).unwrap());
        assert!(open_on(path.clone(), Medium::Local).unwrap().warnings.is_empty());
        lock.ask_check();
        drop(lock);
        assert_eq!(open_on(path.clone(), Medium::Local).unwrap().warnings.len(), 1);
        assert!(open_on(path, Medium::Local).unwrap().warnings.is_empty());
    }
}
