//! The store's file while the program runs: whether it is still where it was opened, and how it is restored.
//!
//! SQLite continues to write into a file that was deleted, whose content would be lost.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::limits::CHECKING;
use super::lock_file::LockFile;
use super::schema::{Medium, OpenError};
use super::{backup, connection, error, repair};
use crate::disk::sync_directory;

/// Where the store was opened.
#[derive(Debug)]
pub(super) struct StoreFile {
    path: PathBuf,
    medium: Medium,
    /// Identifies the file; `None`: the system does not support that.
    file: Option<(u64, u64)>,
}

/// The store, opened again.
pub(super) struct RestoredStore {
    pub(super) writer: Connection,
    pub(super) reader: Connection,
    pub(super) lock: LockFile,
    pub(super) file: RestoredFile,
}

/// The file of a store that was opened again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RestoredFile {
    /// A new one, with everything that the deleted one held.
    Rewritten,
    /// One that has replaced it, and may lack everything that was written since.
    Replaced,
}

impl StoreFile {
    pub(super) fn of(path: PathBuf, medium: Medium) -> Self {
        let file = identity(&path);
        Self { path, medium, file }
    }

    /// Returns whether the file that was opened still exists under its name.
    pub(super) fn is_there(&self) -> bool {
        self.file.is_none() || identity(&self.path) == self.file
    }

    /// Writes everything that the deleted file holds into a new one, or opens the one that has replaced it. Fails with
    /// a sentence.
    pub(super) fn restore(&mut self, deleted: &Connection) -> Result<RestoredStore, String> {
        let file = if self.path.exists() {
            RestoredFile::Replaced
        } else {
            rewrite(deleted, &self.path)
                .map_err(|error| format!("the store's file was deleted and cannot be recreated: {error}"))?;
            RestoredFile::Rewritten
        };
        let refused = |error| match error {
            OpenError::Refused(cause) => format!("the store's file was replaced: {cause}"),
            OpenError::Sqlite(cause) => format!("the store's file was replaced: {}", error::sentence(&cause)),
        };
        let mut lock = LockFile::acquire(&self.path, CHECKING).map_err(|error| error.to_string())?;
        let writer = connection::connect(&self.path, self.medium, None).map_err(refused)?;
        let reader = connection::reader(&self.path, self.medium).map_err(|error| refused(error.into()))?;
        lock.release_exclusive();
        self.file = identity(&self.path);
        Ok(RestoredStore { writer, reader, lock, file })
    }
}

/// Writes everything that the deleted file holds into a new one that gets its name.
fn rewrite(deleted: &Connection, path: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let copy = backup::copy(deleted, path)?;
    let directory = path.parent().unwrap_or(Path::new("/"));
    let lock = File::open(directory)?;
    // Another running copy may be doing the same: the log of the file which that one has written must stay. Where there
    // are no locks, the race is short.
    let _ = lock.lock();
    if path.exists() {
        return Err(io::Error::from(io::ErrorKind::AlreadyExists).into());
    }
    // SQLite would apply the deleted file's log to the new one.
    repair::move_logs_aside(path)?;
    copy.persist_noclobber(path)?;
    sync_directory(directory)?;
    Ok(())
}

#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(path).ok().map(|about| (about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn identity(_path: &Path) -> Option<(u64, u64)> {
    None
}
