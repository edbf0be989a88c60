//! Local files as a screen sees them: folders, and windows into files of any size.

use crate::text::Untrusted;

/// A local folder's contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder {
    /// Its path, absolute.
    pub path: Untrusted,
    /// Its entries, in no order.
    pub entries: Vec<Entry>,
    /// Why not all of it is there; `None`: it is.
    pub cut: Option<Untrusted>,
}

/// An entry of a local folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name. May hold anything.
    pub name: Untrusted,
    /// What it is; of a link what it leads to.
    pub kind: EntryKind,
    /// Bytes; 0 for what is no file.
    pub bytes: u64,
    /// Unix milliseconds of the last change, where known.
    pub modified_ms: Option<i64>,
}

/// What an entry of a folder is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder.
    Folder,
    /// A file.
    File,
    /// A pipe, a socket, a device, or a link that leads nowhere: it is not opened.
    Other,
    /// Its name is no text (UTF-8): it is shown as well as it can be, and not opened.
    Unnameable,
}

/// Asks for a part of a local file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// Its path, absolute.
    pub path: String,
    /// Where the part begins.
    pub from: Place,
    /// Bytes at most. A line that began in the part is not cut at its end unless it is longer than this.
    pub most: usize,
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The byte counted from 0; moved back to where its line begins, unless that is further away than the part is long.
    Byte(u64),
    /// The line counted from 1; far into a large file the work reads its way there and says how far it is.
    Line(u64),
    /// So that the part ends where the file does.
    End,
    /// The line of the next place that holds this text, letter case apart; `back`: of the one before.
    Find {
        /// What is looked for.
        text: String,
        /// The byte to look from.
        from: u64,
        /// Which way.
        back: bool,
    },
}

/// A part of a local file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// The first byte's place.
    pub at: u64,
    /// The number of its first line, counted from 1; `None`: not known, as nobody has counted so far.
    pub line: Option<u64>,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Bytes of the file when this was read.
    pub total: u64,
    /// Unix milliseconds of the file's last change: parts of different states of a file do not belong together.
    pub modified_ms: Option<i64>,
    /// To `Find`: whether there was such a place.
    pub found: bool,
}
