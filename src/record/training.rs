//! Training files: what is wrong with one, what would mend it, what it costs.

use serde::{Deserialize, Serialize};

use crate::text::Untrusted;

/// Asks for the check of a local file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRequest {
    /// Its path, absolute.
    pub path: String,
    /// The model it is to train: its tokenizer counts, its context is the limit.
    pub model: Untrusted,
    /// Whether the model is the local service's.
    pub local: bool,
    /// What columns are taken for: the first that is for the file's columns is used.
    pub mappings: Vec<Mapping>,
}

/// What the columns of a file are taken for. Each text is a template: `{name}` stands for a column of that name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mapping {
    /// The columns of the file, in their order: those of another file do not fit.
    pub columns: Vec<String>,
    /// Whether rows become conversations: a system message where there is one, the prompt from the user, the completion
    /// from the assistant.
    pub chat: bool,
    /// The system message of conversations; empty: none.
    pub system: String,
    /// The prompt.
    pub prompt: String,
    /// The completion.
    pub completion: String,
}

/// A column of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceColumn {
    /// Its name.
    pub name: Untrusted,
    /// Some of its values, all different.
    pub values: Vec<Untrusted>,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckReport {
    /// Bytes of the file.
    pub bytes: u64,
    /// Form of the file.
    pub source: TrainingFormat,
    /// Form of the rows; `None`: neither, or nothing could be read.
    pub form: Option<RowForm>,
    /// Rows in all.
    pub rows: u64,
    /// Rows to learn from as they stand: nothing about them, but perhaps the form of the file, keeps a job from it.
    pub valid: u64,
    /// Problems with line and column, in the file's order, the first 1,000 of them.
    pub problems: Vec<Problem>,
    /// How many there are of each kind, exact, most first.
    pub counts: Vec<(ProblemKind, u64)>,
    /// What the rows are for; `None` for conversations, and where no row could be read.
    pub task: Option<Task>,
    /// What can be repaired, in the order in which it is done. Each counts and shows what it does to the file as it
    /// stands, as if it were the only one.
    pub repairs: Vec<Repair>,
    /// What is worth knowing and has no repair ("under 100 rows"), in sentences.
    pub advice: Vec<Untrusted>,
    /// Why no repair makes this a training file ("all prompts are the same"); `None`: it can be prepared.
    pub stop: Option<Untrusted>,
    /// Tokens.
    pub tokens: TokenFigures,
    /// The completions of a classification; none for anything else.
    pub classes: ClassRows,
    /// Seconds that the legacy service took to learn a file of so many rows, by its own reckoning; `None`: no rows.
    pub seconds: Option<u64>,
    /// Why the check ended before the file did; `None`: it did not.
    pub cut: Option<Untrusted>,
    /// How the characters of the file are encoded.
    pub encoding: &'static str,
    /// Its columns, or the keys of its objects; none of conversations and of plain text.
    pub columns: Vec<SourceColumn>,
    /// What the columns are taken for.
    pub mapping: Option<Mapping>,
    /// Whether that is a guess.
    pub guessed: bool,
    /// What all prompts and all completions end with.
    pub ends: TextEnds,
}

/// The completions of a classification, and how many rows have each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassRows {
    /// The most frequent first, at most 100. Blanks at either end do not count.
    pub most: Vec<(Untrusted, u64)>,
    /// How many different ones there are in all.
    pub count: u64,
}

/// What all texts of a file end with; empty: nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextEnds {
    /// The prompts.
    pub prompt: String,
    /// The completions.
    pub completion: String,
}

/// Form of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TrainingFormat {
    /// One JSON object a line.
    #[default]
    Jsonl,
    /// One JSON array of objects.
    Json,
    /// Separated by commas or semicolons.
    Csv,
    /// Separated by tabs.
    Tsv,
    /// The first sheet of a workbook.
    Xlsx,
    /// Each line a completion.
    Txt,
}

/// Form of the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowForm {
    /// `prompt` and `completion`.
    Pairs,
    /// `messages`.
    Chats,
}

/// What the rows are for, by the legacy tool's reckoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    /// All prompts are empty.
    OpenEnded,
    /// Fewer than a third of the completions differ.
    Classification,
    /// Anything else.
    Conditional,
}

/// A problem and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line of the file, counted from 1; of a workbook the row.
    pub line: u64,
    /// In characters, counted from 1; of a workbook the column.
    pub column: u64,
    /// Where the line begins, in bytes, where the file has lines.
    pub at: Option<u64>,
    /// Which kind.
    pub kind: ProblemKind,
    /// What it is, in words.
    pub words: Untrusted,
}

impl ProblemKind {
    /// Returns the name of the kind in a few words, as the heading of a list of such problems.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotJson => "not JSON",
            Self::Encoding => "unreadable character",
            Self::Mark => "byte order mark",
            Self::EmptyLine => "empty line",
            Self::MissingKey => "missing key",
            Self::ExtraKey => "unknown key",
            Self::KeyCase => "key not in lower case",
            Self::WrongType => "wrong type",
            Self::Empty => "nothing to learn",
            Self::Duplicate => "duplicate",
            Self::TooLong => "too long",
            Self::Form => "wrong form",
            Self::BlankPrompt => "blank prompt",
            Self::Label => "misspelled label",
            Self::Contradiction => "contradictory label",
        }
    }
}

/// Kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProblemKind {
    /// Not JSON, or not an object.
    NotJson,
    /// Not UTF-8.
    Encoding,
    /// A byte order mark.
    Mark,
    /// An empty line between others.
    EmptyLine,
    /// A key is missing.
    MissingKey,
    /// A key that does not belong there.
    ExtraKey,
    /// A key in other letter case.
    KeyCase,
    /// A value of the wrong type.
    WrongType,
    /// A completion, or an assistant's message, that is empty.
    Empty,
    /// The same row was there before.
    Duplicate,
    /// More tokens than the model takes.
    TooLong,
    /// Rows of both forms in one file, or messages in an order that cannot be.
    Form,
    /// A prompt with nothing in it, where others have something.
    BlankPrompt,
    /// A label that is probably another one, spelled otherwise.
    Label,
    /// A label other than the one that the same prompt has in an earlier row.
    Contradiction,
}

/// What would mend the file, if it is accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// What is done.
    pub kind: RepairKind,
    /// What it does and why, a sentence.
    pub words: Untrusted,
    /// Whether the file cannot be used without.
    pub necessary: bool,
    /// Whether it is advised.
    pub advised: bool,
    /// Rows it changes or removes.
    pub rows: u64,
    /// Real rows before and after (`None`: removed), at most 3.
    pub samples: Vec<Sample>,
    /// What speaks against it or should be known before ("very long"), a sentence; `None`: nothing.
    pub note: Option<Untrusted>,
}

/// A row before and after a repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Its line.
    pub line: u64,
    /// As it stands; of a long row the middle is left out.
    pub before: Untrusted,
    /// As it would be after this repair alone; `None`: it goes.
    pub after: Option<Untrusted>,
}

/// Which repair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RepairKind {
    /// A byte order mark and empty lines go.
    Lines,
    /// Keys are written in small letters.
    KeyCase,
    /// Keys that do not belong there go.
    ExtraKeys,
    /// Numbers and the like become text; a prompt that is missing becomes an empty one.
    AsText,
    /// Rows that cannot be read or lack something go.
    BadRows,
    /// Rows with an empty completion go.
    EmptyRows,
    /// Rows with a blank prompt go.
    BlankPrompts,
    /// Labels that mean the same become one.
    Labels {
        /// A label without the blanks around it, and what is meant.
        same: Vec<(String, String)>,
        /// What stands before each label.
        begin: String,
        /// What stands behind each label.
        end: String,
    },
    /// Rows whose prompt has another label in an earlier row go.
    Contradictions,
    /// Rows that were there before go.
    Duplicates,
    /// Rows of more than 10,000 characters go.
    LongRows,
    /// Rows of more tokens than the model takes go.
    OverLimit,
    /// Prompts in small letters.
    LowerPrompts,
    /// Completions in small letters.
    LowerCompletions,
    /// Prompts get this end.
    PromptSuffix(String),
    /// Prompts lose this beginning.
    PromptPrefix(String),
    /// Completions lose this beginning.
    CompletionPrefix(String),
    /// Completions get this end.
    CompletionSuffix(String),
    /// Completions begin with a space.
    LeadingSpace,
}

/// Tokens of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenFigures {
    /// Name of the vocabulary; empty: estimated, as nobody here knows how the model cuts texts.
    pub vocabulary: String,
    /// Rows that were counted for the figures below.
    pub sampled: u64,
    /// Fewest of a counted row.
    pub min: u64,
    /// Of the middle one of the counted rows.
    pub median: u64,
    /// Most of a counted row; of all rows where one is above the limit.
    pub max: u64,
    /// Of all rows; reckoned from the sample unless all were counted.
    pub total: u64,
    /// Tokens a row may have; `None`: not known.
    pub limit: Option<u64>,
    /// Rows above the limit. Exact as far as the counting is: all rows that could be above it were counted.
    pub over: u64,
    /// How many rows of the sample have up to so many tokens and more than the bar before, ascending; at most 16 bars.
    pub bars: Vec<(u64, u64)>,
}

/// Asks for a mended copy.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepare {
    /// The file, absolute.
    pub path: String,
    /// The model, as in [`CheckRequest`].
    pub model: Untrusted,
    /// As in [`CheckRequest`].
    pub local: bool,
    /// What its columns are taken for, as the report had it.
    pub mapping: Option<Mapping>,
    /// The repairs that were accepted, as the report had them.
    pub repairs: Vec<RepairKind>,
    /// Whether part of the rows is held out for validation.
    pub split: Option<Split>,
}

/// How rows are parted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// Share held out, above 0 and below 1; `None`: a fifth, and 1,000 rows at most, as the legacy tool has it.
    pub share: Option<f64>,
    /// The same seed and file give the same parts.
    pub seed: u64,
}

/// The files written: `<name>_prepared.jsonl`, or `_prepared_train` and `_prepared_valid`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prepared {
    /// Path, rows and bytes of each: the one to train on, then the one held out.
    pub files: Vec<(Untrusted, u64, u64)>,
    /// Rows left out.
    pub left_out: u64,
    /// Completions of a classification as they were written, most frequent first, at most 100: for the job's settings
    /// (the first of two is the positive class).
    pub classes: Vec<Untrusted>,
    /// How many there are in all; 0: it is no classification.
    pub class_count: u64,
    /// What all prompts and all completions end with; empty: nothing.
    pub prompt_end: String,
    /// The same of completions.
    pub completion_end: String,
}
