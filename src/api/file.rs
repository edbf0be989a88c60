//! `/v1/files`.

use serde::{Deserialize, Deserializer, Serialize};

use super::lenient::{self, Flat};
use super::limits::FILE_BYTES;

/// A stored file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct File {
    /// `file-…`
    #[serde(deserialize_with = "lenient::or_default")]
    pub id: String,
    /// `file`
    #[serde(deserialize_with = "lenient::or_default")]
    pub object: String,
    /// Size; 0 if none was sent that is possible.
    #[serde(deserialize_with = "size")]
    pub bytes: u64,
    /// Unix seconds.
    #[serde(deserialize_with = "lenient::or_default")]
    pub created_at: i64,
    /// Name as uploaded: text from outside, never a path.
    #[serde(deserialize_with = "lenient::or_default")]
    pub filename: String,
    /// `fine-tune`, `fine-tune-results`, `search`, …
    #[serde(deserialize_with = "lenient::or_default")]
    pub purpose: String,
    /// `uploaded`, `processed`, `error`, `deleted`.
    #[serde(deserialize_with = "lenient::or_default", skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Why its status is `error`.
    #[serde(deserialize_with = "lenient::or_default")]
    pub status_details: Option<String>,
}

/// The answer to `GET /v1/files`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FileList {
    /// `list`
    #[serde(deserialize_with = "lenient::or_default")]
    pub object: String,
    /// The files; servers promise no order.
    #[serde(deserialize_with = "lenient::list")]
    pub data: Vec<File>,
    /// The first file's id; servers of 2023 do not send it.
    #[serde(deserialize_with = "lenient::or_default")]
    pub first_id: Option<String>,
    /// The last file's id: what `after` takes for the next page.
    #[serde(deserialize_with = "lenient::or_default")]
    pub last_id: Option<String>,
    /// Whether there is a next page.
    #[serde(deserialize_with = "lenient::or_default")]
    pub has_more: bool,
}

/// Reads a whole number of bytes of at most [`FILE_BYTES`], also one written as a float; anything else is 0.
fn size<'de, D: Deserializer<'de>>(input: D) -> Result<u64, D::Error> {
    let Flat(value) = Flat::deserialize(input)?;
    let whole = || value.as_f64().filter(|size| *size >= 0.0 && size.fract() == 0.0).map(|size| size as u64);
    Ok(value.as_u64().or_else(whole).filter(|size| *size <= FILE_BYTES).unwrap_or_default())
}
