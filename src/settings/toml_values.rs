//! Converts values of TOML to JSON and back, and finds the line of a value.

use std::ops::Range;

use serde_json::Value as Json;
use toml_edit::{Array, Document, InlineTable, Item, Value};

/// Bytes of a file that a warning is about.
pub(super) type Span = Option<Range<usize>>;

/// Returns line and column, from 1, of a byte.
pub(super) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at.min(text.len())];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

/// Returns the line of the value at this path of keys; `None`: the text has none there, or is not TOML.
pub(super) fn line_of(text: &str, path: &[&str]) -> Option<usize> {
    let document = Document::parse(text).ok()?;
    let item = path.iter().try_fold(document.as_item(), |item, key| item.as_table_like()?.get(key))?;
    Some(line_and_column(text, item.span()?.start).0)
}

/// Converts a TOML value to JSON; dates become text.
pub(super) fn to_json(item: &Item) -> Json {
    if let Some(text) = item.as_str() {
        return Json::from(text);
    }
    if let Some(number) = item.as_integer() {
        return Json::from(number);
    }
    if let Some(number) = item.as_float() {
        return Json::from(number);
    }
    if let Some(flag) = item.as_bool() {
        return Json::from(flag);
    }
    if let Some(array) = item.as_array() {
        return array.iter().map(|value| to_json(&Item::Value(value.clone()))).collect();
    }
    if let Some(table) = item.as_table_like() {
        return Json::Object(table.iter().map(|(name, item)| (name.to_owned(), to_json(item))).collect());
    }
    Json::from(item.to_string().trim())
}

/// Converts a JSON value to TOML, which has no null.
pub(super) fn to_toml(json: &Json) -> Result<Value, &'static str> {
    Ok(match json {
        Json::Null => return Err("the config file cannot hold null; leave the field out"),
        Json::Bool(flag) => Value::from(*flag),
        Json::String(text) => Value::from(text.as_str()),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::from(whole),
            (None, Some(float)) if !number.is_u64() => Value::from(float),
            _ => return Err("the number is too large for the config file"),
        },
        Json::Array(items) => Value::Array(items.iter().map(to_toml).collect::<Result<Array, _>>()?),
        Json::Object(fields) => {
            let pairs = fields.iter().map(|(name, value)| Ok((name.as_str(), to_toml(value)?)));
            Value::InlineTable(pairs.collect::<Result<InlineTable, &str>>()?)
        }
    })
}
