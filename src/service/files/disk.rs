//! The files' folder: each file is `<id>.data`, its bytes, and `<id>.json`, its record.
//!
//! A file exists if its `.json` does. That is created last, by a rename, after the bytes are synced, and deleted first.
//! So an interruption leaves at most bytes without a `.json`, which the next start removes. There is one small record
//! for each file rather than a journal or a table: nothing has to be replayed or compacted, and damage to one does not
//! affect the others. Names on disk are ids created here; nothing a caller sent becomes part of a path.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ring::digest;

use super::super::secret;
use super::stored::{Status, Stored};
use crate::disk::{open_own, read_own};
use crate::settings::paths::keep_private;

/// The prefix of files that [`secret::write_private`] has not finished.
const UNFINISHED: &str = ".tmp";

/// The folder.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// Opens the folder under `home` and reads the records in it, in the order in which the files were stored. Removes
    /// what a crash left incomplete. Fails if the folder cannot be created or read.
    pub(super) fn open(home: &Path) -> io::Result<(Self, Vec<Stored>)> {
        let folder = Self(home.join("files"));
        keep_private(&folder.0)?;
        let (mut known, mut contents, mut stored) = (HashSet::new(), Vec::new(), Vec::new());
        for entry in fs::read_dir(&folder.0)? {
            let path = entry?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            if name.starts_with(UNFINISHED) {
                remove(&path);
            } else if let Some(id) = name.strip_suffix(".json") {
                known.insert(id.to_owned());
                stored.extend(folder.record(id));
            } else if let Some(id) = name.strip_suffix(".data") {
                contents.push(id.to_owned());
            }
        }
        for id in contents.iter().filter(|id| !known.contains(*id)) {
            tracing::info!(%id, "an upload that was cut off is removed");
            remove(&folder.data(id));
        }
        stored.sort_by_key(|stored| stored.serial);
        Ok((folder, stored))
    }

    /// Reads the record of a file; `None` if it is unreadable, in which case record and bytes are left as they are.
    fn record(&self, id: &str) -> Option<Stored> {
        let read = read_own(&self.json(id)).and_then(|bytes| Ok(serde_json::from_slice::<Stored>(&bytes)?));
        let mut stored = match read {
            Ok(stored) if stored.id == id => stored,
            Ok(_) => return unreadable(id, "it names another file"),
            Err(why) => return unreadable(id, &why.to_string()),
        };
        let length = fs::symlink_metadata(self.data(id)).map_or(0, |meta| meta.len());
        if length != stored.bytes {
            let bytes = stored.bytes;
            tracing::warn!(%id, length, bytes, "a stored file has not the size it was accepted with");
            stored.status = Status::Error;
            stored.status_details =
                Some(format!("The stored content is damaged: {length} bytes are left of {bytes}. Upload it again."));
        }
        Some(stored)
    }

    /// Creates a file. Fails if the disk refuses.
    pub(super) fn begin(&self) -> io::Result<Partial> {
        self.begin_as(secret::stored_id("file-"))
    }

    /// Creates a file with an id that no other has. Fails if the id is taken or the disk refuses.
    pub(super) fn begin_as(&self, id: String) -> io::Result<Partial> {
        let path = self.data(&id);
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path)?;
        Ok(Partial { id, path, file, hash: digest::Context::new(&digest::SHA256), bytes: 0, kept: false })
    }

    /// Completes a file: it and its record survive a power cut when this returns. Fails if the disk refuses.
    pub(super) fn commit(&self, mut partial: Partial, stored: &Stored) -> io::Result<()> {
        partial.file.sync_all()?;
        self.update_record(stored)?;
        partial.kept = true;
        Ok(())
    }

    /// Writes a file's record durably. Fails if the disk refuses.
    pub(super) fn update_record(&self, stored: &Stored) -> io::Result<()> {
        secret::write_private(&self.json(&stored.id), &serde_json::to_string(stored)?)
    }

    /// Opens the bytes of a file. Fails if there is no such file.
    pub(super) fn read(&self, id: &str) -> io::Result<File> {
        open_own(&self.data(id))
    }

    /// Deletes a file. Fails if its record cannot be removed.
    pub(super) fn remove(&self, id: &str) -> io::Result<()> {
        match fs::remove_file(self.json(id)) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
            _ => {}
        }
        // Otherwise a power cut could bring it back.
        #[cfg(unix)]
        File::open(&self.0)?.sync_all()?;
        remove(&self.data(id));
        Ok(())
    }

    fn data(&self, id: &str) -> PathBuf {
        self.0.join(format!("{id}.data"))
    }

    fn json(&self, id: &str) -> PathBuf {
        self.0.join(format!("{id}.json"))
    }
}

fn unreadable(id: &str, why: &str) -> Option<Stored> {
    tracing::warn!(%id, why, "the record of a stored file cannot be read; the file is left where it is");
    None
}

/// Removes a file that is not needed; if that fails, the next start removes it.
fn remove(path: &Path) {
    if let Err(why) = fs::remove_file(path) {
        tracing::warn!(path = %path.display(), %why, "a file could not be removed");
    }
}

/// A file that is being written; it is deleted if it is dropped before it is complete.
pub(super) struct Partial {
    id: String,
    path: PathBuf,
    file: File,
    hash: digest::Context,
    bytes: u64,
    kept: bool,
}

impl Partial {
    /// Appends bytes and hashes them. Fails if the disk refuses.
    pub(super) fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Returns the id it will have.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Returns the bytes written so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the hash of the bytes so far, in hex.
    pub(super) fn sha256(&self) -> String {
        use std::fmt::Write as _;
        let digest = self.hash.clone().finish();
        digest.as_ref().iter().fold(String::with_capacity(64), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }

    /// Opens what was written so far, from its beginning. Fails if the disk does.
    pub(super) fn read(&self) -> io::Result<File> {
        File::open(&self.path)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if !self.kept {
            remove(&self.path);
        }
    }
}
