//! Which copies of benchtop have the store open: a lock file beside it.
//!
//! Every copy holds a shared lock while it runs. Who gets the exclusive lock at the start is alone and may check and
//! repair; the others wait for it. File systems without locks: nobody is ever alone, so nothing is repaired there.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::error::StoreError;

/// How long a copy waits for another one that checks the store.
const PATIENCE: Duration = Duration::from_secs(10);

/// This copy's mark that it has the store open.
#[derive(Debug)]
pub(super) struct Presence {
    file: File,
    alone: bool,
}

impl Presence {
    /// Announces this copy for the store at `path`. Waits, up to ten seconds, for a copy that checks the store.
    pub(super) fn enter(path: &Path) -> Result<Self, StoreError> {
        let lock = super::beside(path, ".open");
        let file = private(OpenOptions::new().read(true).write(true).create(true).truncate(false))
            .open(&lock)
            .map_err(|error| StoreError::Unusable { path: lock, why: error.to_string() })?;
        let alone = file.try_lock().is_ok();
        let presence = Self { file, alone };
        if !alone {
            presence.share()?;
        }
        Ok(presence)
    }

    /// Whether no other copy has the store open.
    pub(super) fn alone(&self) -> bool {
        self.alone
    }

    /// Whether the copy that ran last found damage and asked for a check.
    pub(super) fn check_asked(&mut self) -> bool {
        let mut word = String::new();
        self.file.read_to_string(&mut word).is_ok() && !word.is_empty()
    }

    /// Checked and repaired: lets the others in.
    pub(super) fn settle(&mut self) {
        if std::mem::take(&mut self.alone) {
            let _ = self.file.set_len(0);
            let _ = self.file.unlock();
            // Should another copy check now, we go on: it finds what we found.
            let _ = self.share();
        }
    }

    /// Asks the next copy that is alone to check the store.
    pub(super) fn ask_check(&mut self) {
        let _ = self.file.write_all(b"check\n").and_then(|()| self.file.sync_all());
    }

    fn share(&self) -> Result<(), StoreError> {
        let start = Instant::now();
        loop {
            match self.file.try_lock_shared() {
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => return Err(StoreError::Checking(PATIENCE.as_secs())),
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
            }
        }
    }
}

/// Opens files for this user alone.
pub(super) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Makes the names in a directory survive a power cut.
pub(super) fn sync_directory(directory: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(directory)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = directory;
    Ok(())
}
