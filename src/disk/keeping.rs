//! Syncs the bytes of a partial file to the disk, and notes how many there are.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::thread::{Builder, JoinHandle};

use super::new::sync_directory;
use super::partial::Note;

/// A partial file to sync.
pub(super) struct Keeper {
    /// A separate handle of the file: the lock that belongs to it is held until the sync is done.
    pub(super) file: File,
    /// The note to write after the sync.
    pub(super) note: Note,
    /// Path of the note.
    pub(super) about: PathBuf,
    /// The folder both are in.
    pub(super) folder: PathBuf,
}

impl Keeper {
    /// Syncs the file, then replaces the note. Fails if the disk refuses one of them.
    pub(super) fn keep(&self) -> io::Result<()> {
        self.file.sync_data()?;
        if self.note.version.is_none() {
            return Ok(());
        }
        let mut file = tempfile::NamedTempFile::with_prefix_in(".benchtop-", &self.folder)?;
        serde_json::to_writer(file.as_file_mut(), &self.note)?;
        file.as_file().sync_data()?;
        file.persist(&self.about).map_err(|error| error.error)?;
        sync_directory(&self.folder)
    }

    /// Starts [`Self::keep`] on a thread of its own, so that the file can be appended to meanwhile. Fails if no thread
    /// starts.
    pub(super) fn keep_beside(self) -> io::Result<Keeping> {
        let upto = self.note.durable;
        let thread = Builder::new().name("download-sync".into()).spawn(move || self.keep())?;
        Ok(Keeping { upto, thread })
    }
}

/// A sync under way.
pub(super) struct Keeping {
    /// The bytes before this offset are being synced.
    pub(super) upto: u64,
    thread: JoinHandle<io::Result<()>>,
}

impl Keeping {
    /// Waits for the end of the sync. Returns how many bytes are synced then; fails if the sync failed.
    pub(super) fn wait(self) -> io::Result<u64> {
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("what was written could not be kept")))?;
        Ok(self.upto)
    }
}
