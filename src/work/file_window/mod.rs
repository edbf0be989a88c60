//! Parts of local files of any size.
//!
//! Every order opens the file again, reads at most [`FileQuery::STEP`] bytes of it, and holds one part and one chunk in
//! memory.

mod find;
mod lines;
mod part;
#[cfg(test)]
mod tests;

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::course::Course;
use crate::record::files::{FilePlace, FileQuery, FileWindow, LinePosition, Reached, TextEncoding};
use crate::record::work::Done;

/// Bytes that are held at once during a search.
const CHUNK: usize = 1 << 20;
/// Bytes of a part at most, whatever is asked for.
const MOST: usize = 8 << 20;

pub(super) fn read(query: &FileQuery, course: &Course) -> Done {
    match OpenFile::open(query)
        .and_then(|source| source.window(query, course).map_err(|why| unreadable(&query.path, &why)))
    {
        Ok(window) => Done::Window(Box::new(window)),
        Err(why) => Done::Failed(why.into()),
    }
}

/// Returns the sentence for a file that cannot be read.
fn unreadable(path: &str, why: &io::Error) -> String {
    match why.kind() {
        ErrorKind::NotFound => format!("{path} is gone: it was moved, renamed or deleted"),
        ErrorKind::PermissionDenied => format!("you do not have permission to read {path}"),
        _ => format!("cannot read {path}: {why}"),
    }
}

/// A file that is open.
struct OpenFile {
    file: File,
    total: u64,
    modified_ms: Option<i64>,
    most: usize,
    writing: TextEncoding,
}

impl OpenFile {
    fn open(query: &FileQuery) -> Result<Self, String> {
        let why = |why: io::Error| unreadable(&query.path, &why);
        // Checked before opening: opening a pipe would wait for a writer.
        plain(&query.path, &Path::new(&query.path).metadata().map_err(why)?)?;
        let file = File::open(&query.path).map_err(why)?;
        let about = file.metadata().map_err(why)?;
        plain(&query.path, &about)?;
        let since = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Ok(Self {
            file,
            total: about.len(),
            modified_ms: since.map(|since| i64::try_from(since.as_millis()).unwrap_or(i64::MAX)),
            most: query.most.min(MOST),
            writing: query.writing,
        })
    }

    fn window(mut self, query: &FileQuery, course: &Course) -> io::Result<FileWindow> {
        match &query.place {
            FilePlace::From(byte) => self.from(*byte),
            FilePlace::Before(byte) => self.before(*byte),
            FilePlace::Around(byte) => self.around(LinePosition { byte: *byte, line: None }),
            FilePlace::End => self.around(LinePosition { byte: self.total, line: None }),
            FilePlace::Line { line, from } => self.line(*line, *from, course),
            FilePlace::Count { from, to } => self.count(*from, *to, course),
            FilePlace::Find { text, from, back: false } => self.find(text, *from, course),
            FilePlace::Find { text, from, back: true } => self.find_back(text, *from, course),
        }
    }

    /// Reads up to `most` bytes from a place on; fewer only at the end.
    fn read(&mut self, at: u64, most: usize) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.refill(at, most, &mut bytes)?;
        Ok(bytes)
    }

    /// Reads like [`Self::read`], into an existing buffer.
    fn refill(&mut self, at: u64, most: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.clear();
        // What was appended after it was opened is not read: the size that is reported is the size that was read.
        let most = self.total.saturating_sub(at).min(most as u64);
        self.file.seek(SeekFrom::Start(at))?;
        (&mut self.file).take(most).read_to_end(bytes)?;
        Ok(())
    }

    /// Returns whether a byte begins a line.
    fn begins(&mut self, byte: u64) -> io::Result<bool> {
        let back = byte.min(self.writing.unit());
        let before = self.read(byte - back, back as usize)?;
        Ok(byte == 0 || lines::ends(self.writing, byte - back, &before).next().is_some())
    }

    /// Returns what is known of the file, without a part of it.
    fn nothing(&self, focus: LinePosition, reached: Reached) -> FileWindow {
        let (total, modified_ms) = (self.total, self.modified_ms);
        FileWindow { at: focus, focus, reached, total, modified_ms, ..FileWindow::default() }
    }
}

fn plain(path: &str, about: &fs::Metadata) -> Result<(), String> {
    match (about.is_dir(), about.is_file()) {
        (true, _) => Err(format!("{path} is a folder")),
        (_, false) => Err(format!("{path} is not a regular file")),
        _ => Ok(()),
    }
}
