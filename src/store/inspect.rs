//! Looks into a store's file as it is: nothing is created, migrated, checked in or repaired, and nobody waits for it.

use std::path::Path;

use rusqlite::Connection;

use super::drafts::Copies;
use super::error::{StoreError, sentence};
use super::examine::{CheckDepth, examine};
use super::limits::SMALL;
use super::open::{free_space, medium};
use super::paths::with_suffix;
use super::schema::{self, Medium, OpenError};
use super::{read, reading};
use crate::record::{Query, Rows};

/// What was found of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Bytes of the file, with its log.
    pub bytes: u64,
    /// Bytes that may still be written to its disk; `None`: not known.
    pub free: Option<u64>,
    /// Whether it is on a network file system.
    pub is_remote: bool,
    /// Its state.
    pub health: Health,
}

/// The state of a store's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Health {
    /// There is none yet.
    Missing,
    /// No damage was found.
    Sound,
    /// It is damaged; how.
    Damaged(String),
    /// It cannot be used as it is; a sentence says why and what to do.
    Unusable(String),
}

/// Checks a store's file: its version, its tables and its pages, and of a small one all that can be cross-checked.
pub fn inspect(path: &Path) -> Inspection {
    let size = |suffix| std::fs::metadata(with_suffix(path, suffix)).map_or(0, |file| file.len());
    let bytes = size("") + size("-wal");
    let folder = path.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(Path::new("/"));
    let health = match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Health::Missing,
        Err(error) => Health::Unusable(format!("{} cannot be read: {error}; check its permissions", path.display())),
        Ok(_) => health(path, bytes),
    };
    Inspection { bytes, free: free_space(folder), is_remote: medium(path) == Medium::Network, health }
}

fn health(path: &Path, bytes: u64) -> Health {
    let check = if bytes <= SMALL { CheckDepth::Full } else { CheckDepth::Quick };
    let examined = open(path).map_err(OpenError::Sqlite).and_then(|connection| {
        // One of an earlier version is migrated when it is opened.
        if schema::check_version(&connection)? == schema::LATEST {
            schema::compare_schema(&connection)?;
        }
        examine(&connection, check)
    });
    match examined {
        Ok(()) => Health::Sound,
        Err(OpenError::Refused(error @ (StoreError::Newer { .. } | StoreError::Foreign))) => {
            Health::Unusable(error.to_string())
        }
        Err(OpenError::Refused(error)) => Health::Damaged(error.to_string()),
        Err(OpenError::Sqlite(error)) if super::error::is_damage(&error) => Health::Damaged(sentence(&error)),
        Err(OpenError::Sqlite(error)) => Health::Unusable(sentence(&error)),
    }
}

/// Answers a query from a store's file; `None`: there is none, or it cannot be read as it is.
pub fn look_up(path: &Path, query: Query) -> Option<Rows> {
    if !path.exists() {
        return None;
    }
    let mut connection = open(path).ok()?;
    schema::check_version(&connection).ok()?;
    read::answer(&mut connection, query, &Copies::alone()).ok()
}

/// Opens a file for reading. Where no log is beside it, SQLite need not create the files that copies share.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    let has_log = with_suffix(path, "-wal").exists() || with_suffix(path, "-journal").exists();
    reading::open_file(path, if has_log { "mode=ro" } else { "immutable=1" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Record, Stored};
    use crate::store::Store;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_store_is_read_while_it_is_open_and_after_and_stays_as_it_is() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("benchtop.db");
        assert_eq!(inspect(&path).health, Health::Missing);
        assert_eq!((look_up(&path, Query::Heads), names(home.path()).len()), (None, 0));
        let (send, answers) = std::sync::mpsc::channel();
        let store = Store::open(&path, move |_, stored| send.send(stored).unwrap_or_default()).unwrap();
        store.try_save(crate::api::call::Ticket(1), Record::Setting("a.b".to_owned(), "c".into()));
        assert_eq!(answers.recv().unwrap(), Stored::Committed);
        let found = |path: &Path| look_up(path, Query::Setting("a.b".to_owned()));
        let expected = Some(Rows::Setting("a.b".to_owned(), Some("c".into())));
        assert_eq!((found(&path), inspect(&path).health), (expected.clone(), Health::Sound));
        assert!(store.close());
        // The thread of the store removes the mark of this copy as it ends.
        while names(home.path()).iter().any(|name| name.contains(".copy-")) {
            std::thread::yield_now();
        }
        let before = (std::fs::read(&path).unwrap(), names(home.path()));
        let inspection = inspect(&path);
        assert_eq!((inspection.bytes, inspection.health), (before.0.len() as u64, Health::Sound));
        assert_eq!(found(&path), expected);
        assert!(std::fs::read(&path).unwrap() == before.0, "its bytes have changed");
        assert_eq!(names(home.path()), before.1);
    }

    #[test]
    fn damage_is_found_and_another_program_s_file_is_named() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("benchtop.db");
        assert!(Store::open(&path, |_, _| {}).unwrap().close());
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..].fill(0xa5);
        std::fs::write(&path, bytes).unwrap();
        assert!(matches!(inspect(&path).health, Health::Damaged(_)));
        let other = home.path().join("other.db");
        Connection::open(&other).unwrap().execute_batch("CREATE TABLE t (a)").unwrap();
        assert_eq!(inspect(&other).health, Health::Unusable(StoreError::Foreign.to_string()));
        std::fs::write(&path, "no database at all").unwrap();
        assert!(matches!(inspect(&path).health, Health::Damaged(_)));
    }
}
