//! Sends `GET /v1/files/{id}/content` once, with ranges and versions, and follows its redirects.

use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_RANGE, HeaderMap, HeaderName, HeaderValue, IF_RANGE, LOCATION,
    RANGE,
};
use reqwest::{Method, Response, StatusCode, Url};

use super::headers::header;
use super::http::{Http, Takeover, read_error_response};
use super::pool::is_loopback_url;
use super::request::{Request, endpoint_headers, endpoint_url, path_segment};
use super::retry::FailedAttempt;
use crate::api::call::{Failure, FailureKind};
use crate::settings::{Endpoint, limits};

/// A request for the content of a file, or for a part of it.
pub(super) struct ContentRequest<'a> {
    pub(super) id: &'a str,
    /// The first byte, and the last one, inclusive; `None`: the complete file.
    pub(super) range: Option<(u64, Option<u64>)>,
    /// The version of the file that the range must be from.
    pub(super) version: Option<&'a str>,
}

impl ContentRequest<'_> {
    fn request(&self) -> Result<Request, Failure> {
        let fixed = HeaderValue::from_static;
        let text = |text: &str| HeaderValue::from_str(text).unwrap_or_else(|_| fixed("-"));
        let mut request = Request::new(Method::GET, format!("/files/{}/content", path_segment(self.id)?))
            .with_header(ACCEPT, fixed("*/*"))
            // Lengths and ranges must be those of the uncompressed file.
            .with_header(ACCEPT_ENCODING, fixed("identity"));
        if let Some((first, last)) = self.range {
            let last = last.map(|last| last.to_string()).unwrap_or_default();
            request = request.with_header(RANGE, text(&format!("bytes={first}-{last}")));
        }
        if let Some(version) = self.version {
            request = request.with_header(IF_RANGE, text(version));
        }
        Ok(request)
    }

    /// Performs one attempt, up to the headers: 200 with the whole file, 206 with a part, or 416 if the part is beyond
    /// its end. Other statuses fail.
    ///
    /// A download may be redirected. To another origin the request is sent without the key, the organisation and the
    /// profile's headers.
    pub(super) async fn fetch(&self, http: &Http, endpoint: &Endpoint) -> Result<Response, FailedAttempt> {
        let request = self.request().map_err(FailedAttempt::permanent)?;
        let path = request.path().to_owned();
        let home = endpoint_url(endpoint, &path).map_err(FailedAttempt::permanent)?;
        let (mut at, mut left) = (home.clone(), limits::REDIRECTS);
        let takeover = Takeover::of(endpoint);
        loop {
            let is_own = at.origin() == home.origin();
            let build = || {
                let headers = if is_own { endpoint_headers(endpoint)? } else { HeaderMap::new() };
                http.build_at(endpoint, &request, at.clone(), headers)
            };
            let response = takeover.send(endpoint, build).await.map_err(|failed| name_origin(failed, is_own, &at))?;
            let status = response.status();
            if !is_followed(status) {
                if matches!(status.as_u16(), 200 | 206 | 416) {
                    return check_uncompressed(response);
                }
                return Err(name_origin(read_error_response(response, &path, endpoint).await, is_own, &at));
            }
            at = redirect_target(&response, &at, &home).map_err(FailedAttempt::permanent)?;
            left = left.checked_sub(1).ok_or_else(|| {
                let most = limits::REDIRECTS;
                let why = format!("the download was redirected more than {most} times; ask the server's operator");
                FailedAttempt::permanent(Failure::new(FailureKind::Refused, why))
            })?;
        }
    }
}

/// Returns whether a status is a redirect that is followed.
fn is_followed(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Returns the target of a redirect. Fails unless it is on the same origin, uses https, or leads from this machine to
/// itself, and has no user name.
fn redirect_target(response: &Response, at: &Url, home: &Url) -> Result<Url, Failure> {
    let refused = |why: String| Failure::new(FailureKind::Refused, why);
    let to = header(response.headers(), LOCATION.as_str()).and_then(|to| at.join(&to).ok());
    let to = to.ok_or_else(|| {
        refused("the download was redirected to an invalid address; ask the server's operator".to_owned())
    })?;
    if !to.username().is_empty() || to.password().is_some() {
        let place = to.origin().ascii_serialization();
        return Err(refused(format!(
            "the download was redirected to {place} with a user name in the address, so it was not followed; ask the \
             server's operator"
        )));
    }
    let is_local = |url: &Url| url.scheme() == "http" && is_loopback_url(url);
    let is_same = to.origin() == home.origin();
    if is_same || to.scheme() == "https" || (is_local(&to) && is_local(home)) {
        return Ok(to);
    }
    Err(refused(format!(
        "the download was redirected to {}, which is not encrypted, so it was not followed; ask the server's operator",
        to.origin().ascii_serialization()
    )))
}

/// Rewrites a failure at another origin than the profile's server: what it says about keys does not concern the
/// profile's key.
fn name_origin(mut failed: FailedAttempt, is_own: bool, at: &Url) -> FailedAttempt {
    if !is_own {
        let place = at.origin().ascii_serialization();
        failed.why.sentence = match failed.why.status {
            Some(code) => {
                failed.why.kind = if code >= 500 { FailureKind::Server } else { FailureKind::Refused };
                format!("{code} from {place}, where the server stores this file; try again").into()
            }
            None => format!("the server stores this file at {place}, which cannot be reached; try again").into(),
        };
    }
    failed
}

/// Returns the response, or fails if it has a content coding: its bytes are not those of the file.
fn check_uncompressed(response: Response) -> Result<Response, FailedAttempt> {
    match header(response.headers(), CONTENT_ENCODING.as_str()) {
        Some(way) if !way.trim().is_empty() && !way.trim().eq_ignore_ascii_case("identity") => {
            let what = format!("the server sends the file compressed ({way}), although this was not requested");
            Err(FailedAttempt::permanent(Failure::new(
                FailureKind::Malformed,
                format!("{what}, so nothing was saved; turn compression off on the server"),
            )))
        }
        _ => Ok(response),
    }
}

/// A parsed `Content-Range`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ContentRange {
    /// The first byte; `None` if the requested range is beyond the end.
    pub(super) first: Option<u64>,
    /// Bytes of the complete file.
    pub(super) total: Option<u64>,
}

impl ContentRange {
    /// Parses the header; `None` if it is missing or invalid.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let text = header(headers, CONTENT_RANGE.as_str())?;
        let rest = text.trim().strip_prefix("bytes")?.trim_start();
        let (range, total) = rest.split_once('/')?;
        let total = total.trim().parse().ok();
        if range.trim() == "*" {
            return Some(Self { first: None, total });
        }
        let (first, last) = range.split_once('-')?;
        let (first, last): (u64, u64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        (first <= last && total.is_none_or(|total| last < total)).then_some(Self { first: Some(first), total })
    }
}

/// Returns what identifies the version of a file reliably enough that parts with the same value can be joined: a strong
/// `ETag`, or a `Last-Modified` that was at least a minute before the response.
pub(super) fn file_version(headers: &HeaderMap) -> Option<String> {
    let text_of = |name: HeaderName| header(headers, name.as_str()).map(|text| text.trim().to_owned());
    let tag = text_of(reqwest::header::ETAG).filter(|tag| tag.starts_with('"') && tag.len() > 2 && tag.ends_with('"'));
    tag.or_else(|| {
        let (modified, date) = (text_of(reqwest::header::LAST_MODIFIED)?, text_of(reqwest::header::DATE)?);
        let time = |text: &str| jiff::fmt::rfc2822::parse(text).ok().map(|then| then.timestamp().as_second());
        (time(&date)? - time(&modified)? >= 60).then_some(modified)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        lines.iter().map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn content_ranges_are_read_strictly() {
        let part = |text| ContentRange::of(&headers(&[("content-range", text)]));
        assert_eq!(part("bytes 5-9/10"), Some(ContentRange { first: Some(5), total: Some(10) }));
        assert_eq!(part("bytes 0-0/*"), Some(ContentRange { first: Some(0), total: None }));
        assert_eq!(part("bytes */10"), Some(ContentRange { first: None, total: Some(10) }));
        for bad in ["bytes 9-5/10", "bytes 5-10/10", "lines 1-2/3", "bytes 5-/10", "bytes=1-2/3", "", "bytes -5/10"] {
            assert_eq!(part(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_what_is_strong_is_a_version() {
        let then = ("last-modified", "Sat, 21 Nov 2026 12:00:00 GMT");
        for (lines, expected) in [
            (&[("etag", "\"a\"")][..], Some("\"a\"")),
            (&[("etag", "W/\"a\"")], None),
            (&[("etag", "a")], None),
            (&[then], None),
            (&[then, ("date", "Sat, 21 Nov 2026 12:00:59 GMT")], None),
            (&[then, ("date", "Sat, 21 Nov 2026 12:01:00 GMT")], Some(then.1)),
            (&[("etag", "W/\"a\""), then, ("date", "Sat, 21 Nov 2026 13:00:00 GMT")], Some(then.1)),
            (&[], None),
        ] {
            assert_eq!(file_version(&headers(lines)).as_deref(), expected, "{lines:?}");
        }
    }
}
