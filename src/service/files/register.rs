//! The register of all organisations' files: their owners, the storage they use, and which are in use.

use std::collections::HashMap;
use std::io::{self, BufReader};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use super::super::limits::STORED;
use super::disk::{Folder, Partial};
use super::stored::{Status, Stored};
use crate::dataset;

/// The stored files of all organisations. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Files(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    folder: Folder,
    table: Mutex<Table>,
    /// Held while a file's rows are checked: one at a time.
    checking: Arc<Mutex<()>>,
    /// Bytes that an organisation may store.
    limit: u64,
}

#[derive(Debug, Default)]
struct Table {
    entries: HashMap<String, Entry>,
    /// Bytes by organisation, including uploads under way.
    used: HashMap<String, u64>,
    next: u64,
}

#[derive(Debug)]
struct Entry {
    stored: Stored,
    holds: usize,
}

/// Why a file is not deleted.
#[derive(Debug)]
pub(super) enum DeleteError {
    /// There is no file with this id.
    Unknown,
    /// Its rows are being checked.
    Checking,
    /// It is in use.
    InUse,
    /// The disk refused.
    Disk(io::Error),
}

impl Files {
    /// Opens the files stored under `home`. Reads only their records; removes what a crash left incomplete, and checks
    /// files that were not checked yet on a thread of its own. Fails if the folder cannot be read.
    pub(crate) fn open(home: &Path) -> io::Result<Self> {
        Self::with_limit(home, STORED)
    }

    fn with_limit(home: &Path, limit: u64) -> io::Result<Self> {
        let (folder, stored) = Folder::open(home)?;
        let mut table = Table { next: stored.last().map_or(0, |last| last.serial + 1), ..Table::default() };
        let unchecked: Vec<String> =
            stored.iter().filter(|stored| stored.status == Status::Uploaded).map(|stored| stored.id.clone()).collect();
        for stored in stored {
            *table.used.entry(stored.organisation.clone()).or_default() += stored.bytes;
            table.entries.insert(stored.id.clone(), Entry { stored, holds: 0 });
        }
        let files = Self(Arc::new(Shared { folder, table: Mutex::new(table), checking: Arc::default(), limit }));
        if !unchecked.is_empty() {
            let shared = Arc::downgrade(&files.0);
            let check = move || unchecked.iter().for_each(|id| check(&shared, id));
            std::thread::Builder::new().name("file check".into()).spawn(check)?;
        }
        Ok(files)
    }

    /// Returns a file of the organisation.
    pub(crate) fn get(&self, organisation: &str, id: &str) -> Option<Stored> {
        let table = self.table();
        table.entries.get(id).map(|entry| &entry.stored).filter(|stored| stored.organisation == organisation).cloned()
    }

    /// Returns the organisation's files, oldest first.
    pub(crate) fn list(&self, organisation: &str) -> Vec<Stored> {
        let table = self.table();
        let all = table.entries.values().map(|entry| &entry.stored);
        let mut list: Vec<Stored> = all.filter(|stored| stored.organisation == organisation).cloned().collect();
        drop(table);
        list.sort_by_key(|stored| stored.serial);
        list
    }

    /// Opens the bytes of a file, at its beginning. An open file stays readable when it is deleted. Fails if there is
    /// none.
    pub(crate) fn read(&self, id: &str) -> io::Result<std::fs::File> {
        // Only ids created here are used as paths.
        let Some(id) = self.table().entries.get(id).map(|entry| entry.stored.id.clone()) else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is no such file"));
        };
        self.0.folder.read(&id)
    }

    /// Stores a result as `file-<tail>`; if that exists already with the same bytes, it is returned, so that work that
    /// is repeated after an interruption creates no second file. It survives a power cut when this returns. Blocks
    /// while the disk writes; counts as the organisation's storage but is never refused for that.
    pub(crate) fn put(
        &self,
        organisation: &str,
        tail: &str,
        purpose: &str,
        filename: &str,
        bytes: &[u8],
    ) -> io::Result<Stored> {
        let id = format!("file-{tail}");
        let mut partial = match self.0.folder.begin_as(id.clone()) {
            // The id exists already: used below if it has the same bytes, else left as it is.
            Err(why) if why.kind() == io::ErrorKind::AlreadyExists => self.begin()?,
            begun => begun?,
        };
        partial.write(bytes)?;
        let same = |stored: &Stored| stored.status == Status::Processed && stored.sha256 == partial.sha256();
        if let Some(stored) = self.get(organisation, &id).filter(same) {
            return Ok(stored);
        }
        let mut reservation = self.reserve(organisation);
        reservation.grow_unchecked(bytes.len() as u64);
        self.register(partial, reservation, purpose, filename, Status::Processed)
    }

    /// Prevents a file from being deleted for as long as the hold lives. `None`: there is no such file.
    pub(crate) fn hold(&self, id: &str) -> Option<Hold> {
        self.table().entries.get_mut(id)?.holds += 1;
        Some(Hold { files: self.clone(), id: id.to_owned() })
    }

    /// Creates a file. Fails if the disk refuses.
    pub(super) fn begin(&self) -> io::Result<Partial> {
        self.0.folder.begin()
    }

    /// Returns a reservation of an organisation's storage, empty at first.
    pub(super) fn reserve(&self, organisation: &str) -> Reservation {
        Reservation { files: self.clone(), organisation: organisation.to_owned(), bytes: 0 }
    }

    /// Registers what was written as a file. Blocks while the disk writes; fails if it refuses.
    pub(super) fn register(
        &self,
        partial: Partial,
        mut reservation: Reservation,
        purpose: &str,
        filename: &str,
        status: Status,
    ) -> io::Result<Stored> {
        let mut table = self.table();
        let serial = table.next;
        table.next += 1;
        drop(table);
        let stored = Stored {
            id: partial.id().to_owned(),
            organisation: reservation.organisation.clone(),
            purpose: purpose.to_owned(),
            filename: filename.to_owned(),
            bytes: partial.bytes(),
            created_at: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64,
            sha256: partial.sha256(),
            status,
            status_details: None,
            serial,
        };
        self.0.folder.commit(partial, &stored)?;
        // The bytes stay counted, now as the file's.
        reservation.bytes = 0;
        self.table().entries.insert(stored.id.clone(), Entry { stored: stored.clone(), holds: 0 });
        Ok(stored)
    }

    /// Checks the rows of a file that was stored and notes the result. Takes as long as reading it.
    pub(super) fn check_later(&self, id: String) -> impl FnOnce() + Send + 'static {
        let shared = Arc::downgrade(&self.0);
        move || check(&shared, &id)
    }

    /// Deletes a file. Blocks while the disk writes. Fails if there is none, it is in use or still being checked, or
    /// the disk refuses.
    pub(super) fn delete(&self, organisation: &str, id: &str) -> Result<(), DeleteError> {
        let mut table = self.table();
        let entry = table.entries.get(id).filter(|entry| entry.stored.organisation == organisation);
        match entry.ok_or(DeleteError::Unknown)? {
            Entry { holds: 1.., .. } => return Err(DeleteError::InUse),
            Entry { stored, .. } if stored.status == Status::Uploaded => return Err(DeleteError::Checking),
            Entry { .. } => {}
        }
        let Some(entry) = table.entries.remove(id) else { return Err(DeleteError::Unknown) };
        drop(table);
        let removed = self.0.folder.remove(id);
        let mut table = self.table();
        if let Err(why) = removed {
            table.entries.insert(id.to_owned(), entry);
            return Err(DeleteError::Disk(why));
        }
        table.release(organisation, entry.stored.bytes);
        Ok(())
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn release(&mut self, organisation: &str, bytes: u64) {
        if let Some(used) = self.used.get_mut(organisation) {
            *used = used.saturating_sub(bytes);
        }
    }
}

/// Checks a file's rows. The checking thread does not keep the register alive: once the service has ended another
/// process may own the folder, and the check is done at the next start.
fn check(shared: &Weak<Shared>, id: &str) {
    let Some(files) = shared.upgrade().map(Files) else { return };
    let Ok(file) = files.read(id) else { return };
    let checking = Arc::clone(&files.0.checking);
    drop(files);
    let _turn = checking.lock().unwrap_or_else(PoisonError::into_inner);
    let mut rows = dataset::examples(BufReader::with_capacity(1 << 16, file), dataset::LineLimits::default());
    let problem = rows.find_map(Result::err);
    let Some(files) = shared.upgrade().map(Files) else { return };
    let Some(mut stored) = files.table().entries.get(id).map(|entry| entry.stored.clone()) else { return };
    stored.status = if problem.is_some() { Status::Error } else { Status::Processed };
    stored.status_details = problem.map(|problem| problem.sentence());
    // An unchecked file is never deleted, so this cannot be the record of a deleted file.
    if let Err(why) = files.0.folder.update_record(&stored) {
        tracing::warn!(%id, %why, "the check of a file could not be noted; it is done again at the next start");
    }
    if let Some(entry) = files.table().entries.get_mut(id) {
        entry.stored = stored;
    }
}

/// Prevents a file from being deleted.
#[derive(Debug)]
pub(crate) struct Hold {
    files: Files,
    id: String,
}

impl Drop for Hold {
    fn drop(&mut self) {
        if let Some(entry) = self.files.table().entries.get_mut(&self.id) {
            entry.holds = entry.holds.saturating_sub(1);
        }
    }
}

/// Storage that an upload has reserved so far; released unless the upload becomes a file.
#[derive(Debug)]
pub(super) struct Reservation {
    files: Files,
    organisation: String,
    bytes: u64,
}

impl Reservation {
    /// Returns whether there is storage for `bytes` more bytes.
    pub(super) fn fits(&self, bytes: u64) -> bool {
        let used = self.files.table().used.get(&self.organisation).copied().unwrap_or_default();
        used.saturating_add(bytes) <= self.files.0.limit
    }

    /// Reserves more storage; false: there is not enough.
    pub(super) fn grow(&mut self, bytes: u64) -> bool {
        let limit = self.files.0.limit;
        let mut table = self.files.table();
        let used = table.used.entry(self.organisation.clone()).or_default();
        if used.checked_add(bytes).is_none_or(|after| after > limit) {
            return false;
        }
        *used += bytes;
        drop(table);
        self.bytes += bytes;
        true
    }

    fn grow_unchecked(&mut self, bytes: u64) {
        *self.files.table().used.entry(self.organisation.clone()).or_default() += bytes;
        self.bytes += bytes;
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.files.table().release(&self.organisation, self.bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    fn upload(files: &Files, bytes: &[u8]) -> Option<Stored> {
        let mut partial = files.begin().unwrap();
        let mut reservation = files.reserve("acme");
        partial.write(bytes).unwrap();
        reservation
            .grow(bytes.len() as u64)
            .then(|| files.register(partial, reservation, "evals", "x", Status::Processed).unwrap())
    }

    #[test]
    fn room_is_taken_as_bytes_come_and_given_back() {
        let home = tempfile::tempdir().unwrap();
        let files = Files::with_limit(home.path(), 10).unwrap();
        let six = upload(&files, b"123456").unwrap();
        assert!(upload(&files, b"12345").is_none());
        let mut under_way = files.reserve("acme");
        assert!(under_way.grow(3) && under_way.fits(1) && !under_way.fits(2) && !under_way.grow(2));
        assert!(files.reserve("others").fits(10) && !files.reserve("others").fits(11), "each has its own");
        assert!(upload(&files, b"12").is_none(), "uploads under way count");
        drop(under_way);
        let four = upload(&files, b"1234").unwrap();
        // The same after a restart.
        drop(files);
        let files = Files::with_limit(home.path(), 10).unwrap();
        assert_eq!(files.list("acme"), [six.clone(), four]);
        assert!(!files.reserve("acme").fits(1));
        files.delete("acme", &six.id).unwrap();
        assert!(files.reserve("acme").fits(6) && !files.reserve("acme").fits(7));
        assert!(matches!(files.delete("acme", &six.id), Err(DeleteError::Unknown)));
    }

    #[test]
    fn a_result_is_kept_even_where_there_is_no_room() {
        let home = tempfile::tempdir().unwrap();
        let files = Files::with_limit(home.path(), 2).unwrap();
        let stored = files.put("acme", "x", "fine-tune-results", "compiled_results.csv", b"step\n").unwrap();
        assert_eq!((stored.bytes, stored.status), (5, Status::Processed));
        let mut text = String::new();
        files.read(&stored.id).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "step\n");
        assert!(files.get("others", &stored.id).is_none() && !files.reserve("acme").fits(0));
        files.delete("acme", &stored.id).unwrap();
        assert!(files.read(&stored.id).is_err());
        assert!(files.read("../files").is_err());
    }

    #[test]
    fn a_result_that_is_stored_again_is_the_same_file() {
        let home = tempfile::tempdir().unwrap();
        let put = |files: &Files, bytes| files.put("acme", "x", "fine-tune-results", "a.csv", bytes).unwrap();
        let files = Files::open(home.path()).unwrap();
        let first = put(&files, b"step\n");
        assert_eq!(first.id, "file-x");
        // Whoever stored it was killed before noting that.
        drop(files);
        let files = Files::open(home.path()).unwrap();
        assert_eq!(put(&files, b"step\n"), first);
        assert_eq!(files.list("acme"), std::slice::from_ref(&first));
        assert!(files.reserve("acme").fits(STORED - 5), "it is counted once");
        let other = put(&files, b"other\n");
        assert_eq!(files.list("acme"), [first, other]);
    }

    #[test]
    fn a_hash_is_of_the_bytes() {
        let home = tempfile::tempdir().unwrap();
        let files = Files::open(home.path()).unwrap();
        let stored = files.put("acme", "x", "evals", "x", b"abc").unwrap();
        // The example of the standard.
        assert_eq!(stored.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
