//! `POST /v1/embeddings`.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::completion::Prompt;
use super::lenient;
use super::usage::Usage;

/// What to embed: the same four forms a prompt has, at most 2048 entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbeddingRequest {
    /// Model id.
    pub model: String,
    /// The texts or token ids.
    pub input: Prompt,
    /// `float` or `base64`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding_format: Option<String>,
    /// Length of the vectors, where the model lets one choose.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dimensions: Option<u32>,
    /// An opaque name of the end user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct EmbeddingList {
    /// `list`
    #[serde(deserialize_with = "lenient::or_default")]
    pub object: String,
    /// One per input. One that cannot be read is an error: without it the others would stand for the wrong inputs.
    pub data: Vec<Embedding>,
    /// Model used.
    #[serde(deserialize_with = "lenient::or_default")]
    pub model: String,
    /// Token counts.
    #[serde(deserialize_with = "lenient::object")]
    pub usage: Usage,
}

/// One vector.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Embedding {
    /// `embedding`
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub object: String,
    /// Which input it belongs to.
    #[serde(default, deserialize_with = "lenient::or_default")]
    pub index: u32,
    /// The numbers; read from a list or from base64 of little-endian 32-bit floats.
    #[serde(deserialize_with = "vector")]
    pub embedding: Vec<f32>,
}

/// A vector in either encoding.
fn vector<'de, D: Deserializer<'de>>(input: D) -> Result<Vec<f32>, D::Error> {
    Ok(match Value::deserialize(input)? {
        Value::Array(numbers) => numbers
            .iter()
            .map(|number| number.as_f64().map(|number| number as f32).filter(|number| number.is_finite()))
            .collect::<Option<_>>()
            .ok_or_else(|| serde::de::Error::custom("the vector holds something that is no number"))?,
        Value::String(text) => floats(&text).ok_or_else(|| serde::de::Error::custom("the vector is not base64"))?,
        _ => return Err(serde::de::Error::custom("the vector is neither a list nor base64")),
    })
}

/// Base64 of little-endian floats, all finite; `None`: not that.
fn floats(text: &str) -> Option<Vec<f32>> {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).ok()?;
    let (floats, rest) = bytes.as_chunks::<4>();
    let finite = |four: &[u8; 4]| Some(f32::from_le_bytes(*four)).filter(|number| number.is_finite());
    rest.is_empty().then(|| floats.iter().map(finite).collect()).flatten()
}
