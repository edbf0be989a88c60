//! A training file, record by record: lines, JSON values or the rows of a table, each with its place.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::columns::ColumnMapping;
use super::encoding::Lost;
use super::limits::ROW;
use super::raw_record::RawRecord;
use super::values::Values;
use super::{encoding, sheet};
use crate::dataset::Moved;
use crate::dataset::lines::BOM;
use crate::dataset::texts::guess;
use crate::dataset::texts::open::{Open, unreadable};
use crate::dataset::texts::rows::{Ends, RowOutcome, Rows, cells, starts};
use crate::record::training::{Mapping, SourceColumn, TrainingFormat};
use crate::record::work::Layout;

/// Bytes read at a time.
const BUFFER: usize = 256 << 10;

/// A training file that is open.
#[derive(Debug)]
pub(super) struct TrainingFile {
    /// The file that is read: for a workbook a copy of its first sheet, for one that is not UTF-8 a converted copy.
    path: PathBuf,
    pub(super) source: TrainingFormat,
    /// Bytes of the user's file.
    pub(super) bytes: u64,
    /// Bytes of the file that is read.
    pub(super) total: u64,
    /// Whether it begins with a byte order mark.
    pub(super) mark: bool,
    /// The byte that separates cells.
    part: u8,
    /// The names of a table's columns.
    pub(super) names: Vec<String>,
    /// How its characters are encoded.
    pub(super) encoding: &'static str,
    /// Characters that could not be converted.
    pub(super) lost: Lost,
    /// Its columns with some of their values, and their meanings.
    pub(super) columns: Vec<SourceColumn>,
    pub(super) mapping: Option<Mapping>,
    /// Whether the meanings of the columns are a guess.
    pub(super) guessed: bool,
    /// Makes rows of columns that are not called prompt and completion.
    pub(super) fields: Option<ColumnMapping>,
    /// Whether its rows are a preferred and a rejected answer.
    pub(super) preferences: bool,
    /// Deletes the copy when it is dropped.
    copy: Option<TempPath>,
}

impl TrainingFile {
    /// Opens a training file; fails with a sentence if it cannot be one.
    pub(super) fn open(path: &Path, moved: Moved) -> Result<Self, String> {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        if matches!(ending.as_str(), "xlsx" | "xlsm") {
            let bytes = path.metadata().map_err(|why| unreadable(path, &why))?.len();
            let copy = sheet::copy(path, moved)?;
            let total = copy.metadata().map_err(|why| unreadable(path, &why))?.len();
            let input =
                Self { bytes, total, part: b',', ..Self::of(copy.to_path_buf(), TrainingFormat::Xlsx, Some(copy)) };
            return input.named(path);
        }
        // Anything but a plain file is refused below.
        let bytes = path.metadata().ok().filter(std::fs::Metadata::is_file).map(|known| known.len());
        let found = bytes.map_or(Ok(encoding_rs::UTF_8), |bytes| encoding::detect(path, bytes, moved))?;
        let (copy, lost) = if found == encoding_rs::UTF_8 {
            (None, Lost::default())
        } else {
            encoding::copy(path, found, moved).map(|(copy, lost)| (Some(copy), lost))?
        };
        let read = copy.as_deref().unwrap_or(path).to_owned();
        let open = Open::new(&read).map_err(|why| why.replace(&*read.to_string_lossy(), &path.to_string_lossy()))?;
        let first = open.head.strip_prefix(BOM).unwrap_or(&open.head).trim_ascii_start().first().copied();
        let source = match ending.as_str() {
            "csv" => TrainingFormat::Csv,
            "tsv" | "tab" => TrainingFormat::Tsv,
            // Spreadsheets export tables as "Unicode text".
            "txt" if copy.is_some() && guess::layout(&open.head, open.whole, path) == Layout::Tsv => {
                TrainingFormat::Tsv
            }
            "txt" => TrainingFormat::Txt,
            _ if first == Some(b'[') => TrainingFormat::Json,
            "json" if guess::document(&open.head, path).is_some() => TrainingFormat::Json,
            "jsonl" | "ndjson" | "json" => TrainingFormat::Jsonl,
            _ => match guess::layout(&open.head, open.whole, path) {
                Layout::Jsonl => TrainingFormat::Jsonl,
                Layout::Csv => TrainingFormat::Csv,
                Layout::Tsv => TrainingFormat::Tsv,
                Layout::Lines if first == Some(b'{') => TrainingFormat::Jsonl,
                Layout::Lines => TrainingFormat::Txt,
            },
        };
        let part = match source {
            TrainingFormat::Tsv => b'\t',
            _ => open.part(Layout::Csv).unwrap_or(b','),
        };
        let input = Self {
            bytes: bytes.unwrap_or(open.bytes),
            total: open.bytes,
            mark: open.head.starts_with(BOM),
            part,
            encoding: found.name(),
            lost,
            ..Self::of(read, source, copy)
        };
        input.named(path)
    }

    /// Describes a file of which only the form is known yet.
    fn of(path: PathBuf, source: TrainingFormat, copy: Option<TempPath>) -> Self {
        Self {
            path,
            source,
            bytes: 0,
            total: 0,
            mark: false,
            part: b',',
            names: Vec::new(),
            encoding: encoding_rs::UTF_8.name(),
            lost: Lost::default(),
            columns: Vec::new(),
            mapping: None,
            guessed: false,
            fields: None,
            preferences: false,
            copy,
        }
    }

    /// Returns the byte of the user's file at which a record begins; `None`: a copy is read.
    pub(super) fn place(&self, at: u64) -> Option<u64> {
        self.copy.is_none().then_some(at)
    }

    /// Reads the names of a table's columns.
    fn named(mut self, path: &Path) -> Result<Self, String> {
        if self.is_table() {
            let mut pieces = self.begin_at(if self.mark { BOM.len() as u64 } else { 0 })?;
            let Some(first) = pieces.next().map_err(|why| unreadable(path, &why))? else {
                return Err(format!("{} contains no rows", path.display()));
            };
            let cells = cells(first.bytes, self.part);
            self.names = cells.iter().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect();
        }
        Ok(self)
    }

    /// Returns whether its rows are cells under names.
    pub(super) fn is_table(&self) -> bool {
        matches!(self.source, TrainingFormat::Csv | TrainingFormat::Tsv | TrainingFormat::Xlsx)
    }

    /// Returns the cells of a table's row.
    pub(super) fn cells(&self, row: &[u8]) -> Vec<Vec<u8>> {
        cells(row, self.part)
    }

    /// Returns where each cell of a table's row begins.
    pub(super) fn cell_starts(&self, row: &[u8]) -> Vec<usize> {
        starts(row, self.part)
    }

    /// Returns all records; of a table those after the names of the columns. Fails with a sentence if the file cannot
    /// be read.
    pub(super) fn pieces(&self) -> Result<RawRecords, String> {
        let mut pieces = self.begin_at(if self.mark { BOM.len() as u64 } else { 0 })?;
        if self.is_table() {
            pieces.next().map_err(|why| unreadable(&self.path, &why))?;
        }
        Ok(pieces)
    }

    /// Returns the records from a byte on at which one begins; their lines are counted from there. Fails with a
    /// sentence if the file cannot be read.
    pub(super) fn begin_at(&self, at: u64) -> Result<RawRecords, String> {
        let mut file = File::open(&self.path).map_err(|why| unreadable(&self.path, &why))?;
        file.seek(SeekFrom::Start(at)).map_err(|why| unreadable(&self.path, &why))?;
        let reader = BufReader::with_capacity(BUFFER, file);
        Ok(RawRecords {
            begin: at,
            inner: match self.source {
                TrainingFormat::Jsonl | TrainingFormat::Txt => Inner::Lines(LineReader::new(reader)),
                TrainingFormat::Json => Inner::Values(Values::new(reader, ROW)),
                TrainingFormat::Csv | TrainingFormat::Tsv | TrainingFormat::Xlsx => Inner::Table {
                    rows: Rows::new(reader, Ends::Quoted(self.part), ROW),
                    numbered: (self.source == TrainingFormat::Xlsx).then_some(0),
                },
            },
        })
    }
}

/// The records of a file.
#[derive(Debug)]
pub(super) struct RawRecords {
    begin: u64,
    inner: Inner,
}

#[derive(Debug)]
enum Inner {
    Lines(LineReader<BufReader<File>>),
    Values(Values<BufReader<File>>),
    Table {
        rows: Rows<BufReader<File>>,
        /// Rows of a workbook are counted, as its cells may have several lines.
        numbered: Option<u64>,
    },
}

impl RawRecords {
    /// Returns the next record, blank ones too; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<RawRecord<'_>>> {
        let begin = self.begin;
        let piece = match &mut self.inner {
            Inner::Lines(lines) => lines.next()?,
            Inner::Values(values) => values.next()?,
            Inner::Table { rows, numbered } => {
                let Some(row) = rows.next()? else { return Ok(None) };
                let line = numbered.as_mut().map_or(row.line, |number| {
                    *number += 1;
                    *number
                });
                Some(RawRecord { line, column: 1, at: row.at, bytes: row.bytes, form: row.form })
            }
        };
        Ok(piece.map(|piece| RawRecord { at: piece.at + begin, ..piece }))
    }

    /// Returns the bytes passed, from the beginning of the file.
    pub(super) fn read(&self) -> u64 {
        self.begin
            + match &self.inner {
                Inner::Lines(lines) => lines.read,
                Inner::Values(values) => values.read(),
                Inner::Table { rows, .. } => rows.read(),
            }
    }
}

/// Lines; one that lies whole in the reader's buffer is not copied.
#[derive(Debug)]
struct LineReader<R> {
    reader: R,
    /// Part of a line.
    buffer: Vec<u8>,
    /// Bytes of the reader's buffer that were passed on.
    taken: usize,
    lines: u64,
    read: u64,
}

impl<R: BufRead> LineReader<R> {
    fn new(reader: R) -> Self {
        Self { reader, buffer: Vec::new(), taken: 0, lines: 0, read: 0 }
    }

    fn next(&mut self) -> io::Result<Option<RawRecord<'_>>> {
        self.reader.consume(std::mem::take(&mut self.taken));
        self.buffer.clear();
        let at = self.read;
        let mut long = false;
        loop {
            let chunk = match self.reader.fill_buf() {
                Ok(chunk) => chunk,
                Err(why) if why.kind() == io::ErrorKind::Interrupted => continue,
                Err(why) => return Err(why),
            };
            let (found, length) = (memchr::memchr(b'\n', chunk), chunk.len());
            if length == 0 && self.read == at {
                return Ok(None);
            }
            let end = found.unwrap_or(length);
            self.read += (end + usize::from(found.is_some())) as u64;
            if found.is_some() && self.read - at == end as u64 + 1 {
                self.taken = end + 1;
                self.lines += 1;
                // The buffer is full already: this reads nothing.
                let bytes = &self.reader.fill_buf()?[..end];
                let (bytes, form) =
                    if end > ROW { (&bytes[..0], RowOutcome::Long) } else { (bytes, RowOutcome::Whole) };
                return Ok(Some(RawRecord { line: self.lines, column: 1, at, bytes: chomp(bytes), form }));
            }
            // One byte more may belong to the line end.
            long |= self.buffer.len() + end > ROW + 1;
            if long {
                self.buffer.clear();
            } else {
                self.buffer.extend_from_slice(&chunk[..end]);
            }
            self.reader.consume(end + usize::from(found.is_some()));
            if found.is_some() || length == 0 {
                self.lines += 1;
                let form = if long { RowOutcome::Long } else { RowOutcome::Whole };
                return Ok(Some(RawRecord { line: self.lines, column: 1, at, bytes: chomp(&self.buffer), form }));
            }
        }
    }
}

fn chomp(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

/// Reads a complete small record at a byte, for a sample.
pub(super) fn peek<T>(input: &TrainingFile, at: u64, look: impl FnOnce(&RawRecord<'_>) -> T) -> Option<T> {
    let mut pieces = input.begin_at(at).ok()?;
    let piece = pieces.next().ok()??;
    Some(look(&piece))
}
