//! Files of texts: what is read of them, and what is left out.

use serde::{Deserialize, Serialize};

use crate::record::Stamp;
use crate::text::Untrusted;

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
