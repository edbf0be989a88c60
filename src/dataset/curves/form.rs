//! The form of a file, judged by its first bytes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::notes::Notes;
use super::{csv, events};
use crate::record::curves::Curves;
use crate::text::Untrusted;

/// Lines that are examined to see whether a text has steps.
const LINES: usize = 400;

/// Reads a result file or a log of events. Unreadable parts are reported in its notes; nothing fails. `moved` is called
/// now and then with the bytes read, and returns whether to continue.
pub fn read_curves(name: Untrusted, bytes: &[u8], moved: &mut dyn FnMut(u64) -> bool) -> Curves {
    let mut notes = Notes::default();
    let (wide, decoded);
    let mut bytes = bytes;
    if let Some(text) = from_wide(bytes) {
        wide = text.into_bytes();
        bytes = &wide;
    }
    bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    if let Some(inside) = from_base64(bytes) {
        decoded = inside;
        bytes = decoded.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&decoded);
    }
    let read = match form(bytes) {
        CurveFormat::Nothing => {
            notes.add("the file is empty");
            csv::FigureTable::default()
        }
        CurveFormat::Binary => {
            notes.add("the file is not text: expected a result file or an event log");
            csv::FigureTable::default()
        }
        CurveFormat::Table => csv::read(bytes, &mut notes, moved),
        CurveFormat::Json => events::json(bytes, &mut notes, moved),
        CurveFormat::Stream => events::stream(bytes, &mut notes, moved),
        CurveFormat::Lines => events::lines(bytes, moved),
    };
    Curves { name, curves: read.curves, rows: read.rows, notes: notes.finish(), head: read.head }
}

/// Forms of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CurveFormat {
    Nothing,
    Binary,
    /// A result file.
    Table,
    /// JSON or JSON Lines.
    Json,
    /// A stream of events that was saved to a file.
    Stream,
    /// Lines of text, some of which report steps.
    Lines,
}

fn form(bytes: &[u8]) -> CurveFormat {
    let start = bytes.trim_ascii_start();
    if start.is_empty() {
        return CurveFormat::Nothing;
    }
    if start[..start.len().min(4096)].contains(&0) {
        return CurveFormat::Binary;
    }
    if start.starts_with(b"{") || start.starts_with(b"[") {
        return CurveFormat::Json;
    }
    if [&b"data:"[..], b"event:", b"id:", b"retry:", b": "].iter().any(|word| start.starts_with(word)) {
        return CurveFormat::Stream;
    }
    let mut lines = start.split(|byte| *byte == b'\n').take(LINES).map(String::from_utf8_lossy);
    if !csv::is_known(start) && lines.any(|line| !events::message(&line).is_empty()) {
        return CurveFormat::Lines;
    }
    CurveFormat::Table
}

/// Decodes the text of a UTF-16 file.
fn from_wide(bytes: &[u8]) -> Option<String> {
    let little = match bytes.get(..2)? {
        [0xff, 0xfe] => true,
        [0xfe, 0xff] => false,
        _ => return None,
    };
    let unit = |pair: &[u8]| {
        let pair = [pair[0], pair[1]];
        if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) }
    };
    let units = bytes[2..].chunks_exact(2).map(unit);
    Some(char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER)).collect())
}

/// Decodes a result file or a log that is base64 of a text, as some services return them; `None`: it is not.
pub fn from_base64(bytes: &[u8]) -> Option<Vec<u8>> {
    let bytes = bytes.trim_ascii();
    let bytes = bytes.strip_prefix(b"\"").and_then(|bytes| bytes.strip_suffix(b"\"")).unwrap_or(bytes);
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=\r\n".contains(byte);
    if bytes.len() < 8 || !bytes.iter().all(is_letter) {
        return None;
    }
    let letters: Vec<u8> = bytes.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let inside = BASE64_STANDARD.decode(letters).ok()?;
    let known = match form(inside.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&inside)) {
        CurveFormat::Table => csv::is_known(inside.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&inside)),
        CurveFormat::Json => std::str::from_utf8(&inside).is_ok(),
        CurveFormat::Stream | CurveFormat::Lines => true,
        CurveFormat::Nothing | CurveFormat::Binary => false,
    };
    known.then_some(inside)
}
