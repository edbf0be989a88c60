//! The record of a stored file.

use serde::{Deserialize, Serialize};

use crate::api::file::File;

/// A stored file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Stored {
    /// `file-` and 24 letters and digits.
    pub(crate) id: String,
    /// The organisation it belongs to.
    pub(crate) organisation: String,
    /// Its purpose.
    pub(crate) purpose: String,
    /// The name it was uploaded with: never a path.
    pub(crate) filename: String,
    /// Size.
    pub(crate) bytes: u64,
    /// Unix seconds.
    pub(crate) created_at: i64,
    /// SHA-256 in lower-case hex.
    pub(crate) sha256: String,
    /// The state of its check.
    pub(crate) status: Status,
    /// What the check found wrong.
    pub(crate) status_details: Option<String>,
    /// A number that grows with each file, for their order.
    pub(super) serial: u64,
}

/// How far the check of a file's rows is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// Not checked yet.
    Uploaded,
    /// Valid, or nothing to check.
    Processed,
    /// Invalid: `status_details` says why.
    Error,
}

impl Stored {
    /// Returns the file as answers show it.
    pub(crate) fn file(&self) -> File {
        let status = match self.status {
            Status::Uploaded => "uploaded",
            Status::Processed => "processed",
            Status::Error => "error",
        };
        File {
            id: self.id.clone(),
            object: "file".into(),
            bytes: self.bytes,
            created_at: self.created_at,
            filename: self.filename.clone(),
            purpose: self.purpose.clone(),
            status: Some(status.into()),
            status_details: self.status_details.clone(),
        }
    }
}
