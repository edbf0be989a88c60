//! Logs of events: JSON, JSON Lines, saved event streams, lines of text.

use serde_json::Value;

use super::csv::FigureTable;
use super::live::Live;
use super::notes::Notes;
use super::small;
use crate::text::Untrusted;

/// Bytes of one JSON value that is read.
const LARGEST: usize = 64_000_000;
/// Lines of the head, and characters of each.
const HEAD: (usize, usize) = (20, 200);
/// Lines that are read.
const LINES: u64 = 2_000_000;
/// Lines between two reports of progress.
const OFTEN: u64 = 1 << 14;

/// Returns the figures in a message, with its step: `Step 120/900: training loss=0.66, validation loss=0.89`. Empty:
/// none.
pub(super) fn message(text: &str) -> Vec<(String, f64)> {
    let Some(at) = find_step(text) else { return Vec::new() };
    let rest = &text[at..];
    let (step, rest) = take_number(rest.trim_start());
    let Some(step) = step else { return Vec::new() };
    let mut figures = vec![("step".to_owned(), step)];
    let mut rest = rest.trim_start();
    for before in ["/", "of "] {
        if let Some(after) = rest.strip_prefix(before) {
            let (total, after) = take_number(after.trim_start());
            figures.extend(total.map(|total| ("total_steps".to_owned(), total)));
            rest = after.trim_start();
            break;
        }
    }
    let Some(rest) = rest.strip_prefix([':', ',', '-', '–']) else { return Vec::new() };
    for part in rest.split([';', '|']).flat_map(|part| part.split(", ")) {
        figures.extend(figure(part.trim()));
    }
    if figures.iter().all(|(name, _)| name == "step" || name == "total_steps") {
        return Vec::new();
    }
    figures
}

/// Returns where the number after the word `step` begins, if the text has one.
fn find_step(text: &str) -> Option<usize> {
    let lower = text.to_ascii_lowercase();
    let behind = |at: usize| {
        let rest = lower[at + 4..].trim_start_matches([' ', ':', '=', '#']);
        let first = lower[..at].chars().next_back().is_none_or(|char| !char.is_alphanumeric());
        (first && rest.starts_with(|char: char| char.is_ascii_digit())).then(|| lower.len() - rest.len())
    };
    lower.match_indices("step").find_map(|(at, _)| behind(at))
}

/// Returns a name and its number: `training loss=0.66`, `validation loss 0.89`, `loss: 1.2`.
fn figure(part: &str) -> Option<(String, f64)> {
    let cut = part.rfind(['=', ':', ' '])?;
    let value = number(part[cut + 1..].trim())?;
    let name = part[..cut].trim_end_matches(['=', ':', ' ']).trim();
    if name.is_empty() || name.len() > 60 {
        return None;
    }
    Some((name.to_ascii_lowercase().replace(' ', "_"), value))
}

/// Returns the number at the start of a text, which may have commas between thousands, and the rest.
fn take_number(text: &str) -> (Option<f64>, &str) {
    let end = text.find(|char: char| !char.is_ascii_digit() && char != ',' && char != '.').unwrap_or(text.len());
    let digits = text[..end].trim_end_matches([',', '.']);
    (number(digits), &text[digits.len()..])
}

/// Parses a number as people write it.
fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('.');
    text.replace(',', "").parse().ok()
}

/// Returns the figures of an event: of its `data` or `metrics`, of itself, or in its message. Empty: none.
pub(super) fn event(event: &Value) -> Vec<(String, f64)> {
    let numbers = |value: Option<&Value>| -> Vec<(String, f64)> {
        let fields = value.and_then(Value::as_object).into_iter().flatten();
        fields.filter_map(|(name, value)| Some((name.clone(), float(value)?))).collect()
    };
    let is_step = |figures: &Vec<(String, f64)>| figures.iter().any(|(name, _)| name == "step") && figures.len() > 1;
    let places = [numbers(event.get("data")), numbers(event.get("metrics")), numbers(Some(event))];
    if let Some(figures) = places.into_iter().find(is_step) {
        return figures;
    }
    event.get("message").and_then(Value::as_str).map(message).unwrap_or_default()
}

/// Returns a number, or NaN and infinity for the words that some servers write.
fn float(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(word)
            if ["nan", "inf", "-inf", "infinity", "-infinity"].contains(&word.to_lowercase().as_str()) =>
        {
            word.to_lowercase().parse().ok()
        }
        _ => None,
    }
}

/// Reads JSON: a list of events, an answer that contains one, a job with its events, or an event a line.
pub(super) fn json(bytes: &[u8], notes: &mut Notes, moved: &mut dyn FnMut(u64) -> bool) -> FigureTable {
    if bytes.len() <= LARGEST {
        match whole(bytes, notes) {
            Ok(table) => return table,
            // More follows the first value: a value a line.
            Err(error) if error.to_string().starts_with("trailing characters") => {}
            Err(error) if first_is_whole(bytes) || error.line() > 1 && line_is_whole(bytes) => {}
            Err(error) => {
                notes.add(format!("line {}, column {}: not JSON: {}", error.line(), error.column(), why(&error)));
                return FigureTable { head: head(bytes), ..FigureTable::default() };
            }
        }
    }
    each(bytes, moved, |live, line, text| match small::event(text) {
        Ok(value) if value.is_object() => live.add(&event(&value)),
        Ok(_) => notes.add(format!("line {line}, column 1: not a JSON object")),
        Err(error) => notes.add(format!("line {line}, column {}: not JSON: {}", error.column(), why(&error))),
    })
}

/// Returns whether the first line is a complete JSON value.
fn first_is_whole(bytes: &[u8]) -> bool {
    let first = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    first.is_some_and(|line| serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok())
}

/// Returns whether any of the first lines is a complete JSON object: then the file has one a line, and some are broken.
fn line_is_whole(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').take(50).map(<[u8]>::trim_ascii);
    lines.any(|line| line.starts_with(b"{\"") && serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok())
}

/// Returns the events of a single JSON value.
fn whole(bytes: &[u8], notes: &mut Notes) -> serde_json::Result<FigureTable> {
    let (mut live, mut rows) = (Live::default(), 0);
    let mut take = |value: &Value| {
        rows += 1;
        live.add(&event(value));
    };
    if let Some(value) = small::events(bytes, &mut take)? {
        take(&value);
    }
    let curves = live.into_curves();
    if curves.is_empty() {
        notes.add("none of the events contains metrics of a training step");
    }
    Ok(FigureTable { curves, rows, head: head(bytes) })
}

/// Returns the events of a saved event stream: what follows `data:`.
pub(super) fn stream(bytes: &[u8], notes: &mut Notes, moved: &mut dyn FnMut(u64) -> bool) -> FigureTable {
    each(bytes, moved, |live, line, text| {
        let Some(data) = text.strip_prefix(b"data:").map(<[u8]>::trim_ascii) else { return };
        if data == b"[DONE]" || data.is_empty() {
            return;
        }
        match small::event(data) {
            Ok(value) => live.add(&event(&value)),
            Err(error) => {
                let column = text.len() - data.len() + error.column();
                notes.add(format!("line {line}, column {column}: not JSON: {}", why(&error)));
            }
        }
    })
}

/// Reads lines of text; those without a step are ignored.
pub(super) fn lines(bytes: &[u8], moved: &mut dyn FnMut(u64) -> bool) -> FigureTable {
    each(bytes, moved, |live, _, text| {
        live.add(&message(&String::from_utf8_lossy(text)));
    })
}

/// Calls back with each line that is not empty, and its number.
fn each(bytes: &[u8], moved: &mut dyn FnMut(u64) -> bool, mut take: impl FnMut(&mut Live, u64, &[u8])) -> FigureTable {
    let mut live = Live::default();
    let (mut rows, mut read) = (0, 0);
    for (text, line) in bytes.split(|byte| *byte == b'\n').zip(1_u64..) {
        read += text.len() as u64 + 1;
        if line % OFTEN == 0 && !moved(read) || rows == LINES {
            break;
        }
        if !text.trim_ascii().is_empty() {
            rows += 1;
            take(&mut live, line, text.trim_ascii());
        }
    }
    FigureTable { curves: live.into_curves(), rows, head: head(bytes) }
}

/// Returns the JSON parser's message without its position, which is reported in the file's own lines.
fn why(error: &serde_json::Error) -> String {
    let said = error.to_string();
    said.split(" at line ").next().unwrap_or_default().to_owned()
}

/// Returns the first lines.
fn head(bytes: &[u8]) -> Vec<Vec<Untrusted>> {
    let bytes = &bytes[..bytes.len().min(HEAD.0 * 4096)];
    let lines = bytes.split(|byte| *byte == b'\n').take(HEAD.0);
    let short = |line: &[u8]| String::from_utf8_lossy(line).trim_end().chars().take(HEAD.1).collect::<String>().into();
    lines.map(|line| vec![short(line)]).collect()
}
