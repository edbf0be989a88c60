//! Writes a download to the disk on a thread of its own; it is hashed and synced on others.
//!
//! The thread ends when its channel closes. The bytes received by then stay, and a later download continues with them.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::{mpsc, oneshot};

use crate::api::call::{Downloaded, Failure, FailureKind, Sha256};
use crate::disk::{Note, Partial};
use crate::settings::limits;

/// How many chunks may wait for the disk.
const WAITING_CHUNKS: usize = 4;

/// A command to the thread.
enum DiskCommand {
    Write(Bytes),
    /// Delete the bytes and begin with this version.
    Restart(Note),
    /// Truncate the file to this length.
    Truncate(u64),
    /// Sync the file, and report its state.
    Sync(oneshot::Sender<PartialState>),
    Finish(Checks, oneshot::Sender<Result<Downloaded, Failure>>),
}

/// The state of a partial download.
#[derive(Clone, Debug, Default)]
pub(super) struct PartialState {
    pub(super) length: u64,
    pub(super) version: Option<String>,
    pub(super) total: Option<u64>,
}

/// What must be true of the complete file, and its name.
#[derive(Clone, Debug)]
pub(super) struct Checks {
    pub(super) name: String,
    pub(super) bytes: Option<u64>,
    pub(super) sha256: Option<Sha256>,
}

/// The channel to the thread.
pub(super) struct FileWriter {
    commands: mpsc::Sender<DiskCommand>,
    failure: Arc<Mutex<Option<Failure>>>,
    stopped: Arc<AtomicBool>,
}

impl Drop for FileWriter {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

impl FileWriter {
    /// Opens the partial file of a download, or creates it. Does not wait for the disk: an error is returned by the
    /// next call.
    pub(super) fn open(folder: PathBuf, what: [String; 2]) -> Self {
        let (commands, mut waiting) = mpsc::channel(WAITING_CHUNKS);
        let writer = Self { commands, failure: Arc::default(), stopped: Arc::default() };
        let (failure, stopped) = (Arc::clone(&writer.failure), Arc::clone(&writer.stopped));
        tokio::task::spawn_blocking(move || {
            let mut go = || !stopped.load(Ordering::Relaxed);
            let opened = Partial::open(&folder, &[&what[0], &what[1]], &mut go);
            if let Err(why) = opened.and_then(|partial| run(partial, &mut waiting, &mut go)) {
                let why = disk_failure(&why, &folder);
                *failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
            }
            // Dropped only now: who sees that the channel is closed asks for the failure.
            drop(waiting);
        });
        writer
    }

    pub(super) async fn write(&self, piece: Bytes) -> Result<(), Failure> {
        self.send(DiskCommand::Write(piece)).await
    }

    /// Deletes the bytes, and begins with this version.
    pub(super) async fn restart(&self, note: Note) -> Result<(), Failure> {
        self.send(DiskCommand::Restart(note)).await
    }

    pub(super) async fn truncate(&self, length: u64) -> Result<(), Failure> {
        self.send(DiskCommand::Truncate(length)).await
    }

    /// Returns the state once everything sent is synced to the disk. Fails if the disk refuses the bytes.
    pub(super) async fn sync(&self) -> Result<PartialState, Failure> {
        let (sender, receiver) = oneshot::channel();
        self.send(DiskCommand::Sync(sender)).await?;
        match receiver.await {
            Ok(standing) => Ok(standing),
            Err(_) => Err(self.why().await),
        }
    }

    /// Verifies the complete file and gives it its name; deletes it and fails if its size or hash is wrong. Also fails
    /// if the disk does.
    pub(super) async fn finish(self, checks: Checks) -> Result<Downloaded, Failure> {
        let (sender, receiver) = oneshot::channel();
        self.send(DiskCommand::Finish(checks, sender)).await?;
        match receiver.await {
            Ok(finished) => finished,
            Err(_) => Err(self.why().await),
        }
    }

    async fn send(&self, command: DiskCommand) -> Result<(), Failure> {
        match self.commands.send(command).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.why().await),
        }
    }

    /// Returns why the thread has ended.
    async fn why(&self) -> Failure {
        self.commands.closed().await;
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.clone().unwrap_or_else(super::failure::bug)
    }
}

/// Carries out commands until the channel closes.
fn run(
    mut partial: Partial,
    commands: &mut mpsc::Receiver<DiskCommand>,
    go: &mut dyn FnMut() -> bool,
) -> io::Result<()> {
    let mut synced = Instant::now();
    while let Some(command) = commands.blocking_recv() {
        match command {
            DiskCommand::Write(piece) => {
                partial.write(piece)?;
                if partial.pending() >= limits::DURABLE || synced.elapsed() >= limits::DURABLE_WAIT {
                    partial.keep_beside()?;
                    synced = Instant::now();
                }
            }
            DiskCommand::Restart(note) => partial.restart(note)?,
            DiskCommand::Truncate(length) => partial.shorten(length, go)?,
            DiskCommand::Sync(sender) => {
                partial.keep()?;
                let Note { version, total, .. } = partial.note().clone();
                let _ = sender.send(PartialState { length: partial.length(), version, total });
            }
            DiskCommand::Finish(checks, sender) => {
                let finished = finish(partial, &checks)?;
                let _ = sender.send(finished);
                return Ok(());
            }
        }
    }
    // Nobody waits for this download any more; the next one continues with its bytes if it can.
    if partial.note().version.is_none() {
        partial.discard();
        return Ok(());
    }
    partial.keep()
}

/// Checks the size and the hash of the complete file, and gives it its name.
fn finish(partial: Partial, checks: &Checks) -> io::Result<Result<Downloaded, Failure>> {
    let (bytes, sha256) = (partial.length(), partial.sha256());
    let wrong = |what: String| {
        Ok(Err(Failure::new(
            FailureKind::Malformed,
            format!("{what}; the part received was discarded, download it again"),
        )))
    };
    if let Some(wanted) = checks.bytes.filter(|wanted| *wanted != bytes) {
        partial.discard();
        return wrong(format!("received {bytes} bytes of {wanted}"));
    }
    if checks.sha256.is_some_and(|wanted| wanted != sha256) {
        partial.discard();
        return wrong("the hash of the received data does not match the file's".to_owned());
    }
    let path = partial.finish(&checks.name)?;
    Ok(Ok(Downloaded { path, bytes, sha256 }))
}

/// Returns the failure of a download that the disk refused.
fn disk_failure(why: &io::Error, folder: &std::path::Path) -> Failure {
    use io::ErrorKind as Kind;
    let at = folder.display();
    let words = match why.kind() {
        Kind::StorageFull | Kind::QuotaExceeded => {
            format!("the disk of {at} is full; free some space and download it again: it continues where it stopped")
        }
        Kind::FileTooLarge => format!("the file is too large for the disk of {at}; choose another folder"),
        Kind::NotFound if !folder.is_dir() => format!("the folder {at} does not exist; create it first"),
        Kind::NotADirectory => format!("{at} is not a folder; choose a folder"),
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => {
            format!("you do not have permission to write to {at}; choose another folder")
        }
        Kind::ResourceBusy => format!("this file is already being downloaded to {at}; wait until that is finished"),
        _ => format!("the download cannot be written to {at}: {why}"),
    };
    Failure::new(FailureKind::Unwritable, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_disk_does_not_do_is_said() {
        for (kind, words) in [
            (io::ErrorKind::StorageFull, "is full"),
            (io::ErrorKind::QuotaExceeded, "is full"),
            (io::ErrorKind::PermissionDenied, "you do not have permission to write"),
            (io::ErrorKind::NotFound, "does not exist"),
            (io::ErrorKind::ResourceBusy, "already"),
        ] {
            let why = disk_failure(&kind.into(), std::path::Path::new("/a"));
            assert!(why.sentence.contains(words) && why.sentence.contains("/a"), "{words}");
        }
    }
}
