//! Decompresses answers as they arrive, within limits: some servers compress them unasked.

use bytes::Bytes;
use flate2::{Decompress, FlushDecompress, Status};
use futures_util::stream;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH};
use reqwest::{Body, Response};
use thiserror::Error;

use super::failure::{self, causes};
use super::headers::header;
use crate::api::call::Failure;
use crate::settings::limits;

/// Bytes that are decoded at once.
const PIECE_BYTES: usize = 32 << 10;

/// The base-two logarithm of gzip's window.
const WINDOW_BITS: u8 = 15;

/// Why a compressed body ended early.
#[derive(Debug, Error)]
pub(super) enum UnpackError {
    /// The connection was lost.
    #[error("the connection was lost")]
    Lost(#[from] reqwest::Error),
    /// It ended within the compressed data.
    #[error("the connection was closed before the end")]
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
pub(super) fn unpack(response: Response) -> Result<Response, Failure> {
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
pub(super) fn unpack_error(error: &reqwest::Error) -> Option<&UnpackError> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

/// Decodes a body piece by piece.
struct Unpacker {
    response: Response,
    coding: Coding,
    /// `None` before the first compressed stream, and after each.
    inflate: Option<Decompress>,
    input: Bytes,
    /// Whether there may be more output for the input read so far.
    has_more_output: bool,
    has_begun: bool,
    bytes_in: u64,
    bytes_out: u64,
}

impl Unpacker {
    fn new(response: Response, coding: Coding) -> Self {
        Self {
            response,
            coding,
            inflate: None,
            input: Bytes::new(),
            has_more_output: false,
            has_begun: false,
            bytes_in: 0,
            bytes_out: 0,
        }
    }

    /// Returns the next decompressed bytes, and the unpacker for those that follow; `None` at the end.
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, UnpackError> {
        loop {
            if self.input.is_empty() && !self.has_more_output {
                match self.response.chunk().await? {
                    Some(bytes) => self.input = bytes,
                    None if self.has_begun && self.inflate.is_none() => return Ok(None),
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
        let mut piece = Vec::with_capacity(PIECE_BYTES);
        if self.inflate.is_none() {
            let Some(first) = self.input.first() else { return Ok(piece) };
            // Only gzip may have another stream after its end; other bytes there are ignored.
            if self.has_begun && (self.coding != Coding::Gzip || *first != 0x1f) {
                self.input.clear();
                return Ok(piece);
            }
            self.has_begun = true;
            self.inflate = Some(match self.coding {
                Coding::Gzip => Decompress::new_gzip(WINDOW_BITS),
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
        self.has_more_output = piece.len() == piece.capacity();
        self.bytes_in += taken;
        self.bytes_out += piece.len() as u64;
        if status == Status::StreamEnd {
            (self.inflate, self.has_more_output) = (None, false);
        } else if taken == 0 && piece.is_empty() && !self.input.is_empty() {
            return Err(UnpackError::Damaged);
        }
        if self.bytes_out > limits::EXPANDED && self.bytes_out / limits::EXPANSION > self.bytes_in {
            return Err(UnpackError::Bomb);
        }
        Ok(piece)
    }
}
