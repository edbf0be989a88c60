//! `POST /v1/embeddings`.

use std::fmt;

use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::completion::Prompt;
use super::lenient::{self, AnyReader, Flat, Object, scalar_or_default};
use super::probe::Probe;
use super::usage::Usage;
use super::vector::Vector;

/// What to embed: the same four forms a prompt has, at most 2048 entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbeddingRequest {
    /// Model id.
    pub model: String,
    /// The texts or token ids.
    pub input: Prompt,
    /// `float` or `base64`. `None`: the client asks for `base64`, a third of the bytes, where the server takes that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding_format: Option<String>,
    /// Length of the vectors, where the model lets one choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<u32>,
    /// An opaque name of the end user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
}

impl EmbeddingRequest {
    /// Returns how many vectors are asked for.
    pub fn inputs(&self) -> usize {
        match &self.input {
            Prompt::Text(_) | Prompt::Tokens(_) => 1,
            Prompt::Texts(texts) => texts.len(),
            Prompt::TokenLists(lists) => lists.len(),
        }
    }
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EmbeddingList {
    /// `list`
    pub object: String,
    /// One per input, if the server follows the interface. The client puts them in the order of [`Embedding::index`] if
    /// no two are the same; else it leaves them as they came. There may be fewer or more of them than inputs (some
    /// servers answer two texts with one vector), and their lengths may differ: the caller compares them with the
    /// request and reports a difference. One that cannot be read at all is an error: without it the others would belong
    /// to the wrong inputs.
    pub data: Vec<Embedding>,
    /// Model used; empty: the server does not say.
    pub model: String,
    /// Token counts; 0 where the server sent 0 or nothing.
    pub usage: Usage,
}

/// One vector.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Embedding {
    /// `embedding`
    pub object: String,
    /// Which input it belongs to, 0-based; 0 also where the server does not say. Some servers send 0 with all of them:
    /// it names an input only if no two in the list are the same.
    pub index: u32,
    /// The numbers; read from a list or from base64 of little-endian 32-bit floats. What stands in it and is no finite
    /// 32-bit number (null, `NaN`, `Infinity`, 1e39) is NaN.
    pub embedding: Vec<f32>,
}

impl EmbeddingList {
    /// Sorts the vectors by their indexes, unless two are the same.
    pub fn sort(&mut self) {
        let mut indexes: Vec<u32> = self.data.iter().map(|one| one.index).collect();
        indexes.sort_unstable();
        if indexes.windows(2).all(|pair| pair[0] < pair[1]) {
            self.data.sort_by_key(|one| one.index);
        }
    }
}

impl<'de> Deserialize<'de> for EmbeddingList {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        EmbeddingReader { numbers: usize::MAX }.deserialize(input).map(|(_, list)| list)
    }
}

impl<'de> Deserialize<'de> for Embedding {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        EmbeddingEntry { left: usize::MAX, length: 0 }.deserialize(input)
    }
}

/// Reads a body once, and returns what it is and the list in it. Only the list is built in memory.
#[derive(Clone, Copy, Debug)]
pub struct EmbeddingReader {
    /// Numbers that all vectors may have together; one more is an error.
    pub numbers: usize,
}

impl<'de> DeserializeSeed<'de> for EmbeddingReader {
    type Value = (Probe, EmbeddingList);

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        input.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for EmbeddingReader {
    type Value = (Probe, EmbeddingList);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut probe, mut list) = (Probe::default(), EmbeddingList::default());
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "data" => {
                    let data = map.next_value_seed(VectorList { numbers: self.numbers })?;
                    probe.note_data(data.is_some());
                    list.data = data.unwrap_or_default();
                }
                "model" => list.model = scalar_or_default(map.next_value()?),
                "usage" => list.usage = map.next_value::<Object<Usage>>()?.0.unwrap_or_default(),
                "object" => {
                    let object = map.next_value::<Flat>()?;
                    probe.note_object(&object);
                    list.object = scalar_or_default(object);
                }
                name => probe.read_field(name, &mut map)?,
            }
        }
        Ok((probe, list))
    }
}

/// Reads the list of vectors; `None` if it is not a list.
struct VectorList {
    numbers: usize,
}

impl<'de> DeserializeSeed<'de> for VectorList {
    type Value = Option<Vec<Embedding>>;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Self::Value, D::Error> {
        self.read(input)
    }
}

impl<'de> AnyReader<'de> for VectorList {
    type Value = Option<Vec<Embedding>>;

    fn list<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let (mut found, mut left, mut length) = (Vec::new(), self.numbers, 0);
        while let Some(one) = list.next_element_seed(EmbeddingEntry { left, length })? {
            length = one.embedding.len();
            left -= length;
            lenient::push(&mut found, one)?;
        }
        Ok(Some(found))
    }
}

/// Reads one entry of the list.
struct EmbeddingEntry {
    /// Numbers that it may have.
    left: usize,
    /// Numbers that the entry before it had: it probably has as many.
    length: usize,
}

impl<'de> DeserializeSeed<'de> for EmbeddingEntry {
    type Value = Embedding;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<Embedding, D::Error> {
        input.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for EmbeddingEntry {
    type Value = Embedding;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with a vector")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Embedding, A::Error> {
        let (mut one, mut vector) = (Embedding::default(), None);
        while let Some(name) = map.next_key::<String>()? {
            match name.as_str() {
                "object" => one.object = scalar_or_default(map.next_value()?),
                "index" => one.index = scalar_or_default(map.next_value()?),
                "embedding" => vector = Some(map.next_value_seed(Vector { most: self.left, length: self.length })?),
                _ => {
                    map.next_value::<serde::de::IgnoredAny>()?;
                }
            }
        }
        one.embedding = vector.ok_or_else(|| A::Error::missing_field("embedding"))?;
        Ok(one)
    }
}
