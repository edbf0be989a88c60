//! Training files: what is wrong with one, what would mend it, what it costs.

use crate::text::Untrusted;

/// Asks for the check of a local file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its path, absolute.
    pub path: String,
    /// The model it is to train: its tokenizer counts, its context is the limit.
    pub model: Untrusted,
    /// Whether the model is the local service's.
    pub local: bool,
}

/// What a check found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Bytes of the file.
    pub bytes: u64,
    /// Form of the file.
    pub source: Source,
    /// Form of the rows; `None`: neither, or nothing could be read.
    pub form: Option<RowForm>,
    /// Rows in all.
    pub rows: u64,
    /// Rows to learn from as they stand.
    pub valid: u64,
    /// Problems with line and column, in the file's order, the first 1,000 of them.
    pub problems: Vec<Problem>,
    /// How many there are of each kind, exact, most first.
    pub counts: Vec<(ProblemKind, u64)>,
    /// What the rows are for.
    pub task: Option<Task>,
    /// What can be repaired, in the order in which it is done.
    pub repairs: Vec<Repair>,
    /// What is worth knowing and has no repair ("under 100 rows"), in sentences.
    pub advice: Vec<Untrusted>,
    /// Tokens.
    pub tokens: TokenFigures,
    /// Different completions, where there are few enough to be classes, most frequent first, at most 100; with how many rows.
    pub classes: Vec<(Untrusted, u64)>,
    /// Why the check ended before the file did; `None`: it did not.
    pub cut: Option<Untrusted>,
}

/// Form of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
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
    /// In characters, counted from 1.
    pub column: u64,
    /// Where the line begins, in bytes, where the file has lines.
    pub at: Option<u64>,
    /// Which kind.
    pub kind: ProblemKind,
    /// What it is, in words.
    pub words: Untrusted,
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
}

/// A row before and after a repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Its line.
    pub line: u64,
    /// As it stands.
    pub before: Untrusted,
    /// As it would be; `None`: it goes.
    pub after: Option<Untrusted>,
}

/// Which repair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RepairKind {
    /// Keys are written in small letters.
    KeyCase,
    /// Keys that do not belong there go.
    ExtraKeys,
    /// Rows that cannot be read or lack something go.
    BadRows,
    /// Rows with an empty completion go.
    EmptyRows,
    /// Rows that were there before go.
    Duplicates,
    /// Rows that are too long go.
    LongRows,
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
    /// Fewest, middle, most of a row.
    pub min: u64,
    /// As above.
    pub median: u64,
    /// As above.
    pub max: u64,
    /// Of all rows; reckoned from the sample unless all were counted.
    pub total: u64,
    /// Tokens a row may have; `None`: not known.
    pub limit: Option<u64>,
    /// Rows above the limit, exact.
    pub over: u64,
    /// How many rows of the sample have up to so many tokens and more than the bar before, ascending.
    pub bars: Vec<(u64, u64)>,
}

/// Asks for a mended copy.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepare {
    /// The file, absolute.
    pub path: String,
    /// The model, as in [`Check`].
    pub model: Untrusted,
    /// As in [`Check`].
    pub local: bool,
    /// The repairs that were accepted, as the report had them.
    pub repairs: Vec<RepairKind>,
    /// Whether part of the rows is held out for validation.
    pub split: Option<Split>,
}

/// How rows are parted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// Share held out, 0 to 1.
    pub share: f64,
    /// The same seed and file give the same parts.
    pub seed: u64,
}

/// The files written: `<name>_prepared.jsonl`, or `_prepared_train` and `_prepared_valid`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prepared {
    /// Path, rows and bytes of each.
    pub files: Vec<(Untrusted, u64, u64)>,
    /// Rows left out.
    pub left_out: u64,
    /// Classes, where it is a classification: for the job's settings.
    pub classes: Vec<Untrusted>,
}
