//! Detects the format of a file by its content and its name.

use serde::de::IgnoredAny;

use crate::dataset::rows::{BOM, starts};
use crate::record::files::TextEncoding;

/// How a file is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileFormat {
    /// A JSON value a line.
    Jsonl,
    /// Rows of cells that this byte parts.
    Table(u8),
    /// Lines.
    Text,
    /// Bytes.
    Hex,
}

/// What was found at a file's beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DetectedFormat {
    pub(super) form: FileFormat,
    /// The form of its rows if it is text at all: what the key that changes the form goes through.
    pub(super) rows: Option<FileFormat>,
    pub(super) writing: TextEncoding,
    /// Whether it begins with a byte order mark.
    pub(super) mark: bool,
}

/// Bytes that are looked at.
const HEAD: usize = 64 << 10;

impl DetectedFormat {
    /// Judges a file by its beginning. `whole`: whether that is all of it.
    pub(super) fn of(head: &[u8], whole: bool, name: &str) -> Self {
        let whole = whole && head.len() <= HEAD;
        let head = &head[..head.len().min(HEAD)];
        let wide = |writing| Self { form: FileFormat::Text, rows: None, writing, mark: true };
        if head.starts_with(b"\xff\xfe") {
            return wide(TextEncoding::Utf16Low);
        }
        if head.starts_with(b"\xfe\xff") {
            return wide(TextEncoding::Utf16High);
        }
        let mark = head.starts_with(BOM);
        let text = head.strip_prefix(BOM).unwrap_or(head);
        let rows = rows(text, whole, &name.to_lowercase());
        let form = if binary(text) { FileFormat::Hex } else { rows.unwrap_or(FileFormat::Text) };
        Self { form, rows, writing: TextEncoding::Utf8, mark }
    }
}

/// Returns whether it is not text: zero bytes, or three of ten that are neither UTF-8 nor printable.
fn binary(head: &[u8]) -> bool {
    if memchr::memchr(0, head).is_some() {
        return true;
    }
    let odd = |text: &str| text.bytes().filter(|byte| *byte < 0x20 && !b"\t\n\r\x0c\x1b".contains(byte)).count();
    let odd: usize = head.utf8_chunks().map(|chunk| chunk.invalid().len() + odd(chunk.valid())).sum();
    odd > 8 && odd * 10 > head.len() * 3
}

fn rows(text: &[u8], whole: bool, name: &str) -> Option<FileFormat> {
    let ends = |ending: &str| name.ends_with(ending);
    if [".jsonl", ".ndjson", ".jsonlines"].iter().any(|ending| ends(ending)) {
        return Some(FileFormat::Jsonl);
    }
    if ends(".tsv") || ends(".tab") {
        return Some(FileFormat::Table(b'\t'));
    }
    if ends(".csv") {
        let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let most = [b',', b';', b'\t'].into_iter().rev().max_by_key(|part| count(first, *part));
        return Some(FileFormat::Table(most.unwrap_or(b',')));
    }
    // The last line may be cut.
    let ended = if whole { text.len() } else { memchr::memrchr(b'\n', text).map_or(0, |at| at + 1) };
    let lines = || text[..ended].split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let mut first = lines().take(5);
    let value = |line: &[u8]| line.starts_with(b"{") && serde_json::from_slice::<IgnoredAny>(line).is_ok();
    if first.next().is_some_and(value) && first.next().is_none_or(value) {
        return Some(FileFormat::Jsonl);
    }
    let known = [".txt", ".md", ".log", ".json", ".py", ".rs", ".toml", ".yaml", ".yml", ".xml", ".html"];
    if known.iter().any(|ending| ends(ending)) {
        return None;
    }
    // As many of the same sign in each of several lines.
    [b'\t', b',', b';']
        .into_iter()
        .find(|part| {
            let mut counts = lines().take(20).map(|line| count(line, *part));
            let first = counts.next().unwrap_or(0);
            first > 0 && counts.clone().count() >= 2 && counts.all(|count| count == first)
        })
        .map(FileFormat::Table)
}

/// Returns how often a sign stands outside quotes.
fn count(line: &[u8], part: u8) -> usize {
    starts(line, part).len() - 1
}
