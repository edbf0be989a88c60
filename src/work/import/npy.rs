//! NumPy's arrays: 32- or 64-bit floats in rows, little-endian. Texts are in a file of JSON lines beside them.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde::Deserialize;

use super::ImportedVectors;

/// What such a file begins with.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";

/// Bytes of a header at most; NumPy's own has 118.
const HEAD: usize = 64 << 10;

/// Reads an array, and its texts if they are beside it. Fails with a sentence if it is malformed or of another type.
pub(super) fn read(file: &mut impl Read, path: &Path) -> Result<ImportedVectors, String> {
    let short = |_| "it ends before the data begins".to_owned();
    let mut first = [0; 8];
    file.read_exact(&mut first).map_err(short)?;
    let length = if first[6] == 1 {
        let mut two = [0; 2];
        file.read_exact(&mut two).map_err(short)?;
        usize::from(u16::from_le_bytes(two))
    } else {
        let mut four = [0; 4];
        file.read_exact(&mut four).map_err(short)?;
        u32::from_le_bytes(four) as usize
    };
    if length > HEAD {
        return Err(format!("its header has {length} bytes, more than the {HEAD} allowed"));
    }
    let mut head = vec![0; length];
    file.read_exact(&mut head).map_err(short)?;
    let Head { wide, rows, columns } = Head::of(&String::from_utf8_lossy(&head))?;

    let beside = SidecarLine::all(path, rows)?;
    let matrix = beside.as_ref().is_some_and(|lines| lines.first().is_some_and(|line| line.is == "cosines"));
    let mut found = ImportedVectors { matrix, unsaid: beside.is_none(), ..ImportedVectors::default() };
    let bytes = columns.checked_mul(if wide { 8 } else { 4 }).filter(|bytes| *bytes as u64 <= super::LARGEST);
    let bytes = bytes.ok_or_else(|| format!("rows of {columns} numbers are too long"))?;
    // The header is believed only as far as a file of the largest size could hold its numbers.
    found.table.reserve(rows.min(super::LARGEST as usize / bytes.max(1)), columns);
    let (mut buffer, mut numbers) = (vec![0; bytes], Vec::with_capacity(columns));
    for row in 0..rows {
        file.read_exact(&mut buffer).map_err(|error| match error.kind() {
            std::io::ErrorKind::UnexpectedEof => format!("it ends in row {} of {rows}", row + 1),
            _ => error.to_string(),
        })?;
        numbers.clear();
        if wide {
            numbers.extend(buffer.as_chunks().0.iter().map(|eight| f64::from_le_bytes(*eight) as f32));
        } else {
            numbers.extend(buffer.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four)));
        }
        let line = beside.as_ref().and_then(|lines| lines.get(row));
        let vector = (!line.is_some_and(|line| line.missing)).then_some(&numbers[..]);
        found.push(line.map(|line| line.text.as_str().into()), vector)?;
    }
    if file.read(&mut [0]).map_err(|error| error.to_string())? > 0 {
        return Err(format!("there is more data after its {rows} rows of {columns} numbers"));
    }
    found.model = beside.and_then(|mut lines| lines.first_mut().and_then(|line| line.model.take())).map(Into::into);
    Ok(found)
}

/// What the head says.
struct Head {
    /// Whether its floats have 64 bits.
    wide: bool,
    rows: usize,
    columns: usize,
}

impl Head {
    /// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }`.
    fn of(head: &str) -> Result<Self, String> {
        let after = |name: &str| {
            let (_, rest) = head.split_once(&format!("'{name}'"))?;
            rest.trim_start().strip_prefix(':').map(str::trim_start)
        };
        let missing = |name: &str| format!("its header has no `{name}`");
        let kind = after("descr").ok_or_else(|| missing("descr"))?;
        let kind = kind.trim_start_matches('\'').split('\'').next().unwrap_or_default();
        let wide = match kind {
            "<f4" => false,
            "<f8" => true,
            _ => return Err(format!("it contains `{kind}`; save it as 32-bit floats: `array.astype('<f4')`")),
        };
        if after("fortran_order").ok_or_else(|| missing("fortran_order"))?.starts_with("True") {
            return Err("it is stored column by column; save it row by row: `numpy.ascontiguousarray`".into());
        }
        let shape = after("shape").and_then(|rest| rest.strip_prefix('(')?.split_once(')')).map(|(shape, _)| shape);
        let shape = shape.ok_or_else(|| missing("shape"))?;
        let sizes: Option<Vec<usize>> =
            shape.split(',').map(str::trim).filter(|size| !size.is_empty()).map(|size| size.parse().ok()).collect();
        match sizes.as_deref() {
            Some([rows, columns]) => Ok(Self { wide, rows: *rows, columns: *columns }),
            _ => Err(format!("its shape is ({shape}); vectors need two dimensions: rows and numbers per row")),
        }
    }
}

/// A line of the file beside it.
#[derive(Deserialize)]
struct SidecarLine {
    text: String,
    #[serde(default)]
    model: Option<String>,
    #[serde(default)]
    is: String,
    #[serde(default)]
    missing: bool,
}

impl SidecarLine {
    /// Reads all lines; `None`: there is no such file. Fails with a sentence if their number or form is wrong.
    fn all(path: &Path, rows: usize) -> Result<Option<Vec<Self>>, String> {
        let path = path.with_extension("jsonl");
        if !path.is_file() {
            return Ok(None);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut lines = Vec::new();
        for (at, line) in BufReader::new(super::open(&path)?).lines().enumerate() {
            let line = line.map_err(|error| format!("{name}, line {}: {error}", at + 1))?;
            lines.push(serde_json::from_str(&line).map_err(|error| format!("{name}, line {}: {error}", at + 1))?);
        }
        if lines.len() != rows {
            return Err(format!("{name} next to it needs a line per row: found {} for {rows} rows", lines.len()));
        }
        Ok(Some(lines))
    }
}
