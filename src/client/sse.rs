//! Parses server-sent events, with limits, whatever the bytes are and however they are divided into chunks.
//!
//! The parser is `eventsource-stream`. That crate panics on a byte-order mark, delays an event that ends with CR,
//! stalls on invalid UTF-8, and takes quadratic time for a line in many chunks and for an event of many lines. So
//! [`Framer`] prepares its input: it removes the mark, turns CR and CRLF into LF at once, replaces invalid UTF-8, and
//! passes on complete lines, few at a time, of events of bounded size.

use std::collections::VecDeque;

use eventsource_stream::{Event, Eventsource};
use futures_util::stream::{self, Stream, StreamExt};
use thiserror::Error;

use crate::settings::limits;

/// Why a stream of events ended early.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SseError<E> {
    /// The bytes ended with an error.
    #[error("{0}")]
    Bytes(E),
    /// A line is longer than [`limits::SSE_LINE`], or an event than [`limits::SSE_EVENT`].
    #[error("a line or event of the stream is longer than {} MiB", limits::SSE_LINE >> 20)]
    TooLong,
}

/// Bytes after which a part of an event is passed on.
const PIECE_BYTES: usize = 1 << 10;

/// The error of a line or an event above its limit.
#[derive(Debug, PartialEq, Eq)]
pub struct TooLong;

/// Splits bytes into parts of events: whole lines ended by LF, the last one of an event empty, comments left out.
#[derive(Debug, Default)]
pub struct Framer {
    line: Vec<u8>,
    piece: String,
    /// Bytes of the event so far; 0: none has begun.
    event: usize,
    after_cr: bool,
    started: bool,
}

impl Framer {
    /// Adds bytes and appends the parts they complete to `ready`; looks at each byte once. Fails above the limits.
    pub fn push(&mut self, mut bytes: &[u8], ready: &mut VecDeque<String>) -> Result<(), TooLong> {
        if bytes.is_empty() {
            return Ok(());
        }
        if std::mem::take(&mut self.after_cr) && bytes[0] == b'\n' {
            bytes = &bytes[1..];
        }
        while let Some(at) = memchr::memchr2(b'\n', b'\r', bytes) {
            self.extend(&bytes[..at])?;
            self.end_line(ready)?;
            let crlf = bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n');
            self.after_cr = bytes[at] == b'\r' && at + 1 == bytes.len();
            bytes = &bytes[at + 1 + usize::from(crlf)..];
        }
        self.extend(bytes)
    }

    /// Completes the event that the end of the stream left open: some servers omit the last empty line. Fails above the
    /// limits.
    pub fn finish(&mut self, ready: &mut VecDeque<String>) -> Result<(), TooLong> {
        if !self.line.is_empty() {
            self.end_line(ready)?;
        }
        self.end_line(ready)
    }

    /// Adds bytes to the line. Fails above the limit.
    fn extend(&mut self, bytes: &[u8]) -> Result<(), TooLong> {
        if self.line.len() + bytes.len() > limits::SSE_LINE {
            return Err(TooLong);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    /// Adds the complete line to the event. Fails above the limit.
    fn end_line(&mut self, ready: &mut VecDeque<String>) -> Result<(), TooLong> {
        let mut line: &[u8] = &self.line;
        if !std::mem::replace(&mut self.started, true) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            if std::mem::take(&mut self.event) > 0 {
                self.piece.push('\n');
                ready.push_back(std::mem::take(&mut self.piece));
            }
        } else if line[0] != b':' {
            self.event += line.len() + 1;
            if self.event > limits::SSE_EVENT {
                return Err(TooLong);
            }
            // Checking valid text is much faster than repairing it.
            match std::str::from_utf8(line) {
                Ok(line) => self.piece.push_str(line),
                Err(_) => self.piece.push_str(&String::from_utf8_lossy(line)),
            }
            self.piece.push('\n');
            // The parser moves what follows a line once for each line.
            if self.piece.len() >= PIECE_BYTES {
                ready.push_back(std::mem::take(&mut self.piece));
            }
        }
        self.line.clear();
        Ok(())
    }
}

/// What [`events`] carries from one event to the next.
struct EventSource<S> {
    bytes: S,
    framer: Framer,
    ready: VecDeque<String>,
    ended: bool,
}

/// Parses the events of a body, each as soon as its last byte has arrived. Ends with an error if the body does or a
/// limit is exceeded.
pub fn events<S, B, E>(bytes: S) -> impl Stream<Item = Result<Event, SseError<E>>>
where
    S: Stream<Item = Result<B, E>> + Unpin,
    B: AsRef<[u8]>,
{
    // A comment first: the parser looks for a byte-order mark at the start, and panics on one.
    let source =
        EventSource { bytes, framer: Framer::default(), ready: VecDeque::from([":\n".to_owned()]), ended: false };
    stream::try_unfold(source, next_piece).eventsource().map(|event| {
        event.map_err(|error| match error {
            eventsource_stream::EventStreamError::Transport(error) => error,
            // Only whole lines of valid UTF-8 get here.
            eventsource_stream::EventStreamError::Utf8(_) | eventsource_stream::EventStreamError::Parser(_) => {
                SseError::TooLong
            }
        })
    })
}

/// Returns the text of the next part; `None` at the end.
async fn next_piece<S, B, E>(mut source: EventSource<S>) -> Result<Option<(String, EventSource<S>)>, SseError<E>>
where
    S: Stream<Item = Result<B, E>> + Unpin,
    B: AsRef<[u8]>,
{
    loop {
        if let Some(piece) = source.ready.pop_front() {
            return Ok(Some((piece, source)));
        }
        if source.ended {
            return Ok(None);
        }
        let pushed = match source.bytes.next().await {
            Some(bytes) => source.framer.push(bytes.map_err(SseError::Bytes)?.as_ref(), &mut source.ready),
            None => {
                source.ended = true;
                source.framer.finish(&mut source.ready)
            }
        };
        pushed.map_err(|TooLong| SseError::TooLong)?;
    }
}
