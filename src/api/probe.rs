//! Classifies a body without building it in memory: an error, an answer, or neither.

use std::fmt;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::lenient::{AnyReader, Flat};
use super::tally::Choices;
use super::value_kind::ValueKind;

/// The fields that classify a body.
pub(super) const NOTED_FIELDS: [&str; 7] = ["error", "object", "detail", "choices", "data", "results", "usage"];

/// What an answer must hold to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerField {
    /// Choices: a chat answer or a chunk of one.
    Choices,
    /// A list `data`.
    Data,
    /// A list `results`: a moderation.
    Results,
}

/// The fields that distinguish answers from errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    errors: ErrorFields,
    choices: Choices,
    data: bool,
    results: NameCount,
    usage: bool,
}

/// The fields that mark an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ErrorFields {
    /// `error` holds something.
    error: bool,
    /// `object` is `error`.
    object: bool,
    /// `detail` holds something.
    detail: bool,
}

impl Probe {
    /// Reads the fields of a body. Fails if it is not a JSON object.
    pub fn of(body: &[u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(body)
    }

    /// Returns whether the body reports an error, even if it also contains an answer.
    pub fn is_error(self) -> bool {
        let ErrorFields { error, object, detail } = self.errors;
        error || object || (detail && !self.choices.list && !self.data && !self.results.list)
    }

    /// Returns whether the body contains the field that is wanted.
    pub fn holds(self, wanted: AnswerField) -> bool {
        match wanted {
            AnswerField::Choices => self.choices.list,
            AnswerField::Data => self.data,
            AnswerField::Results => self.results.list,
        }
    }

    /// Returns how many tokens the choices contain, with the alternatives to each. One with a long name counts as
    /// several.
    pub fn tokens(self) -> usize {
        self.choices.tokens
    }

    /// Returns how many names the results contain: each is stored with a flag or a score.
    pub fn names(self) -> usize {
        self.results.names
    }

    /// Reads the value of a field. Fails only at malformed JSON.
    pub(super) fn read_field<'de, A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        match name {
            "choices" => self.choices = map.next_value()?,
            "results" => self.results = map.next_value()?,
            name if NOTED_FIELDS.contains(&name) => self.note(name, map.next_value()?),
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }

    /// Notes what kind of value one of [`NOTED_FIELDS`] holds.
    pub(super) fn note(&mut self, name: &str, kind: ValueKind) {
        let (holds_something, list) = (kind != ValueKind::Nothing, kind == ValueKind::List);
        match name {
            "error" => self.errors.error |= holds_something,
            "object" => self.errors.object |= kind == ValueKind::ErrorWord,
            "detail" => self.errors.detail |= holds_something,
            "choices" => self.choices.list = list,
            "data" => self.note_data(list),
            "results" => self.results.list = list,
            "usage" => self.usage |= holds_something,
            _ => {}
        }
    }

    /// Notes the value of the field `object`.
    pub(super) fn note_object(&mut self, value: &Flat) {
        self.errors.object |= value.0 == "error";
    }

    /// Notes that there is a field `data`, and whether it is a list.
    pub(super) fn note_data(&mut self, list: bool) {
        self.data |= list;
    }

    /// Returns whether the body holds token counts.
    pub fn has_usage(self) -> bool {
        self.usage
    }
}

impl<'de> Deserialize<'de> for Probe {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct ProbeFields;
        impl<'de> Visitor<'de> for ProbeFields {
            type Value = Probe;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Probe, A::Error> {
                let mut probe = Probe::default();
                while let Some(name) = map.next_key::<String>()? {
                    probe.read_field(&name, &mut map)?;
                }
                Ok(probe)
            }
        }
        input.deserialize_any(ProbeFields)
    }
}

/// How many names the list of results contains, or what is in its place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct NameCount {
    list: bool,
    /// Names of fields at any depth.
    names: usize,
}

impl<'de> Deserialize<'de> for NameCount {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct NameCounter;
        impl<'de> AnyReader<'de> for NameCounter {
            type Value = NameCount;

            fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<NameCount, A::Error> {
                let mut names = 0;
                while let Some(inner) = list.next_element::<NameCount>()? {
                    names += inner.names;
                }
                Ok(NameCount { list: true, names })
            }

            fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<NameCount, A::Error> {
                let mut names = 0;
                while let Some((_, inner)) = object.next_entry::<IgnoredAny, NameCount>()? {
                    names += 1 + inner.names;
                }
                Ok(NameCount { list: false, names })
            }
        }
        NameCounter.read(input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_weigh_more_than_answers() {
        for (body, error, choices) in [
            (r#"{"choices":[],"error":null}"#, false, true),
            (r#"{"choices":[],"error":{"message":"m"}}"#, true, true),
            (r#"{"object":"error","message":"m"}"#, true, false),
            (r#"{"detail":"Not Found"}"#, true, false),
            (r#"{"detail":"x","choices":[]}"#, false, true),
            (r#"{"status":"ok"}"#, false, false),
            (r#"{"choices":{}}"#, false, false),
        ] {
            let probe = Probe::of(body.as_bytes()).expect("JSON");
            assert_eq!((probe.is_error(), probe.holds(AnswerField::Choices)), (error, choices), "{body}");
        }
        assert!(Probe::of(b"[]").is_err() && Probe::of(b"{").is_err());
    }
}
