//! Errors of the store, as sentences.

use std::path::PathBuf;

use rusqlite::ErrorCode;
use thiserror::Error;

/// Why a store cannot be opened: a sentence that says what to do next.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Written by a later version.
    #[error("the store was written by a newer benchtop (format {found}, this one knows {known}); update benchtop")]
    Newer {
        /// The file's format version.
        found: usize,
        /// The latest version known to this program.
        known: usize,
    },
    /// An SQLite file of another program.
    #[error("the store's file belongs to another program; move it away or choose another data directory")]
    Foreign,
    /// The file or its directory cannot be used.
    #[error("cannot use {}: {reason}", path.display())]
    Unusable {
        /// Its path.
        path: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// Damaged, and it cannot be repaired now.
    #[error("cannot use {}: it is damaged{repair_error}", path.display())]
    Damaged {
        /// Its path.
        path: PathBuf,
        /// The reason for which it could not be repaired, beginning with its comma or blank.
        repair_error: String,
    },
    /// Damaged, but in use by another copy, so it cannot be renamed.
    #[error("the store is damaged and another copy of benchtop has it open; quit all copies and start again")]
    DamagedInUse,
    /// Another copy is repairing the store and did not finish.
    #[error("another copy of benchtop has been checking the store for {0} s; wait for it or quit it")]
    Checking(u64),
}

/// For a record whose conversation does not exist.
pub(super) const DELETED: &str = "the conversation was deleted, perhaps by another copy of benchtop";

/// For a write to a full disk.
pub(super) const FULL: &str = "disk full; free some space";

/// Returns whether the file itself is damaged: SQLite says so, or a row holds another type than was stored.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, InvalidColumnType, Utf8Error};
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
        || matches!(error, FromSqlConversionFailure(..) | InvalidColumnType(..) | Utf8Error(..))
}

/// Returns whether the system failed to read or write.
pub(super) fn is_io(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen))
}

/// Returns whether another connection holds the lock.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Returns whether the same may succeed later: when the disk has space, or the lock is released.
pub(super) fn is_temporary(error: &rusqlite::Error) -> bool {
    let code = error.sqlite_error_code();
    let passing = [ErrorCode::DiskFull, ErrorCode::ReadOnly, ErrorCode::SystemIoFailure, ErrorCode::CannotOpen];
    is_busy(error) || code.is_some_and(|code| passing.contains(&code))
}

/// Returns SQLite's error as a sentence for the user.
pub(super) fn sentence(error: &rusqlite::Error) -> String {
    let known = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => FULL,
        Some(ErrorCode::ReadOnly) => "the store's file is read-only; check its permissions",
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            "another copy of benchtop has been writing for 5 s; try again"
        }
        Some(ErrorCode::SystemIoFailure) => "the disk reports an error; check it and where the store is mounted",
        Some(ErrorCode::CannotOpen) => "the store's file cannot be opened; check its folder",
        Some(ErrorCode::ConstraintViolation) => DELETED,
        _ if is_damage(error) => "the store is damaged; quit all copies of benchtop, and the next start repairs it",
        _ => return format!("store error: {error}"),
    };
    known.to_owned()
}

/// Why a record was not written.
#[derive(Debug)]
pub(super) enum WriteError {
    /// The record does not fit what is stored.
    Invalid(String),
    /// It can never be written: what it changes was deleted, or is newer.
    Obsolete(String),
    /// SQLite failed.
    Sqlite(rusqlite::Error),
    /// It cannot be written now; why.
    Deferred(String),
}

impl WriteError {
    /// Returns the error as a sentence for the user.
    pub(super) fn sentence(&self) -> String {
        match self {
            Self::Invalid(sentence) | Self::Obsolete(sentence) | Self::Deferred(sentence) => sentence.clone(),
            Self::Sqlite(error) => sentence(error),
        }
    }

    /// Returns whether the same record can be written later, when the disk has space or the lock is released.
    pub(super) fn is_temporary(&self) -> bool {
        match self {
            Self::Invalid(_) | Self::Obsolete(_) => false,
            Self::Deferred(_) => true,
            Self::Sqlite(error) => is_temporary(error),
        }
    }
}

impl From<rusqlite::Error> for WriteError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}
