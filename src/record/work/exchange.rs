//! Files of results that are exported and imported.

use std::sync::Arc;

use crate::record::vectors::Matrix;
use crate::record::{Check, Conversation, Id, TextRow, TextSource, Turn, VectorTable, answers};
use crate::text::Untrusted;

/// Form of an exported file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Comma-separated. A cell that a spreadsheet would take for a formula begins with `'`.
    Csv,
    /// JSON, exact.
    Json,
    /// A NumPy array of 32-bit floats, and beside it `.jsonl` with the texts.
    Npy,
    /// Markdown, for people.
    Markdown,
    /// JSON, exact, a line for each thing that is exported.
    JsonLines,
}

impl Form {
    /// Returns the form that a file name's extension stands for where a file is exported from a tab; `None` if it is none
    /// of these.
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
    /// Conversations: as Markdown the branch that is shown, as JSON all turns.
    Conversations(Arc<[ExportedConversation]>),
}

/// A conversation with its turns.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportedConversation {
    /// The conversation.
    pub conversation: Conversation,
    /// Its turns on all branches, oldest first.
    pub turns: Vec<Turn>,
    /// The turns of the branch that is shown, the first one first.
    pub branch: Vec<Id>,
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
        /// The model that made them, where the file says so, else the file's name.
        model: Untrusted,
    },
}
