//! What is wrong with a training file, and where.

use std::fmt;

/// The first fault of a training file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Counted from 1. Of an empty file 1, of one that is too long as a whole the line at which it became so.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The fault.
    pub fault: Fault,
}

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The file has no rows.
    Empty,
    /// The line is not a JSON object: its beginning, and what is wrong.
    NotObject {
        /// Its first characters.
        start: String,
        /// The JSON parser's error, or what is there instead of an object.
        why: String,
    },
    /// The line is not UTF-8.
    Encoding {
        /// Whether the file looks like UTF-16.
        wide: bool,
    },
    /// The line is longer than this many bytes.
    LongLine(usize),
    /// The file has more rows than this.
    Rows(usize),
    /// The file has more bytes than this.
    Bytes(u64),
    /// The row is an object, but cannot be used for training.
    Row(String),
    /// The file could not be read.
    Read(String),
}

impl Problem {
    pub(super) fn at(line: usize, column: usize, fault: Fault) -> Self {
        Self { line, column, fault }
    }

    /// Returns the sentence for a file's `status_details` and for a failed job's event: it names the example by its
    /// line.
    pub fn sentence(&self) -> String {
        let Self { line, fault, .. } = self;
        match fault {
            Fault::Empty | Fault::Rows(_) | Fault::Bytes(_) | Fault::Read(_) => format!("Invalid file format. {fault}"),
            _ => format!("Invalid file format. Example {line} cannot be parsed. Error: {fault} (line {line})"),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}: {}", self.line, self.column, self.fault)
    }
}

impl std::error::Error for Problem {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the file contains no examples"),
            Self::NotObject { why, .. } => write!(f, "line contains invalid json: {why}"),
            Self::Encoding { wide: false } => f.write_str("line is not valid UTF-8"),
            Self::Encoding { wide: true } => {
                f.write_str("line is not valid UTF-8; the file looks like UTF-16, save it as UTF-8")
            }
            Self::LongLine(most) => write!(f, "line is longer than {most} bytes"),
            Self::Rows(most) => write!(f, "the file contains more than {most} examples"),
            Self::Bytes(most) => write!(f, "the file is larger than {most} bytes"),
            Self::Row(what) => f.write_str(what),
            Self::Read(why) => write!(f, "the file could not be read: {why}"),
        }
    }
}
