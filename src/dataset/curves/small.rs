//! JSON of events, reduced to what events need: a list of numbers would take many times its size in memory.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Members of an object that are kept.
const MEMBERS: usize = 128;
/// Bytes of a text that are kept, and of a key.
const TEXT: usize = 4096;
const KEY: usize = 256;
/// Levels of objects that are kept: an event, and its figures.
const DEEP: u8 = 2;
/// Names under which an answer has its list of events.
const PLACES: [&str; 2] = ["data", "events"];

/// Parses one JSON value and calls back with the events of its list: of the value itself, or under `data`, `events` or
/// both in turn. `None`: there was a list; else what is kept of the value.
pub(super) fn events(bytes: &[u8], each: &mut dyn FnMut(&Value)) -> serde_json::Result<Option<Value>> {
    let mut found = false;
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let mut list = |value: &Value| each(value);
    let value = Small { deep: DEEP + 1, places: 3, list: Some(EventVisitor { each: &mut list, found: &mut found }) };
    let value = value.deserialize(&mut json)?;
    json.end()?;
    Ok((!found).then_some(value))
}

/// Parses one event; fails if it is not JSON.
pub(super) fn event(bytes: &[u8]) -> serde_json::Result<Value> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = Small { deep: DEEP, places: 0, list: None }.deserialize(&mut json)?;
    json.end()?;
    Ok(value)
}

/// Receives the events of a list.
struct EventVisitor<'a> {
    each: &'a mut dyn FnMut(&Value),
    found: &'a mut bool,
}

/// Parses a value and keeps little of it.
struct Small<'a> {
    /// Remaining depth of nested objects that are kept.
    deep: u8,
    /// Levels below it at which a list is still read.
    places: u8,
    list: Option<EventVisitor<'a>>,
}

impl<'de> DeserializeSeed<'de> for Small<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Small<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value[..value.floor_char_boundary(TEXT)].into())
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        match self.list {
            Some(EventVisitor { each, found }) if !*found => {
                *found = true;
                while let Some(value) = items.next_element_seed(Small { deep: DEEP, places: 0, list: None })? {
                    each(&value);
                }
            }
            _ => while items.next_element::<IgnoredAny>()?.is_some() {},
        }
        // For a list it only matters that it is not an object.
        Ok(Value::Array(Vec::new()))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        while let Some(mut key) = members.next_key::<String>()? {
            if self.deep == 0 || kept.len() >= MEMBERS || key.len() > KEY {
                members.next_value::<IgnoredAny>()?;
                continue;
            }
            let list = match &mut self.list {
                Some(EventVisitor { each, found }) if self.places > 1 && PLACES.contains(&key.as_str()) => {
                    Some(EventVisitor { each: &mut **each, found })
                }
                _ => None,
            };
            let inside = Small { deep: self.deep - 1, places: self.places.saturating_sub(1), list };
            let value = members.next_value_seed(inside)?;
            key.shrink_to_fit();
            kept.insert(key, value);
        }
        Ok(Value::Object(kept))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_no_event_needs_is_not_kept() {
        assert_eq!(event(b"[0, 0, 0]").unwrap(), json!([]));
        assert_eq!(
            event(br#"{"step": 1, "x": [[1], 2], "data": {"a": 0.5, "b": {"c": 1}}}"#).unwrap(),
            json!({"step": 1, "x": [], "data": {"a": 0.5, "b": {}}})
        );
        let many: Vec<String> = (0..1000).map(|n| format!("\"{n}\": {n}")).collect();
        let kept = event(format!("{{{}}}", many.join(",")).as_bytes()).unwrap();
        assert_eq!(kept.as_object().unwrap().len(), MEMBERS);
        assert!(event(b"{} x").is_err());
    }

    #[test]
    fn a_list_is_found_where_answers_have_it() {
        for text in [r#"[{"a": 1}]"#, r#"{"data": [{"a": 1}]}"#, r#"{"events": {"data": [{"a": 1}]}, "data": null}"#] {
            let mut told = Vec::new();
            assert_eq!(events(text.as_bytes(), &mut |event| told.push(event.clone())).unwrap(), None, "{text}");
            assert_eq!(told, [json!({"a": 1})], "{text}");
        }
        let one = events(br#"{"step": 1, "data": {"a": 0.5}}"#, &mut |_| panic!("no list")).unwrap();
        assert_eq!(one, Some(json!({"step": 1, "data": {"a": 0.5}})));
    }
}
