//! Where a command writes what it downloads.

use std::fs;
use std::path::{Path, PathBuf};

use crate::disk;

/// Where to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::commands) enum Target {
    /// To standard output.
    Standard,
    /// Into this folder, absolute, under the file's own name. It may have to be created first.
    Folder(PathBuf),
    /// Into this folder, absolute, under this name, which no file has.
    File(PathBuf, String),
}

impl Target {
    /// Reads the value of `--output`: a folder, a file, or `-` for standard output. A path that ends with `/` is a
    /// folder, which [`Self::create_folder`] creates if it is not there.
    ///
    /// # Errors
    /// Nothing can be written there; a sentence.
    pub(in crate::commands) fn of(output: &str) -> Result<Self, String> {
        if output == "-" {
            return Ok(Self::Standard);
        }
        let path = Path::new(output);
        let path = std::path::absolute(path).map_err(|why| format!("--output: {output} is no path: {why}"))?;
        // Without a slash at its end, which a file would not have.
        let path: PathBuf = path.components().collect();
        if output.ends_with('/') && path.exists() && !path.is_dir() {
            return Err(format!("--output: {output} is not a folder: name one"));
        }
        if output.ends_with('/') || path.is_dir() {
            return Ok(Self::Folder(path));
        }
        let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
            return Err(format!("--output: {output} does not name a file: add its name"));
        };
        if !folder.is_dir() {
            return Err(format!("--output: the folder {} does not exist: create it first", folder.display()));
        }
        if path.symlink_metadata().is_ok() {
            return Err(format!("--output: {output} exists already, and no file is overwritten: choose another name"));
        }
        if disk::clean(name) != name {
            return Err(format!("--output: {output} cannot be the name of a download: choose another name"));
        }
        Ok(Self::File(folder.to_owned(), name.to_owned()))
    }

    /// Creates the folder if it is not there, once there is something to write.
    ///
    /// # Errors
    /// It cannot be created; a sentence.
    pub(in crate::commands) fn create_folder(&self) -> Result<(), String> {
        let Self::Folder(folder) = self else { return Ok(()) };
        let created = fs::create_dir_all(folder);
        created.map_err(|why| format!("--output: the folder {} cannot be created: {why}", folder.display()))
    }

    /// Returns the current folder.
    ///
    /// # Errors
    /// There is none; a sentence.
    pub(in crate::commands) fn here() -> Result<Self, String> {
        let here = std::env::current_dir();
        here.map(Self::Folder)
            .map_err(|why| format!("the current folder cannot be used: {why}; name one with --output"))
    }
}
