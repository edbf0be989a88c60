//! Finds out how long a server asks to wait, from its headers or from the message of an error.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::HeaderMap;

use super::headers::header;

/// Returns how long the server asks to wait, from the most exact source to the least: `retry-after-ms`; `retry-after`
/// (seconds, a date, or a duration); the error's message; for a rate limit, the time until the one that is used up is
/// reset.
pub(super) fn requested_wait(status: StatusCode, headers: &HeaderMap, message: &str) -> Option<Duration> {
    let millis = || header(headers, "retry-after-ms").and_then(|text| parse_number(&text)).map(|ms| ms / 1000.0);
    let seconds = || {
        let text = header(headers, "retry-after")?;
        parse_number(&text).or_else(|| seconds_until(&text)).or_else(|| parse_exactly(&text))
    };
    let reset = || (status == StatusCode::TOO_MANY_REQUESTS).then(|| rate_limit_reset(headers)).flatten();
    let exact = millis().or_else(seconds).and_then(to_duration);
    exact.or_else(|| wait_in_message(message)).or_else(|| to_duration(reset()?))
}

/// Returns the wait that the message of an error names: "… try again in 6m0s."
pub(super) fn wait_in_message(message: &str) -> Option<Duration> {
    to_duration(parse_start(message.split_once("try again in ")?.1)?)
}

/// Converts seconds into a duration; `None` if it does not fit.
fn to_duration(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

/// Returns in how many seconds the rate limits that are used up are reset; of several the latest.
fn rate_limit_reset(headers: &HeaderMap) -> Option<f64> {
    let waits = ["requests", "tokens"].iter().filter_map(|what| {
        let left = header(headers, &format!("x-ratelimit-remaining-{what}")).and_then(|text| parse_number(&text));
        if left.is_some_and(|left| left > 0.0) {
            return None;
        }
        parse_exactly(&header(headers, &format!("x-ratelimit-reset-{what}"))?)
    });
    waits.reduce(f64::max)
}

/// Parses a finite number that is not negative.
fn parse_number(text: &str) -> Option<f64> {
    text.trim().parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0)
}

/// Returns the seconds from now to an HTTP date; 0 if it is past.
fn seconds_until(text: &str) -> Option<f64> {
    let then = jiff::fmt::rfc2822::parse(text.trim()).ok()?;
    Some((then.timestamp().as_second() - jiff::Timestamp::now().as_second()).max(0) as f64)
}

/// Parses a text that is a duration and nothing else: `20ms`, `1m30.5s`, `12`. Returns seconds.
fn parse_exactly(text: &str) -> Option<f64> {
    let (seconds, rest) = parse_duration(text.trim())?;
    rest.is_empty().then_some(seconds)
}

/// Parses a duration at the beginning of a text: `20s. Contact …`, `20 seconds`. Returns seconds.
fn parse_start(text: &str) -> Option<f64> {
    Some(parse_duration(text)?.0)
}

/// Parses a duration as servers write it; returns seconds and the rest of the text: `20s`, `6m0s`, `1h2m3.5s`, `250ms`,
/// `20 seconds`.
fn parse_duration(text: &str) -> Option<(f64, &str)> {
    let (mut rest, mut sum) = (text, None);
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let Ok(number) = rest[..digits].parse::<f64>() else { return Some((sum?, rest)) };
        let unit = rest[digits..].trim_start();
        let letters = unit.find(|c: char| !c.is_alphabetic()).unwrap_or(unit.len());
        let size = match &unit[..letters] {
            "h" | "hour" | "hours" => 3600.0,
            "m" | "min" | "minute" | "minutes" => 60.0,
            "s" | "sec" | "second" | "seconds" => 1.0,
            "ms" | "millisecond" | "milliseconds" => 1e-3,
            "us" | "µs" | "μs" => 1e-6,
            "ns" => 1e-9,
            // A number without a known unit counts as seconds if it is the first.
            _ => return Some(sum.map_or((number, unit), |sum| (sum, rest))),
        };
        sum = Some(sum.unwrap_or(0.0) + number * size);
        rest = unit[letters..].trim_start();
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn waits_are_read_as_servers_say_them() {
        for (text, seconds, whole) in [
            ("20s.", Some(20.0), false),
            ("6m0s. Visit the 2 pages", Some(360.0), false),
            ("6m0s", Some(360.0), true),
            ("1h2m3s", Some(3723.0), true),
            ("1m30.5s", Some(90.5), true),
            ("23m16.298s", Some(1396.298), true),
            ("250ms", Some(0.25), true),
            ("1µs", Some(1e-6), true),
            ("20 seconds", Some(20.0), true),
            ("2 minutes and more", Some(120.0), false),
            ("7", Some(7.0), true),
            ("20s 5 requests", Some(20.0), false),
            ("2026-11-20T00:00:00Z", Some(2026.0), false),
            ("1.2.3s", None, false),
            ("-5s", None, false),
            ("a while", None, false),
            ("", None, false),
        ] {
            assert_eq!(parse_start(text), seconds, "{text}");
            assert_eq!(parse_exactly(text), seconds.filter(|_| whole), "{text}");
        }
    }

    #[test]
    fn the_most_exact_word_counts_and_only_a_limit_that_is_used_up() {
        let soon = jiff::Timestamp::now() + jiff::Span::new().seconds(90);
        let date = soon.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        let again = "Please try again in 3s.";
        for (status, headers, message, least, most) in [
            (429, &[("retry-after-ms", "1500"), ("retry-after", "9")][..], again, 1.5, 1.5),
            (429, &[("retry-after-ms", "soon"), ("retry-after", " 9 ")], again, 9.0, 9.0),
            (503, &[("retry-after", "1m30.5s")], again, 90.5, 90.5),
            (503, &[("retry-after", &date)], again, 80.0, 90.0),
            (503, &[("retry-after", "Wed, 21 Oct 2015 07:28:00 GMT")], again, 0.0, 0.0),
            (503, &[("retry-after", "-1")], again, 3.0, 3.0),
            (503, &[("retry-after", "nan")], again, 3.0, 3.0),
            (503, &[("retry-after", "1e300")], again, 3.0, 3.0),
            (429, &[("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "20ms")], "", 0.02, 0.02),
            (429, &[("x-ratelimit-reset-requests", "6m0s"), ("x-ratelimit-reset-tokens", "7")], "", 360.0, 360.0),
            (
                429,
                &[
                    ("x-ratelimit-remaining-requests", "5"),
                    ("x-ratelimit-reset-requests", "6m0s"),
                    ("x-ratelimit-remaining-tokens", "0"),
                    ("x-ratelimit-reset-tokens", "1m30.5s"),
                ],
                "",
                90.5,
                90.5,
            ),
        ] {
            let pair = |(name, value): &(&'static str, &str)| {
                (HeaderName::from_static(name), HeaderValue::from_str(value).expect("header text"))
            };
            let headers: HeaderMap = headers.iter().map(pair).collect();
            let wait = requested_wait(StatusCode::from_u16(status).expect("a status"), &headers, message);
            let wait = wait.expect("it is said").as_secs_f64();
            assert!((least..=most).contains(&wait), "{headers:?}: {wait}");
        }
        let reset: HeaderMap =
            [(HeaderName::from_static("x-ratelimit-reset-requests"), HeaderValue::from_static("1s"))]
                .into_iter()
                .collect();
        assert_eq!(requested_wait(StatusCode::SERVICE_UNAVAILABLE, &reset, ""), None, "every answer carries it");
        assert_eq!(requested_wait(StatusCode::TOO_MANY_REQUESTS, &HeaderMap::new(), "later"), None);
        assert_eq!(wait_in_message(again), Some(Duration::from_secs(3)));
    }
}
