//! JSON, parsed value by value: numbers go straight into the table.

use std::fmt;
use std::io::Read;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::ImportedVectors;

/// Numbers for which memory is reserved in advance, whatever the file claims to hold: those of 1 GiB.
const ROOM: usize = 1 << 28;

/// Reads an object with `vectors` or `matrix`, or the list alone. Fails with a sentence if it is malformed.
pub(super) fn read(file: &mut impl Read) -> Result<ImportedVectors, String> {
    let mut found = ImportedVectors::default();
    let mut json = serde_json::Deserializer::from_reader(file);
    let read = ImportedFile(&mut found).deserialize(&mut json).and_then(|()| json.end());
    read.map_err(|error| error.to_string())?;
    Ok(found)
}

/// A number, or what stands for one that JSON does not have.
struct Number(f32);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(Figure).map(Self)
    }
}

/// Parses a number.
struct Figure;

impl Visitor<'_> for Figure {
    type Value = f32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<f32, E> {
        Ok(number as f32)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<f32, E> {
        Ok(number as f32)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<f32, E> {
        Ok(number as f32)
    }

    fn visit_unit<E: Error>(self) -> Result<f32, E> {
        Ok(f32::NAN)
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<f32, E> {
        match word {
            "Infinity" => Ok(f32::INFINITY),
            "-Infinity" => Ok(f32::NEG_INFINITY),
            "NaN" => Ok(f32::NAN),
            _ => Err(E::custom("found a word instead of a number")),
        }
    }
}

/// The whole file.
struct ImportedFile<'a>(&'a mut ImportedVectors);

impl<'de> DeserializeSeed<'de> for ImportedFile<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        input.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ImportedFile<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `vectors` or `matrix`, or a list of vectors")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, list: S) -> Result<(), S::Error> {
        self.0.unsaid = true;
        RowList(self.0).visit_seq(list)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let (mut rows, mut dimensions) = (0, 0);
        let mut seen = false;
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "model" => self.0.model = map.next_value::<Option<String>>()?.map(Into::into),
                "rows" => rows = map.next_value::<usize>()?,
                "dimensions" => dimensions = map.next_value::<usize>()?,
                "norms" => {
                    let norms = map.next_value::<Vec<Number>>()?;
                    self.0.norms = Some(norms.into_iter().map(|number| number.0).collect());
                }
                "order" => self.0.order = Some(map.next_value()?),
                "vectors" | "matrix" => {
                    if std::mem::replace(&mut seen, true) {
                        return Err(M::Error::custom("it has more than one list of vectors"));
                    }
                    self.0.matrix = name == "matrix";
                    if rows.saturating_mul(dimensions) <= ROOM {
                        self.0.table.reserve(rows.min(ROOM), dimensions);
                    }
                    map.next_value_seed(RowList(&mut *self.0))?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if seen { Ok(()) } else { Err(M::Error::custom("it has neither `vectors` nor `matrix`")) }
    }
}

/// The list of rows.
struct RowList<'a>(&'a mut ImportedVectors);

impl<'de> DeserializeSeed<'de> for RowList<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<(), D::Error> {
        input.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for RowList<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of vectors")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<(), S::Error> {
        let mut numbers = Vec::new();
        while let Some(row) =
            list.next_element_seed(ImportedRow { numbers: &mut numbers, at: self.0.texts.len() + 1 })?
        {
            let vector = row.there.then_some(&numbers[..]);
            self.0.push(row.text.map(Into::into), vector).map_err(S::Error::custom)?;
        }
        Ok(())
    }
}

/// One row: an object with its text and its vector, or the vector alone. Its numbers go into `numbers`.
struct ImportedRow<'a> {
    numbers: &'a mut Vec<f32>,
    at: usize,
}

/// A row's fields besides its numbers.
#[derive(Default)]
struct About {
    text: Option<String>,
    there: bool,
}

impl<'de> DeserializeSeed<'de> for ImportedRow<'_> {
    type Value = About;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<About, D::Error> {
        let at = self.at;
        input.deserialize_any(self).map_err(|error| D::Error::custom(format!("row {at}: {error}")))
    }
}

impl<'de> Visitor<'de> for ImportedRow<'_> {
    type Value = About;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a vector, or an object with `text` and `vector`")
    }

    fn visit_unit<E: Error>(self) -> Result<About, E> {
        Ok(About::default())
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<About, S::Error> {
        self.numbers.clear();
        while let Some(Number(number)) = list.next_element()? {
            self.numbers.push(number);
        }
        Ok(About { text: None, there: true })
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<About, M::Error> {
        let mut about = About::default();
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "text" | "input" => about.text = map.next_value()?,
                "vector" | "cosines" | "embedding" => {
                    about.there = map.next_value_seed(ImportedRow { numbers: &mut *self.numbers, at: self.at })?.there;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(about)
    }
}
