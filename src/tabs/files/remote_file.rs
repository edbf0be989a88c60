//! One file of a server, and what the list is sorted by.

use std::path::PathBuf;

use crate::api::call::{Download, Sha256};
use crate::api::file::File;
use crate::text::Untrusted;
use crate::ui::item_list::Keyed;
use crate::ui::table::SortDirection;

/// What files are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(super) enum RemoteOrder {
    Name,
    Size,
    Purpose,
    #[default]
    Created,
    FileStatus,
    Used,
}

impl RemoteOrder {
    pub(super) const ALL: [Self; 6] =
        [Self::Name, Self::Size, Self::Purpose, Self::Created, Self::FileStatus, Self::Used];

    /// Returns the next one, with the way that is mostly wanted.
    pub(super) fn next(self) -> (Self, SortDirection) {
        let next = Self::ALL[(self as usize + 1) % Self::ALL.len()];
        let descends = matches!(next, Self::Size | Self::Created);
        (next, SortDirection::from_descending(descends))
    }

    /// Returns its column.
    pub(super) fn column(self) -> usize {
        self as usize
    }
}

/// What became of a stored file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileStatus {
    /// The server has it, and has not looked at it yet.
    Uploaded,
    /// The server can use it.
    Processed,
    /// Why, where told.
    Error(Option<Untrusted>),
    /// Deleted elsewhere, as a call about it found out.
    DeletedElsewhere,
    /// A word of the server's that none of these are; empty: it says nothing.
    Other(Untrusted),
}

/// A stored file, its texts safe to keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteFile {
    /// `file-…`
    pub id: String,
    /// Its name as uploaded.
    pub name: Untrusted,
    /// Its size.
    pub bytes: u64,
    /// `fine-tune`, `fine-tune-results`, `search`, …
    pub purpose: Untrusted,
    /// Unix milliseconds; `None`: not told.
    pub created_ms: Option<i64>,
    /// What became of it.
    pub status: FileStatus,
    /// Whether its deletion is on its way.
    pub(super) going: bool,
}

impl Keyed for RemoteFile {
    type Key = str;

    fn key(&self) -> &str {
        &self.id
    }
}

impl RemoteFile {
    pub(super) fn of(file: File) -> Self {
        let status = match file.status.as_deref() {
            Some("uploaded" | "pending") => FileStatus::Uploaded,
            Some("processed") => FileStatus::Processed,
            Some("error") => FileStatus::Error(file.status_details.map(Untrusted::from)),
            Some("deleted") => FileStatus::DeletedElsewhere,
            other => FileStatus::Other(other.unwrap_or_default().into()),
        };
        Self {
            id: file.id,
            name: file.filename.into(),
            bytes: file.bytes,
            purpose: file.purpose.into(),
            created_ms: (file.created_at != 0).then(|| file.created_at.saturating_mul(1_000)),
            status,
            going: false,
        }
    }

    /// Returns the request for its content: into this folder, with the hash that it must have, if known.
    pub(super) fn download(&self, folder: PathBuf, sha256: Option<Sha256>) -> Download {
        let bytes = (self.bytes > 0).then_some(self.bytes);
        Download { id: self.id.clone(), name: self.name.raw().to_owned(), folder, bytes, sha256 }
    }
}

impl FileStatus {
    /// Returns the word of the interface for it; empty: the server says nothing.
    pub fn word(&self) -> Untrusted {
        match self {
            Self::Uploaded => "uploaded".into(),
            Self::Processed => "processed".into(),
            Self::Error(_) => "error".into(),
            Self::DeletedElsewhere => "deleted".into(),
            Self::Other(word) => word.clone(),
        }
    }
}

/// Returns its place among the states, what needs a look first.
pub(super) fn rank(status: &FileStatus) -> u8 {
    match status {
        FileStatus::Error(_) => 0,
        FileStatus::DeletedElsewhere => 1,
        FileStatus::Uploaded => 2,
        FileStatus::Processed => 3,
        FileStatus::Other(_) => 4,
    }
}
