//! Values of TOML as JSON and the reverse, and where they stand in a file.

use std::ops::Range;

use serde_json::Value as Json;
use toml_edit::{Array, InlineTable, Item, Value};

/// Bytes of a file that a warning is about.
pub(super) type Span = Option<Range<usize>>;

/// Line and column, 1-based, of a byte.
pub(super) fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at.min(text.len())];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[start..].chars().count() + 1)
}

/// A TOML value as JSON; dates become text.
pub(super) fn json(item: &Item) -> Json {
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
        return array.iter().map(|value| json(&Item::Value(value.clone()))).collect();
    }
    if let Some(table) = item.as_table_like() {
        return Json::Object(table.iter().map(|(name, item)| (name.to_owned(), json(item))).collect());
    }
    Json::from(item.to_string().trim())
}

/// A JSON value in TOML, which has no null.
pub(super) fn toml(json: &Json) -> Result<Value, &'static str> {
    Ok(match json {
        Json::Null => return Err("the config file cannot hold null; leave the field out"),
        Json::Bool(flag) => Value::from(*flag),
        Json::String(text) => Value::from(text.as_str()),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::from(whole),
            (None, Some(float)) if !number.is_u64() => Value::from(float),
            _ => return Err("the number is too large for the config file"),
        },
        Json::Array(items) => Value::Array(items.iter().map(toml).collect::<Result<Array, _>>()?),
        Json::Object(fields) => {
            let pairs = fields.iter().map(|(name, value)| Ok((name.as_str(), toml(value)?)));
            Value::InlineTable(pairs.collect::<Result<InlineTable, &str>>()?)
        }
    })
}
