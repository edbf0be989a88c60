//! Fields of JSON values, and the text in a field.
//!
//! A field inside an object is named with dots (`data.text`). A list of messages (`{"role", "content"}`) has a field
//! for each role, its last message: `messages.user` is the last message of the user.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

/// Levels of nested objects that are examined.
const DEPTH: usize = 4;
/// Fields at most.
pub(super) const MOST: usize = 200;

/// A JSON value whose object fields keep their order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Text(String),
    /// A number or a truth value, as it is written.
    Plain(String),
    List(Vec<Value>),
    Object(Vec<(String, Value)>),
}

/// Where a text is in a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TextField {
    /// The value itself is a text.
    Whole,
    /// In objects, from the outside in.
    Path(Vec<String>),
    /// In a list of messages: where the list is, and whose last message.
    Message(Vec<String>, String),
}

impl TextField {
    /// Returns the name of the column.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Whole => "text".to_owned(),
            Self::Path(path) => path.join("."),
            Self::Message(path, role) => format!("{}.{role}", path.join(".")),
        }
    }

    /// Returns the value of the field; `None` if it is missing or `null`.
    pub(super) fn of<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        let found = match self {
            Self::Whole => match value {
                Value::Object(_) | Value::List(_) => None,
                value => Some(value),
            },
            Self::Path(path) => value.at(path),
            Self::Message(path, role) => match value.at(path)? {
                Value::List(messages) => messages.iter().rev().find(|message| message.role() == Some(role)),
                _ => None,
            }
            .and_then(|message| message.get("content"))
            .and_then(Value::content),
        };
        found.filter(|value| **value != Value::Null)
    }
}

impl Value {
    /// Returns a field of an object: the last one of that name, as other parsers do.
    fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(fields) => fields.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value),
            _ => None,
        }
    }

    fn at(&self, path: &[String]) -> Option<&Self> {
        path.iter().try_fold(self, |value, name| value.get(name))
    }

    /// Returns the role, if the value is a message.
    fn role(&self) -> Option<&str> {
        match (self.get("role"), self.get("content")) {
            (Some(Self::Text(role)), Some(_)) => Some(role),
            _ => None,
        }
    }

    /// Returns the text of a message: a string, or its single text part.
    fn content(&self) -> Option<&Self> {
        let Self::List(parts) = self else { return Some(self) };
        let mut texts = parts.iter().filter_map(|part| part.get("text"));
        texts.next().filter(|_| texts.next().is_none())
    }

    /// Returns the kind of the value, in words.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Text(_) => "text",
            Self::Plain(word) if matches!(word.as_str(), "true" | "false") => "true or false",
            Self::Plain(_) => "a number",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }

    /// Returns the value as a label or sample: a text as it is, others as JSON.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            other => other.json(),
        }
    }

    fn json(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        match self {
            Self::Null => "null".to_owned(),
            Self::Text(text) => quoted(text),
            Self::Plain(plain) => plain.clone(),
            Self::List(values) => {
                format!("[{}]", values.iter().map(Self::json).collect::<Vec<_>>().join(","))
            }
            Self::Object(fields) => {
                let fields = fields.iter().map(|(name, value)| format!("{}:{}", quoted(name), value.json()));
                format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
            }
        }
    }

    /// Adds the fields of this value that are not in `fields` yet, in their order.
    pub(super) fn fields(&self, fields: &mut Vec<TextField>) {
        match self {
            Self::Object(_) => self.inside(&mut Vec::new(), fields),
            Self::Text(_) => add(TextField::Whole, fields),
            _ => {}
        }
    }

    fn inside(&self, path: &mut Vec<String>, fields: &mut Vec<TextField>) {
        match self {
            Self::Object(own) if path.len() < DEPTH => {
                for (name, value) in own {
                    path.push(name.clone());
                    value.inside(path, fields);
                    path.pop();
                }
            }
            Self::List(values) if values.iter().any(|value| value.role().is_some()) => {
                for role in values.iter().filter_map(Self::role) {
                    add(TextField::Message(path.clone(), role.to_owned()), fields);
                }
            }
            _ => add(TextField::Path(path.clone()), fields),
        }
    }
}

fn add(field: TextField, fields: &mut Vec<TextField>) {
    if fields.len() < MOST && !fields.contains(&field) {
        fields.push(field);
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FieldVisitor)
    }
}

struct FieldVisitor;

impl<'de> Visitor<'de> for FieldVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Plain(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Plain(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Plain(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Plain(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = seq.next_element()? {
            values.push(value);
        }
        Ok(Value::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(entry) = map.next_entry()? {
            fields.push(entry);
        }
        Ok(Value::Object(fields))
    }
}
