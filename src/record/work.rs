//! Orders to the work threads (slow, local) and their results. Every ticket gets any number of [`Done::Moved`] and
//! exactly one other [`Done`], unless it was cancelled.

mod exchange;
mod text_files;

use std::sync::Arc;

use image::DynamicImage;

pub use self::exchange::{Export, ExportedConversation, Form, Imported, Reading, Shape};
pub use self::text_files::{Columns, FileText, FileTexts, Layout, LeftOut, Peek, Reason};
use super::answers;
use super::curves::Curves;
use super::files::{FileQuery, FileWindow, Folder, SheetCopy};
use super::training;
use super::vectors::{Figures, VectorTask};
use super::{Block, ToolCommand, ToolOutput};
use crate::text::{Tint, Untrusted};

/// Slow local work.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Colour a block of code.
    Highlight {
        /// The fence's info word (`rust`, `json`, …); may be empty.
        language: Untrusted,
        /// The code.
        code: Untrusted,
    },
    /// Write a text to a new file (0600), never over an existing one (`name (2).md`).
    Save {
        /// The path, `~` allowed, as the user typed it.
        path: String,
        /// The content.
        text: Untrusted,
    },
    /// Tokenise a text for a model.
    Tokenize {
        /// The model's id.
        model: Untrusted,
        /// Whether the model is one of the local service: they all have one vocabulary.
        local: bool,
        /// The text.
        text: Untrusted,
    },
    /// Convert token ids to bytes.
    Spell {
        /// The model's id.
        model: Untrusted,
        /// Whether the model is one of the local service.
        local: bool,
        /// The ids.
        ids: Vec<u32>,
    },
    /// Count the tokens of texts for a model.
    Count {
        /// The model's id.
        model: Untrusted,
        /// Whether the model is one of the local service.
        local: bool,
        /// The texts.
        texts: Arc<[Untrusted]>,
    },
    /// Find the words in which versions of a text differ from one of them.
    Differences {
        /// The versions.
        texts: Arc<[Untrusted]>,
        /// Index of the version that the others are compared with.
        base: usize,
    },
    /// Run the program of a tool call.
    Tool(ToolCommand),
    /// Complete a path that was typed, for the Tab key.
    Paths(String),
    /// Preview a file of texts: its form, columns and first rows.
    Peek {
        /// Its path, `~` allowed, as the user typed it.
        path: String,
        /// The form to assume, and whether its first row has the columns' names; `None`: both are detected.
        form: Option<(Layout, bool)>,
    },
    /// Read a file of texts.
    ReadTexts {
        /// Its path.
        path: String,
        /// The columns to read.
        columns: Columns,
    },
    /// Read complete rows to score models with: at most 100,000 and 64 MiB.
    Examples(answers::Source),
    /// Read a file to attach to a message: a text of at most 1 MB or a picture of at most 20 MB.
    Attach {
        /// Its path, `~` allowed, as the user typed it.
        path: String,
    },
    /// Decode the picture in this data URL, to be shown.
    Picture(Untrusted),
    /// Read a small text file of settings, at most 1 MiB.
    Read {
        /// Its path.
        path: String,
    },
    /// Write to a new file, as `Save` does.
    Export {
        /// Its path; the ending is added where it has none.
        path: String,
        /// The form.
        form: Form,
        /// The data.
        what: Export,
    },
    /// Read vectors or a matrix that were exported.
    Import {
        /// Its path.
        path: String,
        /// How to interpret its numbers; `None`: as the file says; if it does not, the reply is [`Imported::Unclear`].
        reading: Option<Reading>,
    },
    /// Compute something from vectors.
    Vectors(VectorTask),
    /// List a local folder.
    Folder {
        /// Its path, `~` allowed; empty: the current directory.
        path: String,
    },
    /// Look up a local regular file.
    File {
        /// Its path, `~` allowed.
        path: String,
    },
    /// Hash a local file.
    Hash {
        /// Its path.
        path: String,
    },
    /// Read a part of a local file of any size.
    ReadWindow(FileQuery),
    /// Copy the first sheet of a workbook as comma-separated rows.
    Sheet {
        /// Its path.
        path: String,
    },
    /// Check a training file. Reports the bytes read so far and in all.
    Check(Box<training::CheckRequest>),
    /// Write a repaired copy of a training file beside it, never over another file.
    Prepare(Box<training::Prepare>),
    /// Read a result file or an event log as curves.
    Curves {
        /// Its path.
        path: String,
    },
    /// Read the curves of a result file that is in memory.
    CurvesOf {
        /// The file's name.
        name: Untrusted,
        /// Its bytes.
        bytes: Arc<[u8]>,
    },
}

/// A result of work, or its progress.
#[derive(Clone, Debug, PartialEq)]
pub enum Done {
    /// Byte ranges of the code with their tint, ascending, not overlapping.
    Highlighted(Vec<(std::ops::Range<usize>, Tint)>),
    /// The path written.
    Saved(Untrusted),
    /// The path written, and a sentence that says what the file does not contain, and why.
    SavedWithout(Untrusted, Untrusted),
    /// The tokens of a text; `None`: the model's tokenizer is unknown.
    Tokens(Option<Tokens>),
    /// The bytes of each id, empty for one that is no token; `None`: the tokenizer is unknown.
    Spelled(Option<Vec<Vec<u8>>>),
    /// To `Count`: whether the model's own vocabulary counted (else they are estimates), and a number for each text.
    Counted(bool, Vec<u32>),
    /// To `Differences`: the result for each version.
    Differences(Vec<WordMarks>),
    /// To `Tool`.
    ToolOutput(ToolOutput),
    /// To `Paths`: whole paths as they would be typed, directories with a `/` behind them.
    Paths(Vec<Untrusted>),
    /// To `Peek`.
    Peeked(Box<Peek>),
    /// To `ReadTexts`.
    Texts(FileTexts),
    /// To `Examples`.
    Examples(Box<answers::HeldOut>),
    /// To `Attach`: a [`Block::File`]; `None`: there is no such file.
    Attached(Option<Box<Block>>),
    /// To `Picture`.
    Picture(DecodedPicture),
    /// To `Read`.
    Read(Untrusted),
    /// To `Import`.
    Imported(Imported),
    /// To `Vectors`.
    Figures(Figures),
    /// To `Folder`.
    Folder(Folder),
    /// To `File`.
    File {
        /// Its path, absolute.
        path: Untrusted,
        /// Its size.
        bytes: u64,
    },
    /// To `Hash`: SHA-256, and the number of bytes hashed.
    Hashed([u8; 32], u64),
    /// To `ReadWindow`.
    Window(Box<FileWindow>),
    /// To `Sheet`.
    Sheet(SheetCopy),
    /// To `Check`.
    Checked(Box<training::CheckReport>),
    /// To `Prepare`.
    Prepared(Box<training::Prepared>),
    /// To `Curves` and `CurvesOf`.
    Curves(Box<Curves>),
    /// Progress; more follows.
    Moved {
        /// Done so far, in a unit of the work.
        done: u64,
        /// In all.
        total: u64,
    },
    /// Failed; a sentence that says why.
    Failed(Untrusted),
}

/// A decoded picture.
#[derive(Clone, Debug, PartialEq)]
pub struct DecodedPicture {
    /// Its width and height in pixels.
    pub size: (u32, u32),
    /// Its pixels; of a large one fewer than it has.
    pub pixels: Arc<DynamicImage>,
}

/// What a comparison found for a version of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WordMarks {
    /// The words that the other version lacks, in bytes, ascending.
    Differ(Vec<std::ops::Range<usize>>),
    /// The two have too little in common for marks to be useful.
    Unlike,
    /// They are too long for a comparison in reasonable time.
    NotCompared,
}

/// A text cut into tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Name of the vocabulary: `cl100k_base`, `o200k_base`, `p50k_base`, `r50k_base`.
    pub vocabulary: &'static str,
    /// Their ids, in order.
    pub ids: Vec<u32>,
    /// Where each ends, in bytes of the text; ends need not be those of characters.
    pub ends: Vec<usize>,
}
