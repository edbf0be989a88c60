//! `GET /v1/files/{id}/content`, one attempt: ranges, versions, redirects.

use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_RANGE, HeaderMap, HeaderName, HeaderValue, IF_RANGE, LOCATION,
    RANGE,
};
use reqwest::{Method, Response, StatusCode, Url};

use super::headers::header;
use super::http::{Http, Request, answered, headers, place, refusal, step};
use super::retry::Refusal;
use crate::api::call::{Failure, FailureKind};
use crate::settings::profile::is_loopback;
use crate::settings::{Endpoint, limits};

/// What is requested.
pub(super) struct Wanted<'a> {
    pub(super) id: &'a str,
    /// The first byte, and the last one, inclusive; `None`: the complete file.
    pub(super) range: Option<(u64, Option<u64>)>,
    /// The version that the range must be of.
    pub(super) version: Option<&'a str>,
}

impl Wanted<'_> {
    fn request(&self) -> Result<Request, Failure> {
        let plain = HeaderValue::from_static;
        let text = |text: &str| HeaderValue::from_str(text).unwrap_or_else(|_| plain("-"));
        let mut request = Request::new(Method::GET, format!("/files/{}/content", step(self.id)?))
            .with(ACCEPT, plain("*/*"))
            // Lengths and ranges must be those of the file.
            .with(ACCEPT_ENCODING, plain("identity"));
        if let Some((first, last)) = self.range {
            let last = last.map(|last| last.to_string()).unwrap_or_default();
            request = request.with(RANGE, text(&format!("bytes={first}-{last}")));
        }
        if let Some(version) = self.version {
            request = request.with(IF_RANGE, text(version));
        }
        Ok(request)
    }

    /// Performs one attempt, up to the headers: 200 with the whole file, 206 with a part, or 416 if the part is beyond
    /// its end. Other statuses fail.
    ///
    /// A download may be redirected. To another origin only the bare request is sent: no key, no organisation, none of
    /// the profile's headers.
    pub(super) async fn fetch(&self, http: &Http, endpoint: &Endpoint) -> Result<Response, Refusal> {
        let request = self.request().map_err(Refusal::last)?;
        let path = request.path().to_owned();
        let home = place(endpoint, &path).map_err(Refusal::last)?;
        let (mut at, mut left) = (home.clone(), limits::REDIRECTS);
        loop {
            let own = at.origin() == home.origin();
            let with = if own { headers(endpoint) } else { Ok(HeaderMap::new()) };
            let built =
                with.and_then(|with| http.build_at(endpoint, &request, at.clone(), with)).map_err(Refusal::last)?;
            let response = answered(endpoint, built).await.map_err(|refusal| elsewhere(refusal, own, &at))?;
            let status = response.status();
            if !leads_on(status) {
                if matches!(status.as_u16(), 200 | 206 | 416) {
                    return plain(response);
                }
                return Err(elsewhere(refusal(response, &path, endpoint).await, own, &at));
            }
            at = next(&response, &at, &home).map_err(Refusal::last)?;
            left = left.checked_sub(1).ok_or_else(|| {
                let most = limits::REDIRECTS;
                let why = format!("the download was redirected more than {most} times; ask the server's operator");
                Refusal::last(Failure::new(FailureKind::Refused, why))
            })?;
        }
    }
}

/// Returns whether a status is a redirect that is followed.
fn leads_on(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Returns whether a URL is on this machine.
pub(super) fn is_near(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback)
}

/// Returns the target of a redirect. Fails unless it is the same origin, https, or from this machine to itself, and has
/// no user name.
fn next(response: &Response, at: &Url, home: &Url) -> Result<Url, Failure> {
    let refused = |why: String| Failure::new(FailureKind::Refused, why);
    let to = header(response.headers(), LOCATION.as_str()).and_then(|to| at.join(&to).ok());
    let to = to.ok_or_else(|| {
        refused("the download was redirected to an invalid address; ask the server's operator".to_owned())
    })?;
    if !to.username().is_empty() || to.password().is_some() {
        let place = to.origin().ascii_serialization();
        return Err(refused(format!(
            "the download was redirected to {place} with a user name in the address; the redirect was not followed"
        )));
    }
    let near = |url: &Url| url.scheme() == "http" && is_near(url);
    let same = to.origin() == home.origin();
    if same || to.scheme() == "https" || (near(&to) && near(home)) {
        return Ok(to);
    }
    Err(refused(format!(
        "the download was redirected to {}, which is not encrypted; the redirect was not followed",
        to.origin().ascii_serialization()
    )))
}

/// Rewrites a failure at another origin than the profile's server: what it says about keys does not concern the
/// profile's key.
fn elsewhere(mut refusal: Refusal, own: bool, at: &Url) -> Refusal {
    if !own {
        let place = at.origin().ascii_serialization();
        refusal.why.sentence = match refusal.why.status {
            Some(code) => {
                refusal.why.kind = if code >= 500 { FailureKind::Server } else { FailureKind::Refused };
                format!("{code} from {place}, where the server stores this file; try again").into()
            }
            None => format!("the server stores this file at {place}, which cannot be reached; try again").into(),
        };
    }
    refusal
}

/// Fails for a response with a content coding: its bytes are not those of the file.
fn plain(response: Response) -> Result<Response, Refusal> {
    match header(response.headers(), CONTENT_ENCODING.as_str()) {
        Some(way) if !way.trim().is_empty() && !way.trim().eq_ignore_ascii_case("identity") => {
            let what = format!("the server sends the file compressed ({way}), although this was not requested");
            Err(Refusal::last(Failure::new(FailureKind::Malformed, format!("{what}; nothing was saved"))))
        }
        _ => Ok(response),
    }
}

/// A parsed `Content-Range`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ContentRange {
    /// The first byte; `None`: the range asked for is beyond the end.
    pub(super) first: Option<u64>,
    /// Bytes of the complete file.
    pub(super) total: Option<u64>,
}

impl ContentRange {
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

/// Returns what distinguishes one version of a file from another, reliable enough to join parts by: a strong `ETag`, or
/// a `Last-Modified` that was at least a minute before the response.
pub(super) fn version(headers: &HeaderMap) -> Option<String> {
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
            assert_eq!(version(&headers(lines)).as_deref(), expected, "{lines:?}");
        }
    }
}
