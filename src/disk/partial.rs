//! Files that are not whole yet: a download goes on where it stopped, also after a restart.
//!
//! Beside the bytes (`.benchtop-<mark>.part`) a note says of which version they are and how many of them are on the disk
//! for certain (`.benchtop-<mark>.json`). The bytes behind those may be anything after a power cut and are not used.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ring::digest::{Context, SHA256, digest};
use serde::{Deserialize, Serialize};

use super::new::{place, sync};

/// How long another one that lets go of a file just now is waited for.
const LETTING_GO: Duration = Duration::from_secs(3);
/// Bytes read at once.
const BLOCK: usize = 256 << 10;
/// A note is short, bytes.
const NOTE: u64 = 64 << 10;

/// Of which version the bytes are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Note {
    /// What tells this version from others; `None`: nothing, so nothing can be added to it later.
    pub version: Option<String>,
    /// Bytes of the whole, where known.
    pub total: Option<u64>,
    /// Bytes that are on the disk for certain.
    durable: u64,
}

/// A file that is not whole yet. This copy of the program has it for itself. Dropped, it stays for the next time.
pub struct Partial {
    folder: PathBuf,
    bytes: PathBuf,
    about: PathBuf,
    file: File,
    note: Note,
    length: u64,
    hash: Context,
}

impl Note {
    /// Of bytes that are to come.
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
    /// Opens what is there of it in a folder, or begins it. `what` is the same for the same thing and no other. Reads what
    /// is there, to go on with its hash; `go` is asked now and then whether to go on.
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
            hash: Context::new(&SHA256),
        };
        match read_note(&partial.about).filter(|note| note.version.is_some()) {
            Some(note) => partial.take_up(note, go)?,
            None => partial.restart(Note::default())?,
        }
        Ok(partial)
    }

    /// Takes up what is on the disk for certain.
    fn take_up(&mut self, note: Note, go: &mut dyn FnMut() -> bool) -> io::Result<()> {
        self.hash = Context::new(&SHA256);
        let durable = note.durable.min(self.file.metadata()?.len());
        let mut block = vec![0; BLOCK];
        self.file.seek(SeekFrom::Start(0))?;
        let mut left = durable;
        while left > 0 {
            if !go() {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let read = self.file.read(&mut block[..left.min(BLOCK as u64) as usize])?;
            if read == 0 {
                break;
            }
            self.hash.update(&block[..read]);
            left -= read as u64;
        }
        self.length = durable - left;
        self.file.set_len(self.length)?;
        self.file.seek(SeekFrom::Start(self.length))?;
        self.note = Note { durable: self.length, ..note };
        Ok(())
    }

    /// Throws away what is there, and begins with this version.
    pub fn restart(&mut self, note: Note) -> io::Result<()> {
        // The note first: bytes without one are of no version.
        match fs::remove_file(&self.about) {
            Err(why) if why.kind() != io::ErrorKind::NotFound => return Err(why),
            _ => {}
        }
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.length = 0;
        self.hash = Context::new(&SHA256);
        self.note = Note { durable: 0, ..note };
        Ok(())
    }

    /// Of which version the bytes are.
    pub fn note(&self) -> &Note {
        &self.note
    }

    /// Bytes so far.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The hash of the bytes so far.
    pub fn sha256(&self) -> [u8; 32] {
        self.hash.clone().finish().as_ref().try_into().expect("SHA-256 has 32 bytes")
    }

    /// Adds to it.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.hash.update(bytes);
        self.length += bytes.len() as u64;
        Ok(())
    }

    /// Bytes that are not on the disk for certain.
    pub fn pending(&self) -> u64 {
        self.length - self.note.durable
    }

    /// Brings all of it to the disk, and notes that, so that it can be gone on with.
    pub fn keep(&mut self) -> io::Result<()> {
        self.file.sync_data()?;
        self.note.durable = self.length;
        if self.note.version.is_none() {
            return Ok(());
        }
        let mut file = tempfile::NamedTempFile::with_prefix_in(".benchtop-", &self.folder)?;
        serde_json::to_writer(file.as_file_mut(), &self.note)?;
        file.as_file().sync_data()?;
        file.persist(&self.about).map_err(|error| error.error)?;
        sync(&self.folder)
    }

    /// Throws away its end, so that at most `length` bytes are left.
    pub fn shorten(&mut self, length: u64, go: &mut dyn FnMut() -> bool) -> io::Result<()> {
        if length >= self.length {
            // What was gone over already need not be read again.
            return Ok(());
        }
        self.take_up(Note { durable: length, ..self.note.clone() }, go)
    }

    /// It is whole: brings it to the disk and gives it this name in its folder, or that name with a number.
    pub fn finish(self, name: &str) -> io::Result<PathBuf> {
        self.file.sync_all()?;
        let path = place(&self.bytes, &self.folder.join(name))?;
        // A note without bytes is harmless: it is of no use at the next start.
        let _ = fs::remove_file(&self.about);
        Ok(path)
    }

    /// Throws it away.
    pub fn discard(self) {
        let _ = fs::remove_file(&self.about);
        let _ = fs::remove_file(&self.bytes);
    }
}

/// The file, for this one alone.
fn locked(path: &Path, go: &mut dyn FnMut() -> bool) -> io::Result<File> {
    let begun = Instant::now();
    loop {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            // Not through a link that somebody laid there.
            options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
        }
        let file = options.open(path)?;
        match file.try_lock() {
            Ok(()) if !file.metadata()?.is_file() => {
                return Err(io::Error::other(format!("{} is in the way; remove it", path.display())));
            }
            // Who had it may have given it its name meanwhile: then it is no longer here.
            Ok(()) if is_at(&file, path) || begun.elapsed() > LETTING_GO => return Ok(file),
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                if begun.elapsed() > LETTING_GO {
                    return Err(io::Error::new(io::ErrorKind::ResourceBusy, "it is being downloaded here already"));
                }
                if !go() {
                    return Err(io::ErrorKind::Interrupted.into());
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            // No locks on this file system: two at once are not told apart.
            Err(fs::TryLockError::Error(why)) if why.kind() == io::ErrorKind::Unsupported => return Ok(file),
            Err(fs::TryLockError::Error(why)) => return Err(why),
        }
    }
}

/// Whether a path leads to an open plain file.
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(open), Ok(there)) = (file.metadata(), path.symlink_metadata()) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        open.dev() == there.dev() && open.ino() == there.ino()
    }
    #[cfg(not(unix))]
    {
        open.is_file() == there.is_file()
    }
}

fn read_note(path: &Path) -> Option<Note> {
    // Anything else than a plain file is none, and may never end.
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
        partial.write(b"abc").unwrap();
        partial.keep().unwrap();
        partial.write(b"xyz").unwrap();
        assert_eq!(partial.pending(), 3);
        // A power cut: the end may be anything.
        drop(partial);
        let mut partial = open(home.path());
        assert_eq!((partial.length(), partial.note().version.as_deref()), (3, Some("a")));
        partial.write(b"def").unwrap();
        assert_eq!(partial.sha256(), <[u8; 32]>::try_from(digest(&SHA256, b"abcdef").as_ref()).unwrap());
        partial.shorten(2, &mut || true).unwrap();
        partial.write(b"cdefghi").unwrap();
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
    fn what_has_no_version_is_begun_anew() {
        let home = tempfile::tempdir().unwrap();
        let mut partial = open(home.path());
        partial.write(b"abc").unwrap();
        partial.keep().unwrap();
        drop(partial);
        assert_eq!(open(home.path()).length(), 0);
        let mut partial = open(home.path());
        partial.restart(note("a")).unwrap();
        partial.write(b"abc").unwrap();
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
        partial.write(b"new").unwrap();
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
