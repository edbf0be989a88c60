//! Orders to the work threads (slow, local) and what comes back. Every ticket gets any number of [`Done::Moved`] and
//! exactly one other [`Done`], unless it was cancelled.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::answers;
use super::curves::Curves;
use super::files::{FileQuery, FileWindow, Folder, SheetCopy};
use super::training;
use super::vectors::{Figures, Matrix, VectorTask};
use super::{Block, Check, Stamp, TextRow, TextSource, ToolCommand, ToolOutput, VectorTable};
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
    /// Hash a local file.
    Hash {
        /// Its path.
        path: String,
    },
    /// Read a part of a local file of any size.
    Look(FileQuery),
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

/// The form of a file of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// One text a line; empty lines are left out.
    Lines,
    /// A JSON value a line: objects with named fields, or strings.
    Jsonl,
    /// Separated by commas, or by semicolons.
    Csv,
    /// Separated by tabs.
    Tsv,
}

/// Which columns of a file of texts are read. Of `Lines` there is one column, 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Columns {
    /// The form.
    pub layout: Layout,
    /// Whether the first row of `Csv` or `Tsv` has the columns' names and is no text. Ignored for other forms.
    pub header: bool,
    /// Index of the text column in [`Peek::names`].
    pub text: usize,
    /// Index of the label column; `None`: there is none.
    pub label: Option<usize>,
}

/// A file of texts as it is chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peek {
    /// The path, absolute.
    pub path: Untrusted,
    /// Bytes.
    pub bytes: u64,
    /// The columns that are read by default.
    pub columns: Columns,
    /// Names of the columns.
    pub names: Vec<Untrusted>,
    /// The first rows, at most 8, a cell for each column, each at most 400 characters of it.
    pub rows: Vec<Vec<Untrusted>>,
    /// Rows in all; `None`: the file is too large to be counted at once.
    pub count: Option<u64>,
}

/// One text of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileText {
    /// Line of the file where it begins, 1-based.
    pub line: u64,
    /// The text.
    pub text: Untrusted,
    /// Its label, where a column was chosen.
    pub label: Option<Untrusted>,
}

/// What was read of a file of texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileTexts {
    /// The texts, in the file's order.
    pub rows: Vec<FileText>,
    /// What was left out.
    pub left_out: LeftOut,
    /// The file's state when it was read.
    pub stamp: Stamp,
}

/// What of a file of texts was not read. Nothing is changed silently: a row is read as it stands, or named here.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Lines or rows whose text is empty or blank.
    pub empty: u64,
    /// Rows that could not be read.
    pub refused: u64,
    /// Why, with line and column: the first of them, at most 20.
    pub why: Vec<Untrusted>,
    /// Why the file was not read to its end; `None`: it was.
    pub cut: Option<Untrusted>,
    /// The same by reason, including empty rows.
    pub reasons: Vec<Reason>,
}

/// Why rows are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The reason.
    pub why: Untrusted,
    /// How many rows.
    pub rows: u64,
    /// The first lines of the file where such rows begin, at most 5.
    pub first: Vec<u64>,
}

impl LeftOut {
    /// Counts a row that is left out, with its line.
    pub fn count(&mut self, line: u64, why: &str) {
        let known = self.reasons.iter().position(|reason| reason.why == *why);
        let at = known.unwrap_or_else(|| {
            self.reasons.push(Reason { why: why.into(), rows: 0, first: Vec::new() });
            self.reasons.len() - 1
        });
        let reason = &mut self.reasons[at];
        reason.rows += 1;
        if reason.first.len() < 5 {
            reason.first.push(line);
        }
    }

    /// Returns how many rows are left out for each reason, and the first of them, a sentence each.
    pub fn by_reason(&self) -> Vec<String> {
        let sentence = |reason: &Reason| {
            let lines: Vec<String> = reason.first.iter().map(u64::to_string).collect();
            let (noun, more) = match reason.rows {
                1 => ("line", ""),
                rows if rows > lines.len() as u64 => ("lines", ", …"),
                _ => ("lines", ""),
            };
            format!("{} left out: {} ({noun} {}{more})", reason.rows, reason.why.line(), lines.join(", "))
        };
        let cut = self.cut.iter().map(|why| why.line().into_owned());
        self.reasons.iter().map(sentence).chain(cut).collect()
    }

    /// Returns what was left out as one line of text; `None`: nothing but empty lines.
    pub fn sentence(&self) -> Option<Untrusted> {
        let mut said = self.cut.clone().into_iter().collect::<Vec<_>>();
        if let Some(first) = self.why.first() {
            let rows = if self.refused == 1 { "row was" } else { "rows were" };
            let mut words = Untrusted::from(format!("{} {rows} left out: ", self.refused));
            words.append(first);
            if self.refused > 1 {
                words.push(" …");
            }
            said.push(words);
        }
        said.into_iter().reduce(|mut all, more| {
            all.push(" · ");
            all.append(&more);
            all
        })
    }
}

/// Form of an exported file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Comma-separated. A cell that a spreadsheet would take for a formula begins with `'`.
    Csv,
    /// JSON, exact.
    Json,
    /// A NumPy array of 32-bit floats, and beside it `.jsonl` with the texts.
    Npy,
}

impl Form {
    /// Returns the form that a file name's extension stands for; `None` if it is none of these.
    pub fn of(path: &str) -> Option<Self> {
        let (_, ending) = path.rsplit_once('.')?;
        let forms = [("csv", Self::Csv), ("json", Self::Json), ("npy", Self::Npy)];
        forms.into_iter().find(|(name, _)| ending.eq_ignore_ascii_case(name)).map(|(_, form)| form)
    }
}

/// What is exported.
#[derive(Clone, Debug, PartialEq)]
pub enum Export {
    /// Moderation results, a row for each text.
    Checks {
        /// The texts.
        rows: Arc<[TextRow]>,
        /// The checks of the first text, then those of the second, …: the same number for each text.
        checks: Arc<[Option<Check>]>,
        /// The user's threshold of each category, by the category's name.
        thresholds: Arc<[(Untrusted, f64)]>,
        /// The file from which the texts were read, whose other columns are exported too.
        source: Option<TextSource>,
    },
    /// Vectors, a row for each text.
    Vectors {
        /// The texts.
        texts: Arc<[Untrusted]>,
        /// Their vectors.
        table: Arc<VectorTable>,
        /// The model that made them.
        model: Untrusted,
    },
    /// Similarities.
    Matrix {
        /// The texts.
        texts: Arc<[Untrusted]>,
        /// Their similarities.
        matrix: Arc<Matrix>,
        /// The model that made them.
        model: Untrusted,
    },
    /// Answers of a tuned model and its base; as JSON a line for each row.
    Scores(Arc<[answers::ScoredRow]>),
}

/// How a file of numbers is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Whether the first line names the columns.
    pub heading: bool,
    /// Whether the first column holds texts.
    pub texts: bool,
    /// Whether the numbers are a similarity matrix.
    pub matrix: bool,
}

/// A way to read a file of numbers, and what comes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// How the file is interpreted.
    pub reading: Reading,
    /// Rows.
    pub rows: usize,
    /// Numbers in each.
    pub numbers: usize,
}

/// What an imported file holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Imported {
    /// Vectors and their texts. Texts that the file does not contain are named by their row.
    Vectors {
        /// The texts.
        texts: Vec<Untrusted>,
        /// Their vectors.
        table: Arc<VectorTable>,
        /// The model that made them, where the file says so, else the file's name.
        model: Untrusted,
    },
    /// The file does not say how it is to be interpreted.
    Unclear(Vec<Shape>),
    /// A similarity matrix.
    Matrix {
        /// The texts.
        texts: Vec<Untrusted>,
        /// Their similarities.
        matrix: Arc<Matrix>,
        /// As above.
        model: Untrusted,
    },
}

/// What work found out.
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
    /// To `Read`.
    Read(Untrusted),
    /// To `Import`.
    Imported(Imported),
    /// To `Vectors`.
    Figures(Figures),
    /// To `Folder`.
    Folder(Folder),
    /// To `Hash`: SHA-256, and the number of bytes hashed.
    Hashed([u8; 32], u64),
    /// To `Look`.
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
