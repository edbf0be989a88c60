//! Local files as data for the screen: folders, and parts of files of any size.

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
    /// Why the list is incomplete; `None`: it is complete.
    pub cut: Option<Untrusted>,
}

/// An entry of a local folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name. May hold anything.
    pub name: Untrusted,
    /// Its kind; for a link, the kind of its target.
    pub kind: EntryKind,
    /// The target of a link, as it is stored in the link.
    pub link: Option<Untrusted>,
    /// Bytes; 0 if it is not a file.
    pub bytes: u64,
    /// Unix milliseconds of the last change, where known.
    pub modified_ms: Option<i64>,
}

impl Entry {
    /// Returns whether the entry is a link whose target does not exist: of anything that exists the time of its last
    /// change is known.
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
    /// A pipe, a socket, a device, or a link without a target: it is not opened.
    Other,
    /// Its name is not UTF-8: it is shown as well as possible, and not opened.
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

/// Asks for a part of a local file. No request reads more than [`FileQuery::STEP`] bytes: longer searches are continued
/// by another request from where the answer ended, so that other work can run in between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileQuery {
    /// Its path, absolute.
    pub path: String,
    /// Where the part is.
    pub place: FilePlace,
    /// Bytes of the part at most.
    pub most: usize,
    /// The encoding of the file's text, for counting lines and searching.
    pub writing: TextEncoding,
}

impl FileQuery {
    /// Bytes that one request reads at most.
    pub const STEP: u64 = 64 << 20;
}

/// A byte of a file and the line that it is in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinePosition {
    /// The byte, counted from 0.
    pub byte: u64,
    /// Its line, counted from 1; `None`: not counted yet.
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
    /// Around the next line that contains a text, ignoring case.
    Find {
        /// The text to search for.
        text: Untrusted,
        /// Where the search begins: forward the first byte that counts, backward the byte after the last.
        from: LinePosition,
        /// Whether to search backward.
        back: bool,
    },
}

/// Encoding of a file's text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextEncoding {
    /// UTF-8; other bytes are replaced.
    #[default]
    Utf8,
    /// UTF-16, the low byte first.
    Utf16Low,
    /// UTF-16, the high byte first.
    Utf16High,
}

impl TextEncoding {
    /// Returns the bytes of a code unit: 1 for UTF-8, 2 for UTF-16.
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
    /// Bytes of the file at the time of reading.
    pub total: u64,
    /// Unix milliseconds of the file's last change: parts of different states of a file do not belong together.
    pub modified_ms: Option<i64>,
    /// The place that was searched: the beginning of the line for [`FilePlace::Line`], of the text for
    /// [`FilePlace::Find`], the byte for [`FilePlace::Around`], the byte that was counted to, with its line, for
    /// [`FilePlace::Count`].
    pub focus: LinePosition,
    /// How the search ended, for [`FilePlace::Line`], [`FilePlace::Count`] and [`FilePlace::Find`].
    pub reached: Reached,
    /// Places whose lines were computed on the way, ascending, some MB apart.
    pub marks: Vec<LinePosition>,
}

/// How the search for a place ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reached {
    /// It is in the part.
    #[default]
    Found,
    /// There is no such place up to the file's end (or, searching backward, its beginning).
    Nowhere,
    /// The limit of one request was reached: continue from here with another request.
    Far(LinePosition),
}
