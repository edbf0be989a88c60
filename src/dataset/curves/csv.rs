//! Result files: a row for each step, a column for each figure.

use csv::{ByteRecord, ReaderBuilder};

use super::figure::{figure, is_now_and_then, is_step};
use super::notes::{Notes, quoted};
use crate::record::curves::{Curve, Figure};
use crate::text::Untrusted;

/// Rows that are read.
const ROWS: u64 = 2_000_000;
/// Points of all columns together: a cell of two bytes becomes one of sixteen.
const POINTS: usize = 4_000_000;
/// Columns that are read.
const COLUMNS: usize = 64;
/// Lines and columns of the head, and characters of a cell.
const HEAD: (usize, usize, usize) = (20, 16, 60);
/// Bytes between two reports of progress.
const OFTEN: u64 = 4 << 20;

/// Columns that belong together: if one of them is there, the others are reported as missing. Other names of the same
/// figure count as well.
const TOGETHER: [&[&str]; 7] = [
    &["elapsed_tokens", "elapsed_examples"],
    &["training_loss", "training_sequence_accuracy", "training_token_accuracy"],
    &["validation_loss", "validation_sequence_accuracy", "validation_token_accuracy"],
    &["train_loss", "train_accuracy"],
    &["valid_loss", "valid_mean_token_accuracy"],
    &["classification/accuracy", "classification/weighted_f1_score"],
    &[
        "classification/accuracy",
        "classification/precision",
        "classification/recall",
        "classification/auroc",
        "classification/auprc",
    ],
];

/// What was read.
#[derive(Debug, Default)]
pub(super) struct FigureTable {
    pub(super) curves: Vec<Curve>,
    pub(super) rows: u64,
    pub(super) head: Vec<Vec<Untrusted>>,
}

/// A column of figures.
struct FigureColumn {
    name: String,
    figure: Figure,
    points: Vec<(f64, f64)>,
    /// Cells that are neither empty nor a number.
    strange: u64,
}

/// A cell.
enum FigureCell {
    Empty,
    Number(f64),
    Strange,
}

/// Returns the byte that separates the cells, judged by the first line.
pub(super) fn separator(bytes: &[u8]) -> u8 {
    let end = memchr::memchr2(b'\n', b'\r', bytes).unwrap_or(bytes.len());
    let count = |byte: u8| memchr::memchr_iter(byte, &bytes[..end]).count();
    // The comma wins a tie: the interface writes it.
    [b'\t', b';', b','].into_iter().max_by_key(|byte| count(*byte)).unwrap_or(b',')
}

/// Returns whether the first line has a column of a result file.
pub(super) fn is_known(bytes: &[u8]) -> bool {
    let end = memchr::memchr2(b'\n', b'\r', bytes).unwrap_or(bytes.len());
    let separator = separator(bytes);
    let mut names = bytes[..end].split(|byte| *byte == separator).map(String::from_utf8_lossy);
    names.any(|name| {
        let name = name.trim().trim_matches('"');
        is_step(name) || figure(name) != Figure::Other
    })
}

pub(super) fn read(bytes: &[u8], notes: &mut Notes, moved: &mut dyn FnMut(u64) -> bool) -> FigureTable {
    let separator = separator(bytes);
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).delimiter(separator).from_reader(bytes);
    let (mut record, mut table) = (ByteRecord::new(), FigureTable::default());
    let mut columns: Option<FigureColumns> = None;
    let mut said = 0;
    loop {
        match reader.read_byte_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                notes.add(format!("the rest of the file cannot be read: {error}"));
                break;
            }
        }
        let (line, at) = record.position().map_or((0, 0), |position| (position.line(), position.byte()));
        if table.head.len() < HEAD.0 {
            let cells = record.iter().take(HEAD.1);
            let short = |cell: &[u8]| String::from_utf8_lossy(cell).chars().take(HEAD.2).collect::<String>().into();
            table.head.push(cells.map(short).collect());
        }
        if record.iter().any(|cell| cell.contains(&b'\n')) {
            notes.add(format!("line {line}: a quote is opened here and not closed on the same line"));
        }
        let Some(columns) = &mut columns else {
            columns = Some(FigureColumns::new(&record, separator, line, notes));
            continue;
        };
        if table.rows == ROWS {
            notes.add(format!("line {line}: only the first 2,000,000 rows were read"));
            break;
        }
        if columns.points >= POINTS {
            notes.first(format!("line {line}: only the first 4,000,000 values were read"));
            break;
        }
        table.rows += 1;
        columns.row(&record, line, table.rows, notes);
        if at >= said + OFTEN {
            said = at;
            if !moved(at) {
                break;
            }
        }
    }
    table.curves = columns.map(|columns| columns.finish(notes)).unwrap_or_default();
    table
}

/// The columns of a file while it is read.
struct FigureColumns {
    all: Vec<FigureColumn>,
    step: Option<usize>,
    /// Whether it is a result file.
    known: bool,
    separator: u8,
    /// The last row's step.
    last: Option<f64>,
    /// Whether the step decreased between rows.
    back: bool,
    /// Points of all columns.
    points: usize,
}

impl FigureColumns {
    fn new(names: &ByteRecord, separator: u8, line: u64, notes: &mut Notes) -> Self {
        let names: Vec<String> =
            names.iter().take(COLUMNS).map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
        let column =
            |name: &String| FigureColumn { name: name.clone(), figure: figure(name), points: Vec::new(), strange: 0 };
        let all: Vec<FigureColumn> = names.iter().map(column).collect();
        let step = names.iter().position(|name| is_step(name));
        let known = step.is_some() || all.iter().any(|column| column.figure != Figure::Other);
        if known {
            missing(&names, step.is_some(), line, notes);
        }
        for (at, name) in names.iter().enumerate() {
            if Some(at) != step && figure(name) == Figure::Other {
                let place = format!("line {line}, column {}", at + 1);
                let what = if name.is_empty() {
                    "a column without a name".to_owned()
                } else {
                    format!("unknown column {}", short(name))
                };
                let so = if known { ", plotted as it is" } else { "" };
                notes.add(format!("{place}: {what}{so}"));
            } else if names[..at].contains(name) {
                notes.add(format!("line {line}, column {}: {} appears twice", at + 1, short(name)));
            }
        }
        if !known {
            notes.add("no column of a result file was found: nothing to plot");
        }
        Self { all, step, known, separator, last: None, back: false, points: 0 }
    }

    fn row(&mut self, record: &ByteRecord, line: u64, row: u64, notes: &mut Notes) {
        if !self.known {
            return;
        }
        let (cells, columns) = (record.len(), self.all.len());
        if cells != columns && columns < COLUMNS {
            notes.add(format!("line {line}: {cells} cells, but the first line has {columns}"));
        }
        let step = match self.step.map(|at| (at, record.get(at).unwrap_or_default())) {
            None => row as f64,
            Some((at, cell)) => match parse(cell, self.separator) {
                FigureCell::Number(step) if step.is_finite() => step,
                _ => {
                    let cell = quoted(&String::from_utf8_lossy(cell));
                    notes.add(format!(
                        "line {line}, column {} (step): {cell} is not a number; the row is left out",
                        at + 1
                    ));
                    return;
                }
            },
        };
        if let Some(last) = self.last.filter(|last| step < *last && !self.back) {
            self.back = true;
            notes.add(format!("line {line}: step {step} comes after step {last}; points are sorted by step"));
        }
        self.last = Some(step);
        for (at, column) in self.all.iter_mut().enumerate() {
            if Some(at) == self.step {
                continue;
            }
            let cell = record.get(at).unwrap_or_default();
            match parse(cell, self.separator) {
                FigureCell::Number(value) if value.total_cmp(&-1.0).is_eq() && is_now_and_then(column.figure) => {}
                FigureCell::Number(value) => {
                    self.points += 1;
                    column.points.push((step, value));
                }
                FigureCell::Empty => {}
                FigureCell::Strange => {
                    column.strange += 1;
                    self.points += 1;
                    column.points.push((step, f64::NAN));
                    if column.figure != Figure::Other {
                        let (cell, name) = (quoted(&String::from_utf8_lossy(cell)), short(&column.name));
                        notes.add(format!("line {line}, column {} ({name}): {cell} is not a number", at + 1));
                    }
                }
            }
        }
    }

    fn finish(self, notes: &mut Notes) -> Vec<Curve> {
        if !self.known {
            return Vec::new();
        }
        let mut curves = Vec::new();
        for (at, mut column) in self.all.into_iter().enumerate().filter(|(at, _)| Some(*at) != self.step) {
            let (place, name) = (at + 1, short(&column.name));
            if column.points.len() as u64 == column.strange {
                let why = if column.strange > 0 { "contains no numbers" } else { "contains no values" };
                notes.add(format!("column {place} ({name}): {why}"));
                continue;
            }
            if column.figure == Figure::Other && column.strange > 0 {
                let cells = match column.strange {
                    1 => "1 cell is not a number".to_owned(),
                    cells => format!("{cells} cells are not numbers"),
                };
                notes.add(format!("column {place} ({name}): {cells}"));
            }
            if self.back {
                column.points.sort_by(|a, b| a.0.total_cmp(&b.0));
            }
            curves.push(Curve { name: column.name.into(), figure: column.figure, points: column.points });
        }
        curves
    }
}

/// Returns the names of the columns that are missing.
fn missing(names: &[String], step: bool, line: u64, notes: &mut Notes) {
    if !step {
        notes.add(format!("line {line}: no column step; rows are numbered from 1"));
    }
    let figures: Vec<Figure> = names.iter().map(|name| figure(name)).collect();
    let is_there = |wanted: &str| {
        let same = figure(wanted);
        names.iter().any(|name| name.eq_ignore_ascii_case(wanted))
            || (same != Figure::Classification && figures.contains(&same))
    };
    let mut missed: Vec<&str> = Vec::new();
    for group in TOGETHER {
        // Accuracy belongs to both kinds of classification: it indicates neither.
        let tells = |name: &&&str| **name != "classification/accuracy";
        let exact = |wanted: &&str| names.iter().any(|name| name.eq_ignore_ascii_case(wanted));
        if group.iter().filter(tells).any(exact) {
            missed.extend(group.iter().filter(|name| !is_there(name)));
        }
    }
    if !figures.iter().any(|figure| matches!(figure, Figure::Loss(_)))
        && !missed.iter().any(|name| name.ends_with("loss"))
    {
        missed.push("training_loss");
    }
    missed.sort_unstable();
    missed.dedup();
    for name in missed {
        notes.add(format!("line {line}: no column {name}"));
    }
}

/// Returns a column's name in a note.
fn short(name: &str) -> String {
    name.chars().take(40).collect()
}

fn parse(cell: &[u8], separator: u8) -> FigureCell {
    let cell = cell.trim_ascii();
    let word = |word: &str| cell.eq_ignore_ascii_case(word.as_bytes());
    if cell.is_empty() || ["null", "none", "n/a", "na", "-"].into_iter().any(word) {
        return FigureCell::Empty;
    }
    let Ok(text) = std::str::from_utf8(cell) else { return FigureCell::Strange };
    let parsed = text.parse().ok().or_else(|| {
        // Where a semicolon separates the cells a comma may be the decimal separator.
        (separator == b';').then(|| text.replacen(',', ".", 1).parse().ok()).flatten()
    });
    parsed.map_or(FigureCell::Strange, FigureCell::Number)
}
