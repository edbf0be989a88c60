//! One file of a server, and what the list is sorted by.

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
pub(super) enum FileStatus {
    Uploaded,
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
pub(super) struct RemoteFile {
    pub(super) id: String,
    pub(super) name: Untrusted,
    pub(super) bytes: u64,
    pub(super) purpose: Untrusted,
    /// Unix milliseconds; `None`: not told.
    pub(super) created_ms: Option<i64>,
    pub(super) status: FileStatus,
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
