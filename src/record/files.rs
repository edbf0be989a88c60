//! Local files as a screen sees them: folders, and windows into files of any size.

use std::path::Path;
use std::sync::Arc;

use tempfile::TempPath;

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
    /// What it leads to, where it is a link: as it stands in the link.
    pub link: Option<Untrusted>,
    /// Bytes; 0 for what is no file.
    pub bytes: u64,
    /// Unix milliseconds of the last change, where known.
    pub modified_ms: Option<i64>,
}

impl Entry {
    /// Whether it is a link that leads nowhere: of what is there the time of its last change is known.
    pub fn is_broken(&self) -> bool {
        self.link.is_some() && self.kind == EntryKind::Other && self.modified_ms.is_none()
    }
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

/// A copy of a workbook's first sheet, as comma-separated rows; the file goes away with the last of these.
#[derive(Clone, Debug)]
pub struct SheetCopy(Arc<TempPath>);

impl SheetCopy {
    /// Takes over a temporary file.
    pub fn new(path: TempPath) -> Self {
        Self(Arc::new(path))
    }

    /// Returns the path of the copy.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl PartialEq for SheetCopy {
    fn eq(&self, other: &Self) -> bool {
        self.path() == other.path()
    }
}

/// Asks for a part of a local file. No order reads more than [`FileQuery::STEP`] bytes: what takes more is asked for again
/// from where the answer left off, so that windows and folders come in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileQuery {
    /// Its path, absolute.
    pub path: String,
    /// Where the part is.
    pub place: FilePlace,
    /// Bytes of the part at most.
    pub most: usize,
    /// How the file writes text, for what counts lines or looks for some.
    pub writing: TextEncoding,
}

impl FileQuery {
    /// Bytes that one order reads at most.
    pub const STEP: u64 = 64 << 20;
}

/// A byte of a file and the line that it is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinePosition {
    /// The byte, counted from 0.
    pub byte: u64,
    /// Its line, counted from 1; `None`: nobody has counted so far.
    pub line: Option<u64>,
}

impl LinePosition {
    /// Where every file begins.
    pub const START: Self = Self { byte: 0, line: Some(1) };
}

/// A place in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilePlace {
    /// The part that begins with this byte.
    From(u64),
    /// The part that ends before this byte.
    Before(u64),
    /// The part around this byte: it begins where a line does, if one does within its length.
    Around(u64),
    /// The part that ends where the file does; it begins as [`FilePlace::Around`] does.
    End,
    /// Around the line of this number (the last one, if there are fewer), counted from 1.
    Line {
        /// The line.
        line: u64,
        /// A place before it whose line is known.
        from: LinePosition,
    },
    /// Counts lines up to a byte: no part is read.
    Count {
        /// A place whose line is known.
        from: LinePosition,
        /// The byte to count to; behind the end: to the end.
        to: u64,
    },
    /// Around the line that holds a text, letter case apart.
    Find {
        /// What is looked for.
        text: Untrusted,
        /// Where to look from: forward the first byte that counts, backward the one behind the last.
        from: LinePosition,
        /// Which way.
        back: bool,
    },
}

/// How a file writes text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextEncoding {
    /// UTF-8, as far as it is text.
    #[default]
    Utf8,
    /// UTF-16, the low byte first.
    Utf16Low,
    /// UTF-16, the high byte first.
    Utf16High,
}

impl TextEncoding {
    /// Bytes of the smallest piece of a character.
    pub fn unit(self) -> u64 {
        if self == Self::Utf8 { 1 } else { 2 }
    }
}

/// A part of a local file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileWindow {
    /// The first byte's place, and its line where known.
    pub at: LinePosition,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Whether the first byte begins a line; to [`FilePlace::Count`] whether the byte counted to does.
    pub begins: bool,
    /// Bytes of the file when this was read.
    pub total: u64,
    /// Unix milliseconds of the file's last change: parts of different states of a file do not belong together.
    pub modified_ms: Option<i64>,
    /// What was looked for: the beginning of the line to [`FilePlace::Line`], of the text to [`FilePlace::Find`], the byte to
    /// [`FilePlace::Around`], the byte that was counted to, with its line, to [`FilePlace::Count`].
    pub focus: LinePosition,
    /// How looking went, to [`FilePlace::Line`], [`FilePlace::Count`] and [`FilePlace::Find`].
    pub reached: Reached,
    /// Places whose lines became known on the way, ascending, some MB apart.
    pub marks: Vec<LinePosition>,
}

/// How looking for a place went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reached {
    /// It is in the part.
    #[default]
    Found,
    /// There is no such place up to the file's end (or, looking back, its beginning).
    Nowhere,
    /// One order's bytes are read: ask again from here.
    Far(LinePosition),
}
