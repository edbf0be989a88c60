//! `/v1/files`: what is stored for training, and the results of it.
//!
//! [`Files`] is the register of all organisations' files; [`disk`] keeps them. The routes are [`routes`].

mod disk;

use std::collections::HashMap;
use std::io::{self, BufReader};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{SystemTime, UNIX_EPOCH};

use axum::Router;
use serde::{Deserialize, Serialize};

use super::limits::STORED;
use super::state::State;
use crate::api::file::File;
use crate::dataset;
use disk::{Folder, Partial};

/// Purposes of files that rows for training are read from.
const TRAINING: [&str; 2] = ["fine-tune", "fine-tune-train"];

/// A stored file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stored {
    /// `file-` and 24 letters and digits.
    pub(super) id: String,
    /// Whose it is.
    pub(super) organisation: String,
    /// What it is for.
    pub(super) purpose: String,
    /// The name it was uploaded with: never a path.
    pub(super) filename: String,
    /// Size.
    pub(super) bytes: u64,
    /// Unix seconds.
    pub(super) created_at: i64,
    /// SHA-256 in lower-case hex.
    pub(super) sha256: String,
    /// How far its check is.
    pub(super) status: Status,
    /// What the check found wrong.
    pub(super) status_details: Option<String>,
    /// Files in the order they came: larger is later.
    serial: u64,
}

/// How far the check of a file's rows is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    /// Not checked yet.
    Uploaded,
    /// Fine, or nothing to check.
    Processed,
    /// Not fine: `status_details` says why.
    Error,
}

impl Stored {
    /// The file as answers show it.
    pub(super) fn file(&self) -> File {
        let status = match self.status {
            Status::Uploaded => "uploaded",
            Status::Processed => "processed",
            Status::Error => "error",
        };
        File {
            id: self.id.clone(),
            object: "file".into(),
            bytes: self.bytes,
            created_at: self.created_at,
            filename: self.filename.clone(),
            purpose: self.purpose.clone(),
            status: Some(status.into()),
            status_details: self.status_details.clone(),
        }
    }
}

/// The stored files of all organisations. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Files(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    folder: Folder,
    table: Mutex<Table>,
    /// Held while a file's rows are checked: one at a time.
    checking: Arc<Mutex<()>>,
    /// Bytes that an organisation may store.
    most: u64,
}

#[derive(Debug, Default)]
struct Table {
    entries: HashMap<String, Entry>,
    /// Bytes by organisation, uploads under way included.
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
enum Kept {
    /// There is none with this id.
    Unknown,
    /// Its rows are being checked.
    Checking,
    /// Something needs it.
    Held,
    /// The disk refused.
    Disk(io::Error),
}

impl Files {
    /// The files kept under `home`. Reads the records alone; what a crash left half done is removed, and what it left
    /// unchecked is checked on a thread of its own.
    pub(super) fn open(home: &Path) -> io::Result<Self> {
        Self::with_room(home, STORED)
    }

    fn with_room(home: &Path, most: u64) -> io::Result<Self> {
        let (folder, stored) = Folder::open(home)?;
        let mut table = Table { next: stored.last().map_or(0, |last| last.serial + 1), ..Table::default() };
        let unchecked: Vec<String> =
            stored.iter().filter(|stored| stored.status == Status::Uploaded).map(|stored| stored.id.clone()).collect();
        for stored in stored {
            *table.used.entry(stored.organisation.clone()).or_default() += stored.bytes;
            table.entries.insert(stored.id.clone(), Entry { stored, holds: 0 });
        }
        let files = Self(Arc::new(Shared { folder, table: Mutex::new(table), checking: Arc::default(), most }));
        if !unchecked.is_empty() {
            let shared = Arc::downgrade(&files.0);
            let check = move || unchecked.iter().for_each(|id| check(&shared, id));
            std::thread::Builder::new().name("file check".into()).spawn(check)?;
        }
        Ok(files)
    }

    /// A file of the organisation.
    pub(super) fn get(&self, organisation: &str, id: &str) -> Option<Stored> {
        let table = self.table();
        table.entries.get(id).map(|entry| &entry.stored).filter(|stored| stored.organisation == organisation).cloned()
    }

    /// The organisation's files, oldest first.
    pub(super) fn list(&self, organisation: &str) -> Vec<Stored> {
        let table = self.table();
        let all = table.entries.values().map(|entry| &entry.stored);
        let mut list: Vec<Stored> = all.filter(|stored| stored.organisation == organisation).cloned().collect();
        drop(table);
        list.sort_by_key(|stored| stored.serial);
        list
    }

    /// The bytes of a file, from its beginning. What is open stays readable when the file is deleted.
    pub(super) fn read(&self, id: &str) -> io::Result<std::fs::File> {
        // Only ids made here reach the disk.
        let Some(id) = self.table().entries.get(id).map(|entry| entry.stored.id.clone()) else {
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is no such file"));
        };
        self.0.folder.read(&id)
    }

    /// Stores a result. It survives a power cut when this returns. Blocks while the disk writes; counts against the
    /// organisation's room but is never refused for it.
    pub(super) fn put(&self, organisation: &str, purpose: &str, filename: &str, bytes: &[u8]) -> io::Result<Stored> {
        let mut partial = self.0.folder.begin()?;
        partial.write(bytes)?;
        let mut room = self.room(organisation);
        room.take_anyway(bytes.len() as u64);
        self.accept(partial, room, purpose, filename, Status::Processed)
    }

    /// Keeps a file from being deleted for as long as the hold lives. `None`: there is no such file.
    pub(super) fn hold(&self, id: &str) -> Option<Hold> {
        self.table().entries.get_mut(id)?.holds += 1;
        Some(Hold { files: self.clone(), id: id.to_owned() })
    }

    /// Room of an organisation, none taken yet.
    fn room(&self, organisation: &str) -> Room {
        Room { files: self.clone(), organisation: organisation.to_owned(), bytes: 0 }
    }

    /// Makes what was written a file that is there. Blocks while the disk writes.
    fn accept(
        &self,
        partial: Partial,
        mut room: Room,
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
            organisation: room.organisation.clone(),
            purpose: purpose.to_owned(),
            filename: filename.to_owned(),
            bytes: partial.bytes(),
            created_at: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as i64,
            sha256: partial.sha256(),
            status,
            status_details: None,
            serial,
        };
        self.0.folder.keep(partial, &stored)?;
        // The bytes stay counted, now as the file's.
        room.bytes = 0;
        self.table().entries.insert(stored.id.clone(), Entry { stored: stored.clone(), holds: 0 });
        Ok(stored)
    }

    /// Checks the rows of a file that was accepted and notes what it found. Takes as long as reading it.
    fn checks(&self, id: String) -> impl FnOnce() + Send + 'static {
        let shared = Arc::downgrade(&self.0);
        move || check(&shared, &id)
    }

    /// Deletes a file that nothing needs. Blocks while the disk writes.
    fn delete(&self, organisation: &str, id: &str) -> Result<(), Kept> {
        let mut table = self.table();
        let entry = table.entries.get(id).filter(|entry| entry.stored.organisation == organisation);
        match entry.ok_or(Kept::Unknown)? {
            Entry { holds: 1.., .. } => return Err(Kept::Held),
            Entry { stored, .. } if stored.status == Status::Uploaded => return Err(Kept::Checking),
            Entry { .. } => {}
        }
        let Some(entry) = table.entries.remove(id) else { return Err(Kept::Unknown) };
        drop(table);
        let removed = self.0.folder.remove(id);
        let mut table = self.table();
        if let Err(why) = removed {
            table.entries.insert(id.to_owned(), entry);
            return Err(Kept::Disk(why));
        }
        table.give_back(organisation, entry.stored.bytes);
        Ok(())
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn give_back(&mut self, organisation: &str, bytes: u64) {
        if let Some(used) = self.used.get_mut(organisation) {
            *used = used.saturating_sub(bytes);
        }
    }
}

/// Checks a file's rows. Whoever checks does not keep the register alive: once the service is gone the folder may be
/// another's, and the check is done at the next start.
fn check(shared: &Weak<Shared>, id: &str) {
    let Some(files) = shared.upgrade().map(Files) else { return };
    let Ok(file) = files.read(id) else { return };
    let checking = Arc::clone(&files.0.checking);
    drop(files);
    let _turn = checking.lock().unwrap_or_else(PoisonError::into_inner);
    let mut rows = dataset::examples(BufReader::with_capacity(1 << 16, file), dataset::Limits::default());
    let problem = rows.find_map(Result::err);
    let Some(files) = shared.upgrade().map(Files) else { return };
    let Some(mut stored) = files.table().entries.get(id).map(|entry| entry.stored.clone()) else { return };
    stored.status = if problem.is_some() { Status::Error } else { Status::Processed };
    stored.status_details = problem.map(|problem| problem.sentence());
    // While it stands as unchecked nobody deletes it: the record written here is not one of a file that is gone.
    if let Err(why) = files.0.folder.note(&stored) {
        tracing::warn!(%id, %why, "the check of a file could not be noted; it is done again at the next start");
    }
    if let Some(entry) = files.table().entries.get_mut(id) {
        entry.stored = stored;
    }
}

/// Keeps a file from being deleted.
#[derive(Debug)]
pub(super) struct Hold {
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

/// Room that an upload has taken so far; given back unless the upload becomes a file.
#[derive(Debug)]
struct Room {
    files: Files,
    organisation: String,
    bytes: u64,
}

impl Room {
    /// Takes more room; false: there is not enough.
    fn take(&mut self, bytes: u64) -> bool {
        let most = self.files.0.most;
        let mut table = self.files.table();
        let used = table.used.entry(self.organisation.clone()).or_default();
        if used.checked_add(bytes).is_none_or(|after| after > most) {
            return false;
        }
        *used += bytes;
        drop(table);
        self.bytes += bytes;
        true
    }

    fn take_anyway(&mut self, bytes: u64) {
        *self.files.table().used.entry(self.organisation.clone()).or_default() += bytes;
        self.bytes += bytes;
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        self.files.table().give_back(&self.organisation, self.bytes);
    }
}

/// The routes.
pub(super) fn routes() -> Router<State> {
    Router::new()
}
