//! A file of the server as JSON.

use serde::Serialize;

use crate::commands::request::VERSION;
use crate::tabs::files::RemoteFile;

/// A file of the server, as JSON.
#[derive(Debug, Serialize)]
pub(super) struct FileJson<'a> {
    version: u32,
    id: &'a str,
    name: &'a str,
    bytes: u64,
    purpose: &'a str,
    /// Unix seconds; null: unknown.
    created_at: Option<i64>,
    /// `uploaded`, `processed`, `error`, `deleted`; null: the server does not say.
    status: Option<String>,
    /// Where it was uploaded from.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
}

impl<'a> FileJson<'a> {
    /// Describes a file that was uploaded from this path.
    pub(super) fn uploaded(path: &'a str, file: &'a RemoteFile) -> Self {
        Self { path: Some(path), ..Self::from(file) }
    }
}

impl<'a> From<&'a RemoteFile> for FileJson<'a> {
    fn from(file: &'a RemoteFile) -> Self {
        let status = file.status.word();
        Self {
            version: VERSION,
            id: &file.id,
            name: file.name.raw(),
            bytes: file.bytes,
            purpose: file.purpose.raw(),
            created_at: file.created_ms.map(|created| created / 1000),
            status: (!status.is_empty()).then(|| status.raw().to_owned()),
            path: None,
        }
    }
}
