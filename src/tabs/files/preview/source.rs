//! The file that is previewed: local, or on a server.

use crate::record::files::SheetCopy;
use crate::settings::ProfileId;
use crate::text::Untrusted;

/// Where a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FileOrigin {
    Local { path: String },
    Remote { profile: ProfileId, id: String },
}

/// A file and its name.
#[derive(Debug)]
pub(super) struct FileSource {
    pub(super) origin: FileOrigin,
    pub(super) name: Untrusted,
    /// The copy of the first sheet of a local workbook, which is read in its place.
    pub(super) sheet_copy: Option<SheetCopy>,
}

impl FileSource {
    pub(super) fn new(origin: FileOrigin, name: Untrusted) -> Self {
        Self { origin, name, sheet_copy: None }
    }

    pub(super) fn is_remote(&self) -> bool {
        matches!(self.origin, FileOrigin::Remote { .. })
    }

    /// Returns whether it is a local workbook: its first sheet is shown as a table.
    pub(super) fn is_workbook(&self) -> bool {
        let name = self.name.line().to_lowercase();
        !self.is_remote() && [".xlsx", ".xlsm"].iter().any(|ending| name.ends_with(ending))
    }

    /// Returns the local file that is read; `None`: it is on a server.
    pub(super) fn read_path(&self) -> Option<String> {
        match (&self.origin, &self.sheet_copy) {
            (FileOrigin::Remote { .. }, _) => None,
            (FileOrigin::Local { .. }, Some(copy)) => Some(copy.path().to_string_lossy().into_owned()),
            (FileOrigin::Local { path }, None) => Some(path.clone()),
        }
    }
}
