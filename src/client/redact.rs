//! Removes secrets from what is shown: servers repeat keys and headers in their errors.

use percent_encoding::percent_decode_str;
use reqwest::Url;
use secrecy::ExposeSecret;
use serde_json::{Map, Value};

use crate::api::call::Failure;
use crate::settings::{Endpoint, parts};
use crate::text::Untrusted;

/// Bytes of the shortest value that is treated as a secret: masking a shorter one would remove parts of ordinary words.
const MIN_SECRET_BYTES: usize = 4;

/// Bytes of an escaped character in JSON, `\u002d`.
const ESCAPE_BYTES: usize = 6;

/// The secrets of an endpoint, each with what is shown in its place; the longest first.
pub(super) struct Secrets(Vec<(String, String)>);

impl Secrets {
    /// Collects the secrets of an endpoint: the key, the values of the profile's headers, of its query and of body
    /// fields with the name of a secret, and a proxy's name and password.
    pub(super) fn of(endpoint: &Endpoint) -> Self {
        let key = endpoint.key.as_ref().map(|key| key.expose_secret().to_owned());
        let fields = secret_fields(&endpoint.extra_body).into_iter().map(|(_, value)| value);
        let credentials = endpoint.headers.values().map(String::as_str).chain(fields).flat_map(|value| {
            // `Bearer …`, `Basic …`: the secret is what follows. The last word of a longer text may be any word.
            let whole = value.trim();
            let bare = whole.split_once(' ').map_or("", |(_, rest)| rest.trim_start());
            [whole.to_owned(), bare.to_owned()]
        });
        let proxies = [&endpoint.route.https, &endpoint.route.all].into_iter().flatten();
        let proxies = proxies.filter_map(|proxy| Url::parse(proxy).ok()).flat_map(|proxy| {
            [proxy.username().to_owned(), proxy.password().unwrap_or_default().to_owned(), proxy.authority().to_owned()]
                .into_iter()
                .take(if proxy.password().is_some() { 3 } else { 0 })
                .collect::<Vec<_>>()
        });
        let query = queries(&endpoint.base_url).filter(|(name, _)| is_secret(name)).flat_map(|(_, value)| {
            // A server that repeats it has decoded it.
            [value.to_owned(), percent_decode_str(value).decode_utf8_lossy().into_owned()]
        });
        let mut found: Vec<(String, String)> = key
            .into_iter()
            .chain(credentials)
            .chain(proxies)
            .chain(query)
            .filter(|secret| secret.len() >= MIN_SECRET_BYTES)
            .map(|secret| {
                let mask = mask(&secret);
                (secret, mask)
            })
            .collect();
        found.sort_by(|one, other| other.0.len().cmp(&one.0.len()).then_with(|| one.cmp(other)));
        found.dedup();
        Self(found)
    }

    /// Returns the beginning of a body as text without secrets: at most `limit` bytes of it are read. A secret that is
    /// cut there would not be found, so the end of a longer body is left out, as much as the longest secret can take
    /// up.
    pub(super) fn redacted_start(&self, body: &[u8], limit: usize) -> String {
        if body.len() <= limit {
            return self.redacted(body);
        }
        let mut text = self.redacted(&body[..limit]);
        let longest = self.0.first().map_or(0, |(secret, _)| secret.len() * ESCAPE_BYTES);
        text.truncate(text.floor_char_boundary(text.len().saturating_sub(longest)));
        text
    }

    /// Returns a body as text without secrets. It must not have been cut off within a secret, which would not be found.
    pub(super) fn redacted(&self, body: &[u8]) -> String {
        let mut text = String::from_utf8_lossy(body).into_owned();
        self.clean(&mut text);
        text
    }

    /// Removes the secrets from all texts of a failure.
    pub(super) fn clean_failure(&self, failure: &mut Failure) {
        self.clean_text(&mut failure.sentence);
        self.clean_text(&mut failure.body);
        for text in [&mut failure.code, &mut failure.request_id].into_iter().flatten() {
            self.clean_text(text);
        }
        for (_, value) in &mut failure.headers {
            self.clean_text(value);
        }
    }

    /// Removes the secrets from a text.
    pub(super) fn clean_text(&self, text: &mut Untrusted) {
        let mut clean = text.raw().to_owned();
        self.clean(&mut clean);
        *text = clean.into();
    }

    /// Replaces the secrets in a text by their masks.
    fn clean(&self, text: &mut String) {
        for (secret, mask) in &self.0 {
            if let Some(clean) = replace_secret(text, secret, mask) {
                *text = clean;
            }
        }
    }
}

/// Returns names and values of the base URL's query, still encoded.
pub(super) fn queries(base_url: &str) -> impl Iterator<Item = (&str, &str)> {
    let pairs = parts(base_url).1.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")))
}

/// Returns whether the value of a name in a query may be a secret. A version is none: it helps to understand an error.
pub(super) fn is_secret(name: &str) -> bool {
    !name.to_ascii_lowercase().ends_with("version")
}

/// Returns the fields of a profile's body whose names say that they are secrets, with their values. All texts inside
/// such a field are secrets.
pub(super) fn secret_fields(fields: &Map<String, Value>) -> Vec<(&str, &str)> {
    fn collect<'a>(name: &'a str, value: &'a Value, secret: bool, found: &mut Vec<(&'a str, &'a str)>) {
        match value {
            Value::String(value) if secret => found.push((name, value)),
            Value::Array(values) => values.iter().for_each(|value| collect(name, value, secret, found)),
            Value::Object(fields) => {
                fields.iter().for_each(|(name, value)| collect(name, value, secret || names_secret(name), found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    fields.iter().for_each(|(name, value)| collect(name, value, names_secret(name), &mut found));
    found
}

/// Returns whether a field's name says that its value is a secret.
fn names_secret(name: &str) -> bool {
    const PARTS: &[&str] = &[
        "accesskey",
        "apikey",
        "authorization",
        "bearer",
        "credential",
        "passphrase",
        "password",
        "privatekey",
        "secret",
        "subscriptionkey",
    ];
    /// Tokens of a vocabulary.
    const WORDS: &[&str] = &["bos", "cls", "eos", "mask", "pad", "sep", "stop", "unk"];
    let plain: String = name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect::<String>().to_lowercase();
    let is_token = plain.strip_suffix("token").is_some_and(|of| !WORDS.iter().any(|word| of.ends_with(word)));
    is_token || PARTS.iter().any(|part| plain.contains(part))
}

/// Returns a text with `mask` wherever the secret was; `None` if it was nowhere.
fn replace_secret(text: &str, secret: &str, mask: &str) -> Option<String> {
    let (mut clean, mut rest, mut at) = (String::new(), text, 0);
    // Only the secret's first character or an escape can begin it.
    while let Some(next) = rest[at..].find(|c| c == '\\' || secret.starts_with(c)) {
        at += next;
        if let Some(length) = secret_length(&rest[at..], secret) {
            clean.push_str(&rest[..at]);
            clean.push_str(mask);
            rest = &rest[at + length..];
            at = 0;
        } else {
            at += rest[at..].chars().next().map_or(0, char::len_utf8);
        }
    }
    (rest.len() < text.len()).then(|| clean + rest)
}

/// Returns how many bytes at the beginning of a text are the secret, as it is or with any of its characters escaped as
/// in JSON; `None` if the text begins with something else.
fn secret_length(text: &str, secret: &str) -> Option<usize> {
    if text.starts_with(secret) {
        return Some(secret.len());
    }
    let rest = secret.chars().try_fold(text, strip_char)?;
    Some(text.len() - rest.len())
}

/// Returns what follows a character, which may be escaped; `None` if the text begins with something else.
fn strip_char(text: &str, c: char) -> Option<&str> {
    let Some(escaped) = text.strip_prefix('\\') else { return text.strip_prefix(c) };
    match escaped.strip_prefix('u') {
        Some(code) => {
            let same = u32::from_str_radix(code.get(..4)?, 16).ok()? == u32::from(c);
            same.then(|| &code[4..])
        }
        None => escaped.strip_prefix(c),
    }
}

/// Returns what is shown in place of a secret: its last four characters, if it is long enough that they reveal nothing.
pub(super) fn mask(secret: &str) -> String {
    let last = secret.char_indices().rev().nth(3).filter(|_| secret.len() > 12);
    last.map_or("…".to_owned(), |(at, _)| format!("…{}", &secret[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_secret_by_its_name_wherever_it_stands() {
        for name in [
            "api_key",
            "apikey",
            "X-Api-Key",
            "secret_key",
            "client-secret",
            "access_key",
            "aws_access_key_id",
            "private_key",
            "token",
            "auth_token",
            "hf_token",
            "accessToken",
            "bearer",
            "credentials",
            "Authorization",
            "password",
        ] {
            assert!(names_secret(name), "{name}");
        }
        for name in ["max_tokens", "min_tokens", "tokenizer", "eos_token", "stop_token_ids", "key", "author", "pass"] {
            assert!(!names_secret(name), "{name}");
        }
        let fields = serde_json::json!({
            "tools": [{"type": "mcp", "headers": {"Authorization": "Bearer a"}}, {"api_keys": ["b", "c"]}],
            "credentials": {"user": "d", "uses": 3},
            "eos_token": "</s>",
        });
        let mut found = secret_fields(fields.as_object().unwrap());
        found.sort_unstable();
        assert_eq!(found, [("Authorization", "Bearer a"), ("api_keys", "b"), ("api_keys", "c"), ("user", "d")]);
    }

    #[test]
    fn a_secret_is_masked_with_and_without_its_scheme() {
        let mut endpoint = Endpoint::new("http://h/v1", None);
        endpoint.headers.insert("X-Gate".into(), "Basic gate-0123456789 ".into());
        let fields =
            serde_json::json!({"passphrase": "correct horse battery", "auth": {"token": "Bearer body-9876543210"}});
        endpoint.extra_body = fields.as_object().unwrap().clone();
        let said = "no: gate-0123456789, body-9876543210, correct horse battery; check the battery";
        let clean = Secrets::of(&endpoint).redacted(said.as_bytes());
        assert_eq!(clean, "no: …6789, …3210, …tery; check the battery");
    }

    #[test]
    fn nothing_is_left_of_a_secret_at_the_end_of_what_is_read() {
        let secret = "sk-test-0123456789abcdef";
        let secrets = Secrets::of(&Endpoint::new("http://h/v1", Some(secret.to_owned().into())));
        let escaped = secret.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect::<Vec<_>>().concat();
        for written in [secret, &escaped] {
            let text = format!("{}{written}", "x".repeat(1000));
            for limit in 1..text.len() {
                let shown = secrets.redacted_start(text.as_bytes(), limit);
                assert!(shown.chars().all(|c| c == 'x'), "{limit}: {shown}");
            }
            let whole = secrets.redacted_start(text.as_bytes(), text.len());
            assert!(whole.ends_with("x…cdef"), "{whole}");
        }
    }

    #[test]
    fn a_secret_is_found_however_it_is_written() {
        let secret = "sk-a/b\"c\\d";
        for (text, clean) in [
            ("sk-a/b\"c\\d", Some("…")),
            ("no sk-a/b\"c\\d, sk-a/b\"c\\d!", Some("no …, …!")),
            (r#"{"k":"sk-a/b\"c\\d"}"#, Some(r#"{"k":"…"}"#)),
            (r#"{"k":"sk-a\/b\"c\\d"}"#, Some(r#"{"k":"…"}"#)),
            (r#"{"k":"sk\u002da\u002Fb\u0022c\u005cd"#, Some(r#"{"k":"…"#)),
            (r"\\\u0073k-a/b\u0022c\\d\n", Some(r"\\…\n")),
            ("sk-sk-a/b\"c\\dd", Some("sk-…d")),
            ("sk-a/b\"c\\", None),
            ("sk\\u00", None),
            ("\\", None),
            ("é", None),
        ] {
            assert_eq!(replace_secret(text, secret, "…").as_deref(), clean, "{text}");
        }
    }
}
