//! Names of the files beside the database.

use std::path::{Path, PathBuf};

/// Returns `path` with a suffix appended to its whole name.
pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}
