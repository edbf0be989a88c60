//! Reads a vector of an answer, a list of numbers or base64 of little-endian 32-bit floats, without building anything
//! but the numbers in memory.

use std::fmt;

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};

/// Base64 of which some servers leave the padding out.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// How many numbers memory is reserved for at most before the vector's length is known.
const MAX_RESERVED: usize = 1 << 14;

/// Reads a vector.
pub(super) struct Vector {
    /// How many numbers it may have; one more is an error.
    pub(super) most: usize,
    /// How many numbers it probably has; 0 if that is unknown.
    pub(super) length: usize,
}

impl<'de> DeserializeSeed<'de> for Vector {
    type Value = Vec<f32>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Vec<f32>, D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Vector {
    type Value = Vec<f32>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a vector, as a list of numbers or as base64")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Vec<f32>, E> {
        if text.len() / 4 * 3 / 4 > self.most {
            return Err(too_many());
        }
        let bytes = BASE64.decode(text).map_err(|_| E::invalid_value(Unexpected::Other("another text"), &self))?;
        let (floats, rest) = bytes.as_chunks::<4>();
        if !rest.is_empty() {
            return Err(E::custom("the vector is not base64 of whole 32-bit floats"));
        }
        if floats.len() > self.most {
            return Err(too_many());
        }
        Ok(floats.iter().map(|four| finite(f32::from_le_bytes(*four))).collect())
    }

    /// Reads null, for a vector that the server could not compute, as an empty one, so that the others are not lost.
    fn visit_unit<E>(self) -> Result<Vec<f32>, E> {
        Ok(Vec::new())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<f32>, A::Error> {
        let mut numbers = Vec::with_capacity(self.length.min(self.most).min(MAX_RESERVED));
        while let Some(Number(number)) = seq.next_element()? {
            if numbers.len() == self.most {
                return Err(too_many());
            }
            numbers.push(number);
        }
        numbers.shrink_to_fit();
        Ok(numbers)
    }
}

fn too_many<E: Error>() -> E {
    E::custom("the vectors have more numbers than any model gives for so many texts")
}

/// Replaces infinity by NaN, which stands for everything that is no finite 32-bit number.
fn finite(number: f32) -> f32 {
    if number.is_finite() { number } else { f32::NAN }
}

/// One number.
struct Number(f32);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct NumberVisitor;
        impl<'de> Visitor<'de> for NumberVisitor {
            type Value = f32;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }
            fn visit_f64<E>(self, number: f64) -> Result<f32, E> {
                Ok(finite(number as f32))
            }
            fn visit_u64<E>(self, number: u64) -> Result<f32, E> {
                Ok(number as f32)
            }
            fn visit_i64<E>(self, number: i64) -> Result<f32, E> {
                Ok(number as f32)
            }
            fn visit_unit<E>(self) -> Result<f32, E> {
                Ok(f32::NAN)
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<f32, E> {
                // `NaN` and its like in quotes; other numbers in quotes are numbers too.
                text.trim().parse().map(finite).map_err(|_| E::invalid_type(Unexpected::Str("…"), &self))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<f32, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Err(A::Error::invalid_type(Unexpected::Seq, &self))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<f32, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Err(A::Error::invalid_type(Unexpected::Map, &self))
            }
        }
        input.deserialize_any(NumberVisitor).map(Self)
    }
}
