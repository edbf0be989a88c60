//! The cache's file: opening, checking, renaming a damaged one.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::super::error::is_damage;
use super::super::limits::CHECKING;
use super::super::lock_file::LockFile;
use super::super::schema::{self, Medium};
use super::super::{connection, repair};
use super::{CacheError, DAMAGED_IN_USE};

/// Distinguishes our file from other SQLite files: "bvec" in ASCII, read as a number.
const APPLICATION: i32 = 0x6276_6563;
/// The format written here.
const VERSION: i64 = 2;
/// Bytes of a page: five vectors of 1,536 numbers and little else.
const PAGE: u32 = 32_768;
/// KiB of pages in memory: the whole index of 100,000 vectors.
const PAGES: i64 = -8_192;

const TABLES: &str = "
-- dimensions: -1 is the model's own length.
CREATE TABLE keys (
    id INTEGER PRIMARY KEY, profile TEXT NOT NULL, model TEXT NOT NULL, dimensions INTEGER NOT NULL,
    UNIQUE (profile, model, dimensions)
) STRICT;
-- text: its key of 16 bytes. vector: 4 bytes a number.
CREATE TABLE vectors (
    id INTEGER PRIMARY KEY, key INTEGER NOT NULL, text BLOB NOT NULL, vector BLOB NOT NULL, UNIQUE (key, text)
) STRICT;
";

/// From version 1: the local service's models have changed, so their vectors cannot be compared with those stored.
const OTHER_LOCAL_MODELS: &str = "DELETE FROM vectors WHERE key IN (SELECT id FROM keys WHERE profile = 'local');";

/// An open cache. The connection is closed before the lock is released.
pub(super) struct File {
    pub(super) connection: Connection,
    lock: Option<LockFile>,
}

impl File {
    pub(super) fn memory() -> Result<Self, CacheError> {
        let mut connection = Connection::open_in_memory()?;
        schema::prepare(&connection, Medium::Memory)?;
        create_tables(&mut connection)?;
        Ok(Self { connection, lock: None })
    }

    /// Opens the file at `path`, or creates it. A damaged one is renamed, and `told` receives a sentence; while another
    /// copy has it open this fails.
    pub(super) fn open(path: &Path, medium: Medium, told: &mut Option<String>) -> Result<Self, CacheError> {
        let mut lock = LockFile::acquire(path, CHECKING).map_err(|error| CacheError::Refused(error.to_string()))?;
        let alone = lock.alone();
        // Known damage is not searched again: that would read the whole file.
        let known = alone && lock.check_asked() && path.exists();
        let mut connection =
            if known { None } else { connect(path, medium).map(Some).or_else(no_connection_if_damaged)? };
        if connection.is_none() {
            if !alone {
                lock.ask_check();
                return Err(CacheError::Refused(DAMAGED_IN_USE.to_owned()));
            }
            let aside = repair::move_aside(path).map_err(|error| {
                let path = path.display();
                CacheError::Refused(format!(
                    "{path} is damaged and could not be moved aside: {error}; check its folder"
                ))
            })?;
            *told = Some(format!(
                "the vector cache was damaged and has been recreated: its vectors must be requested again; the \
                 damaged file is kept as {}",
                aside.display()
            ));
            connection = Some(connect(path, medium)?);
        }
        lock.release_exclusive();
        let connection = connection.expect("one was made where there was none");
        Ok(Self { connection, lock: Some(lock) })
    }

    /// Notes that damage was found, for the next copy that is alone with the file, and closes it.
    pub(super) fn report_damage(self) {
        if let Some(lock) = &self.lock {
            lock.ask_check();
        }
    }

    /// Closes the file after tidying it.
    pub(super) fn close(self) {
        connection::close(self.connection, self.lock);
    }
}

/// Converts damage into `None`; other errors stay.
fn no_connection_if_damaged(error: CacheError) -> Result<Option<Connection>, CacheError> {
    match error {
        CacheError::Sqlite(error) if is_damage(&error) => Ok(None),
        other => Err(other),
    }
}

fn connect(path: &Path, medium: Medium) -> Result<Connection, CacheError> {
    let unusable = |why: String| CacheError::Refused(format!("cannot use {}: {why}", path.display()));
    connection::create(path).map_err(|error| unusable(error.to_string()))?;
    let mut connection = Connection::open_with_flags(path, connection::flags())?;
    connection.busy_timeout(super::super::limits::BUSY)?;
    // Before anything is set, which may write: the file may be another program's.
    check_version(&connection, path)?;
    connection.pragma_update(None, "page_size", PAGE)?;
    schema::prepare(&connection, medium)?;
    connection.pragma_update(None, "cache_size", PAGES)?;
    create_tables(&mut connection)?;
    if connection.is_readonly("main")? {
        return Err(unusable("it is read-only; check its permissions".to_owned()));
    }
    Ok(connection)
}

/// Fails for files of another program or of a later version. Returns the version, 0 if it has no tables yet.
fn check_version(connection: &Connection, path: &Path) -> Result<i64, CacheError> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let (application, version) = (number("application_id")?, number("user_version")?);
    let tables: u32 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    let refused = |why: &str| Err(CacheError::Refused(format!("cannot use {}: {why}", path.display())));
    if application != i64::from(APPLICATION) && (tables > 0 || version > 0) {
        return refused("it belongs to another program; move it away");
    }
    if version > VERSION {
        return refused("it was written by a newer version; update benchtop");
    }
    Ok(version)
}

fn create_tables(connection: &mut Connection) -> Result<(), CacheError> {
    let path = connection.path().unwrap_or_default().to_owned();
    if check_version(connection, Path::new(&path))? == VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Read again under the lock: another copy may just have done it.
    let version = check_version(&transaction, Path::new(&path))?;
    if version < VERSION {
        transaction.execute_batch(if version == 0 { TABLES } else { OTHER_LOCAL_MODELS })?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    Ok(transaction.commit()?)
}
