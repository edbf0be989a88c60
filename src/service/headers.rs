//! Headers of answers by a model.

use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// Requests and tokens a minute in the headers. They are those of the hosted interface; here nothing is limited.
const REQUESTS: u64 = 3500;
const TOKENS: u64 = 250_000;

/// Returns the additional headers of answers by `model`; the request may use `tokens`.
pub(super) fn of_model(model: &str, tokens: u64) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut put = |name: &'static str, value: String| {
        let value = HeaderValue::from_str(&value).expect("model names and numbers are header text");
        headers.insert(HeaderName::from_static(name), value);
    };
    put("openai-model", model.to_owned());
    put("cache-control", "no-cache, must-revalidate".into());
    for (what, limit, used) in [("requests", REQUESTS, 1), ("tokens", TOKENS, tokens.min(TOKENS))] {
        let names = match what {
            "requests" => {
                ["x-ratelimit-limit-requests", "x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"]
            }
            _ => ["x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"],
        };
        let [limits, remaining, reset] = names;
        put(limits, limit.to_string());
        put(remaining, (limit - used).to_string());
        put(reset, go_duration(Duration::from_millis(used * 60_000 / limit)));
    }
    headers
}

/// Formats a duration as the interface's headers do: `17ms`, `1s`, `23m16.298s`.
fn go_duration(duration: Duration) -> String {
    let (seconds, millis) = (duration.as_secs(), duration.subsec_millis());
    if seconds == 0 {
        return format!("{millis}ms");
    }
    let fraction = match millis {
        0 => String::new(),
        _ => format!(".{millis:03}").trim_end_matches('0').to_owned(),
    };
    match seconds / 60 {
        0 => format!("{seconds}{fraction}s"),
        minutes => format!("{minutes}m{}{fraction}s", seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_written_as_the_interface_writes_them() {
        let written = [17, 1000, 360_000, 1_396_298, 1500].map(|ms| go_duration(Duration::from_millis(ms)));
        assert_eq!(written, ["17ms", "1s", "6m0s", "23m16.298s", "1.5s"]);
    }
}
