//! Reading what servers really send: null, missing, or of another type than written down. None of it breaks a decode,
//! and none of it is built up in memory only to be thrown away: what does not fit is read past.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::limits::LIST_ENTRIES;

/// A scalar, or the default when it is null or of another type. For `#[serde(deserialize_with = …)]` fields.
pub(crate) fn or_default<'de, D, T>(input: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    Ok(flat(Flat::deserialize(input)?))
}

/// An object, or the default when it is anything else.
pub(crate) fn object<'de, D, T>(input: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Ok(object_or_none(input)?.unwrap_or_default())
}

/// An object, `None` when it is anything else.
pub(crate) fn object_or_none<'de, D, T>(input: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(Object::deserialize(input)?.0)
}

/// The entries that are objects; not an array: none.
pub(crate) fn list<'de, D, T>(input: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Ok(list_or_none(input)?.unwrap_or_default())
}

/// The entries that are objects; `None` when it is no array.
pub(crate) fn list_or_none<'de, D, T>(input: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    let found: Option<Vec<Object<T>>> = entries(input)?;
    Ok(found.map(|items| items.into_iter().filter_map(|item| item.0).collect()))
}

/// Objects, each entry that is none replaced by the default so that the others keep their places; not an array: none.
pub(crate) fn places<'de, D, T>(input: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    let found: Option<Vec<Object<T>>> = entries(input)?;
    Ok(found.unwrap_or_default().into_iter().map(|item| item.0.unwrap_or_default()).collect())
}

/// Scalars, each one that does not fit replaced by the default so that the others keep their places; not an array:
/// none.
pub(crate) fn column<'de, D, T>(input: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    let found: Option<Vec<Flat>> = entries(input)?;
    Ok(found.unwrap_or_default().into_iter().map(flat).collect())
}

/// Scalars by name, each one that does not fit replaced by the default; not an object: none.
pub(crate) fn named<'de, D, T>(input: D) -> Result<BTreeMap<String, T>, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    let found: Option<BTreeMap<String, Flat>> = object_or_none(input)?;
    Ok(found.unwrap_or_default().into_iter().map(|(name, value)| (name, flat(value))).collect())
}

/// Text as a string, or as the text parts of an array of parts, joined; anything else: `None`.
pub(crate) fn text<'de, D: Deserializer<'de>>(input: D) -> Result<Option<String>, D::Error> {
    Ok(LenientText::deserialize(input)?.0)
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

pub(super) fn flat<T: DeserializeOwned + Default>(value: Flat) -> T {
    serde_json::from_value(value.0).unwrap_or_default()
}

pub(super) fn past_entries<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<(), A::Error> {
    while seq.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

pub(super) fn past_fields<'de, A: MapAccess<'de>>(mut map: A) -> Result<(), A::Error> {
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

/// Any value, of which only a scalar is kept; null stands for the rest.
pub(crate) struct Flat(pub(crate) Value);

impl<'de> Deserialize<'de> for Flat {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Value;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_bool<E>(self, flag: bool) -> Result<Value, E> {
                Ok(Value::from(flag))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
                Ok(Value::from(number))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
                Ok(Value::from(number))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
                Ok(Value::from(number))
            }
            fn visit_str<E>(self, text: &str) -> Result<Value, E> {
                Ok(Value::from(text))
            }
            fn visit_string<E>(self, text: String) -> Result<Value, E> {
                Ok(Value::from(text))
            }
            fn visit_unit<E>(self) -> Result<Value, E> {
                Ok(Value::Null)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Value, A::Error> {
                past_entries(seq).map(|()| Value::Null)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
                past_fields(map).map(|()| Value::Null)
            }
        }
        input.deserialize_any(Any).map(Self)
    }
}

/// Answers of a visitor to every scalar: nothing.
macro_rules! no_scalars {
    ($nothing:expr) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("anything")
        }
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($nothing)
        }
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok($nothing)
        }
    };
}
pub(super) use no_scalars;

/// Any value, of which only an object is kept.
pub(super) struct Object<T>(pub(super) Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Any<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Any<T> {
            type Value = Option<T>;
            no_scalars!(None);
            fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
                Ok(None)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                past_entries(seq).map(|()| None)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(Some)
            }
        }
        input.deserialize_any(Any(PhantomData)).map(Self)
    }
}

/// The entries of an array, [`LIST_ENTRIES`] at most; `None` when it is none.
pub(crate) fn entries<'de, D, T>(input: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct Any<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for Any<T> {
        type Value = Option<Vec<T>>;
        no_scalars!(None);
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok(None)
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = seq.next_element()? {
                if items.len() == LIST_ENTRIES {
                    return Err(A::Error::custom(format!("a list has more than {LIST_ENTRIES} entries")));
                }
                items.push(item);
            }
            Ok(Some(items))
        }
        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            past_fields(map).map(|()| None)
        }
    }
    input.deserialize_any(Any(PhantomData))
}

/// Text in one piece or in parts.
struct LenientText(Option<String>);

impl<'de> Deserialize<'de> for LenientText {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Option<String>;
            no_scalars!(None);
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Some(text.to_owned()))
            }
            fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
                Ok(Some(text))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut text = String::new();
                while let Some(LenientPart(part)) = seq.next_element()? {
                    text.push_str(part.as_deref().unwrap_or_default());
                }
                Ok(Some(text))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                past_fields(map).map(|()| None)
            }
        }
        input.deserialize_any(Any).map(Self)
    }
}

/// One part of a text: a string, or an object with a field `text`.
struct LenientPart(Option<String>);

impl<'de> Deserialize<'de> for LenientPart {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Option<String>;
            no_scalars!(None);
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Some(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
                past_entries(seq).map(|()| None)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut found = None;
                while let Some(name) = map.next_key::<String>()? {
                    if name == "text" {
                        found = flat(map.next_value()?);
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(found)
            }
        }
        input.deserialize_any(Any).map(Self)
    }
}
