//! `/v1/files`.

use serde::{Deserialize, Serialize};

use super::lenient;

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
    /// Size.
    #[serde(deserialize_with = "lenient::or_default")]
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
    /// Why it is in error.
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
