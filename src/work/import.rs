//! Reading back what was exported, and what other programs wrote in the same forms.

mod csv;
mod json;
mod npy;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;

use super::course::Course;
use super::save::expand;
use crate::record::Table;
use crate::record::vectors::Matrix;
use crate::record::work::{Done, Imported};
use crate::text::Untrusted;
use crate::vectors;

/// Bytes of the largest file that is read.
const LARGEST: u64 = 1 << 30;
/// Bytes between two words on how far it is.
const OFTEN: u64 = 8 << 20;

/// Reads vectors or a matrix. What the file is, its first bytes say.
pub(super) fn import(path: &str, course: &Course) -> Done {
    let read = expand(path).and_then(|path| read(&path, course));
    read.map_or_else(|why| Done::Failed(why.into()), Done::Imported)
}

fn read(path: &Path, course: &Course) -> Result<Imported, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut file = open(path)?;
    let mut first = Vec::new();
    let peeked = file.by_ref().take(64).read_to_end(&mut first).and_then(|_| file.seek(SeekFrom::Start(0)));
    peeked.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let total = file.metadata().map_or(0, |about| about.len());
    let mut watched = BufReader::with_capacity(1 << 18, Watched { file, done: 0, said: 0, total, course });
    let read = if first.starts_with(npy::MAGIC) {
        npy::read(&mut watched, path)
    } else if first.trim_ascii_start().starts_with(b"{") || first.trim_ascii_start().starts_with(b"[") {
        json::read(&mut watched)
    } else {
        csv::read(&mut watched)
    };
    read.and_then(|read| read.finish(&name)).map_err(|why| format!("{name}: {why}"))
}

/// Opens a file that is not too large to be read.
fn open(path: &Path) -> Result<File, String> {
    let file = File::open(path).map_err(|error| format!("cannot open {}: {error}", path.display()))?;
    let about = file.metadata().map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if !about.is_file() {
        return Err(format!("{} is not a file", path.display()));
    }
    if about.len() > LARGEST {
        return Err(format!(
            "{} has {:.1} GiB and at most 1 GiB is read; .npy takes the least room for vectors",
            path.display(),
            about.len() as f64 / LARGEST as f64
        ));
    }
    Ok(file)
}

/// A file that says how far it is read, and ends where it is to stop.
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

/// What a file holds, as it was read.
#[derive(Default)]
struct Found {
    texts: Vec<Option<Untrusted>>,
    /// Vectors, or the rows of a matrix.
    table: Table,
    model: Option<Untrusted>,
    /// Whether the rows are cosines.
    matrix: bool,
    norms: Option<Vec<f32>>,
    order: Option<Vec<u32>>,
}

impl Found {
    /// Adds a row. The sentence names it where it is as long as no other.
    fn push(&mut self, text: Option<Untrusted>, vector: Option<&[f32]>) -> Result<(), String> {
        let row = self.texts.len() + 1;
        if row > u32::MAX as usize {
            return Err("it has more rows than can be numbered".to_owned());
        }
        if !self.table.push(vector) {
            let (is, should) = (vector.map_or(0, <[f32]>::len), self.table.dimensions());
            return Err(format!("row {row} has {is} numbers, and those before it have {should}"));
        }
        self.texts.push(text);
        Ok(())
    }

    fn finish(self, name: &str) -> Result<Imported, String> {
        if self.texts.is_empty() {
            return Err("it holds no rows".to_owned());
        }
        let text = |(at, text): (usize, Option<Untrusted>)| text.unwrap_or_else(|| format!("row {}", at + 1).into());
        let texts: Vec<Untrusted> = self.texts.into_iter().enumerate().map(text).collect();
        let model = self.model.filter(|model| !model.is_empty()).unwrap_or_else(|| name.into());
        if !self.matrix {
            return Ok(Imported::Vectors { texts, table: Arc::new(self.table), model });
        }
        let rows = texts.len();
        if rows > crate::record::vectors::MATRIX {
            return Err(vectors::Refusal::Rows(rows).to_string());
        }
        if self.table.present() != rows || self.table.dimensions() != rows {
            return Err(format!("a matrix of {rows} rows needs as many columns; it has {}", self.table.dimensions()));
        }
        let cosines = self.table.numbers().to_vec();
        let mut seen = self.order.clone().unwrap_or_default();
        seen.sort_unstable();
        let whole = seen.into_iter().eq(0..rows as u32);
        let order = self.order.filter(|_| whole).unwrap_or_else(|| vectors::order(rows, &cosines));
        let norms = self.norms.filter(|norms| norms.len() == rows).unwrap_or_else(|| vec![f32::NAN; rows]);
        Ok(Imported::Matrix { texts, matrix: Arc::new(Matrix { rows, cosines, norms, order }), model })
    }
}

#[cfg(test)]
mod tests;
