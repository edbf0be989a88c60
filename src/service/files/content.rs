//! `GET /v1/files/{id}/content`: the bytes, whole or a part, streamed.

use std::io::{Seek as _, SeekFrom};

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream;
use tokio::io::AsyncReadExt as _;

use super::super::caller::Caller;
use super::super::reject::Reject;
use super::super::state::State as Shared;
use super::{find, name};

/// Bytes read from the disk at once: what a slow reader keeps in memory.
const PIECE: u64 = 256 << 10;

pub(super) async fn download(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    id: Result<Path<String>, PathRejection>,
    asked: HeaderMap,
) -> Result<Response, Reject> {
    let stored = find(&state, &caller, id)?;
    let tag = format!("\"{}\"", stored.sha256);
    let mut headers = HeaderMap::new();
    let mut put = |name: HeaderName, value: &str| {
        headers.insert(name, HeaderValue::from_str(value).expect("hex digits and numbers are header text"));
    };
    put(header::ETAG, &tag);
    put(header::ACCEPT_RANGES, "bytes");
    // Training data: requested again each time, and stored by no proxy.
    put(header::CACHE_CONTROL, "private, no-cache");
    let text = |name: HeaderName| asked.get(name).and_then(|value| value.to_str().ok());
    if text(header::IF_NONE_MATCH).is_some_and(|tags| matches(tags, &tag)) {
        return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    // A part of another version is of no use: the whole file is sent instead.
    let same = text(header::IF_RANGE).is_none_or(|condition| condition.trim() == tag);
    let range = text(header::RANGE).filter(|_| same).map_or(Range::Whole, |range| range_of(range, stored.bytes));
    let (status, first, length) = match range {
        Range::Whole => (StatusCode::OK, 0, stored.bytes),
        Range::Part { first, last } => {
            put(header::CONTENT_RANGE, &format!("bytes {first}-{last}/{}", stored.bytes));
            (StatusCode::PARTIAL_CONTENT, first, last - first + 1)
        }
        Range::Beyond => {
            let message = format!("The requested range is beyond the file's {} bytes.", stored.bytes);
            let mut response = Reject::new(StatusCode::RANGE_NOT_SATISFIABLE, message).into_response();
            put(header::CONTENT_RANGE, &format!("bytes */{}", stored.bytes));
            response.headers_mut().extend(headers);
            return Ok(response);
        }
    };
    put(header::CONTENT_TYPE, "application/octet-stream");
    put(header::CONTENT_LENGTH, &length.to_string());
    headers.insert(header::CONTENT_DISPOSITION, name::disposition(&stored.filename));
    let (files, id) = (state.files().clone(), stored.id.clone());
    let opened = tokio::task::spawn_blocking(move || {
        let mut file = files.read(&id)?;
        // A file whose size is wrong is not sent as if it were complete.
        if file.metadata()?.len() != stored.bytes {
            return Err(std::io::Error::other("its size is not the one it was accepted with"));
        }
        file.seek(SeekFrom::Start(first))?;
        Ok(file)
    });
    let file = opened.await.map_err(std::io::Error::other).and_then(|opened| opened).map_err(|why| {
        tracing::error!(id = %stored.id, %why, "a stored file could not be read");
        Reject::fault()
    })?;
    Ok((status, headers, Body::from_stream(pieces(file, length))).into_response())
}

/// Streams `length` bytes of the file, from its present position. Fails if the file is shorter.
fn pieces(file: std::fs::File, length: u64) -> impl stream::Stream<Item = std::io::Result<Bytes>> {
    let mut file = tokio::fs::File::from_std(file);
    file.set_max_buf_size(PIECE as usize);
    stream::try_unfold((file, length), |(mut file, left)| async move {
        if left == 0 {
            return Ok(None);
        }
        let mut piece = Vec::with_capacity(left.min(PIECE) as usize);
        let read = (&mut file).take(left.min(PIECE)).read_buf(&mut piece).await?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Some((Bytes::from(piece), (file, left - read as u64))))
    })
}

/// Returns whether a list of tags (`"…", W/"…"`, or `*`) contains this one.
fn matches(tags: &str, tag: &str) -> bool {
    tags.split(',').map(str::trim).any(|one| one == "*" || one.strip_prefix("W/").unwrap_or(one) == tag)
}

/// What a `Range` header asks for.
#[derive(Debug, PartialEq, Eq)]
enum Range {
    /// The complete file: no range, several, or one that cannot be parsed.
    Whole,
    /// From `first` to `last`, both included.
    Part { first: u64, last: u64 },
    /// A range outside of the file.
    Beyond,
}

/// Parses a range: `bytes=0-99`, `bytes=100-`, `bytes=-100`. Anything malformed asks for the whole file, as the
/// standard says.
fn range_of(asked: &str, length: u64) -> Range {
    let Some((unit, range)) = asked.split_once('=') else { return Range::Whole };
    let Some((first, last)) = range.trim().split_once('-') else { return Range::Whole };
    // Digits only: a number with a sign is invalid here. One too long for its type is larger than any file.
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse::<u64>().unwrap_or(u64::MAX))
    };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return Range::Whole;
    }
    match (number(first), number(last), first.is_empty(), last.is_empty()) {
        (Some(first), Some(last), ..) if first > last => Range::Whole,
        (Some(first), ..) if first >= length && (last.is_empty() || number(last).is_some()) => Range::Beyond,
        (Some(first), Some(last), ..) => Range::Part { first, last: last.min(length - 1) },
        (Some(first), None, _, true) => Range::Part { first, last: length - 1 },
        (None, Some(0), true, _) => Range::Beyond,
        (None, Some(_), true, _) if length == 0 => Range::Beyond,
        (None, Some(tail), true, _) => Range::Part { first: length.saturating_sub(tail), last: length - 1 },
        _ => Range::Whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_http_writes_them() {
        let part = |first, last| Range::Part { first, last };
        for (asked, range) in [
            ("bytes=0-0", part(0, 0)),
            ("bytes=0-99", part(0, 9)),
            ("bytes=9-9", part(9, 9)),
            ("bytes=3-", part(3, 9)),
            ("bytes=-3", part(7, 9)),
            ("bytes=-30", part(0, 9)),
            ("Bytes = 2-4 ", part(2, 4)),
            ("bytes=10-", Range::Beyond),
            ("bytes=10-12", Range::Beyond),
            ("bytes=-0", Range::Beyond),
            ("bytes=99999999999999999999999-", Range::Beyond),
            ("bytes=5-2", Range::Whole),
            ("bytes=0-1,3-4", Range::Whole),
            ("bytes=-", Range::Whole),
            ("bytes=+1-2", Range::Whole),
            ("bytes=a-b", Range::Whole),
            ("bytes=20-x", Range::Whole),
            ("lines=1-2", Range::Whole),
            ("bytes", Range::Whole),
        ] {
            assert_eq!(range_of(asked, 10), range, "{asked}");
        }
        for asked in ["bytes=0-", "bytes=0-0", "bytes=-5"] {
            assert_eq!(range_of(asked, 0), Range::Beyond, "{asked} of nothing");
        }
    }

    #[test]
    fn tags_are_compared_as_lists() {
        for (tags, fits) in
            [("\"a\"", true), ("W/\"a\"", true), ("\"b\", \"a\"", true), ("*", true), ("\"b\"", false), ("a", false)]
        {
            assert_eq!(matches(tags, "\"a\""), fits, "{tags}");
        }
    }
}
