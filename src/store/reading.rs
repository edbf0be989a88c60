//! Opens a store that cannot be written: shows what can be read of it.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::{Connection, OpenFlags};

use super::connection::{OpenedStore, leftover};
use super::error::StoreError;
use super::limits::{BUSY, READING};
use super::lock_file::LockFile;
use super::salvage;
use super::schema::{self, Medium, OpenError};

/// Opens a store for reading. `cause` says why it cannot be written; it is returned again if the store cannot be read.
/// Where there is none yet an empty store is used until one can be created.
pub(super) fn open(path: PathBuf, medium: Medium, cause: StoreError) -> Result<OpenedStore, StoreError> {
    let lock = LockFile::read(&path);
    let damaged = matches!(cause, StoreError::Damaged { .. } | StoreError::DamagedInUse);
    let newer = matches!(cause, StoreError::Newer { .. });
    let logged = leftover(&path, "-wal") || leftover(&path, "-journal");
    let fresh = !leftover(&path, "") && !logged;
    if fresh && damaged {
        return Err(cause);
    }
    if !fresh && !is_readable(&path) {
        return Err(cause);
    }
    let mut warnings = Vec::new();
    let mut found = if damaged || fresh { None } else { connect(&path, "mode=ro").ok() };
    if found.is_none() && !damaged && !fresh && (newer || !logged) {
        found = connect(&path, "immutable=1").ok();
        if logged {
            warnings.push(
                "the newest changes are not shown: they are in the log of a newer version of benchtop".to_owned(),
            );
        }
    }
    let sources = [path.as_path()];
    let writer = match found {
        Some(connection) => connection,
        // Its log needs a file that cannot be created, or parts of it cannot be read: what can be is read without
        // SQLite.
        None => match copy(if fresh { &[] } else { &sources }) {
            Ok(connection) => connection,
            Err(error) => {
                tracing::error!(why = %error, "the store could not be copied to be read");
                return Err(cause);
            }
        },
    };
    let unsaved = Some(cause);
    Ok(OpenedStore { path, writer, reader: None, lock, medium, warnings, unsaved, checked: true })
}

/// Returns whether the system lets this process read the file. Salvaging one that cannot be read would find nothing in it.
fn is_readable(path: &Path) -> bool {
    File::open(path).and_then(|mut file| file.read(&mut [0])).is_ok()
}

/// Opens a connection that only reads; fails if the tables are not as they should be.
fn connect(path: &Path, how: &str) -> Result<Connection, OpenError> {
    let connection = open_file(path, how)?;
    match schema::check_version(&connection) {
        Err(OpenError::Refused(StoreError::Newer { .. })) => {}
        // The queries also use what an earlier version lacks.
        Ok(schema::LATEST) => schema::compare_schema(&connection)?,
        Ok(_) => return Err(schema::damage("an earlier version")),
        Err(error) => return Err(error),
    }
    Ok(connection)
}

/// Opens a file that is only read. Fails if SQLite does.
pub(super) fn open_file(path: &Path, how: &str) -> rusqlite::Result<Connection> {
    const KEPT: AsciiSet = NON_ALPHANUMERIC.remove(b'/');
    let name = percent_encode(path.as_os_str().as_encoded_bytes(), &KEPT);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(format!("file:{name}?{how}"), flags)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "cache_size", -1024)?;
    Ok(connection)
}

/// Copies all readable rows into memory and, beyond that, into an unnamed temporary file.
fn copy(sources: &[&Path]) -> rusqlite::Result<Connection> {
    let mut copy = Connection::open("")?;
    schema::prepare(&copy, Medium::Memory)?;
    copy.pragma_update(None, "cache_size", READING)?;
    salvage::salvage(sources, &mut copy)?;
    copy.pragma_update(None, "query_only", true)?;
    Ok(copy)
}
