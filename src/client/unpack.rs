//! Compressed answers that were not asked for: decompressed as they arrive, within limits.

use std::error::Error as _;

use bytes::Bytes;
use flate2::{Decompress, FlushDecompress, Status};
use futures_util::stream;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use reqwest::{Body, Response};
use thiserror::Error;

use super::failure;
use super::headers::header;
use crate::api::call::Failure;
use crate::settings::limits;

/// Bytes that are decoded at once.
const PIECE: usize = 32 << 10;

/// The base-two logarithm of gzip's window.
const WINDOW: u8 = 15;

/// Why a compressed body ended early.
#[derive(Debug, Error)]
pub(super) enum UnpackError {
    /// The connection was lost.
    #[error("the connection was lost")]
    Lost(#[from] reqwest::Error),
    /// It ended within the compressed data.
    #[error("the connection closed before the end")]
    Cut,
    /// It is not in the format that it claims.
    #[error("its compressed data is damaged")]
    Damaged,
    /// It expands more than [`limits::EXPANSION`] times.
    #[error("it is compressed more than {} times", limits::EXPANSION)]
    Bomb,
}

/// How an answer is compressed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
}

/// Returns the answer with a decompressed body. Fails if the compression is unknown.
pub(super) fn unpacked(response: Response) -> Result<Response, Failure> {
    let names = header(response.headers(), CONTENT_ENCODING.as_str()).unwrap_or_default();
    let coding = match names.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => return Ok(response),
        "gzip" | "x-gzip" => Coding::Gzip,
        "deflate" => Coding::Deflate,
        _ => return Err(failure::unknown_coding(&names)),
    };
    let mut head = http::Response::new(());
    *head.status_mut() = response.status();
    *head.headers_mut() = response.headers().clone();
    head.headers_mut().remove(CONTENT_ENCODING);
    head.headers_mut().remove(CONTENT_LENGTH);
    let body = Body::wrap_stream(stream::try_unfold(Unpacker::new(response, coding), Unpacker::next));
    Ok(head.map(|()| body).into())
}

/// Returns why reading a body failed, if decompression is the reason.
pub(super) fn fault(error: &reqwest::Error) -> Option<&UnpackError> {
    let mut cause = error.source();
    while let Some(this) = cause {
        if let Some(fault) = this.downcast_ref() {
            return Some(fault);
        }
        cause = this.source();
    }
    None
}

/// Decodes a body piece by piece.
struct Unpacker {
    response: Response,
    coding: Coding,
    /// `None`: nothing has begun, or the last stream has ended.
    inflate: Option<Decompress>,
    input: Bytes,
    /// Whether there may be more output for the input taken so far.
    full: bool,
    begun: bool,
    taken: u64,
    made: u64,
}

impl Unpacker {
    fn new(response: Response, coding: Coding) -> Self {
        Self { response, coding, inflate: None, input: Bytes::new(), full: false, begun: false, taken: 0, made: 0 }
    }

    async fn next(mut self) -> Result<Option<(Bytes, Self)>, UnpackError> {
        loop {
            if self.input.is_empty() && !self.full {
                match self.response.chunk().await? {
                    Some(bytes) => self.input = bytes,
                    None if self.begun && self.inflate.is_none() => return Ok(None),
                    None => return Err(UnpackError::Cut),
                }
            }
            let piece = self.decode()?;
            if !piece.is_empty() {
                return Ok(Some((piece.into(), self)));
            }
        }
    }

    /// Decompresses some of the input.
    fn decode(&mut self) -> Result<Vec<u8>, UnpackError> {
        let mut piece = Vec::with_capacity(PIECE);
        if self.inflate.is_none() {
            let Some(first) = self.input.first() else { return Ok(piece) };
            // Only gzip may continue after its end; other bytes after the end are ignored.
            if self.begun && (self.coding != Coding::Gzip || *first != 0x1f) {
                self.input.clear();
                return Ok(piece);
            }
            self.begun = true;
            self.inflate = Some(match self.coding {
                Coding::Gzip => Decompress::new_gzip(WINDOW),
                // Some servers omit the zlib header: its first byte would name the method, 8.
                Coding::Deflate => Decompress::new(first & 0x0f == 8),
            });
        }
        let Some(inflate) = &mut self.inflate else { return Ok(piece) };
        let before = inflate.total_in();
        let status = inflate.decompress_vec(&self.input, &mut piece, FlushDecompress::None);
        let status = status.map_err(|_| UnpackError::Damaged)?;
        let taken = inflate.total_in() - before;
        self.input = self.input.slice(taken as usize..);
        self.full = piece.len() == piece.capacity();
        self.taken += taken;
        self.made += piece.len() as u64;
        if status == Status::StreamEnd {
            (self.inflate, self.full) = (None, false);
        } else if taken == 0 && piece.is_empty() && !self.input.is_empty() {
            return Err(UnpackError::Damaged);
        }
        if self.made > limits::EXPANDED && self.made / limits::EXPANSION > self.taken {
            return Err(UnpackError::Bomb);
        }
        Ok(piece)
    }
}
