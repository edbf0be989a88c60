//! Reads the error body of the interface, and what other servers send in its place.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::lenient::scalar;
use super::limits::ERROR_WORDS;

/// The interface's error body: `{"error":{…}}` with all four keys always present.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ErrorBody {
    /// The envelope's one field.
    pub error: ErrorFields,
}

/// What stands inside the envelope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ErrorFields {
    /// A sentence.
    pub message: String,
    /// `invalid_request_error`, `server_error`, `requests`, …
    #[serde(rename = "type")]
    pub kind: String,
    /// The field at fault.
    pub param: Option<String>,
    /// A name for machines.
    pub code: Option<String>,
}

/// An error of any server. Every field may be missing, and no value makes the reading fail.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApiError {
    /// The server's words, [`ERROR_WORDS`] characters at most; empty: it had none.
    pub message: String,
    /// `type`; empty: not sent.
    pub kind: String,
    /// `param`.
    pub param: Option<String>,
    /// `code`, any scalar as text.
    pub code: Option<String>,
}

/// Reads an error body in any of the shapes seen: the envelope, also in a list, `{"error":"text"}`, `{"detail":…}`,
/// fields at top level, HTML, plain text, nothing. Never fails.
pub fn read_error(body: &[u8]) -> ApiError {
    match serde_json::from_slice::<Value>(body) {
        Ok(value) => read_value(&value),
        Err(_) => ApiError { message: message_of_text(&String::from_utf8_lossy(body)), ..ApiError::default() },
    }
}

/// Reads an error from a parsed value. The message is empty if the value has none of the known fields.
fn read_value(value: &Value) -> ApiError {
    // Google's servers send the envelope in a list.
    if let Some([only]) = value.as_array().map(Vec::as_slice) {
        return read_value(only);
    }
    let fields = value.get("error").filter(|inner| inner.is_object()).unwrap_or(value);
    let message = ["error", "message", "detail", "msg", "error_description"]
        .iter()
        .filter_map(|name| fields.get(name))
        .map(|found| scalar(found).unwrap_or_else(|| nested_message(found)))
        .find(|words| !words.is_empty())
        .or_else(|| value.as_str().map(str::to_owned))
        .unwrap_or_default();
    // It becomes part of a sentence.
    let message = on_one_line(&message);
    let param = fields.get("param").and_then(scalar).filter(|param| param != "None");
    let kind = fields.get("type").and_then(scalar).filter(|kind| kind != "None").unwrap_or_default();
    ApiError { message, kind, param, code: fields.get("code").and_then(scalar) }
}

/// Returns the message in a nested value: a list of errors as one sentence (FastAPI's as `field: what`), or an error
/// within.
fn nested_message(value: &Value) -> String {
    let Value::Array(items) = value else { return read_value(value).message };
    let lines = items.iter().map(|item| {
        let place = item.get("loc").and_then(Value::as_array).and_then(|loc| loc.last()).and_then(scalar);
        let what = read_value(item).message;
        place.map_or_else(|| what.clone(), |place| format!("{place}: {what}"))
    });
    lines.collect::<Vec<_>>().join("; ")
}

/// Returns the title of an HTML page, or the first lines of a plain text.
fn message_of_text(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let words = match (lower.find("<title>"), lower.find("</title>")) {
        (Some(start), Some(end)) if start + 7 <= end => &text[start + 7..end],
        _ if lower.trim_start().starts_with('<') => "",
        _ => text,
    };
    on_one_line(words)
}

/// Returns the first [`ERROR_WORDS`] characters of a text, on one line.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(ERROR_WORDS).collect()
}
