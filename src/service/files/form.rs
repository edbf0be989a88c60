//! The body of an upload, as the form's parser gets it: one piece at a time, never silent for long, and with little
//! around the file.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use axum::body::{BodyDataStream, Bytes};
use futures_util::Stream;
use tokio::time::{Instant, Sleep, sleep};

use super::super::limits::{AROUND, STALL};

/// Bytes handed out at once, however large the pieces are in which they arrive.
const PIECE: usize = 256 << 10;

/// Why a body ended early.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    /// No byte for [`STALL`].
    #[error("no byte came for a while")]
    Silent,
    /// More than [`AROUND`] that is not the file's.
    #[error("too much that is not the file's")]
    Around,
    /// The connection ended.
    #[error("the body ended early: {0}")]
    Body(axum::Error),
}

/// A body in the steps its reader takes.
pub(super) struct Paced {
    body: BodyDataStream,
    /// What arrived and was not handed out yet.
    rest: Bytes,
    /// Bytes handed out that nobody has taken as the file's: the parser's buffer never holds more.
    around: Arc<AtomicU64>,
    /// A piece was handed out: the next is another poll's.
    rests: bool,
    silence: Pin<Box<Sleep>>,
    waits: bool,
}

/// Where the reader says which bytes were the file's.
pub(super) struct Taken(Arc<AtomicU64>);

impl Taken {
    /// So many more bytes were the file's.
    pub(super) fn add(&self, bytes: usize) {
        self.0.fetch_sub(bytes as u64, Ordering::Relaxed);
    }
}

impl Paced {
    /// A body, paced.
    pub(super) fn new(body: BodyDataStream) -> (Self, Taken) {
        let around = Arc::new(AtomicU64::new(0));
        let taken = Taken(Arc::clone(&around));
        (Self { body, rest: Bytes::new(), around, rests: false, silence: Box::pin(sleep(STALL)), waits: false }, taken)
    }

    fn piece(&mut self) -> Bytes {
        let piece = self.rest.split_to(self.rest.len().min(PIECE));
        self.around.fetch_add(piece.len() as u64, Ordering::Relaxed);
        self.rests = true;
        piece
    }
}

impl Stream for Paced {
    type Item = Result<Bytes, Broken>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // The parser asks until there is nothing ready: a sender that is fast enough would fill the memory.
        if std::mem::take(&mut self.rests) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.around.load(Ordering::Relaxed) > AROUND {
            return Poll::Ready(Some(Err(Broken::Around)));
        }
        if !self.rest.is_empty() {
            return Poll::Ready(Some(Ok(self.piece())));
        }
        match Pin::new(&mut self.body).poll_next(cx) {
            Poll::Ready(Some(Ok(bytes))) => {
                self.rest = bytes;
                self.waits = false;
                Poll::Ready(Some(Ok(self.piece())))
            }
            Poll::Ready(Some(Err(why))) => Poll::Ready(Some(Err(Broken::Body(why)))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                // The time in which the disk was busy is not the sender's silence.
                if !std::mem::replace(&mut self.waits, true) {
                    self.silence.as_mut().reset(Instant::now() + STALL);
                }
                self.silence.as_mut().poll(cx).map(|()| Some(Err(Broken::Silent)))
            }
        }
    }
}
