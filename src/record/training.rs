//! Training files: problems, repairs, costs.

use serde::{Deserialize, Serialize};

use crate::text::Untrusted;

/// Asks for the check of a local file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRequest {
    /// Its path, absolute.
    pub path: String,
    /// The model it is to train: its tokenizer counts, its context is the limit.
    pub model: Untrusted,
    /// Whether the model is one of the local service.
    pub local: bool,
    /// Meanings of columns: the first mapping that is for the file's columns is used.
    pub mappings: Vec<Mapping>,
}

/// What the columns of a file are taken for. Each text is a template: `{name}` stands for a column of that name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mapping {
    /// The columns of the file, in their order: the mapping is not used for a file with others.
    pub columns: Vec<String>,
    /// Whether rows become conversations: a system message if there is one, the prompt as user, the completion as
    /// assistant.
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
    /// Form of the rows; `None`: neither, or no row could be read.
    pub form: Option<RowForm>,
    /// Rows in all.
    pub rows: u64,
    /// Rows that can be used unchanged: no problem in them, except perhaps the form of the file, prevents a job.
    pub valid: u64,
    /// Problems with line and column, in the file's order, the first 1,000 of them.
    pub problems: Vec<Problem>,
    /// How many there are of each kind, exact, most first.
    pub counts: Vec<(ProblemKind, u64)>,
    /// The task of the rows; `None` for conversations, and if no row could be read.
    pub task: Option<Task>,
    /// Possible repairs, in the order in which they are done. Each counts and shows its effect on the file unchanged,
    /// as if it were the only one.
    pub repairs: Vec<Repair>,
    /// Remarks without a repair ("under 100 rows"), as sentences.
    pub advice: Vec<Untrusted>,
    /// Why no repair makes this a training file ("all prompts are the same"); `None`: it can be prepared.
    pub stop: Option<Untrusted>,
    /// Tokens.
    pub tokens: TokenFigures,
    /// The completions of a classification; none for anything else.
    pub classes: ClassRows,
    /// Estimated seconds that the legacy service took to train on a file of this many rows, by its own formula; `None`:
    /// no rows.
    pub seconds: Option<u64>,
    /// Why the check ended before the end of the file; `None`: it did not.
    pub cut: Option<Untrusted>,
    /// How the characters of the file are encoded.
    pub encoding: &'static str,
    /// Its columns, or the keys of its objects; none of conversations and of plain text.
    pub columns: Vec<SourceColumn>,
    /// The meanings of the columns.
    pub mapping: Option<Mapping>,
    /// Whether these are a guess.
    pub guessed: bool,
    /// The common ends of all prompts and of all completions.
    pub ends: TextEnds,
}

impl CheckReport {
    /// Returns how many problems were found, of all kinds.
    pub fn problem_count(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }
}

/// The completions of a classification, and how many rows have each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassRows {
    /// The most frequent first, at most 100. Blanks at either end do not count.
    pub most: Vec<(Untrusted, u64)>,
    /// Number of different ones in all.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RowForm {
    /// `prompt` and `completion`.
    Pairs,
    /// `messages`.
    Chats,
}

/// What the rows are for, by the legacy tool's reckoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
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
    /// The kind.
    pub kind: ProblemKind,
    /// A description.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
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
    /// The row occurs earlier in the file.
    Duplicate,
    /// More tokens than the model accepts.
    TooLong,
    /// Rows of both forms in one file, or messages in an impossible order.
    Form,
    /// A blank prompt, although others are not blank.
    BlankPrompt,
    /// A label that is probably another one, spelled differently.
    Label,
    /// A label other than the one that the same prompt has in an earlier row.
    Contradiction,
}

/// What would mend the file, if it is accepted.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// The kind.
    pub kind: RepairKind,
    /// What it does and why, a sentence.
    pub words: Untrusted,
    /// Whether the file cannot be used without it.
    pub necessary: bool,
    /// Whether it is advised.
    pub advised: bool,
    /// Rows it changes or removes.
    pub rows: u64,
    /// Real rows before and after (`None`: removed), at most 3.
    pub samples: Vec<Sample>,
    /// A drawback or a remark ("very long"), a sentence; `None`: none.
    pub note: Option<Untrusted>,
}

/// A row before and after a repair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Its line.
    pub line: u64,
    /// The row unchanged; of a long row the middle is left out.
    pub before: Untrusted,
    /// The row after this repair alone; `None`: it is removed.
    pub after: Option<Untrusted>,
}

/// Which repair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RepairKind {
    /// Removes a byte order mark and empty lines.
    Lines,
    /// Writes keys in lower case.
    KeyCase,
    /// Removes unknown keys.
    ExtraKeys,
    /// Converts numbers and the like to text, and adds an empty prompt where it is missing.
    AsText,
    /// Removes rows that cannot be read or are incomplete.
    BadRows,
    /// Removes rows with an empty completion.
    EmptyRows,
    /// Removes rows with a blank prompt.
    BlankPrompts,
    /// Unifies labels that mean the same.
    Labels {
        /// A label without the blanks around it, and the label that is meant.
        same: Vec<(String, String)>,
        /// The text before each label.
        begin: String,
        /// The text after each label.
        end: String,
    },
    /// Removes rows whose prompt has another label in an earlier row.
    Contradictions,
    /// Removes duplicates of earlier rows.
    Duplicates,
    /// Removes rows of more than 10,000 characters.
    LongRows,
    /// Removes rows of more tokens than the model accepts.
    OverLimit,
    /// Converts prompts to lower case.
    LowerPrompts,
    /// Converts completions to lower case.
    LowerCompletions,
    /// Appends this to prompts.
    PromptSuffix(String),
    /// Removes this from the beginning of prompts.
    PromptPrefix(String),
    /// Removes this from the beginning of completions.
    CompletionPrefix(String),
    /// Appends this to completions.
    CompletionSuffix(String),
    /// Makes completions begin with a space.
    LeadingSpace,
}

impl RepairKind {
    /// Returns the name of the kind, as it stands on a command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Lines => "lines",
            Self::KeyCase => "key-case",
            Self::ExtraKeys => "extra-keys",
            Self::AsText => "as-text",
            Self::BadRows => "bad-rows",
            Self::EmptyRows => "empty-rows",
            Self::BlankPrompts => "blank-prompts",
            Self::Labels { .. } => "labels",
            Self::Contradictions => "contradictions",
            Self::Duplicates => "duplicates",
            Self::LongRows => "long-rows",
            Self::OverLimit => "over-limit",
            Self::LowerPrompts => "lower-prompts",
            Self::LowerCompletions => "lower-completions",
            Self::PromptSuffix(_) => "prompt-suffix",
            Self::PromptPrefix(_) => "prompt-prefix",
            Self::CompletionPrefix(_) => "completion-prefix",
            Self::CompletionSuffix(_) => "completion-suffix",
            Self::LeadingSpace => "leading-space",
        }
    }
}

/// Tokens of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TokenFigures {
    /// Name of the vocabulary; empty: estimated, as the model's tokenizer is unknown.
    pub vocabulary: String,
    /// Rows that were counted for the figures below.
    pub sampled: u64,
    /// Fewest of a counted row.
    pub min: u64,
    /// Of the middle one of the counted rows.
    pub median: u64,
    /// Most of a counted row; of all rows where one is above the limit.
    pub max: u64,
    /// Of all rows; extrapolated from the sample unless all were counted.
    pub total: u64,
    /// Tokens a row may have; `None`: not known.
    pub limit: Option<u64>,
    /// Rows above the limit. As exact as the token counts: all rows that could be above it were counted.
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
    /// The meanings of its columns, as in the report.
    pub mapping: Option<Mapping>,
    /// The accepted repairs, as in the report.
    pub repairs: Vec<RepairKind>,
    /// Whether part of the rows is held out for validation.
    pub split: Option<Split>,
    /// Where to write, absolute; of two parts each name gets `_train` or `_valid`. `None`: beside the file, with a name
    /// made from its name.
    pub output: Option<String>,
}

/// How rows are parted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Split {
    /// Share held out, above 0 and below 1; `None`: a fifth, and 1,000 rows at most, as in the legacy tool.
    pub share: Option<f64>,
    /// The same seed and file give the same parts.
    pub seed: u64,
}

/// The files written: `<name>_prepared.jsonl`, or `_prepared_train` and `_prepared_valid`, or what was named.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prepared {
    /// Path, rows and bytes of each: the one to train on, then the one held out.
    pub files: Vec<(Untrusted, u64, u64)>,
    /// Rows left out.
    pub left_out: u64,
    /// Completions of a classification as they were written, most frequent first, at most 100: for the job's settings
    /// (the first of two is the positive class).
    pub classes: Vec<Untrusted>,
    /// Number of different completions; 0: no classification.
    pub class_count: u64,
    /// The common end of all prompts; empty: none.
    pub prompt_end: String,
    /// The common end of all completions; empty: none.
    pub completion_end: String,
}
