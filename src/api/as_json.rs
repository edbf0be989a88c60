//! Writes a value of any kind as JSON while it is read, without building it in memory: as text it takes no more memory
//! than on the wire.

use std::fmt;

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};

/// Reads a string as it is, null as an empty text, anything else as JSON text. For `#[serde(deserialize_with = …)]`
/// fields.
pub(super) fn text<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    let mut json = String::new();
    JsonWriter(&mut json).deserialize(input)?;
    Ok(match json.as_bytes().first() {
        Some(b'"') => serde_json::from_str(&json).map_err(D::Error::custom)?,
        _ if json == "null" => String::new(),
        _ => json,
    })
}

/// Appends what is read to a text.
struct JsonWriter<'a>(&'a mut String);

impl<'de> DeserializeSeed<'de> for JsonWriter<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for JsonWriter<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.0.push_str("null");
        Ok(())
    }

    fn visit_bool<E>(self, flag: bool) -> Result<(), E> {
        self.0.push_str(if flag { "true" } else { "false" });
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.0.push_str(&number.to_string());
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.0.push_str(&number.to_string());
        Ok(())
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.0.push_str(&serde_json::to_string(&number).map_err(E::custom)?);
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.0.push_str(&serde_json::to_string(text).map_err(E::custom)?);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let Self(json) = self;
        json.push('[');
        while seq.next_element_seed(JsonWriter(json))?.is_some() {
            json.push(',');
        }
        close(json, ']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self(json) = self;
        json.push('{');
        while map.next_key_seed(JsonWriter(json))?.is_some() {
            json.push(':');
            map.next_value_seed(JsonWriter(json))?;
            json.push(',');
        }
        close(json, '}');
        Ok(())
    }
}

/// Ends a list or an object, without the comma after its last entry.
fn close(json: &mut String, end: char) {
    if json.ends_with(',') {
        json.pop();
    }
    json.push(end);
}
