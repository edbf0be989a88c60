//! Comma-separated: a line of names, then a text and its numbers in each line.

use std::io::Read;

use super::Found;
use crate::text::Untrusted;

/// Reads it. A matrix has `cosine` for its first name.
pub(super) fn read(file: &mut impl Read) -> Result<Found, String> {
    let mut lines = csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(file);
    let mut line = csv::StringRecord::new();
    let mut found = Found::default();
    let sentence = |error: csv::Error| match error.kind() {
        csv::ErrorKind::Utf8 { pos, .. } => {
            format!("line {} is not UTF-8", pos.as_ref().map_or(0, csv::Position::line))
        }
        _ => error.to_string(),
    };
    if !lines.read_record(&mut line).map_err(sentence)? {
        return Ok(found);
    }
    found.matrix = line.get(0).is_some_and(|name| name.trim_start_matches('\u{feff}') == "cosine");
    let columns = line.len();
    let mut numbers = Vec::with_capacity(columns);
    while lines.read_record(&mut line).map_err(sentence)? {
        let row = found.texts.len() + 1;
        if line.len() != columns {
            return Err(format!(
                "row {row} has {} numbers, and its head has names for {}",
                line.len().saturating_sub(1),
                columns.saturating_sub(1)
            ));
        }
        let text = Some(plain(line.get(0).unwrap_or_default()));
        let empty = line.iter().skip(1).all(str::is_empty);
        if empty && !found.matrix {
            found.push(text, None)?;
            continue;
        }
        numbers.clear();
        for (column, cell) in line.iter().enumerate().skip(1) {
            let number = if cell.is_empty() && found.matrix { Ok(f32::NAN) } else { cell.trim().parse() };
            numbers.push(number.map_err(|_| format!("row {row}, column {}: no number stands there", column + 1))?);
        }
        found.push(text, Some(&numbers))?;
    }
    Ok(found)
}

/// A text without the mark that keeps a spreadsheet from taking it for a formula.
fn plain(cell: &str) -> Untrusted {
    let rest = cell.strip_prefix('\'').filter(|rest| super::super::export::cell(rest) == cell);
    rest.unwrap_or(cell).into()
}
