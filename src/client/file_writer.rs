//! A download that is written to the disk on a thread of its own, hashed and synced on others.
//!
//! The thread ends when its channel closes; the bytes received by then stay, and a later download continues with them.

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

/// Chunks that may wait for the disk.
const WAITING: usize = 4;

/// A command to the thread.
enum Deed {
    Write(Bytes),
    /// Delete the bytes and begin with this version.
    Begin(Note),
    /// Truncate the file.
    Shorten(u64),
    /// Sync the file, and report its state.
    Stand(oneshot::Sender<Standing>),
    Finish(Checks, oneshot::Sender<Result<Downloaded, Failure>>),
}

/// State of a partial download.
#[derive(Clone, Debug, Default)]
pub(super) struct Standing {
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
pub(super) struct Sink {
    deeds: mpsc::Sender<Deed>,
    fault: Arc<Mutex<Option<Failure>>>,
    stopped: Arc<AtomicBool>,
}

impl Drop for Sink {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

impl Sink {
    /// Opens the partial file of a download, or creates it. Does not wait for the disk: an error is returned by the
    /// next call.
    pub(super) fn open(folder: PathBuf, what: [String; 2]) -> Self {
        let (deeds, mut waiting) = mpsc::channel(WAITING);
        let sink = Self { deeds, fault: Arc::default(), stopped: Arc::default() };
        let (fault, stopped) = (Arc::clone(&sink.fault), Arc::clone(&sink.stopped));
        tokio::task::spawn_blocking(move || {
            let mut go = || !stopped.load(Ordering::Relaxed);
            let opened = Partial::open(&folder, &[&what[0], &what[1]], &mut go);
            if let Err(why) = opened.and_then(|partial| run(partial, &mut waiting, &mut go)) {
                let why = sentence(&why, &folder);
                *fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
            }
            // Dropped only now: whoever sees the channel close asks for the reason.
            drop(waiting);
        });
        sink
    }

    pub(super) async fn write(&self, piece: Bytes) -> Result<(), Failure> {
        self.send(Deed::Write(piece)).await
    }

    pub(super) async fn begin(&self, note: Note) -> Result<(), Failure> {
        self.send(Deed::Begin(note)).await
    }

    pub(super) async fn shorten(&self, length: u64) -> Result<(), Failure> {
        self.send(Deed::Shorten(length)).await
    }

    /// Returns the state once everything sent is synced to the disk. Fails if the disk refuses the bytes.
    pub(super) async fn stand(&self) -> Result<Standing, Failure> {
        let (tell, told) = oneshot::channel();
        self.send(Deed::Stand(tell)).await?;
        match told.await {
            Ok(standing) => Ok(standing),
            Err(_) => Err(self.why().await),
        }
    }

    /// Verifies the complete file and gives it its name; deletes it and fails if its size or hash is wrong. Also fails
    /// if the disk does.
    pub(super) async fn finish(self, checks: Checks) -> Result<Downloaded, Failure> {
        let (tell, told) = oneshot::channel();
        self.send(Deed::Finish(checks, tell)).await?;
        match told.await {
            Ok(finished) => finished,
            Err(_) => Err(self.why().await),
        }
    }

    async fn send(&self, deed: Deed) -> Result<(), Failure> {
        match self.deeds.send(deed).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.why().await),
        }
    }

    async fn why(&self) -> Failure {
        self.deeds.closed().await;
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        fault.clone().unwrap_or_else(super::failure::bug)
    }
}

/// Runs the thread.
fn run(mut partial: Partial, deeds: &mut mpsc::Receiver<Deed>, go: &mut dyn FnMut() -> bool) -> io::Result<()> {
    let mut kept = Instant::now();
    while let Some(deed) = deeds.blocking_recv() {
        match deed {
            Deed::Write(piece) => {
                partial.write(piece)?;
                if partial.pending() >= limits::DURABLE || kept.elapsed() >= limits::DURABLE_WAIT {
                    partial.keep_beside()?;
                    kept = Instant::now();
                }
            }
            Deed::Begin(note) => partial.restart(note)?,
            Deed::Shorten(length) => partial.shorten(length, go)?,
            Deed::Stand(tell) => {
                partial.keep()?;
                let Note { version, total, .. } = partial.note().clone();
                let _ = tell.send(Standing { length: partial.length(), version, total });
            }
            Deed::Finish(checks, tell) => {
                let finished = finish(partial, &checks)?;
                let _ = tell.send(finished);
                return Ok(());
            }
        }
    }
    // Nobody waits for it any more: the next download continues here, if it can.
    if partial.note().version.is_none() {
        partial.discard();
        return Ok(());
    }
    partial.keep()
}

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

/// Says in a sentence what the disk refused.
fn sentence(why: &io::Error, folder: &std::path::Path) -> Failure {
    use io::ErrorKind as Kind;
    let at = folder.display();
    let words = match why.kind() {
        Kind::StorageFull | Kind::QuotaExceeded => {
            format!("the disk of {at} is full; free some space and download it again: it continues where it stopped")
        }
        Kind::FileTooLarge => format!("the file is too large for the disk of {at}; choose another folder"),
        Kind::NotFound => format!("the folder {at} does not exist; create it first"),
        Kind::NotADirectory => format!("{at} is not a folder; choose a folder"),
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => {
            format!("you do not have permission to write to {at}; choose another folder")
        }
        Kind::ResourceBusy => format!("this file is already being downloaded to {at}; wait until that is finished"),
        _ => format!("the download cannot be written to {at}: {why}"),
    };
    Failure::new(FailureKind::Refused, words)
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
            let why = sentence(&kind.into(), std::path::Path::new("/a"));
            assert!(why.sentence.contains(words) && why.sentence.contains("/a"), "{words}");
        }
    }
}
