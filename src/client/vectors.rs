//! Parses a list of vectors while it arrives, so that only its numbers are in memory, never the whole body.

use std::io::{self, BufReader, Read};

use bytes::Bytes;
use reqwest::Response;
use serde::de::DeserializeSeed as _;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::failure::{self, BODY_START};
use super::nan_filter::NanFilter;
use super::progress::{ProgressSender, TransferCounter};
use super::response_body::next_chunk;
use crate::api::call::Failure;
use crate::api::embedding::{EmbeddingList, EmbeddingReader};
use crate::api::probe::{AnswerField, Probe};
use crate::settings::Endpoint;

/// How many chunks of a body may wait for the parser.
const WAITING_CHUNKS: usize = 4;

/// Reads the vectors of a good answer: at most `numbers` numbers in all, from a body of at most `limit` bytes. Fails
/// above the limits, or if the body is not a list of vectors.
pub(super) async fn read_vectors(
    response: Response,
    path: &str,
    (limit, numbers): (usize, usize),
    endpoint: &Endpoint,
    sender: &ProgressSender,
) -> Result<EmbeddingList, Failure> {
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return Err(failure::too_large(limit));
    }
    let (pieces, received) = mpsc::channel(WAITING_CHUNKS);
    // Parsing needs a core and waits for the socket: not on a thread that serves other tasks.
    let parsing = spawn_blocking(move || parse(BodyReader::new(received), numbers));
    // The beginning of the body, for the failure.
    let mut head = Vec::new();
    feed(response, pieces, limit, &mut head, endpoint, sender).await?;
    let (probe, mut list) = match parsing.await {
        Err(_) => return Err(failure::bug()),
        Ok(Err(error)) => {
            // A body that is no list may be an error.
            return Err(match Probe::of(&head) {
                Ok(probe) if probe.is_error() => failure::error_in_answer(&head, path, endpoint),
                _ => failure::not_an_answer(&format!("it is not a list of vectors ({error})"), &head, endpoint),
            });
        }
        Ok(Ok(read)) => read,
    };
    if probe.is_error() {
        return Err(failure::error_in_answer(&head, path, endpoint));
    }
    if !probe.holds(AnswerField::Data) {
        return Err(failure::not_an_answer("it contains no list of vectors", &head, endpoint));
    }
    if list.data.is_empty() {
        return Err(failure::empty_answer("vector", &head, endpoint));
    }
    list.sort();
    Ok(list)
}

/// Sends the body to the parser, until its end or until the parser has ended.
async fn feed(
    mut response: Response,
    pieces: mpsc::Sender<BodyPiece>,
    limit: usize,
    head: &mut Vec<u8>,
    endpoint: &Endpoint,
    sender: &ProgressSender,
) -> Result<(), Failure> {
    let (mut counter, mut length) = (TransferCounter::new(response.content_length()), 0);
    while let Some(bytes) = next_chunk(&mut response, endpoint).await? {
        length += bytes.len();
        if length > limit {
            return Err(failure::too_large(limit));
        }
        head.extend_from_slice(&bytes[..bytes.len().min(BODY_START - head.len())]);
        counter.add(bytes.len(), sender).await;
        if pieces.send(BodyPiece::Bytes(bytes)).await.is_err() {
            return Ok(());
        }
    }
    // A parser that has failed does not receive any more.
    let _ = pieces.send(BodyPiece::End).await;
    Ok(())
}

/// Parses a whole body, of at most so many numbers.
fn parse(pieces: BodyReader, numbers: usize) -> serde_json::Result<(Probe, EmbeddingList)> {
    let mut json = serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 16, pieces));
    let read = EmbeddingReader { numbers }.deserialize(&mut json)?;
    json.end()?;
    Ok(read)
}

/// A chunk or the end of a body.
#[derive(Debug)]
enum BodyPiece {
    Bytes(Bytes),
    /// The body is complete.
    End,
}

/// The chunks of a body as a reader. If they stop before the end, that is an error: a part must not look complete.
struct BodyReader {
    received: mpsc::Receiver<BodyPiece>,
    filter: NanFilter,
    ready: Vec<u8>,
    /// How many of the bytes that are ready have been read.
    at: usize,
    has_ended: bool,
}

impl BodyReader {
    fn new(received: mpsc::Receiver<BodyPiece>) -> Self {
        Self { received, filter: NanFilter::default(), ready: Vec::new(), at: 0, has_ended: false }
    }
}

impl Read for BodyReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() {
            if self.has_ended {
                return Ok(0);
            }
            self.ready.clear();
            self.at = 0;
            match self.received.blocking_recv() {
                Some(BodyPiece::Bytes(bytes)) => self.filter.push(&bytes, &mut self.ready).map_err(io::Error::other)?,
                Some(BodyPiece::End) => {
                    self.filter.finish(&mut self.ready);
                    self.has_ended = true;
                }
                None => return Err(io::Error::other("it was cancelled")),
            }
        }
        let count = buffer.len().min(self.ready.len() - self.at);
        buffer[..count].copy_from_slice(&self.ready[self.at..][..count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use axum::http;
    use tokio::sync::Notify;

    use super::*;
    use crate::api::call::{FailureKind, Ticket};
    use crate::settings::limits;

    /// Reads a body that is sent in chunks of `piece` bytes, with this limit.
    async fn read_of(body: &str, piece: usize, limit: usize) -> Result<EmbeddingList, Failure> {
        let endpoint = Endpoint::new("http://127.0.0.1:9/v1", None);
        let (progress, mut news) = mpsc::channel(limits::PROGRESS_WAITING);
        let sender = ProgressSender::new(Ticket(1), progress, Arc::new(Notify::new()), &endpoint);
        let pieces: Vec<io::Result<Bytes>> =
            body.as_bytes().chunks(piece).map(|piece| Ok(Bytes::copy_from_slice(piece))).collect();
        let body = reqwest::Body::wrap_stream(futures_util::stream::iter(pieces));
        let response = Response::from(http::Response::new(body));
        let heard = tokio::spawn(async move { while news.recv().await.is_some() {} });
        let read = read_vectors(response, "/embeddings", (limit, 100), &endpoint, &sender).await;
        drop(sender);
        heard.await.expect("it listens");
        read
    }

    #[tokio::test]
    async fn a_body_has_a_size() {
        let body = format!("{}{}", r#"{"data":[{"embedding":[1,2,NaN]}]}"#, " ".repeat(1000));
        for (over, good) in [(-1, false), (0, true), (1, true)] {
            for piece in [1, 7, 400, usize::MAX] {
                let limit = body.len().saturating_add_signed(over);
                match read_of(&body, piece, limit).await {
                    Ok(list) => assert!(good && list.data[0].embedding[..2] == [1.0, 2.0], "{over:+} {piece}"),
                    Err(why) => {
                        assert!(!good && why.kind == FailureKind::Malformed, "{over:+} {piece}: {why:?}");
                        assert!(why.sentence.contains("larger than"), "{}", why.sentence.line());
                    }
                }
            }
        }
    }

    #[tokio::test]
    async fn what_would_be_kept_in_one_piece_has_a_size_too() {
        for (over, good) in [(-1, true), (0, true), (1, false)] {
            let text = "x".repeat(limits::JSON_TEXT.saturating_add_signed(over));
            for body in [
                format!(r#"{{"model":"{text}","data":[{{"embedding":[1]}}]}}"#),
                format!(r#"{{"{text}":1,"data":[{{"embedding":[1]}}]}}"#),
            ] {
                match read_of(&body, 4096, usize::MAX).await {
                    Ok(list) => assert!(good && list.data.len() == 1),
                    Err(why) => {
                        assert!(
                            !good && why.sentence.contains("a string of more than 1 MiB"),
                            "{}",
                            why.sentence.line()
                        );
                    }
                }
            }
        }
    }

    #[tokio::test]
    async fn a_parser_that_has_seen_enough_ends_the_reading() {
        // Nobody receives what follows the mistake.
        let body = format!("{}{}", r#"{"data":[true]"#, " ".repeat(1 << 20));
        let why = read_of(&body, 1024, usize::MAX).await.expect_err("no vector");
        assert!(why.sentence.contains("an object with a vector"), "{}", why.sentence.line());
    }

    #[test]
    fn a_body_that_stops_coming_is_not_whole() {
        let whole = Bytes::from_static(br#"{"data":[{"embedding":[1]}]} "#);
        for end in [false, true] {
            let (pieces, received) = mpsc::channel(WAITING_CHUNKS);
            pieces.try_send(BodyPiece::Bytes(whole.clone())).expect("there is room");
            if end {
                pieces.try_send(BodyPiece::End).expect("there is room");
            }
            drop(pieces);
            assert_eq!(parse(BodyReader::new(received), 9).is_ok(), end);
        }
    }
}
