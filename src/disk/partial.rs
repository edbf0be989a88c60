//! Partial files: a download continues where it stopped, also after a restart.
//!
//! Beside the bytes (`.benchtop-<mark>.part`) a note (`.benchtop-<mark>.json`) holds their version and how many of them
//! are synced. The bytes after those may be anything after a power cut and are not used.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};

use super::hashing::Hashing;
use super::keeping::{Keeper, Keeping};
use super::lock::locked;
use super::new::place;

/// Bytes read at once.
const BLOCK: usize = 256 << 10;
/// Bytes of a note at most.
const NOTE: u64 = 64 << 10;

/// Which version the bytes of a partial file belong to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Note {
    /// What distinguishes this version from others; `None`: nothing, so nothing can be appended to it later.
    pub version: Option<String>,
    /// Bytes of the complete file, if known.
    pub total: Option<u64>,
    /// Bytes that are synced.
    pub(super) durable: u64,
}

/// A partial file, locked by this process. It stays on the disk when this is dropped, to be continued.
pub struct Partial {
    folder: PathBuf,
    bytes: PathBuf,
    about: PathBuf,
    file: File,
    note: Note,
    length: u64,
    hash: Hashing,
    /// The sync under way while more is written.
    keeping: Option<Keeping>,
}

impl Note {
    /// Describes a version of which no bytes are written yet.
    pub fn new(version: Option<String>, total: Option<u64>) -> Self {
        Self { version, total, durable: 0 }
    }
}

impl fmt::Debug for Partial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partial").field("length", &self.length).field("note", &self.note).finish_non_exhaustive()
    }
}

impl Partial {
    /// Opens the partial file of `what` in a folder, or creates it; `what` identifies the download. Reads the bytes
    /// that are there, to continue their hash; asks `go` between blocks whether to continue. Fails if the file is
    /// locked by another process, cannot be read, or `go` returns false.
    pub fn open(folder: &Path, what: &[&str], go: &mut dyn FnMut() -> bool) -> io::Result<Self> {
        let mut mark = String::new();
        let whole = what.iter().fold(Vec::new(), |mut whole, part| {
            whole.extend_from_slice(&(part.len() as u64).to_le_bytes());
            whole.extend_from_slice(part.as_bytes());
            whole
        });
        for byte in &digest(&SHA256, &whole).as_ref()[..12] {
            use std::fmt::Write as _;
            let _ = write!(mark, "{byte:02x}");
        }
        let bytes = folder.join(format!(".benchtop-{mark}.part"));
        let about = folder.join(format!(".benchtop-{mark}.json"));
        let file = locked(&bytes, go)?;
        let mut partial = Self {
            folder: folder.to_owned(),
            bytes,
            about,
            file,
            note: Note::default(),
            length: 0,
            hash: Hashing::start()?,
            keeping: None,
        };
        match read_note(&partial.about).filter(|note| note.version.is_some()) {
            Some(note) => partial.take_up(note, go)?,
            None => partial.restart(Note::default())?,
        }
        Ok(partial)
    }

    /// Truncates the file to what is synced and hashes that.
    fn take_up(&mut self, note: Note, go: &mut dyn FnMut() -> bool) -> io::Result<()> {
        self.hash.restart();
        let durable = note.durable.min(self.file.metadata()?.len());
        self.file.seek(SeekFrom::Start(0))?;
        let mut left = durable;
        while left > 0 {
            if !go() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let mut block = vec![0; left.min(BLOCK as u64) as usize];
            let read = self.file.read(&mut block)?;
            if read == 0 {
                break;
            }
            block.truncate(read);
            self.hash.add(block.into());
            left -= read as u64;
        }
        self.length = durable - left;
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length))?;
        self.note = Note { durable: self.length, ..note };
        Ok(())
    }

    /// Deletes the bytes and begins with the version of `note`. Fails if the disk refuses.
    pub fn restart(&mut self, note: Note) -> io::Result<()> {
        self.settle()?;
        // The note first: bytes without one belong to no version.
        match fs::remove_file(&self.about) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
            _ => {}
        }
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.length = 0;
        self.hash.restart();
        self.note = Note { durable: 0, ..note };
        Ok(())
    }

    /// Returns which version the bytes belong to.
    pub fn note(&self) -> &Note {
        &self.note
    }

    /// Returns the bytes written so far.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Returns the hash of the bytes so far, after waiting for it.
    pub fn sha256(&self) -> [u8; 32] {
        self.hash.sha256()
    }

    /// Appends bytes. Fails if the disk refuses them.
    pub fn write(&mut self, bytes: Bytes) -> io::Result<()> {
        self.hash.add(bytes.clone());
        self.file.write_all(&bytes)?;
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Returns how many bytes are neither synced nor being synced.
    pub fn pending(&self) -> u64 {
        self.length - self.keeping.as_ref().map_or(self.note.durable, |keeping| keeping.upto)
    }

    /// Syncs all bytes to the disk, and notes that, so that they can be continued. Fails if the disk refuses.
    pub fn keep(&mut self) -> io::Result<()> {
        self.settle()?;
        if self.pending() > 0 {
            self.keeper()?.keep()?;
            self.note.durable = self.length;
        }
        Ok(())
    }

    /// Starts [`Partial::keep`] on another thread, while more is written; waits for an earlier one first. An error of
    /// this sync is returned by the next call.
    pub fn keep_beside(&mut self) -> io::Result<()> {
        self.settle()?;
        self.keeping = Some(self.keeper()?.keep_beside()?);
        Ok(())
    }

    fn keeper(&self) -> io::Result<Keeper> {
        Ok(Keeper {
            file: self.file.try_clone()?,
            note: Note { durable: self.length, ..self.note.clone() },
            about: self.about.clone(),
            folder: self.folder.clone(),
        })
    }

    /// Waits for the sync under way; fails if that failed.
    fn settle(&mut self) -> io::Result<()> {
        if let Some(keeping) = self.keeping.take() {
            self.note.durable = keeping.wait()?;
        }
        Ok(())
    }

    /// Truncates the file to at most `length` bytes, and hashes what is left. Fails if the disk refuses or `go` returns
    /// false.
    pub fn shorten(&mut self, length: u64, go: &mut dyn FnMut() -> bool) -> io::Result<()> {
        if length >= self.length {
            // Bytes that were read already need not be read again.
            return Ok(());
        }
        self.settle()?;
        self.take_up(Note { durable: length, ..self.note.clone() }, go)
    }

    /// Completes the file: syncs it and gives it `name` in its folder, or that name with a number. Returns the path.
    /// Fails if the disk refuses or all numbers are taken; the partial file stays then.
    pub fn finish(mut self, name: &str) -> io::Result<PathBuf> {
        self.settle()?;
        self.file.sync_all()?;
        let path = place(&self.bytes, &self.folder.join(name))?;
        // A note without bytes is harmless: the next start ignores it.
        let _ = fs::remove_file(&self.about);
        Ok(path)
    }

    /// Deletes the file and its note.
    pub fn discard(mut self) {
        // The result of the sync under way does not matter: its bytes are deleted.
        let _ = self.settle();
        let _ = fs::remove_file(&self.about);
        let _ = fs::remove_file(&self.bytes);
    }
}

fn read_note(path: &Path) -> Option<Note> {
    // Anything but a plain file is ignored: reading it may never end.
    path.symlink_metadata().ok().filter(fs::Metadata::is_file)?;
    let mut text = Vec::new();
    File::open(path).ok()?.take(NOTE).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &Path) -> Partial {
        Partial::open(folder, &["http://a", "file-1"], &mut || true).unwrap()
    }

    fn note(version: &str) -> Note {
        Note::new(Some(version.to_owned()), Some(9))
    }

    #[test]
    fn it_goes_on_with_what_is_on_the_disk_for_certain() {
        let home = tempfile::tempdir().unwrap();
        let mut partial = open(home.path());
        assert_eq!((partial.length(), partial.note()), (0, &Note::default()));
        partial.restart(note("a")).unwrap();
        partial.write("abc".into()).unwrap();
        partial.keep().unwrap();
        partial.write("xyz".into()).unwrap();
        assert_eq!(partial.pending(), 3);
        // A power cut: the last bytes may be anything.
        drop(partial);
        let mut partial = open(home.path());
        assert_eq!((partial.length(), partial.note().version.as_deref()), (3, Some("a")));
        partial.write("def".into()).unwrap();
        assert_eq!(partial.sha256(), <[u8; 32]>::try_from(digest(&SHA256, b"abcdef").as_ref()).unwrap());
        partial.shorten(2, &mut || true).unwrap();
        partial.write("cdefghi".into()).unwrap();
        let path = partial.finish("name.txt").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "abcdefghi");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "nothing else is left");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[test]
    fn what_is_kept_beside_the_writing_is_what_was_there_when_that_began() {
        let home = tempfile::tempdir().unwrap();
        let mut partial = open(home.path());
        partial.restart(note("a")).unwrap();
        partial.write("abc".into()).unwrap();
        partial.keep_beside().unwrap();
        partial.write("xyz".into()).unwrap();
        assert_eq!(partial.pending(), 3);
        // Dropped before it is known that the first three bytes are synced: opening it again waits for that.
        drop(partial);
        let mut partial = open(home.path());
        assert_eq!((partial.length(), partial.note().version.as_deref()), (3, Some("a")));
        partial.write("def".into()).unwrap();
        partial.keep_beside().unwrap();
        partial.keep().unwrap();
        assert_eq!((partial.pending(), partial.note().durable), (0, 6));
        partial.keep_beside().unwrap();
        assert_eq!(fs::read_to_string(partial.finish("a.txt").unwrap()).unwrap(), "abcdef");
        assert_eq!(fs::read_dir(home.path()).unwrap().count(), 1, "nothing else is left");
    }

    #[test]
    fn what_is_being_kept_leaves_no_note_of_a_version_that_was_given_up() {
        let home = tempfile::tempdir().unwrap();
        for discards in [true, false].repeat(10) {
            let mut partial = open(home.path());
            partial.restart(note("a")).unwrap();
            partial.write("abc".into()).unwrap();
            partial.keep_beside().unwrap();
            if discards {
                partial.discard();
                partial = open(home.path());
            } else {
                partial.restart(note("b")).unwrap();
            }
            partial.write("xyz".into()).unwrap();
            drop(partial);
            assert_eq!(open(home.path()).length(), 0, "its bytes would be taken for those of the first version");
        }
    }

    #[test]
    fn what_could_not_be_kept_beside_the_writing_is_said() {
        let home = tempfile::tempdir().unwrap();
        let mut partial = open(home.path());
        partial.restart(note("a")).unwrap();
        fs::remove_dir_all(home.path()).unwrap();
        partial.write("abc".into()).unwrap();
        partial.keep_beside().unwrap();
        assert_eq!(partial.keep().unwrap_err().kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn what_has_no_version_is_begun_anew() {
        let home = tempfile::tempdir().unwrap();
        let mut partial = open(home.path());
        partial.write("abc".into()).unwrap();
        partial.keep().unwrap();
        drop(partial);
        assert_eq!(open(home.path()).length(), 0);
        let mut partial = open(home.path());
        partial.restart(note("a")).unwrap();
        partial.write("abc".into()).unwrap();
        partial.keep().unwrap();
        partial.restart(note("b")).unwrap();
        drop(partial);
        assert_eq!(open(home.path()).length(), 0, "the note of the other version is gone with its bytes");
    }

    #[test]
    fn a_name_that_is_taken_stays_another_files() {
        let home = tempfile::tempdir().unwrap();
        fs::write(home.path().join("a.txt"), "mine").unwrap();
        fs::create_dir(home.path().join("a (2).txt")).unwrap();
        let mut partial = open(home.path());
        partial.write("new".into()).unwrap();
        assert_eq!(partial.finish("a.txt").unwrap(), home.path().join("a (3).txt"));
        assert_eq!(fs::read_to_string(home.path().join("a.txt")).unwrap(), "mine");
    }

    #[test]
    fn two_at_once_are_told_apart() {
        let home = tempfile::tempdir().unwrap();
        let first = open(home.path());
        let waits = || Partial::open(home.path(), &["http://a", "file-1"], &mut || false).unwrap_err().kind();
        assert_eq!(waits(), io::ErrorKind::Interrupted);
        let _other = Partial::open(home.path(), &["http://a", "file-2"], &mut || false).unwrap();
        drop(first);
        open(home.path());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_its_place_is_not_followed() {
        let home = tempfile::tempdir().unwrap();
        open(home.path()).discard();
        let partial = open(home.path());
        let (bytes, target) = (partial.bytes.clone(), home.path().join("target"));
        partial.discard();
        fs::write(&target, "mine").unwrap();
        std::os::unix::fs::symlink(&target, &bytes).unwrap();
        assert!(Partial::open(home.path(), &["http://a", "file-1"], &mut || true).is_err());
        assert_eq!(fs::read_to_string(target).unwrap(), "mine");
    }
}
