//! Reads what was exported, and what other programs wrote in the same formats.

mod csv;
mod json;
mod npy;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use super::course::Course;
use super::save::expand;
use crate::record::VectorTable;
use crate::record::vectors::{MATRIX, Matrix};
use crate::record::work::{Done, Imported, Reading, Shape};
use crate::text::Untrusted;
use crate::vectors;

/// Bytes of the largest file that is read.
const LARGEST: u64 = 1 << 30;
/// Bytes between two reports of progress.
const OFTEN: u64 = 8 << 20;
/// How far two similarities of the same rows may differ: the rounding of few decimals.
const EVEN: f32 = 0.01;

/// Imports vectors or a matrix. The first bytes decide the format.
pub(super) fn import(path: &str, reading: Option<Reading>, course: &Course) -> Done {
    let read = expand(path).and_then(|path| read(&path, reading, course));
    read.map_or_else(|why| Done::Failed(why.into()), Done::Imported)
}

fn read(path: &Path, reading: Option<Reading>, course: &Course) -> Result<Imported, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut file = open(path)?;
    let mut first = Vec::new();
    let peeked = file.by_ref().take(64).read_to_end(&mut first).and_then(|_| file.seek(SeekFrom::Start(0)));
    peeked.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let total = file.metadata().map_or(0, |about| about.len());
    let mut watched = BufReader::with_capacity(1 << 18, Watched { file, done: 0, said: 0, total, course });
    let named = |why| format!("{name}: {why}");
    let mut found = if first.starts_with(npy::MAGIC) {
        npy::read(&mut watched, path).map_err(named)?
    } else if first.trim_ascii_start().starts_with(b"{") || first.trim_ascii_start().starts_with(b"[") {
        json::read(&mut watched).map_err(named)?
    } else {
        let reading = match reading {
            Some(reading) => reading,
            None => match csv::shapes(&mut watched).map_err(named)?[..] {
                [] => return Err(named("it contains no rows".to_owned())),
                [only] => {
                    let back = watched.seek(SeekFrom::Start(0));
                    back.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
                    only.reading
                }
                ref several => return Ok(Imported::Unclear(several.to_vec())),
            },
        };
        csv::read(&mut watched, reading).map_err(named)?
    };
    match reading {
        Some(reading) => found.matrix = reading.matrix,
        None if found.is_unclear() => return Ok(Imported::Unclear(found.shapes())),
        None => {}
    }
    found.finish(&name).map_err(named)
}

/// Opens a file; fails with a sentence if it is no plain file or too large.
fn open(path: &Path) -> Result<File, String> {
    let file = File::open(path).map_err(|error| format!("cannot open {}: {error}", path.display()))?;
    let about = file.metadata().map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if !about.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    if about.len() > LARGEST {
        return Err(format!(
            "{} has {:.1} GiB, but at most 1 GiB can be read; .npy is the most compact format",
            path.display(),
            about.len() as f64 / LARGEST as f64
        ));
    }
    Ok(file)
}

/// A file that reports how far it is read, and ends when it is to stop.
struct Watched<'a> {
    file: File,
    done: u64,
    said: u64,
    total: u64,
    course: &'a Course,
}

impl Read for Watched<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.course.is_stopped() {
            return Err(io::Error::other("stopped"));
        }
        let count = self.file.read(into)?;
        self.done += count as u64;
        if self.done >= self.said + OFTEN {
            self.said = self.done;
            self.course.moved(self.done, self.total);
        }
        Ok(count)
    }
}

impl Seek for Watched<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        (self.done, self.said) = (0, 0);
        self.file.seek(to)
    }
}

/// The contents of a file as they are read.
#[derive(Default)]
struct ImportedVectors {
    texts: Vec<Option<Untrusted>>,
    /// Vectors, or the rows of a matrix.
    table: VectorTable,
    model: Option<Untrusted>,
    /// Whether the rows are cosines.
    matrix: bool,
    /// Whether the file does not say what its rows are.
    unsaid: bool,
    norms: Option<Vec<f32>>,
    order: Option<Vec<u32>>,
}

impl ImportedVectors {
    /// Adds a row. Fails, naming the row, if its length differs from the others.
    fn push(&mut self, text: Option<Untrusted>, vector: Option<&[f32]>) -> Result<(), String> {
        let row = self.texts.len() + 1;
        if row > u32::MAX as usize {
            return Err("it has too many rows".to_owned());
        }
        if !self.table.push(vector) {
            let (is, should) = (vector.map_or(0, <[f32]>::len), self.table.dimensions());
            return Err(format!("row {row}: expected {should} numbers as in the rows before, found {is}"));
        }
        self.texts.push(text);
        Ok(())
    }

    /// Returns whether it may hold vectors as well as similarities, and does not say which.
    fn is_unclear(&self) -> bool {
        let rows = self.texts.len();
        self.unsaid && (2..=MATRIX).contains(&rows) && self.table.dimensions() == rows && self.table.present() == rows
    }

    /// Returns both ways to read as many rows as there are numbers in each.
    fn shapes(&self) -> Vec<Shape> {
        let shape = |matrix| Shape {
            reading: Reading { heading: false, texts: false, matrix },
            rows: self.texts.len(),
            numbers: self.table.dimensions(),
        };
        vec![shape(false), shape(true)]
    }

    fn finish(self, name: &str) -> Result<Imported, String> {
        if self.texts.is_empty() {
            return Err("it contains no rows".to_owned());
        }
        let text = |(at, text): (usize, Option<Untrusted>)| text.unwrap_or_else(|| format!("row {}", at + 1).into());
        let texts: Vec<Untrusted> = self.texts.into_iter().enumerate().map(text).collect();
        let model = self.model.filter(|model| !model.is_empty()).unwrap_or_else(|| name.into());
        if !self.matrix {
            return Ok(Imported::Vectors { texts, table: Arc::new(self.table), model });
        }
        let rows = texts.len();
        if rows > MATRIX {
            return Err(vectors::Refusal::Rows(rows).to_string());
        }
        if self.table.present() != rows || self.table.dimensions() != rows {
            return Err(format!("a matrix of {rows} rows needs as many columns; it has {}", self.table.dimensions()));
        }
        let cosines = self.table.numbers().to_vec();
        if let Some((row, column)) = lopsided(rows, &cosines) {
            return Err(format!(
                "it is not a similarity matrix: row {}, column {} is {} but the reverse is {}; import it as vectors",
                row + 1,
                column + 1,
                cosines[row * rows + column],
                cosines[column * rows + row]
            ));
        }
        let mut seen = self.order.clone().unwrap_or_default();
        seen.sort_unstable();
        let whole = seen.into_iter().eq(0..rows as u32);
        let order = self.order.filter(|_| whole).unwrap_or_else(|| vectors::order(rows, &cosines));
        let norms = self.norms.filter(|norms| norms.len() == rows).unwrap_or_else(|| vec![f32::NAN; rows]);
        Ok(Imported::Matrix { texts, matrix: Arc::new(Matrix { rows, cosines, norms, order }), model })
    }
}

/// Returns two rows whose similarity is not symmetric.
fn lopsided(rows: usize, cosines: &[f32]) -> Option<(usize, usize)> {
    let differs = |row: usize, column: usize| {
        let (one, other) = (cosines[row * rows + column], cosines[column * rows + row]);
        one.is_nan() != other.is_nan() || (one - other).abs() > EVEN
    };
    (0..rows).flat_map(|row| (0..row).map(move |column| (row, column))).find(|(row, column)| differs(*row, *column))
}

#[cfg(test)]
mod tests;
