//! How the rows of the file are shown.

use super::file_format::{DetectedFormat, FileFormat};
use super::table_columns::TableColumns;
use crate::record::files::TextEncoding;

/// How JSON rows are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum JsonLayout {
    /// The one under the cursor over several lines, the others on one each.
    #[default]
    Cursor,
    /// All over several lines.
    All,
    /// All as they are.
    None,
}

/// What the file was found to be, and how its rows are shown.
#[derive(Debug)]
pub(super) struct RowDisplay {
    pub(super) detected: Option<DetectedFormat>,
    pub(super) format: FileFormat,
    json: JsonLayout,
    pub(super) wrap: bool,
    pub(super) columns: TableColumns,
}

impl Default for RowDisplay {
    fn default() -> Self {
        Self {
            detected: None,
            format: FileFormat::Text,
            json: JsonLayout::default(),
            wrap: false,
            columns: TableColumns::default(),
        }
    }
}

impl RowDisplay {
    /// Returns whether rows are lines of text.
    pub(super) fn is_lines(&self) -> bool {
        matches!(self.format, FileFormat::Jsonl | FileFormat::Text)
    }

    pub(super) fn is_table(&self) -> bool {
        matches!(self.format, FileFormat::Table(_))
    }

    /// Returns whether the file is a table, and is shown as one.
    pub(super) fn has_curves(&self) -> bool {
        self.is_table() && matches!(self.detected.and_then(|found| found.rows), Some(FileFormat::Table(_)))
    }

    pub(super) fn writing(&self) -> TextEncoding {
        self.detected.map_or(TextEncoding::Utf8, |found| found.writing)
    }

    /// Returns whether the value of a row stands over several lines.
    pub(super) fn is_spread(&self, is_under_cursor: bool) -> bool {
        self.format == FileFormat::Jsonl
            && match self.json {
                JsonLayout::Cursor => is_under_cursor,
                JsonLayout::All => true,
                JsonLayout::None => false,
            }
    }

    /// Shows JSON rows in the next way.
    pub(super) fn next_json(&mut self) {
        self.json = match self.json {
            JsonLayout::Cursor => JsonLayout::All,
            JsonLayout::All => JsonLayout::None,
            JsonLayout::None => JsonLayout::Cursor,
        };
    }

    /// Returns the next way to show the file: its rows, text, bytes.
    pub(super) fn next_format(&self) -> FileFormat {
        let rows = self.detected.and_then(|found| found.rows);
        let forms: Vec<FileFormat> = rows.into_iter().chain([FileFormat::Text, FileFormat::Hex]).collect();
        let at = forms.iter().position(|form| *form == self.format).unwrap_or(0);
        forms[(at + 1) % forms.len()]
    }
}
