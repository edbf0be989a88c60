//! Reading what servers really send: null, missing, or of another type than written down. None of it breaks a decode.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// The value, or the default when it is null or of another type. For `#[serde(deserialize_with = …)]` fields.
pub(crate) fn or_default<'de, D, T>(input: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    Ok(serde_json::from_value(Value::deserialize(input)?).unwrap_or_default())
}

/// The elements that can be read; not an array: none.
pub(crate) fn list<'de, D, T>(input: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned,
{
    let Value::Array(items) = Value::deserialize(input)? else { return Ok(Vec::new()) };
    Ok(items.into_iter().filter_map(|item| serde_json::from_value(item).ok()).collect())
}

/// Text as a string, or as the text parts of an array of parts, joined; anything else: `None`.
pub(crate) fn text<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(input)? {
        Value::String(text) => Some(text),
        Value::Array(parts) => Some(
            parts
                .iter()
                .filter_map(|part| part.as_str().or_else(|| part.get("text").and_then(Value::as_str)))
                .collect(),
        ),
        _ => None,
    })
}

/// As [`text`], empty for nothing.
pub(crate) fn text_or_empty<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    Ok(text(input)?.unwrap_or_default())
}

/// Any scalar as text; null, arrays and objects: `None`.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}
