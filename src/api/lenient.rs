//! Reads what servers really send: null, nothing, or another type than documented. None of these makes the reading
//! fail, and what does not fit is skipped without being built in memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::limits::LIST_ENTRIES;

/// Reads a scalar, or the default if it is null or of another type. Fails only at malformed JSON. For
/// `#[serde(deserialize_with = …)]` fields.
pub(crate) fn or_default<'de, D, T>(input: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    Ok(scalar_or_default(Flat::deserialize(input)?))
}

/// Reads an object, or the default if it is anything else. Fails if the object's fields do.
pub(crate) fn object<'de, D, T>(input: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(object_or_none(input)?.unwrap_or_default())
}

/// Reads an object; `None` if it is anything else.
pub(crate) fn object_or_none<'de, D, T>(input: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Object::deserialize(input)?.0)
}

/// Reads the entries that are objects; empty if it is no array. Fails above [`LIST_ENTRIES`] entries.
pub(crate) fn list<'de, D, T>(input: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(list_or_none(input)?.unwrap_or_default())
}

/// Reads the entries that are objects; `None` if it is no array.
pub(crate) fn list_or_none<'de, D, T>(input: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let found: Option<Vec<Object<T>>> = entries(input)?;
    Ok(found.map(|items| items.into_iter().filter_map(|item| item.0).collect()))
}

/// Reads objects. An entry of another type is replaced by the default, so that the others keep their places; empty if
/// it is no array. Fails above [`LIST_ENTRIES`] entries.
pub(crate) fn list_in_place<'de, D, T>(input: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let found: Option<Vec<Object<T>>> = entries(input)?;
    Ok(found.unwrap_or_default().into_iter().map(|item| item.0.unwrap_or_default()).collect())
}

/// Reads scalars. One that does not fit is replaced by the default, so that the others keep their places; empty if it
/// is no array. Fails above [`LIST_ENTRIES`] entries.
pub(crate) fn column<'de, D, T>(input: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    let found: Option<Vec<Flat>> = entries(input)?;
    Ok(found.unwrap_or_default().into_iter().map(scalar_or_default).collect())
}

/// Reads scalars by name. One that does not fit is replaced by the default; empty if it is no object. Fails only
/// at malformed JSON.
pub(crate) fn named<'de, D, T>(input: D) -> Result<BTreeMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    let found: Option<BTreeMap<String, Flat>> = object_or_none(input)?;
    Ok(found.unwrap_or_default().into_iter().map(|(name, value)| (name, scalar_or_default(value))).collect())
}

/// Reads a text from a string, or from an array of parts, whose texts are joined; `None` for anything else.
pub(crate) fn text<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    TextReader.read(input)
}

/// Reads a text as [`text`] does; empty for anything else. Fails only at malformed JSON.
pub(crate) fn text_or_empty<'de, D: Deserializer<'de>>(input: D) -> Result<String, D::Error> {
    Ok(text(input)?.unwrap_or_default())
}

/// Returns any scalar as text; `None` for null, arrays and objects.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Converts a scalar; returns the default if it is null or of another type.
pub(super) fn scalar_or_default<T: DeserializeOwned + Default>(value: Flat) -> T {
    serde_json::from_value(value.0).unwrap_or_default()
}

/// Skips the remaining entries of a list.
fn skip_entries<'de, A: SeqAccess<'de>>(mut list: A) -> Result<(), A::Error> {
    while list.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

/// Skips the remaining fields of an object.
fn skip_fields<'de, A: MapAccess<'de>>(mut object: A) -> Result<(), A::Error> {
    while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

/// Reads a value of any type. A type whose method is not implemented is skipped and gives the default.
pub(super) trait AnyReader<'de>: Sized {
    type Value: Default;

    /// Converts null, a boolean or a number.
    fn scalar(self, _value: Value) -> Self::Value {
        Self::Value::default()
    }

    /// Converts a text.
    fn text(self, _text: Cow<'_, str>) -> Self::Value {
        Self::Value::default()
    }

    /// Reads a list.
    fn list<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        skip_entries(list).map(|()| Self::Value::default())
    }

    /// Reads an object.
    fn object<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        skip_fields(object).map(|()| Self::Value::default())
    }

    /// Reads the value.
    fn read<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_any(AnyVisitor(self))
    }
}

struct AnyVisitor<R>(R);

impl<'de, R: AnyReader<'de>> Visitor<'de> for AnyVisitor<R> {
    type Value = R::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }
    fn visit_unit<E>(self) -> Result<R::Value, E> {
        Ok(self.0.scalar(Value::Null))
    }
    fn visit_bool<E>(self, flag: bool) -> Result<R::Value, E> {
        Ok(self.0.scalar(flag.into()))
    }
    fn visit_i64<E>(self, number: i64) -> Result<R::Value, E> {
        Ok(self.0.scalar(number.into()))
    }
    fn visit_u64<E>(self, number: u64) -> Result<R::Value, E> {
        Ok(self.0.scalar(number.into()))
    }
    fn visit_f64<E>(self, number: f64) -> Result<R::Value, E> {
        Ok(self.0.scalar(number.into()))
    }
    fn visit_str<E>(self, text: &str) -> Result<R::Value, E> {
        Ok(self.0.text(text.into()))
    }
    fn visit_string<E>(self, text: String) -> Result<R::Value, E> {
        Ok(self.0.text(text.into()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<R::Value, A::Error> {
        self.0.list(list)
    }
    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<R::Value, A::Error> {
        self.0.object(object)
    }
}

/// Any value, of which only a scalar is kept; null stands for the rest.
pub(crate) struct Flat(pub(crate) Value);

impl<'de> Deserialize<'de> for Flat {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct FlatReader;
        impl AnyReader<'_> for FlatReader {
            type Value = Value;

            fn scalar(self, value: Value) -> Value {
                value
            }

            fn text(self, text: Cow<'_, str>) -> Value {
                text.into()
            }
        }
        FlatReader.read(input).map(Self)
    }
}

/// Names: one text, the texts of an array, or the names of an object's fields that are true.
pub(crate) struct Names(pub(crate) Vec<String>);

impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct NamesReader;
        impl<'de> AnyReader<'de> for NamesReader {
            type Value = Vec<String>;

            fn text(self, text: Cow<'_, str>) -> Vec<String> {
                vec![text.into_owned()]
            }

            fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<String>, A::Error> {
                let mut names = Vec::new();
                while let Some(entry) = list.next_element::<Flat>()? {
                    if let Value::String(name) = entry.0 {
                        push(&mut names, name)?;
                    }
                }
                Ok(names)
            }

            fn object<A: MapAccess<'de>>(self, mut object: A) -> Result<Vec<String>, A::Error> {
                let mut names = Vec::new();
                while let Some((name, value)) = object.next_entry::<String, Flat>()? {
                    if value.0 == Value::Bool(true) {
                        push(&mut names, name)?;
                    }
                }
                Ok(names)
            }
        }
        NamesReader.read(input).map(Self)
    }
}

/// Any value, of which only an object is kept.
pub(crate) struct Object<T>(pub(crate) Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct ObjectReader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> AnyReader<'de> for ObjectReader<T> {
            type Value = Option<T>;

            fn object<A: MapAccess<'de>>(self, object: A) -> Result<Option<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(object)).map(Some)
            }
        }
        ObjectReader(PhantomData).read(input).map(Self)
    }
}

/// Reads the entries of an array, [`LIST_ENTRIES`] at most; `None` if it is no array.
pub(crate) fn entries<'de, D, T>(input: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct EntriesReader<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> AnyReader<'de> for EntriesReader<T> {
        type Value = Option<Vec<T>>;

        fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = list.next_element()? {
                push(&mut items, item)?;
            }
            Ok(Some(items))
        }
    }
    EntriesReader(PhantomData).read(input)
}

/// Appends an entry. Fails if the list has [`LIST_ENTRIES`] entries already.
pub(super) fn push<T, E: Error>(items: &mut Vec<T>, item: T) -> Result<(), E> {
    if items.len() == LIST_ENTRIES {
        return Err(E::custom(format!("a list has more than {LIST_ENTRIES} entries")));
    }
    items.push(item);
    Ok(())
}

/// Reads a text in one piece or in parts.
struct TextReader;

impl<'de> AnyReader<'de> for TextReader {
    type Value = Option<String>;

    fn text(self, text: Cow<'_, str>) -> Option<String> {
        Some(text.into_owned())
    }

    fn list<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Option<String>, A::Error> {
        let mut text = String::new();
        while let Some(TextPart(part)) = parts.next_element()? {
            text.push_str(part.as_deref().unwrap_or_default());
        }
        Ok(Some(text))
    }
}

/// One part of a text: a string, or an object with a field `text`.
struct TextPart(Option<String>);

impl<'de> Deserialize<'de> for TextPart {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct PartReader;
        impl<'de> AnyReader<'de> for PartReader {
            type Value = Option<String>;

            fn text(self, text: Cow<'_, str>) -> Option<String> {
                Some(text.into_owned())
            }

            fn object<A: MapAccess<'de>>(self, mut part: A) -> Result<Option<String>, A::Error> {
                let mut found = None;
                while let Some(name) = part.next_key::<String>()? {
                    if name == "text" {
                        found = scalar_or_default(part.next_value()?);
                    } else {
                        part.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(found)
            }
        }
        PartReader.read(input).map(Self)
    }
}

/// Text, an object, or neither.
#[derive(Default)]
pub(super) enum Either<T> {
    #[default]
    Neither,
    Text(String),
    Object(T),
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Either<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct EitherReader<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> AnyReader<'de> for EitherReader<T> {
            type Value = Either<T>;

            fn text(self, text: Cow<'_, str>) -> Either<T> {
                Either::Text(text.into_owned())
            }

            fn object<A: MapAccess<'de>>(self, object: A) -> Result<Either<T>, A::Error> {
                T::deserialize(MapAccessDeserializer::new(object)).map(Either::Object)
            }
        }
        EitherReader(PhantomData).read(input)
    }
}
