//! A local file that is uploaded: read and hashed on a thread of its own, a few chunks ahead of the socket.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::{Stream, stream};
use ring::digest::{Context, SHA256};
use tokio::sync::{Notify, mpsc};

use super::files::finish;
use crate::api::call::{Failure, FailureKind, Sha256};
use crate::settings::limits;

/// Chunks that are read before the socket takes them.
const AHEAD: usize = 2;

/// A file to send.
pub(super) struct FileReader {
    file: File,
    name: String,
    state: FileStamp,
}

/// What shows that a file was changed.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FileStamp {
    bytes: u64,
    modified: Option<SystemTime>,
}

impl FileStamp {
    fn of(about: &Metadata) -> Self {
        Self { bytes: about.len(), modified: about.modified().ok() }
    }
}

/// How much is sent.
#[derive(Default)]
pub(super) struct Sent {
    done: AtomicU64,
    ended: AtomicBool,
    stopped: AtomicBool,
    outcome: Mutex<Option<Result<Sha256, Failure>>>,
    /// Notified at every change.
    pub(super) news: Notify,
}

impl Sent {
    /// Returns the bytes taken so far.
    pub(super) fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Returns whether all bytes were taken.
    pub(super) fn ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Returns the hash of all that was sent, or what was wrong with the file; `None`: neither is known yet.
    pub(super) fn outcome(&self) -> Option<Result<Sha256, Failure>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the sending, as nobody waits for the answer any more.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    fn end(&self, outcome: Result<Sha256, Failure>) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
    }
}

impl FileReader {
    /// Opens a file. Fails, with a sentence, if it cannot be read or is no plain file.
    pub(super) async fn open(path: &Path) -> Result<Self, Failure> {
        let path = path.to_owned();
        let opened = tokio::task::spawn_blocking(move || {
            let name = path.display().to_string();
            let why = |why: io::Error| fault(&name, &format!("cannot be read: {why}"));
            // Checked before opening: opening a pipe would wait for a writer.
            if !path.metadata().map_err(why)?.is_file() {
                return Err(fault(&name, "is not a regular file; choose another"));
            }
            let file = File::open(&path).map_err(why)?;
            let state = FileStamp::of(&file.metadata().map_err(why)?);
            Ok(Self { file, name, state })
        });
        opened.await.unwrap_or_else(|_| Err(super::failure::bug()))
    }

    /// Returns the file's size in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.state.bytes
    }

    /// Starts reading: returns the bytes as a stream, and its progress. The stream ends with an error if the file was
    /// changed meanwhile: the server then gets an incomplete form and stores nothing.
    pub(super) fn stream(self) -> (impl Stream<Item = io::Result<Bytes>> + Send + 'static, Arc<Sent>) {
        let sent = Arc::new(Sent::default());
        let (pieces, taken) = mpsc::channel(AHEAD);
        let told = Arc::clone(&sent);
        tokio::task::spawn_blocking(move || self.pump(&pieces, &told));
        let state = (taken, Arc::clone(&sent));
        let stream = stream::unfold(state, |(mut taken, sent): (mpsc::Receiver<io::Result<Bytes>>, Arc<Sent>)| async {
            let piece = taken.recv().await;
            if sent.stopped.load(Ordering::Relaxed) {
                return Some((Err(io::Error::other("stopped")), (taken, sent)));
            }
            match &piece {
                Some(Ok(bytes)) => {
                    sent.done.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                }
                Some(Err(_)) => {}
                None => sent.ended.store(true, Ordering::Release),
            }
            sent.news.notify_one();
            Some((piece?, (taken, sent)))
        });
        (stream, sent)
    }

    fn pump(mut self, pieces: &mpsc::Sender<io::Result<Bytes>>, sent: &Sent) {
        let (mut hash, mut left) = (Context::new(&SHA256), self.state.bytes);
        while left > 0 {
            let mut piece = vec![0; left.min(limits::PIECE as u64) as usize];
            let read = self.fill(&mut piece).and_then(|()| {
                left -= piece.len() as u64;
                // Checked before the last chunk: without that the form is incomplete.
                if left == 0 { self.same() } else { Ok(()) }
            });
            if let Err(why) = read {
                sent.end(Err(why));
                let _ = pieces.blocking_send(Err(io::Error::other("the file cannot be sent")));
                return;
            }
            hash.update(&piece);
            if left == 0 {
                sent.end(Ok(finish(hash.clone())));
            }
            if pieces.blocking_send(Ok(piece.into())).is_err() {
                return;
            }
        }
        if self.state.bytes == 0 {
            sent.end(self.same().map(|()| finish(hash)));
        }
    }

    fn fill(&mut self, piece: &mut [u8]) -> Result<(), Failure> {
        self.file.read_exact(piece).map_err(|why| match why.kind() {
            io::ErrorKind::UnexpectedEof => fault(&self.name, "became shorter while it was being sent; send it again"),
            _ => fault(&self.name, &format!("can no longer be read: {why}")),
        })
    }

    /// Fails if the file was changed since it was opened.
    fn same(&self) -> Result<(), Failure> {
        let now = self.file.metadata().map(|about| FileStamp::of(&about));
        match now {
            Ok(now) if now == self.state => Ok(()),
            Ok(now) if now.bytes > self.state.bytes => {
                Err(fault(&self.name, "grew while it was being sent; send it again when it is complete"))
            }
            Ok(now) if now.bytes < self.state.bytes => {
                Err(fault(&self.name, "became shorter while it was being sent; send it again"))
            }
            Ok(_) => Err(fault(&self.name, "was changed while it was being sent; send it again")),
            Err(why) => Err(fault(&self.name, &format!("can no longer be read: {why}"))),
        }
    }
}

/// Creates a failure about the file itself, which no other attempt can avoid.
fn fault(name: &str, what: &str) -> Failure {
    Failure::new(FailureKind::Refused, format!("{name} {what}"))
}
