//! Brings what is there of a file to the disk, and notes how much that is.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::thread::{Builder, JoinHandle};

use super::new::sync_directory;
use super::partial::Note;

/// What is to be brought to the disk.
pub(super) struct Keeper {
    /// A handle of the file's own: the lock that goes with it stays until all is done.
    pub(super) file: File,
    /// What is true of it then.
    pub(super) note: Note,
    /// Where the note is.
    pub(super) about: PathBuf,
    /// The folder it is in.
    pub(super) folder: PathBuf,
}

impl Keeper {
    /// Brings it to the disk, then the note.
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

    /// The same on a thread of its own, while the file grows.
    pub(super) fn keep_beside(self) -> io::Result<Keeping> {
        let upto = self.note.durable;
        let thread = Builder::new().name("download-sync".into()).spawn(move || self.keep())?;
        Ok(Keeping { upto, thread })
    }
}

/// Bytes on their way to the disk.
pub(super) struct Keeping {
    /// All before this one.
    pub(super) upto: u64,
    thread: JoinHandle<io::Result<()>>,
}

impl Keeping {
    /// Waits until they are there. Returns how many there are then.
    pub(super) fn wait(self) -> io::Result<u64> {
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("what was written could not be kept")))?;
        Ok(self.upto)
    }
}
