//! A list of vectors, parsed while it arrives: the body is never in memory as a whole, only the numbers it becomes.

use std::io::{self, BufReader, Read};

use bytes::Bytes;
use reqwest::Response;
use serde::de::DeserializeSeed as _;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::failure;
use super::http::{Moved, chunk};
use super::lax::Lax;
use super::perform::Outlet;
use crate::api::call::Failure;
use crate::api::embedding::{EmbeddingList, Reading};
use crate::api::probe::{Probe, Wanted};
use crate::settings::{Endpoint, limits};

/// Pieces of a body between the socket and the parser.
const AHEAD: usize = 4;

/// The vectors of a good answer: at most `numbers` of them together, from a body of at most `limit` bytes.
pub(super) async fn read(
    response: Response,
    path: &str,
    (limit, numbers): (usize, usize),
    endpoint: &Endpoint,
    outlet: &Outlet,
) -> Result<EmbeddingList, Failure> {
    if response.content_length().is_some_and(|length| length > limit as u64) {
        return Err(failure::too_large(limit));
    }
    let (pieces, taken) = mpsc::channel(AHEAD);
    // Parsing is work for a core, and waits for the socket: not on a thread that serves others.
    let parsing = spawn_blocking(move || parse(Pieces::new(taken), numbers));
    // For the one who asks what the server said.
    let mut head = Vec::new();
    feed(response, pieces, limit, &mut head, endpoint, outlet).await?;
    let (probe, mut list) = match parsing.await {
        Err(_) => return Err(failure::bug()),
        Ok(Err(error)) => {
            // What is no answer may well be an error all the same.
            return Err(match Probe::of(&head) {
                Ok(probe) if probe.is_error() => failure::in_answer(&head, path, endpoint),
                _ => failure::no_answer(&format!("it is no list of vectors ({error})"), &head, endpoint),
            });
        }
        Ok(Ok(read)) => read,
    };
    if probe.is_error() {
        return Err(failure::in_answer(&head, path, endpoint));
    }
    if !probe.holds(Wanted::Data) {
        return Err(failure::no_answer("it holds no list of vectors", &head, endpoint));
    }
    if list.data.is_empty() {
        return Err(failure::nothing("vector", &head, endpoint));
    }
    list.sort();
    Ok(list)
}

/// Hands the body to the parser, until its end or until the parser has seen enough.
async fn feed(
    mut response: Response,
    pieces: mpsc::Sender<Piece>,
    limit: usize,
    head: &mut Vec<u8>,
    endpoint: &Endpoint,
    outlet: &Outlet,
) -> Result<(), Failure> {
    let (mut moved, mut length) = (Moved::new(response.content_length()), 0);
    while let Some(bytes) = chunk(&mut response, endpoint).await? {
        length += bytes.len();
        if length > limit {
            return Err(failure::too_large(limit));
        }
        head.extend_from_slice(&bytes[..bytes.len().min(limits::ERROR_BODY - head.len())]);
        moved.add(bytes.len(), outlet).await;
        if pieces.send(Piece::Bytes(bytes)).await.is_err() {
            return Ok(());
        }
    }
    // A parser that has failed listens no more.
    let _ = pieces.send(Piece::End).await;
    Ok(())
}

fn parse(pieces: Pieces, numbers: usize) -> serde_json::Result<(Probe, EmbeddingList)> {
    let mut json = serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 16, pieces));
    let read = Reading { numbers }.deserialize(&mut json)?;
    json.end()?;
    Ok(read)
}

/// Something of a body.
enum Piece {
    Bytes(Bytes),
    /// It is whole.
    End,
}

/// The pieces of a body as one that can be read. That they stop coming is an error: a part must not look whole.
struct Pieces {
    taken: mpsc::Receiver<Piece>,
    lax: Lax,
    ready: Vec<u8>,
    at: usize,
    ended: bool,
}

impl Pieces {
    fn new(taken: mpsc::Receiver<Piece>) -> Self {
        Self { taken, lax: Lax::default(), ready: Vec::new(), at: 0, ended: false }
    }
}

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.at == self.ready.len() {
            if self.ended {
                return Ok(0);
            }
            self.ready.clear();
            self.at = 0;
            match self.taken.blocking_recv() {
                Some(Piece::Bytes(bytes)) => self.lax.pass(&bytes, &mut self.ready).map_err(io::Error::other)?,
                Some(Piece::End) => {
                    self.lax.end(&mut self.ready);
                    self.ended = true;
                }
                None => return Err(io::Error::other("it was given up")),
            }
        }
        let count = buffer.len().min(self.ready.len() - self.at);
        buffer[..count].copy_from_slice(&self.ready[self.at..][..count]);
        self.at += count;
        Ok(count)
    }
}
