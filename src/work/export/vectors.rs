//! Vectors and similarities as files: written row after row, so that a large table is not held twice.
//!
//! In CSV each line begins with the text; for a matrix the header names the columns too. A missing vector has empty
//! cells. In JSON every number is exact; numbers that are not finite are `null` or `"Infinity"`. For `.npy` the texts
//! are in a file of JSON lines beside it. JSON lines have one text each with its vector.

use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::json;

use super::super::course::Course;
use super::super::save;
use super::rows::cell;
use crate::record::VectorTable;
use crate::record::vectors::Matrix;
use crate::record::work::{Export, Form};
use crate::text::Untrusted;

/// Rows between two reports of progress.
const OFTEN: usize = 1_000;

/// Writes `Export::Vectors` or `Export::Matrix` to new files. Returns the first one's name; fails with a sentence.
pub(super) fn write(path: &str, form: Form, what: &Export, course: &Course) -> Result<PathBuf, String> {
    let rows = match what {
        Export::Vectors { texts, table, model } => VectorRows { texts, model, of: RowSource::Table(table), course },
        Export::Matrix { texts, matrix, model } => VectorRows { texts, model, of: RowSource::Matrix(matrix), course },
        Export::Checks { .. } | Export::Scores(_) | Export::Conversations(_) => {
            return Err("there are no vectors to save".to_owned());
        }
    };
    let endings: &[&str] = match form {
        Form::Csv => &["csv"],
        Form::Json => &["json"],
        Form::JsonLines => &["jsonl"],
        Form::Npy => &["npy", "jsonl"],
        Form::Markdown => return Err("vectors are saved as CSV, JSON or .npy".to_owned()),
    };
    save::write(path, endings, &mut |at, file| match (form, at) {
        (Form::Csv, _) => rows.csv(file),
        (Form::Json, _) => rows.json(file),
        (Form::JsonLines, _) => rows.json_lines(file),
        (Form::Npy, 0) => rows.npy(file),
        _ => rows.beside(file),
    })
}

/// The rows that are written.
struct VectorRows<'a> {
    texts: &'a [Untrusted],
    model: &'a Untrusted,
    of: RowSource<'a>,
    course: &'a Course,
}

enum RowSource<'a> {
    Table(&'a VectorTable),
    Matrix(&'a Matrix),
}

impl VectorRows<'_> {
    fn rows(&self) -> usize {
        match self.of {
            RowSource::Table(table) => table.rows(),
            RowSource::Matrix(matrix) => matrix.rows,
        }
    }

    fn columns(&self) -> usize {
        match self.of {
            RowSource::Table(table) => table.dimensions(),
            RowSource::Matrix(matrix) => matrix.rows,
        }
    }

    /// Returns a row's numbers; `None`: it has no vector.
    fn row(&self, row: usize) -> Option<&[f32]> {
        match self.of {
            RowSource::Table(table) => table.row(row),
            RowSource::Matrix(matrix) => matrix.cosines.get(row * matrix.rows..(row + 1) * matrix.rows),
        }
    }

    fn text(&self, row: usize) -> &str {
        self.texts.get(row).map_or("", Untrusted::raw)
    }

    /// Reports progress; fails if nobody waits any more.
    fn at(&self, row: usize) -> io::Result<()> {
        if row.is_multiple_of(OFTEN) {
            self.course.moved(row as u64, self.rows() as u64);
        }
        if self.course.is_stopped() { Err(io::Error::other("stopped")) } else { Ok(()) }
    }

    fn csv(&self, file: &mut dyn Write) -> io::Result<()> {
        let mut csv = csv::Writer::from_writer(file);
        match self.of {
            RowSource::Table(_) => {
                csv.write_field("text")?;
                for column in 0..self.columns() {
                    csv.write_field(column.to_string())?;
                }
            }
            RowSource::Matrix(_) => {
                csv.write_field("cosine")?;
                for column in 0..self.columns() {
                    csv.write_field(&*cell(self.text(column)))?;
                }
            }
        }
        csv.write_record(None::<&[u8]>)?;
        let mut number = String::new();
        for row in 0..self.rows() {
            self.at(row)?;
            csv.write_field(&*cell(self.text(row)))?;
            let numbers = self.row(row);
            for column in 0..self.columns() {
                number.clear();
                match numbers.map(|numbers| numbers[column]) {
                    Some(x) if !(x.is_nan() && matches!(self.of, RowSource::Matrix(_))) => decimal(x, &mut number),
                    _ => {}
                }
                csv.write_field(&number)?;
            }
            csv.write_record(None::<&[u8]>)?;
        }
        csv.flush()
    }

    fn json(&self, file: &mut dyn Write) -> io::Result<()> {
        let model = serde_json::to_string(self.model.raw())?;
        write!(file, "{{\"model\":{model},\"rows\":{},\"dimensions\":{}", self.rows(), self.columns())?;
        if let RowSource::Matrix(matrix) = self.of {
            write!(file, ",\"order\":{},\"norms\":", serde_json::to_string(&matrix.order)?)?;
            exact(&matrix.norms, file)?;
        }
        let all = if matches!(self.of, RowSource::Matrix(_)) { "matrix" } else { "vectors" };
        write!(file, ",\"{all}\":[")?;
        for row in 0..self.rows() {
            self.at(row)?;
            file.write_all(if row == 0 { "\n" } else { ",\n" }.as_bytes())?;
            self.json_row(row, "", file)?;
        }
        file.write_all(b"\n]}\n")
    }

    fn json_lines(&self, file: &mut dyn Write) -> io::Result<()> {
        let model = format!(",\"model\":{}", serde_json::to_string(self.model.raw())?);
        for row in 0..self.rows() {
            self.at(row)?;
            self.json_row(row, &model, file)?;
            file.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Writes a row as an object; `more` are further fields of it.
    fn json_row(&self, row: usize, more: &str, file: &mut dyn Write) -> io::Result<()> {
        let text = serde_json::to_string(self.text(row))?;
        write!(file, "{{\"text\":{text}{more},\"{}\":", self.kind())?;
        match self.row(row) {
            Some(numbers) => exact(numbers, file)?,
            None => file.write_all(b"null")?,
        }
        file.write_all(b"}")
    }

    /// Returns what the numbers of a row are.
    fn kind(&self) -> &'static str {
        if matches!(self.of, RowSource::Matrix(_)) { "cosines" } else { "vector" }
    }

    fn npy(&self, file: &mut dyn Write) -> io::Result<()> {
        let shape = format!("({}, {})", self.rows(), self.columns());
        let mut head = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}");
        // Magic, version and length are 10 bytes, and the numbers begin at a multiple of 64.
        let pad = 63 - (10 + head.len()) % 64;
        head.extend(std::iter::repeat_n(' ', pad));
        head.push('\n');
        file.write_all(b"\x93NUMPY\x01\x00")?;
        file.write_all(&(head.len() as u16).to_le_bytes())?;
        file.write_all(head.as_bytes())?;
        let mut bytes = Vec::with_capacity(4 * self.columns());
        for row in 0..self.rows() {
            self.at(row)?;
            bytes.clear();
            match self.row(row) {
                Some(numbers) => numbers.iter().for_each(|x| bytes.extend(x.to_le_bytes())),
                None => (0..self.columns()).for_each(|_| bytes.extend(f32::NAN.to_le_bytes())),
            }
            file.write_all(&bytes)?;
        }
        Ok(())
    }

    fn beside(&self, file: &mut dyn Write) -> io::Result<()> {
        for row in 0..self.rows() {
            self.at(row)?;
            let missing = self.row(row).is_none();
            let line =
                json!({ "text": self.text(row), "model": self.model.raw(), "is": self.kind(), "missing": missing });
            writeln!(file, "{line}")?;
        }
        Ok(())
    }
}

/// Writes the shortest decimal that parses as the same number.
fn decimal(x: f32, into: &mut String) {
    use std::fmt::Write as _;
    let far = x != 0.0 && !(1e-5..1e16).contains(&x.abs());
    // Writing to a string cannot fail.
    let _ = if far && x.is_finite() { write!(into, "{x:e}") } else { write!(into, "{x}") };
}

/// Writes a list of numbers in JSON, each bit-exact except NaN.
fn exact(numbers: &[f32], file: &mut dyn Write) -> io::Result<()> {
    let mut text = String::new();
    for (at, x) in numbers.iter().enumerate() {
        file.write_all(if at == 0 { b"[" } else { b"," })?;
        text.clear();
        if x.is_nan() {
            text.push_str("null");
        } else if x.is_infinite() {
            text.push_str(if *x > 0.0 { "\"Infinity\"" } else { "\"-Infinity\"" });
        } else {
            decimal(*x, &mut text);
            // JSON parsers read 64 bits; the shortest decimal for 32 bits then nearly always gives the same number.
            if serde_json::from_str::<f64>(&text).is_ok_and(|read| (read as f32).to_bits() != x.to_bits()) {
                text = serde_json::to_string(&f64::from(*x))?;
            }
        }
        file.write_all(text.as_bytes())?;
    }
    file.write_all(if numbers.is_empty() { b"[]" } else { b"]" })
}
