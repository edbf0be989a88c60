//! Comma-separated: as it was exported, a header and then a text and its numbers in each line; else as guessed or as
//! the user said.

use std::io::Read;

use super::ImportedVectors;
use crate::record::work::{Reading, Shape};
use crate::text::Untrusted;

/// First names of a header whose first column is not a number.
const TEXTS: [&str; 7] = ["text", "input", "id", "name", "label", "index", ""];

type Lines<R> = csv::Reader<R>;

fn lines<R: Read>(file: R) -> Lines<R> {
    csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(file)
}

fn sentence(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Utf8 { pos, .. } => {
            format!("line {} is not UTF-8", pos.as_ref().map_or(0, csv::Position::line))
        }
        _ => error.to_string(),
    }
}

/// Reads the next line; `false`: there is none.
fn next<R: Read>(lines: &mut Lines<R>, line: &mut csv::StringRecord) -> Result<bool, String> {
    lines.read_record(line).map_err(|error| sentence(&error))
}

/// Returns the shapes that a file may have, the likeliest first; several if it is unclear whether it has a header,
/// texts or similarities.
pub(super) fn shapes(file: &mut impl Read) -> Result<Vec<Shape>, String> {
    let mut lines = lines(file);
    let mut line = csv::StringRecord::new();
    if !next(&mut lines, &mut line)? {
        return Ok(Vec::new());
    }
    let first: Vec<String> = line.iter().map(|cell| cell.trim_start_matches('\u{feff}').trim().to_owned()).collect();
    let exported = Reading { heading: true, texts: true, matrix: first.first().is_some_and(|name| name == "cosine") };
    if exported.matrix || first.first().is_some_and(|name| name == "text") {
        return Ok(vec![Shape { reading: exported, rows: 0, numbers: 0 }]);
    }
    let columns = first.len();
    let (mut rows, mut named) = (1_usize, false);
    while next(&mut lines, &mut line)? {
        rows += 1;
        named |= line.get(0).is_some_and(|cell| !cell.trim().is_empty() && !is_number(cell));
    }
    let numbered = |cells: &[String]| !cells.is_empty() && cells.iter().all(|cell| is_number(cell));
    // `0`, `1`, `2` … are names of columns.
    let counted = |cells: &[String]| {
        let from =
            cells.first().filter(|first| matches!(first.as_str(), "0" | "1")).and_then(|first| first.parse().ok());
        from.is_some_and(|from: usize| cells.iter().zip(from..).all(|(cell, at)| *cell == at.to_string()))
    };
    let texts_only = named || TEXTS.contains(&first[0].to_lowercase().as_str());
    let ways: &[(bool, bool)] = match () {
        () if texts_only && numbered(&first[1..]) && !counted(&first[1..]) => &[(false, true)],
        () if texts_only => &[(true, true)],
        () if counted(&first) => &[(true, false), (false, false), (true, true)],
        () if numbered(&first) => &[(false, false), (true, false), (true, true)],
        () => &[(true, false), (true, true)],
    };
    let shape = |(heading, texts): (bool, bool), matrix| Shape {
        reading: Reading { heading, texts, matrix },
        rows: rows - usize::from(heading),
        numbers: columns - usize::from(texts),
    };
    let shapes = ways.iter().map(|way| shape(*way, false)).filter(|shape| shape.rows > 0 && shape.numbers > 0);
    let matrices =
        ways.iter().map(|way| shape(*way, true)).filter(|shape| shape.rows > 1 && shape.rows == shape.numbers);
    Ok(shapes.chain(matrices).collect())
}

fn is_number(cell: &str) -> bool {
    cell.trim().parse::<f32>().is_ok()
}

/// Reads the rows. Fails with a sentence at a cell that is not a number or a row of another length.
pub(super) fn read(file: &mut impl Read, reading: Reading) -> Result<ImportedVectors, String> {
    let mut lines = lines(file);
    let mut line = csv::StringRecord::new();
    let mut found = ImportedVectors { matrix: reading.matrix, ..ImportedVectors::default() };
    let mut columns = None;
    if reading.heading && next(&mut lines, &mut line)? {
        columns = Some(line.len());
    }
    let texts = usize::from(reading.texts);
    let mut numbers = Vec::new();
    while next(&mut lines, &mut line)? {
        let row = found.texts.len() + 1;
        let columns = *columns.get_or_insert(line.len());
        if line.len() != columns {
            let (is, should) = (line.len().saturating_sub(texts), columns.saturating_sub(texts));
            return Err(if reading.heading {
                format!("row {row}: expected {should} numbers as in the header, found {is}")
            } else {
                format!("row {row}: expected {should} numbers as in the rows before, found {is}")
            });
        }
        let text = reading.texts.then(|| plain(line.get(0).unwrap_or_default()));
        let empty = line.iter().skip(texts).all(str::is_empty);
        if empty && !found.matrix {
            found.push(text, None)?;
            continue;
        }
        numbers.clear();
        for (column, cell) in line.iter().enumerate().skip(texts) {
            let cell = cell.trim_start_matches('\u{feff}').trim();
            let number = if cell.is_empty() && found.matrix { Ok(f32::NAN) } else { cell.parse() };
            numbers.push(number.map_err(|_| format!("row {row}, column {}: not a number", column + 1))?);
        }
        found.push(text, Some(&numbers))?;
    }
    Ok(found)
}

/// Returns a text without the mark that keeps a spreadsheet from taking it for a formula.
fn plain(cell: &str) -> Untrusted {
    let rest = cell.strip_prefix('\'').filter(|rest| super::super::export::rows::cell(rest) == cell);
    rest.unwrap_or(cell).into()
}
