//! The body of an upload, as the form's parser receives it: one chunk at a time, never silent for long, and with few
//! bytes besides the file.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use axum::body::{BodyDataStream, Bytes};
use futures_util::Stream;
use tokio::time::{Instant, Sleep, sleep};

use super::super::limits::{AROUND, STALL};

/// Bytes passed on at once, however large the chunks are in which they arrive.
const PIECE: usize = 256 << 10;

/// Why a body ended early.
#[derive(Debug, thiserror::Error)]
pub(super) enum BodyError {
    /// No byte for [`STALL`].
    #[error("no byte came for a while")]
    Silent,
    /// More than [`AROUND`] that does not belong to the file.
    #[error("too much that is not the file's")]
    Around,
    /// The connection ended.
    #[error("the body ended early: {0}")]
    Body(axum::Error),
}

/// A body, passed on in steps.
pub(super) struct UploadBody {
    body: BodyDataStream,
    /// Bytes that arrived and were not passed on yet.
    rest: Bytes,
    /// Bytes passed on that were not part of the file: the parser's buffer never holds more.
    around: Arc<AtomicU64>,
    /// A piece was passed on: the next one waits for another poll.
    just_yielded: bool,
    silence: Pin<Box<Sleep>>,
    is_waiting: bool,
}

/// Where the reader notes which bytes were the file's.
pub(super) struct FileByteCounter(Arc<AtomicU64>);

impl FileByteCounter {
    /// Notes that `bytes` more bytes were the file's.
    pub(super) fn add(&self, bytes: usize) {
        self.0.fetch_sub(bytes as u64, Ordering::Relaxed);
    }
}

impl UploadBody {
    /// Wraps a body; also returns where to note the file's bytes.
    pub(super) fn new(body: BodyDataStream) -> (Self, FileByteCounter) {
        let around = Arc::new(AtomicU64::new(0));
        let file_bytes = FileByteCounter(Arc::clone(&around));
        (
            Self {
                body,
                rest: Bytes::new(),
                around,
                just_yielded: false,
                silence: Box::pin(sleep(STALL)),
                is_waiting: false,
            },
            file_bytes,
        )
    }

    fn next_piece(&mut self) -> Bytes {
        let piece = self.rest.split_to(self.rest.len().min(PIECE));
        self.around.fetch_add(piece.len() as u64, Ordering::Relaxed);
        self.just_yielded = true;
        piece
    }
}

impl Stream for UploadBody {
    type Item = Result<Bytes, BodyError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // The parser reads until nothing is ready: a fast sender would fill the memory.
        if std::mem::take(&mut self.just_yielded) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.around.load(Ordering::Relaxed) > AROUND {
            return Poll::Ready(Some(Err(BodyError::Around)));
        }
        if !self.rest.is_empty() {
            return Poll::Ready(Some(Ok(self.next_piece())));
        }
        match Pin::new(&mut self.body).poll_next(cx) {
            Poll::Ready(Some(Ok(bytes))) => {
                self.rest = bytes;
                self.is_waiting = false;
                Poll::Ready(Some(Ok(self.next_piece())))
            }
            Poll::Ready(Some(Err(why))) => Poll::Ready(Some(Err(BodyError::Body(why)))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                // The time in which the disk was busy does not count as the sender's silence.
                if !std::mem::replace(&mut self.is_waiting, true) {
                    self.silence.as_mut().reset(Instant::now() + STALL);
                }
                self.silence.as_mut().poll(cx).map(|()| Some(Err(BodyError::Silent)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use futures_util::task::noop_waker_ref;
    use futures_util::{StreamExt as _, stream};

    use super::*;

    fn ready(pieces: usize, length: usize) -> BodyDataStream {
        let piece = move |_| Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; length]));
        Body::from_stream(stream::iter(0..pieces).map(piece)).into_data_stream()
    }

    #[tokio::test]
    async fn a_fast_sender_gets_one_piece_in_for_each_time_it_is_asked() {
        let (body_stream, _taken) = UploadBody::new(ready(2, PIECE + 1));
        let mut body_stream = std::pin::pin!(body_stream);
        let mut cx = Context::from_waker(noop_waker_ref());
        for length in [PIECE, 1, PIECE, 1] {
            let Poll::Ready(Some(Ok(piece))) = body_stream.as_mut().poll_next(&mut cx) else { panic!("{length}") };
            assert_eq!(piece.len(), length);
            assert!(body_stream.as_mut().poll_next(&mut cx).is_pending());
        }
        assert!(matches!(body_stream.as_mut().poll_next(&mut cx), Poll::Ready(None)));
    }

    #[tokio::test]
    async fn what_is_not_the_files_ends_at_its_bound() {
        let pieces = AROUND as usize / PIECE;
        let (mut body_stream, _taken) = UploadBody::new(ready(pieces, PIECE));
        assert!(body_stream.by_ref().all(|piece| std::future::ready(piece.is_ok())).await, "all of it");
        let (mut body_stream, _taken) = UploadBody::new(ready(pieces + 2, PIECE));
        assert!(body_stream.by_ref().any(|piece| std::future::ready(matches!(piece, Err(BodyError::Around)))).await);
        let (mut body_stream, file_bytes) = UploadBody::new(ready(pieces + 2, PIECE));
        while let Some(piece) = body_stream.next().await {
            file_bytes.add(piece.expect("the file's own bytes do not count").len());
        }
    }
}
