//! Renames a damaged store and replaces it by what can be read of it; a crash at any moment loses nothing.
//!
//! 1. What can be read is copied into `<store>.new`; the damaged file is only read. A start that finds this file begins
//!    again.
//! 2. `<store>.new` is renamed to `<store>.salvaged-<time>`, which marks it as complete.
//! 3. The damaged file and then its log are renamed to `<store>.corrupt-<time>`, and the complete one takes the store's
//!    name. A start that finds `<store>.salvaged-<time>` continues from there.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::connection::{create, flags};
use super::error::{StoreError, sentence};
use super::paths::with_suffix;
use super::schema::{Medium, prepare};
use crate::disk::sync_directory;

/// Suffixes of the files that SQLite keeps beside a store.
const LOGS: [&str; 2] = ["-wal", "-journal"];
/// Suffix of a copy that is not complete yet.
const NEW: &str = ".new";

/// Returns whether a repair was interrupted before its copy was complete.
pub(super) fn is_interrupted(path: &Path) -> bool {
    exists(&with_suffix(path, NEW))
}

/// Returns whether a repair was interrupted with its copy complete, but not yet in place.
pub(super) fn has_complete_copy(path: &Path) -> bool {
    complete_copy_stamp(path).is_some()
}

/// Finishes a repair that was interrupted after its copy was complete. Returns the path of the damaged file; `None`:
/// there was no such repair.
pub(super) fn resume(path: &Path) -> io::Result<Option<PathBuf>> {
    complete_copy_stamp(path).map(|stamp| put_in_place(path, &stamp)).transpose()
}

/// Replaces a damaged store by what `fill` puts into a new one, and returns the path of the damaged file. On an error
/// the damaged file is in its place, unchanged.
pub(super) fn repair(
    path: &Path,
    fill: impl FnOnce(&mut Connection) -> rusqlite::Result<()>,
) -> Result<PathBuf, StoreError> {
    let damaged = |repair_error| StoreError::Damaged { path: path.to_owned(), repair_error };
    let new = with_suffix(path, NEW);
    let stamp = copy(path, &new, fill).map_err(|error| {
        let _ = remove_unfinished(&new);
        let advice = "nothing was changed; fix the cause, then start benchtop again";
        damaged(format!(", and its readable part could not be copied: {error}; {advice}"))
    })?;
    put_in_place(path, &stamp).map_err(|error| {
        restore(path, &stamp);
        damaged(format!(" and could not be moved aside: {error}; check its folder"))
    })
}

/// Makes the complete copy. Returns the time in its name; fails with a sentence.
fn copy(path: &Path, new: &Path, fill: impl FnOnce(&mut Connection) -> rusqlite::Result<()>) -> Result<String, String> {
    let system = |error: io::Error| error.to_string();
    let sqlite = |error: rusqlite::Error| sentence(&error);
    remove_unfinished(new).map_err(system)?;
    create(new).map_err(system)?;
    // A journal mode that leaves a single file, on any file system.
    let mut connection = Connection::open_with_flags(new, flags()).map_err(sqlite)?;
    prepare(&connection, Medium::Network).and_then(|()| fill(&mut connection)).map_err(sqlite)?;
    connection.close().map_err(|(_, error)| sentence(&error))?;
    File::open(new).and_then(|file| file.sync_all()).map_err(system)?;
    let stamp = unused_stamp(path);
    fs::rename(new, complete_path(path, &stamp)).map_err(system)?;
    let _ = remove_unfinished(new);
    sync(path).map_err(system)?;
    Ok(stamp)
}

/// Puts the complete copy in the store's place. May be repeated from any step. Deletes nothing but the log's index,
/// which holds no data.
fn put_in_place(path: &Path, stamp: &str) -> io::Result<PathBuf> {
    let mut aside = damaged_path(path, stamp);
    if exists(path) {
        if exists(&aside) {
            // A store was created meanwhile; it is kept, too.
            aside = damaged_path(path, &unused_stamp(path));
        }
        fs::rename(path, &aside)?;
    }
    move_logs(path, &aside)?;
    // The old log must be gone for good before a file to which it would be applied gets the name.
    sync(path)?;
    fs::rename(complete_path(path, stamp), path)?;
    sync(path)?;
    Ok(aside)
}

/// Renames a damaged file and its logs, without a replacement. Returns its new path. Fails if the disk refuses.
pub(super) fn move_aside(path: &Path) -> io::Result<PathBuf> {
    let aside = damaged_path(path, &unused_stamp(path));
    rename_if_exists(path, &aside)?;
    move_logs(path, &aside)?;
    sync(path)?;
    Ok(aside)
}

/// Renames the logs of a store that was deleted, durably: they do not belong to a file that then gets its name. Fails
/// if the disk refuses.
pub(super) fn move_logs_aside(path: &Path) -> io::Result<()> {
    move_logs(path, &damaged_path(path, &unused_stamp(path)))?;
    sync(path)
}

/// Renames a store's logs. Their index holds no data and is deleted.
fn move_logs(path: &Path, aside: &Path) -> io::Result<()> {
    for log in LOGS {
        rename_if_exists(&with_suffix(path, log), &with_suffix(aside, log))?;
    }
    let _ = fs::remove_file(with_suffix(path, "-shm"));
    Ok(())
}

/// Undoes what [`put_in_place`] could not finish. If this fails, the next start finishes it.
fn restore(path: &Path, stamp: &str) {
    let aside = damaged_path(path, stamp);
    let back = LOGS.iter().try_for_each(|log| rename_if_exists(&with_suffix(&aside, log), &with_suffix(path, log)));
    if back.is_ok() && (exists(path) || fs::rename(&aside, path).is_ok()) {
        let _ = fs::remove_file(complete_path(path, stamp));
        let _ = sync(path);
    }
}

fn complete_path(path: &Path, stamp: &str) -> PathBuf {
    with_suffix(path, &format!(".salvaged-{stamp}"))
}

fn damaged_path(path: &Path, stamp: &str) -> PathBuf {
    with_suffix(path, &format!(".corrupt-{stamp}"))
}

/// Returns the time in the name of the complete copy that waits, if there is one.
fn complete_copy_stamp(path: &Path) -> Option<String> {
    let start = format!("{}.salvaged-", path.file_name()?.to_str()?);
    let names = fs::read_dir(path.parent()?).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter_map(|name| name.strip_prefix(&start).map(str::to_owned)).max()
}

/// Returns a time that no file of a repair has in its name.
fn unused_stamp(path: &Path) -> String {
    let now = jiff::Timestamp::now().strftime("%Y%m%dT%H%M%SZ").to_string();
    let aside = |stamp: &str| {
        let aside = damaged_path(path, stamp);
        exists(&aside) || LOGS.iter().any(|log| exists(&with_suffix(&aside, log)))
    };
    let taken = |stamp: &String| aside(stamp) || exists(&complete_path(path, stamp));
    let mut stamps = (1_u32..).map(|n| if n == 1 { now.clone() } else { format!("{now}-{n}") });
    stamps.find(|stamp| !taken(stamp)).expect("some number is free")
}

/// Removes what an interrupted copy left.
fn remove_unfinished(new: &Path) -> io::Result<()> {
    for suffix in ["", "-journal", "-wal", "-shm"] {
        match fs::remove_file(with_suffix(new, suffix)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn rename_if_exists(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn sync(path: &Path) -> io::Result<()> {
    sync_directory(path.parent().unwrap_or(Path::new("/")))
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    fn names(home: &Path) -> Vec<String> {
        let names = fs::read_dir(home).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }

    fn fill(new: &mut Connection) -> rusqlite::Result<()> {
        crate::store::schema::build(new, crate::store::schema::LATEST)?;
        new.execute_batch("INSERT INTO settings (name, value) VALUES ('a', 'saved')")
    }

    /// Creates a damaged store with its log.
    fn broken() -> (tempfile::TempDir, PathBuf) {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().canonicalize().unwrap().join("a.db");
        fs::write(&path, "damaged").unwrap();
        fs::write(with_suffix(&path, "-wal"), "log").unwrap();
        (home, path)
    }

    fn value(path: &Path) -> String {
        let store = Connection::open(path).unwrap();
        store.query_row("SELECT value FROM settings", [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_copy_that_fails_or_dies_changes_nothing() {
        let (home, path) = broken();
        let full = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_FULL);
        let failed = repair(&path, |new| {
            fill(new)?;
            Err(rusqlite::Error::SqliteFailure(full, None))
        });
        let why = failed.unwrap_err().to_string();
        assert!(why.contains("disk full; free some space; nothing was changed"), "{why}");
        assert_eq!(names(home.path()), ["a.db", "a.db-wal"]);
        let died = catch_unwind(AssertUnwindSafe(|| repair(&path, |_| panic!("the copy dies here"))));
        assert!(died.is_err() && is_interrupted(&path) && !has_complete_copy(&path));
        assert_eq!(fs::read(&path).unwrap(), b"damaged");
        assert_eq!(fs::read(with_suffix(&path, "-wal")).unwrap(), b"log");
        let aside = repair(&path, fill).unwrap();
        assert_eq!(value(&path), "saved");
        assert_eq!(fs::read(&aside).unwrap(), b"damaged");
        assert_eq!(fs::read(with_suffix(&aside, "-wal")).unwrap(), b"log");
        assert_eq!(names(home.path()).len(), 3, "{:?}", names(home.path()));
    }

    #[test]
    fn a_repair_goes_on_from_any_step_of_putting_in_place() {
        for step in 0..3 {
            let (home, path) = broken();
            let stamp = copy(&path, &with_suffix(&path, NEW), fill).unwrap();
            let aside = damaged_path(&path, &stamp);
            if step > 0 {
                fs::rename(&path, &aside).unwrap();
            }
            if step > 1 {
                fs::rename(with_suffix(&path, "-wal"), with_suffix(&aside, "-wal")).unwrap();
            }
            assert!(has_complete_copy(&path));
            assert_eq!(resume(&path).unwrap(), Some(aside.clone()), "step {step}");
            assert_eq!(value(&path), "saved");
            assert_eq!(fs::read(&aside).unwrap(), b"damaged");
            assert_eq!(fs::read(with_suffix(&aside, "-wal")).unwrap(), b"log");
            assert_eq!(resume(&path).unwrap(), None);
            assert_eq!(names(home.path()).len(), 3, "{:?}", names(home.path()));
        }
    }

    #[test]
    fn what_cannot_be_put_in_place_is_taken_back() {
        let (home, path) = broken();
        // The log's new name is a directory that is not empty: no rename replaces it.
        let stamp = copy(&path, &with_suffix(&path, NEW), fill).unwrap();
        fs::create_dir_all(with_suffix(&damaged_path(&path, &stamp), "-wal").join("x")).unwrap();
        assert!(put_in_place(&path, &stamp).is_err());
        assert!(!path.exists());
        fs::remove_dir_all(with_suffix(&damaged_path(&path, &stamp), "-wal")).unwrap();
        restore(&path, &stamp);
        assert_eq!(names(home.path()), ["a.db", "a.db-wal"]);
        assert_eq!(fs::read(&path).unwrap(), b"damaged");
    }
}
