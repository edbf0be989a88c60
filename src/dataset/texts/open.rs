//! Opens a file of texts, or refuses it with a sentence.

use std::fs::{File, Metadata};
use std::io::{self, BufReader, Chain, Cursor, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::guess;
use super::rows::{BOM, Ends, Rows};
use crate::record::Stamp;
use crate::record::work::Layout;

/// Bytes at the beginning from which a file's form is guessed.
const HEAD: usize = 256 << 10;

/// What texts are read from.
#[derive(Debug)]
pub enum TextInput {
    /// The file with this path.
    Path(PathBuf),
    /// A file without a name: a copy of what can be read only once; and what that is called.
    Copy(File, PathBuf),
}

/// The rows of an open file.
pub(crate) type FileRows = Rows<Chain<Cursor<Vec<u8>>, BufReader<File>>>;

/// A file that is open, and how it begins.
pub(crate) struct Open {
    file: File,
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) stamp: Stamp,
    pub(crate) head: Vec<u8>,
    /// Whether the head is the complete file.
    pub(crate) whole: bool,
}

impl Open {
    /// Opens a file; fails with a sentence if it is no plain file or no text.
    pub(crate) fn new(path: &Path) -> Result<Self, String> {
        // Checked before opening: opening a pipe would wait for a writer.
        let known = path.metadata().map_err(|why| unreadable(path, &why))?;
        if known.is_dir() {
            return Err(format!("{} is a folder; choose a file in it", path.display()));
        }
        if !known.is_file() {
            return Err(format!("{} is not a regular file", path.display()));
        }
        Self::begin(File::open(path).map_err(|why| unreadable(path, &why))?, path, &known)
    }

    /// Opens what texts are read from. What has no name has one place in it: whoever opens it again reads it alone.
    pub(super) fn of(input: &TextInput) -> Result<Self, String> {
        match input {
            TextInput::Path(path) => Self::new(path),
            TextInput::Copy(file, name) => {
                let again = || -> io::Result<(File, Metadata)> {
                    let mut file = file.try_clone()?;
                    file.rewind()?;
                    let known = file.metadata()?;
                    Ok((file, known))
                };
                let (file, known) = again().map_err(|why| unreadable(name, &why))?;
                Self::begin(file, name, &known)
            }
        }
    }

    /// Reads the beginning of a file.
    fn begin(mut file: File, path: &Path, known: &Metadata) -> Result<Self, String> {
        let stamp = stamp(known);
        let mut head = Vec::new();
        (&mut file).take(HEAD as u64).read_to_end(&mut head).map_err(|why| unreadable(path, &why))?;
        if let Some(why) = guess::refused(&head) {
            return Err(format!("{} {why}", path.display()));
        }
        let whole = head.len() < HEAD;
        if whole && head.strip_prefix(BOM).unwrap_or(&head).trim_ascii().is_empty() {
            return Err(format!("{} is empty", path.display()));
        }
        Ok(Self { file, path: path.to_owned(), bytes: known.len(), stamp, head, whole })
    }

    /// Returns another handle of the file, for its state later.
    pub(super) fn handle(&self) -> Result<File, String> {
        self.file.try_clone().map_err(|why| unreadable(&self.path, &why))
    }

    /// Returns what separates cells; `None`: there are none.
    pub(crate) fn part(&self, layout: Layout) -> Option<u8> {
        match layout {
            Layout::Lines | Layout::Jsonl => None,
            Layout::Csv => Some(guess::comma(&self.head)),
            Layout::Tsv => Some(b'\t'),
        }
    }

    /// Returns its rows.
    pub(crate) fn rows(self, layout: Layout, most: usize) -> FileRows {
        let ends = self.part(layout).map_or_else(|| guess::line_ends(&self.head), Ends::Quoted);
        let mut head = self.head;
        if head.starts_with(BOM) {
            head.drain(..BOM.len());
        }
        Rows::new(Cursor::new(head).chain(BufReader::with_capacity(64 << 10, self.file)), ends, most)
    }
}

/// Returns size and modification time of a file.
pub(super) fn stamp(known: &Metadata) -> Stamp {
    let modified = known.modified().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
    let modified_ms = modified.map_or(0, |since| i64::try_from(since.as_millis()).unwrap_or_default());
    Stamp { bytes: known.len(), modified_ms }
}

/// Returns the sentence for a file that cannot be read.
pub(crate) fn unreadable(path: &Path, why: &io::Error) -> String {
    let why = match why.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "you do not have permission to read it".to_owned(),
        _ => why.to_string(),
    };
    format!("cannot read {}: {why}", path.display())
}
