//! Connections to the store's file, and the file itself.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::error::StoreError;
use super::examine::{CheckDepth, examine};
use super::limits::BUSY;
use super::lock_file::LockFile;
use super::paths::with_suffix;
use super::schema::{self, Medium, OpenError};
use crate::disk::{private, sync_directory};

/// An open store.
pub(super) struct OpenedStore {
    /// The file, symbolic links followed.
    pub(super) path: PathBuf,
    pub(super) writer: Connection,
    /// `None`: the writer's connection also answers queries.
    pub(super) reader: Option<Connection>,
    pub(super) lock: LockFile,
    pub(super) medium: Medium,
    pub(super) warnings: Vec<String>,
    /// Why it can only be read; `None`: it can be written.
    pub(super) unsaved: Option<StoreError>,
    /// Whether it was checked when it was opened.
    pub(super) checked: bool,
}

/// Creates the file, for this user alone; if it exists, removes the permissions of others. Fails if the disk refuses.
pub(super) fn create(path: &Path) -> io::Result<()> {
    match private(OpenOptions::new().write(true).create_new(true)).open(path) {
        Ok(file) => {
            file.sync_all()?;
            sync_directory(path.parent().unwrap_or(Path::new("/")))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                if fs::metadata(path)?.permissions().mode() & 0o077 != 0 {
                    // The permissions of another owner's file cannot be changed, and may be intended.
                    let _ = fs::set_permissions(path, fs::Permissions::from_mode(0o600));
                }
            }
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// Returns whether the file beside the store with this suffix holds anything.
pub(super) fn leftover(path: &Path, suffix: &str) -> bool {
    fs::metadata(with_suffix(path, suffix)).is_ok_and(|file| file.len() > 0)
}

/// Returns the flags of every connection to a file.
pub(super) fn flags() -> OpenFlags {
    OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX
}

/// Opens a sound store and migrates it to this version. Fails if it is damaged, of another program or of a later
/// version.
pub(super) fn connect(path: &Path, medium: Medium, check: Option<CheckDepth>) -> Result<Connection, OpenError> {
    let mut connection = Connection::open_with_flags(path, flags())?;
    connection.busy_timeout(BUSY)?;
    // Before anything is set, which may write: the file may be another program's.
    let found = schema::check_version(&connection)?;
    schema::prepare(&connection, medium)?;
    if let Some(check) = check {
        examine(&connection, check)?;
    }
    if found == schema::LATEST {
        schema::compare_schema(&connection)?;
    }
    schema::migrate(&mut connection)?;
    Ok(connection)
}

/// Opens a store for reading only. Fails if SQLite does.
pub(super) fn reader(path: &Path, medium: Medium) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, flags())?;
    schema::prepare(&connection, medium)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Closes a database: writes its log into it if nobody else reads it, and releases the lock.
pub(super) fn close<H>(connection: Connection, held: H) {
    let _ = connection.pragma_query(None, "wal_checkpoint", |_| Ok(()));
    drop(connection);
    drop(held);
}

/// Closes a connection to a file that was deleted.
pub(super) fn close_deleted(connection: Connection) {
    leave_log(&connection);
    drop(connection);
}

/// Keeps the log when this connection is closed: if the file is deleted meanwhile, the log of that name belongs to
/// another file.
pub(super) fn leave_log(connection: &Connection) {
    let _ = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
}
