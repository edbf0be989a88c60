//! Reads response headers.

use reqwest::header::HeaderMap;

/// Returns a header as text; bytes that are not UTF-8 become replacement characters.
pub(super) fn header(headers: &HeaderMap, name: &str) -> Option<String> {
    headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
}
