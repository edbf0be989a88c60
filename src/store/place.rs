//! The store's file, as long as the program runs: whether it is still where it was opened, and how it comes back.
//!
//! SQLite goes on writing into a file that was deleted, which nobody will find again.

use std::path::{Path, PathBuf};

use rusqlite::Connection;
use rusqlite::config::DbConfig;

use super::presence::Presence;
use super::schema::{Medium, Unfit};
use super::{backup, error, open};

/// Where the store was opened.
#[derive(Debug)]
pub(super) struct Place {
    path: PathBuf,
    medium: Medium,
    /// Tells the file from others; `None`: this system does not say.
    file: Option<(u64, u64)>,
}

/// The store, opened again.
pub(super) struct Again {
    pub(super) writer: Connection,
    pub(super) reader: Connection,
    pub(super) presence: Presence,
    /// Whether the file holds all that was written before; else it is another one that has taken its place.
    pub(super) whole: bool,
}

impl Place {
    pub(super) fn of(path: PathBuf, medium: Medium) -> Self {
        let file = identity(&path);
        Self { path, medium, file }
    }

    /// Whether the file that was opened is still there under its name.
    pub(super) fn is_there(&self) -> bool {
        self.file.is_none() || identity(&self.path) == self.file
    }

    /// Writes all that the deleted file holds into a new one, or opens the one that has taken its place. An error: a
    /// sentence.
    pub(super) fn restore(&mut self, deleted: &Connection) -> Result<Again, String> {
        let whole = !self.path.exists();
        if whole {
            backup::make(deleted, &self.path, false)
                .map_err(|why| format!("the store's file was deleted and cannot be written again: {why}"))?;
        }
        let refused = |unfit| match unfit {
            Unfit::Refused(why) => format!("the store's file was replaced: {why}"),
            Unfit::Sqlite(why) => format!("the store's file was replaced: {}", error::sentence(&why)),
        };
        let mut presence = Presence::enter(&self.path).map_err(|why| why.to_string())?;
        let writer = open::connect(&self.path, self.medium, None).map_err(refused)?;
        let reader = open::reader(&self.path, self.medium).map_err(|why| refused(why.into()))?;
        presence.settle();
        self.file = identity(&self.path);
        Ok(Again { writer, reader, presence, whole })
    }
}

/// Closes a connection to a file that is gone. Nothing is removed: the logs that have its name are another file's.
pub(super) fn close_deleted(connection: Connection) {
    let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    drop(connection);
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
