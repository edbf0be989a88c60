//! Which copies of benchtop have the store open: a lock file beside it.
//!
//! Every copy holds a shared lock while it runs. A copy that gets the exclusive lock at the start is the only one and
//! may check and repair; the others wait for it. On a file system without locks no copy counts as the only one, so
//! nothing is repaired.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::error::{StoreError, is_damage};
use super::limits::CHECKING;
use crate::disk::private;

/// This copy's lock, held while it has the store open.
#[derive(Debug)]
pub(super) struct LockFile {
    /// The lock file; `None`: it could not be opened.
    file: Option<File>,
    alone: bool,
}

impl LockFile {
    /// Announces this copy for the store at `path`. Waits up to `timeout` for a copy that checks the store; fails
    /// after that, or if the lock file cannot be opened.
    pub(super) fn acquire(path: &Path, timeout: Duration) -> Result<Self, StoreError> {
        let lock = super::paths::with_suffix(path, ".open");
        let file = private(OpenOptions::new().read(true).write(true).create(true).truncate(false))
            .open(&lock)
            .map_err(|error| StoreError::Unusable { path: lock, reason: error.to_string() })?;
        let mut lock = Self { file: Some(file), alone: false };
        lock.wait(true, timeout)?;
        Ok(lock)
    }

    /// Announces a copy that only reads, if the lock file permits it.
    pub(super) fn read(path: &Path) -> Self {
        let mut lock = Self { file: File::open(super::paths::with_suffix(path, ".open")).ok(), alone: false };
        if let Some(file) = &lock.file
            && file.try_lock_shared().is_err()
        {
            lock.file = None;
        }
        lock
    }

    /// Returns whether no other copy has the store open.
    pub(super) fn alone(&self) -> bool {
        self.alone
    }

    /// Returns whether the last copy found damage and asked for a check.
    pub(super) fn check_asked(&mut self) -> bool {
        let mut word = String::new();
        self.file.as_mut().is_some_and(|file| file.read_to_string(&mut word).is_ok()) && !word.is_empty()
    }

    /// Replaces the exclusive lock by a shared one: the store is checked and repaired, and other copies may open it.
    pub(super) fn release_exclusive(&mut self) {
        if let Some(file) = self.file.as_ref().filter(|_| self.alone) {
            let _ = file.set_len(0);
            let _ = file.unlock();
            self.alone = false;
            // If another copy checks at this moment, it finds the same.
            let _ = self.wait(false, CHECKING);
        }
    }

    /// Asks the next copy that is alone to check the store. Synced when this returns.
    pub(super) fn ask_check(&self) {
        // Several copies may ask; they write the same.
        if let Some(mut file) = self.file.as_ref() {
            let written = file.seek(SeekFrom::Start(0)).and_then(|_| file.write_all(b"check\n"));
            let _ = written.and_then(|()| file.sync_all());
        }
    }

    /// Takes a lock: if `alone`, the exclusive one if nobody has any, else a shared one.
    fn wait(&mut self, alone: bool, timeout: Duration) -> Result<(), StoreError> {
        let start = Instant::now();
        let Some(file) = &self.file else { return Ok(()) };
        loop {
            // Tried again each time: the copy that checks may end abnormally, and then this one has to do it.
            if alone && file.try_lock().is_ok() {
                self.alone = true;
                return Ok(());
            }
            match file.try_lock_shared() {
                Err(TryLockError::WouldBlock) if start.elapsed() < timeout => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => return Err(StoreError::Checking(CHECKING.as_secs())),
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
            }
        }
    }
}

/// Where the store's threads report damage they find: the next start then checks and repairs, however this run ends.
#[derive(Clone, Debug, Default)]
pub(super) struct CorruptionFlag(Option<Arc<DamageReport>>);

#[derive(Debug)]
struct DamageReport {
    lock: LockFile,
    /// Whether the lock file asks for a check.
    is_made: AtomicBool,
}

impl CorruptionFlag {
    /// Reports damage in the lock file.
    pub(super) fn of(lock: LockFile) -> Self {
        Self(Some(Arc::new(DamageReport { lock, is_made: AtomicBool::new(false) })))
    }

    /// Reports an error if it indicates damage, once. Returns whether it does.
    pub(super) fn report_damage(&self, error: &rusqlite::Error) -> bool {
        let damage = is_damage(error);
        if let Some(report) = &self.0
            && damage
            && !report.is_made.swap(true, Ordering::Relaxed)
        {
            report.lock.ask_check();
        }
        damage
    }
}
