//! Lays a row out as lines of the screen.

use std::collections::HashMap;
use std::fmt::Write as _;

use super::file_format::FileFormat;
use super::json_parts::{self, LineParts};
use super::pretty;
use super::row_window::Row;
use crate::record::files::TextEncoding;
use crate::text::Untrusted;
use crate::ui::wrap;

/// Rows whose lines are kept.
const KEPT: usize = 400;
/// Bytes that one column takes at most, as far as a line that is cut goes.
const DENSE: usize = 40;

/// How rows are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct RowLayout {
    pub(super) width: usize,
    /// Columns scrolled out at the left.
    pub(super) left: usize,
    pub(super) wrap: bool,
}

/// A row's lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RowLines {
    /// Its lines, safe to show; at least one.
    pub(super) lines: Vec<String>,
    /// The parts of each line, where they are those of JSON.
    pub(super) parts: Vec<LineParts>,
    /// Whether each line stands as a whole and is not scrolled.
    pub(super) whole: bool,
    /// What is wrong with it, as the last line.
    pub(super) fault: Option<String>,
}

impl RowLines {
    pub(super) fn height(&self) -> usize {
        self.lines.len() + usize::from(self.fault.is_some())
    }
}

/// Lines of rows that show, so that a frame does not make them again.
#[derive(Debug, Default)]
pub(super) struct RowCache {
    row_layout: RowLayout,
    rows: HashMap<(u64, bool), RowLines>,
    /// What is wrong with whole rows, which does not change with how they are laid out.
    faults: HashMap<u64, Option<String>>,
}

impl RowCache {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.faults.clear();
    }

    /// Returns the lines of a row; `spread`: a JSON value over several lines.
    pub(super) fn lines(
        &mut self,
        row: &Row,
        form: FileFormat,
        writing: TextEncoding,
        spread: bool,
        row_layout: RowLayout,
    ) -> &RowLines {
        if self.row_layout != row_layout || self.rows.len() > KEPT {
            self.rows.clear();
            self.row_layout = row_layout;
        }
        if self.faults.len() > KEPT {
            self.faults.clear();
        }
        let faults = &mut self.faults;
        self.rows.entry((row.at, spread)).or_insert_with(|| {
            let checks = form == FileFormat::Jsonl && row.whole();
            let fault =
                if checks { faults.entry(row.at).or_insert_with(|| pretty::fault(row.bytes)).clone() } else { None };
            let mut laid = lay(row, form, writing, spread, row_layout, fault);
            if form == FileFormat::Jsonl && laid.fault.is_none() {
                laid.parts = json_parts::parts(&laid.lines);
            }
            laid
        })
    }
}

fn lay(
    row: &Row,
    form: FileFormat,
    writing: TextEncoding,
    spread: bool,
    row_layout: RowLayout,
    fault: Option<String>,
) -> RowLines {
    if form == FileFormat::Jsonl
        && spread
        && fault.is_none()
        && row.whole()
        && let Ok(text) = str::from_utf8(row.bytes)
    {
        let lines = pretty::lines(text, row_layout.width)
            .into_iter()
            .flat_map(|line| broken(&Untrusted::from(line).line(), row_layout.width));
        return RowLines { lines: lines.collect(), whole: true, ..RowLines::default() };
    }
    if row_layout.wrap || spread {
        let lines = broken(&text(row.bytes, writing).line(), row_layout.width);
        return RowLines { lines, whole: true, fault, ..RowLines::default() };
    }
    let most = row.bytes.len().min((row_layout.left + row_layout.width + 1) * DENSE);
    RowLines { lines: vec![text(&row.bytes[..most], writing).line().into_owned()], fault, ..RowLines::default() }
}

/// Returns a line in rows of a width; those that follow stand as far in as the first.
fn broken(line: &str, width: usize) -> Vec<String> {
    let step = line.len() - line.trim_start_matches(' ').len();
    let step = if step * 2 > width { 0 } else { step };
    let mut all = Vec::new();
    wrap::rows(&line[step..], width.saturating_sub(step), |range| {
        all.push(" ".repeat(step) + line[step..][range].trim_end_matches(' '));
    });
    all
}

/// Returns the bytes of a file as text; those that are not text are shown by their number.
pub(super) fn text(bytes: &[u8], writing: TextEncoding) -> Untrusted {
    match writing {
        TextEncoding::Utf8 => {
            let mut text = String::with_capacity(bytes.len());
            for chunk in bytes.utf8_chunks() {
                text.push_str(chunk.valid());
                for byte in chunk.invalid() {
                    // Writing to a String cannot fail.
                    let _ = write!(text, "⟨{byte:02X}⟩");
                }
            }
            text.into()
        }
        TextEncoding::Utf16Low | TextEncoding::Utf16High => {
            let unit = |pair: &[u8]| match writing {
                TextEncoding::Utf16High => u16::from_be_bytes([pair[0], pair[1]]),
                _ => u16::from_le_bytes([pair[0], pair[1]]),
            };
            let units = bytes.chunks_exact(2).map(unit);
            char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>().into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_value_stands_as_it_does_in_the_file() {
        let bytes = br#"{"prompt": "a",  "completion": " b"}"#;
        let row = Row { at: 0, bytes, line: Some(1), begins: true, ends: true, open: false };
        let mut cache = RowCache::default();
        for spread in [false, true] {
            let row_layout = RowLayout { width: 40, left: 0, wrap: false };
            let laid = cache.lines(&row, FileFormat::Jsonl, TextEncoding::Utf8, spread, row_layout);
            assert_eq!(laid.lines, [str::from_utf8(bytes).unwrap()], "{spread}");
        }
    }

    #[test]
    fn a_row_is_parsed_once_however_it_is_scrolled() {
        let row = Row { at: 7, bytes: b"{\"a\":1,}", line: Some(2), begins: true, ends: true, open: false };
        let mut cache = RowCache::default();
        let mut lines = |left, marked: bool| {
            if marked {
                cache.faults.insert(7, Some("found before".to_owned()));
            }
            let row_layout = RowLayout { width: 40, left, wrap: false };
            cache.lines(&row, FileFormat::Jsonl, TextEncoding::Utf8, false, row_layout).fault.clone()
        };
        assert!(lines(0, false).is_some(), "a comma too many");
        assert_eq!(lines(16, true).as_deref(), Some("found before"));
        cache.clear();
        assert!(cache.faults.is_empty(), "other bytes may stand there");
    }
}
