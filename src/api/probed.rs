//! Reads a value and classifies the body that holds it, in one parse.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::probe::{NOTED_FIELDS, Probe};
use super::value_kind::{ValueKind, WithKind};

/// A value, and what the body is that it was read from. Deserializing it fails if the body is not an object. Of the
/// value, the fields that classify a body must accept any type.
#[derive(Clone, Debug)]
pub struct Probed<T> {
    /// What the body is. Its tokens and names are not counted.
    pub probe: Probe,
    /// What was read.
    pub value: T,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Probed<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct ProbedVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ProbedVisitor<T> {
            type Value = Probed<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Probed<T>, A::Error> {
                let mut probe = Probe::default();
                let fields = NotedFields { map, probe: &mut probe, field: None };
                let value = T::deserialize(MapAccessDeserializer::new(fields))?;
                Ok(Probed { probe, value })
            }
        }
        input.deserialize_any(ProbedVisitor(PhantomData))
    }
}

/// The fields of an object, noted in a probe as they are read.
struct NotedFields<'p, A> {
    map: A,
    probe: &'p mut Probe,
    /// The field whose value is next, if it is one that classifies the body.
    field: Option<&'static str>,
}

#[derive(Deserialize)]
struct FieldName<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de, A: MapAccess<'de>> MapAccess<'de> for NotedFields<'_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let Some(FieldName(name)) = self.map.next_key()? else { return Ok(None) };
        self.field = NOTED_FIELDS.into_iter().find(|noted| *noted == name);
        seed.deserialize(name.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        let Some(field) = self.field.take() else { return self.map.next_value_seed(seed) };
        let mut kind = ValueKind::default();
        let value = self.map.next_value_seed(WithKind { inner: seed, kind: &mut kind })?;
        self.probe.note(field, kind);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::api::chat::ChatChunk;
    use crate::api::probe::AnswerField;

    #[test]
    fn a_body_is_classified_as_without_its_value_and_the_value_is_the_same() {
        let kinds = [
            "null",
            "false",
            "true",
            "0",
            "-1",
            "1.5",
            "\"\"",
            "\"x\"",
            "\"error\"",
            "[]",
            "[{}]",
            "{}",
            "{\"a\":[1]}",
        ];
        let other = ["choices", "model", "message"];
        for name in NOTED_FIELDS.into_iter().chain(other).chain(["\\u0065rror"]) {
            for kind in kinds {
                for rest in ["", r#","choices":[{"delta":{"content":"an error"}}]"#, r#","detail":"x""#] {
                    let body = format!("{{\"id\":\"1\",\"{name}\":{kind}{rest}}}");
                    let plain = Probe::of(body.as_bytes()).expect("JSON");
                    let read: Probed<Value> = serde_json::from_str(&body).expect("JSON");
                    let facts = |probe: Probe| {
                        let fields = [AnswerField::Choices, AnswerField::Data, AnswerField::Results];
                        (probe.is_error(), fields.map(|field| probe.holds(field)), probe.has_usage())
                    };
                    assert_eq!(facts(read.probe), facts(plain), "{body}");
                    assert_eq!(read.value, serde_json::from_str::<Value>(&body).expect("JSON"));
                    if let Ok(chunk) = serde_json::from_str::<ChatChunk>(&body) {
                        let read: Probed<ChatChunk> = serde_json::from_str(&body).expect("JSON");
                        assert_eq!((facts(read.probe), read.value), (facts(plain), chunk), "{body}");
                    }
                }
            }
        }
        for body in ["[]", "[{}]", "1", "\"error\"", "null", "{", "{\"error\":"] {
            assert!(serde_json::from_str::<Probed<Value>>(body).is_err(), "{body}");
        }
    }
}
