//! A request's JSON body, read within limits of size and time.

use std::io::Read as _;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use flate2::read::MultiGzDecoder;

use super::limits;
use super::reject::{Reject, short};

/// The bytes of a body: at most [`limits::BODY`] of them, received within [`limits::ARRIVE`].
pub(super) struct RawBody(pub(super) Bytes);

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = Reject;

    async fn from_request(request: Request, state: &S) -> Result<Self, Reject> {
        let gzip = match content_encoding(request.headers()) {
            None => false,
            Some(name) if name.eq_ignore_ascii_case(b"gzip") || name.eq_ignore_ascii_case(b"x-gzip") => true,
            Some(other) => return Err(unsupported_encoding(other, "as it is, or with gzip")),
        };
        // A connection that never ends its request must not block others.
        let Ok(read) = tokio::time::timeout(limits::ARRIVE, Bytes::from_request(request, state)).await else {
            let message = "The body of your request did not arrive in time. Please send it again.";
            return Err(Reject::new(StatusCode::REQUEST_TIMEOUT, message));
        };
        match read {
            // Decompressing takes a while: not on a thread that serves sockets.
            Ok(bytes) if gzip => {
                let unpacks = tokio::task::spawn_blocking(move || decompress(&bytes));
                unpacks.await.map_err(|_| Reject::fault())?.map(Self)
            }
            Ok(bytes) => Ok(Self(bytes)),
            Err(why) if why.status() == StatusCode::PAYLOAD_TOO_LARGE => Err(too_large()),
            Err(_) => Err(Reject::bad("The body of your request ended before it was complete. Please send it again.")),
        }
    }
}

fn too_large() -> Reject {
    let message = format!("The body of your request is larger than {} MiB. Please send less.", limits::BODY >> 20);
    Reject::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

/// Decompresses a gzip body. Fails if it is no gzip or larger than an uncompressed body may be.
fn decompress(packed: &[u8]) -> Result<Bytes, Reject> {
    let mut bytes = Vec::new();
    let most = limits::BODY as u64 + 1;
    if MultiGzDecoder::new(packed).take(most).read_to_end(&mut bytes).is_err() {
        return Err(Reject::bad("The body of your request is not valid gzip, though its Content-Encoding says so."));
    }
    if bytes.len() > limits::BODY { Err(too_large()) } else { Ok(bytes.into()) }
}

/// Returns how a body is encoded; `None`: not at all.
pub(super) fn content_encoding(headers: &HeaderMap) -> Option<&[u8]> {
    headers
        .get(header::CONTENT_ENCODING)
        .map(HeaderValue::as_bytes)
        .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(b"identity"))
}

/// Returns the 415 for a body in an encoding that is not supported here; `how` says how to send it.
pub(super) fn unsupported_encoding(encoding: &[u8], how: &str) -> Reject {
    let encoding = short(&String::from_utf8_lossy(encoding), 100);
    let message = format!(
        "The body of your request is encoded as '{encoding}', which the local service does not read here. Please send \
         it {how}."
    );
    Reject::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
}
