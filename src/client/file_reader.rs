//! Reads and hashes a local file that is uploaded, on a thread of its own, a few chunks ahead of the socket.

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

use super::files::hash_bytes;
use crate::api::call::{Failure, FailureKind, Sha256};
use crate::settings::limits;

/// How many chunks are read before the socket takes them.
const CHUNKS_AHEAD: usize = 2;

/// A file to send.
pub(super) struct FileReader {
    file: File,
    name: String,
    stamp: FileStamp,
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

/// How much of a file has been sent, and how that ended.
#[derive(Default)]
pub(super) struct SendState {
    bytes: AtomicU64,
    has_ended: AtomicBool,
    is_stopped: AtomicBool,
    outcome: Mutex<Option<Result<Sha256, Failure>>>,
    /// Notified at every change.
    pub(super) changed: Notify,
}

impl SendState {
    /// Returns how many bytes the socket has taken.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Returns whether the socket has taken all bytes.
    pub(super) fn has_ended(&self) -> bool {
        self.has_ended.load(Ordering::Acquire)
    }

    /// Returns the hash of all that was sent, or what was wrong with the file; `None` while neither is known.
    pub(super) fn outcome(&self) -> Option<Result<Sha256, Failure>> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the sending, as nobody waits for the answer any more.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
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
            let why = |why: io::Error| file_failure(&name, &format!("cannot be read: {why}"));
            // Checked before opening: opening a pipe would wait for a writer.
            if !path.metadata().map_err(why)?.is_file() {
                return Err(file_failure(&name, "is not a regular file; choose another"));
            }
            let file = File::open(&path).map_err(why)?;
            let stamp = FileStamp::of(&file.metadata().map_err(why)?);
            Ok(Self { file, name, stamp })
        });
        opened.await.unwrap_or_else(|_| Err(super::failure::bug()))
    }

    /// Returns the file's size in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.stamp.bytes
    }

    /// Starts reading: returns the bytes as a stream, and its progress. The stream ends with an error if the file was
    /// changed meanwhile: the server then gets an incomplete form and stores nothing.
    pub(super) fn stream(self) -> (impl Stream<Item = io::Result<Bytes>> + Send + 'static, Arc<SendState>) {
        let sent = Arc::new(SendState::default());
        let (pieces, received) = mpsc::channel(CHUNKS_AHEAD);
        let state = Arc::clone(&sent);
        tokio::task::spawn_blocking(move || self.read_all(&pieces, &state));
        let both = (received, Arc::clone(&sent));
        let stream =
            stream::unfold(both, |(mut received, sent): (mpsc::Receiver<io::Result<Bytes>>, Arc<SendState>)| async {
                let piece = received.recv().await;
                if sent.is_stopped.load(Ordering::Relaxed) {
                    return Some((Err(io::Error::other("stopped")), (received, sent)));
                }
                match &piece {
                    Some(Ok(bytes)) => {
                        sent.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                    }
                    Some(Err(_)) => {}
                    None => sent.has_ended.store(true, Ordering::Release),
                }
                sent.changed.notify_one();
                Some((piece?, (received, sent)))
            });
        (stream, sent)
    }

    /// Reads the file to its end, hashes it, and sends its chunks to the stream.
    fn read_all(mut self, pieces: &mpsc::Sender<io::Result<Bytes>>, sent: &SendState) {
        let (mut hash, mut left) = (Context::new(&SHA256), self.stamp.bytes);
        while left > 0 {
            let mut piece = vec![0; left.min(limits::PIECE as u64) as usize];
            let read = self.read_piece(&mut piece).and_then(|()| {
                left -= piece.len() as u64;
                // Checked before the last chunk is sent: without it the form is incomplete.
                if left == 0 { self.check_unchanged() } else { Ok(()) }
            });
            if let Err(why) = read {
                sent.end(Err(why));
                let _ = pieces.blocking_send(Err(io::Error::other("the file cannot be sent")));
                return;
            }
            hash.update(&piece);
            if left == 0 {
                sent.end(Ok(hash_bytes(hash.clone())));
            }
            if pieces.blocking_send(Ok(piece.into())).is_err() {
                return;
            }
        }
        if self.stamp.bytes == 0 {
            sent.end(self.check_unchanged().map(|()| hash_bytes(hash)));
        }
    }

    fn read_piece(&mut self, piece: &mut [u8]) -> Result<(), Failure> {
        self.file.read_exact(piece).map_err(|why| match why.kind() {
            io::ErrorKind::UnexpectedEof => {
                file_failure(&self.name, "became shorter while it was being sent; send it again")
            }
            _ => file_failure(&self.name, &format!("can no longer be read: {why}")),
        })
    }

    /// Fails if the file was changed since it was opened.
    fn check_unchanged(&self) -> Result<(), Failure> {
        let now = self.file.metadata().map(|about| FileStamp::of(&about));
        match now {
            Ok(now) if now == self.stamp => Ok(()),
            Ok(now) if now.bytes > self.stamp.bytes => {
                Err(file_failure(&self.name, "grew while it was being sent; send it again when it is complete"))
            }
            Ok(now) if now.bytes < self.stamp.bytes => {
                Err(file_failure(&self.name, "became shorter while it was being sent; send it again"))
            }
            Ok(_) => Err(file_failure(&self.name, "was changed while it was being sent; send it again")),
            Err(why) => Err(file_failure(&self.name, &format!("can no longer be read: {why}"))),
        }
    }
}

/// Creates a failure about the file itself, which no other attempt can avoid.
fn file_failure(name: &str, what: &str) -> Failure {
    Failure::new(FailureKind::Unreadable, format!("{name} {what}"))
}
