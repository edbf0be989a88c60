//! The kinds of values that tell errors from answers, noted while the values are read or skipped.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, forward_to_deserialize_any};

/// What kind of value a field holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum ValueKind {
    /// Null, false or an empty text.
    Nothing,
    List,
    /// The text `error`.
    ErrorWord,
    #[default]
    Other,
}

impl ValueKind {
    fn of_bool(flag: bool) -> Self {
        if flag { Self::Other } else { Self::Nothing }
    }

    fn of_text(text: &str) -> Self {
        match text {
            "" => Self::Nothing,
            "error" => Self::ErrorWord,
            _ => Self::Other,
        }
    }
}

impl<'de> Deserialize<'de> for ValueKind {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let mut kind = Self::default();
        WithKind { inner: PhantomData::<IgnoredAny>, kind: &mut kind }.deserialize(input)?;
        Ok(kind)
    }
}

/// A seed, a deserializer or a visitor that also notes the kind of the value.
pub(super) struct WithKind<'k, T> {
    pub(super) inner: T,
    pub(super) kind: &'k mut ValueKind,
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for WithKind<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(WithKind { inner: input, kind: self.kind })
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for WithKind<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(WithKind { inner: visitor, kind: self.kind })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for WithKind<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }
    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        *self.kind = ValueKind::Nothing;
        self.inner.visit_unit()
    }
    fn visit_bool<E: Error>(self, flag: bool) -> Result<V::Value, E> {
        *self.kind = ValueKind::of_bool(flag);
        self.inner.visit_bool(flag)
    }
    fn visit_i64<E: Error>(self, number: i64) -> Result<V::Value, E> {
        self.inner.visit_i64(number)
    }
    fn visit_u64<E: Error>(self, number: u64) -> Result<V::Value, E> {
        self.inner.visit_u64(number)
    }
    fn visit_f64<E: Error>(self, number: f64) -> Result<V::Value, E> {
        self.inner.visit_f64(number)
    }
    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        *self.kind = ValueKind::of_text(text);
        self.inner.visit_str(text)
    }
    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<V::Value, E> {
        *self.kind = ValueKind::of_text(text);
        self.inner.visit_borrowed_str(text)
    }
    fn visit_string<E: Error>(self, text: String) -> Result<V::Value, E> {
        *self.kind = ValueKind::of_text(&text);
        self.inner.visit_string(text)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        *self.kind = ValueKind::List;
        self.inner.visit_seq(list)
    }
    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(object)
    }
}
