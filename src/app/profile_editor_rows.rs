//! The rows of a profile's form, and how their texts are read.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::settings::edit_fields;
use crate::settings::{KeySource, Profile, keyring, limits};
use crate::ui::form::{Field, Form, Kind};

/// The rows whose values are JSON and written in an editor.
pub(super) const HEADERS: &str = "headers";
pub(super) const EXTRA: &str = "extra_body";
pub(super) const SAVE: &str = "save";
pub(super) const KEY: &str = "key";
/// What a key source needs: a variable, a command or a service.
pub(super) const DETAIL: &str = "key_detail";
/// The help of the row of the key.
const KEY_HELP: &str = if keyring::AVAILABLE {
    "⏎ cycles through: no key, a variable, a command, keys.toml, the system's keyring."
} else {
    "⏎ cycles through: no key, a variable, a command, keys.toml."
};
/// Name, label, what it takes, default, meaning.
type Row = (&'static str, &'static str, Kind, &'static str, &'static str);

const fn seconds(most: i64) -> Kind {
    Kind::Number { min: 1.0, max: most as f64, step: 5.0, whole: true }
}

const ROWS: [Row; 15] = [
    ("name", "Name", Kind::Text, "required", "What the profile is called."),
    ("base_url", "Base URL", Kind::Text, "required", "Where requests go, with /v1. A query goes with each request."),
    ("model", "Model", Kind::Text, "the server's first", "The model to start with."),
    (KEY, "Key from", Kind::Choice, "no key", KEY_HELP),
    (DETAIL, "", Kind::Shown, "—", ""),
    (HEADERS, "Headers", Kind::Choice, "none", "Further headers, as JSON: {\"X-Team\": \"lab\"}. ⏎ opens the editor."),
    (EXTRA, "Extra body", Kind::Choice, "none", "Further request fields, as JSON: {\"seed\": 7}. ⏎ opens the editor."),
    ("organization", "Organization", Kind::Text, "none", "Sent as OpenAI-Organization."),
    (
        "proxy",
        "Proxy",
        Kind::Text,
        "from the environment",
        "A URL (http, https, socks5), or none. Never used for this machine.",
    ),
    ("ca_file", "CA file", Kind::Text, "the machine's", "Certificates (PEM) to trust besides those of the machine."),
    ("connect_timeout", "Connect (s)", seconds(limits::CONNECT_MOST), "10", "Seconds to open a connection, 1 to 300."),
    (
        "headers_timeout",
        "First answer (s)",
        seconds(limits::HEADERS_MOST),
        "60",
        "Seconds from request to answer, 1 to 3600.",
    ),
    (
        "idle_timeout",
        "Silence (s)",
        seconds(limits::IDLE_MOST),
        "90",
        "Seconds without a byte of an answer, 1 to 3600.",
    ),
    (
        "fine_tunes",
        "Fine-tunes",
        Kind::Shown,
        "detected",
        "The server's route for fine-tunes; set it in the config file.",
    ),
    (SAVE, "Save", Kind::Choice, "⏎ to save", "Nothing is written before. Comments in the config file stay."),
];

/// How many rows there are.
pub(super) const COUNT: usize = ROWS.len();

/// Returns the rows for a profile; the owner shows those of its key and of JSON.
pub(super) fn form(profile: &Profile, name: String) -> Form {
    let field = |(name, label, kind, default, help): Row| Field {
        name,
        label,
        kind,
        value: String::new(),
        default,
        help,
        optional: false,
    };
    let mut form = Form::new(ROWS.into_iter().map(field).collect());
    let default = Profile::new("", KeySource::None);
    let limit = |limit: Duration, default| {
        if limit == default { String::new() } else { limit.as_secs().to_string() }
    };
    for (row, value) in [
        ("name", name),
        ("base_url", profile.base_url.clone()),
        ("model", profile.model.clone()),
        ("organization", profile.organization.clone().unwrap_or_default()),
        ("proxy", edit_fields::proxy_setting(&profile.proxy)),
        ("ca_file", profile.ca_file.clone()),
        ("connect_timeout", limit(profile.connect_limit, default.connect_limit)),
        ("headers_timeout", limit(profile.headers_limit, default.headers_limit)),
        ("idle_timeout", limit(profile.idle_limit, default.idle_limit)),
        ("fine_tunes", profile.fine_tunes.map(|dialect| dialect.name().to_owned()).unwrap_or_default()),
    ] {
        form.show(row, value);
    }
    form
}

/// Returns a map as JSON over several lines; empty for an empty map.
pub(super) fn json(map: &Map<String, Value>) -> String {
    if map.is_empty() { String::new() } else { serde_json::to_string_pretty(map).unwrap_or_default() }
}

/// Parses a JSON object; an empty text has no fields. The error names line and column.
pub(super) fn parse_object(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    serde_json::from_str(text).map_err(|error| {
        let what = error.to_string();
        let what = what.split(" at line ").next().unwrap_or_default().to_owned();
        format!("line {}, column {}: {what}", error.line(), error.column())
    })
}

/// Parses headers: a JSON object of texts.
pub(super) fn parse_headers(text: &str) -> Result<BTreeMap<String, String>, String> {
    let header = |(name, value): (String, Value)| {
        let Value::String(value) = value else {
            return Err(format!("the value of {name} must be text in quotes"));
        };
        http::HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| format!("{name:?} cannot be the name of a header"))?;
        http::HeaderValue::from_str(&value).map_err(|_| format!("the value of {name} cannot be sent in a header"))?;
        Ok((name, value))
    };
    parse_object(text)?.into_iter().map(header).collect()
}

/// Checks a proxy's URL, and returns it.
pub(super) fn check_proxy(url: &str) -> Result<String, String> {
    let known = ["http://", "https://", "socks4://", "socks4a://", "socks5://", "socks5h://"];
    if !known.iter().any(|scheme| url.starts_with(scheme)) || reqwest::Url::parse(url).is_err() {
        return Err("a proxy is a URL such as http://host:3128 or socks5://127.0.0.1:1080, or none".to_owned());
    }
    Ok(url.to_owned())
}

/// Returns whether a text can be the name of a variable; few keys can.
pub(super) fn is_variable(text: &str) -> bool {
    let word = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    word && !text.starts_with(|c: char| c.is_ascii_digit())
}

/// Returns a URL with an ellipsis for its query.
pub(super) fn without_query(url: &str) -> String {
    url.split_once('?').map_or_else(|| url.to_owned(), |(place, _)| format!("{place}?…"))
}

/// Returns a URL with an ellipsis for name and password.
pub(super) fn without_user(url: &str) -> String {
    let parts = url.split_once("://").and_then(|(scheme, rest)| Some((scheme, rest.rsplit_once('@')?.1)));
    parts.map_or_else(|| url.to_owned(), |(scheme, host)| format!("{scheme}://…@{host}"))
}

/// Returns a command with an ellipsis for what follows its first word.
pub(super) fn first_word(command: &str) -> String {
    let first = command.split_whitespace().next().unwrap_or_default();
    match first {
        first if first.contains('=') => "…".to_owned(),
        first if first == command.trim() => first.to_owned(),
        first => format!("{first} …"),
    }
}
