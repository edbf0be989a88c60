//! Reads the texts of a file one by one, so that only one of them is in memory.

use std::fs::File;
use std::path::PathBuf;

use super::open::{FileRows, Open, TextInput, stamp, unreadable};
use super::rows::{Row, RowOutcome};
use super::{COUNTED, TextLimits, TextPreview, count, empty, full, guess, is_blank, layout, look, refuse, size, text};
use crate::record::Stamp;
use crate::record::work::{Columns, FileText, Layout, LeftOut};

/// The texts of a file.
pub struct TextReader {
    path: PathBuf,
    rows: FileRows,
    look: TextPreview,
    columns: Columns,
    limits: TextLimits,
    left_out: LeftOut,
    /// The file, to see whether it was changed meanwhile.
    file: File,
    /// The file as it was when it was opened.
    pub(super) stamp: Stamp,
    /// Bytes that are read at most.
    pub(super) bytes: u64,
    /// Texts so far, and bytes of text.
    read: (usize, usize),
    /// Rows of the file; `None`: not counted.
    count: Option<u64>,
    /// Whether the next row has the columns' names.
    header: bool,
    has_ended: bool,
}

/// What became of a row.
pub(super) enum ReadRow<'a> {
    /// Its text was read.
    Text(FileText, Row<'a>, &'a TextPreview),
    /// It has no text, or is left out.
    None,
    /// There are no more.
    End,
}

impl TextReader {
    /// Opens a file of which these columns are read, up to the limits. Fails with a sentence about the file as a whole.
    pub(super) fn open(input: &TextInput, columns: Columns, limits: TextLimits) -> Result<Self, String> {
        // One after the other: what has no name is read from its beginning each time.
        let look = look(Open::of(input)?, columns.layout, columns.header)?;
        let open = Open::of(input)?;
        let wanted = columns.label.into_iter().chain([columns.text]).max().unwrap_or(0);
        if wanted >= look.names.len() {
            return Err(format!("{} has changed since it was previewed; choose it again", open.path.display()));
        }
        Ok(Self {
            path: open.path.clone(),
            file: open.handle()?,
            stamp: open.stamp,
            bytes: open.bytes.min(limits.file),
            rows: open.rows(columns.layout, limits.row),
            header: look.part.is_some() && columns.header,
            look,
            columns,
            limits,
            left_out: LeftOut::default(),
            read: (0, 0),
            count: None,
            has_ended: false,
        })
    }

    /// Opens a file to read all of its texts. Its form and its text column are the ones named, else guessed; where a
    /// column is named, lines are read as a table.
    ///
    /// # Errors
    /// The file cannot be read as texts, or has no such column; a sentence.
    pub fn choose(input: &TextInput, form: Option<Layout>, column: Option<&str>) -> Result<Self, String> {
        let open = Open::of(input)?;
        let guessed = form.map_or_else(|| layout(&open), Ok)?;
        let is_named = |part| {
            let first = guess::first_row(&open.head, open.whole, part);
            column.is_some_and(|column| first.iter().any(|cell| cell.trim() == column))
        };
        // Lines have no columns. Texts of a table with one column may have commas in them.
        let is_table = form.is_none() && column.is_some() && guessed == Layout::Lines;
        let layout = match guessed {
            Layout::Lines if is_table && is_named(b'\t') => Layout::Tsv,
            Layout::Lines if is_table => Layout::Csv,
            guessed => guessed,
        };
        let header =
            open.part(layout).is_some_and(|part| is_named(part) || guess::header(&open.head, open.whole, part));
        let (path, bytes) = (open.path, open.bytes);
        let look = look(Open::of(input)?, layout, header)?;
        let text = match column {
            None => guess::columns(&look.names, &look.rows).0,
            Some(column) => look.names.iter().position(|name| name == column).ok_or_else(|| {
                let form = if is_table { "; it was read as a table: --form names another form" } else { "" };
                format!("{} has no column “{column}”; it has {}{form}", path.display(), look.names.join(", "))
            })?,
        };
        let columns = Columns { layout, header, text, label: None };
        let all = bytes <= COUNTED;
        let count = all.then(|| count(Open::of(input)?, layout, header, &mut |_, _| true)).transpose()?;
        Ok(Self { count, ..Self::open(input, columns, TextLimits::UNLIMITED)? })
    }

    /// Returns the next text; `None`: there are no more.
    ///
    /// # Errors
    /// The file cannot be read; a sentence.
    pub fn next_text(&mut self) -> Result<Option<FileText>, String> {
        loop {
            match self.next_row()? {
                ReadRow::Text(text, ..) => return Ok(Some(text)),
                ReadRow::None => {}
                ReadRow::End => return Ok(None),
            }
        }
    }

    /// Returns how many rows the file has, those without a text included; `None`: it is too large to be counted.
    pub fn count(&self) -> Option<u64> {
        self.count
    }

    /// Returns what was left out so far.
    pub fn left_out(&self) -> &LeftOut {
        &self.left_out
    }

    /// Returns the bytes of the file that were read.
    pub(super) fn bytes_read(&self) -> u64 {
        self.rows.read()
    }

    /// Returns what was left out.
    pub(super) fn into_left_out(self) -> LeftOut {
        self.left_out
    }

    /// Reads the next row.
    pub(super) fn next_row(&mut self) -> Result<ReadRow<'_>, String> {
        if self.has_ended || self.left_out.cut.is_some() {
            return Ok(ReadRow::End);
        }
        if self.rows.read() > self.limits.file {
            self.left_out.cut = Some(format!("only the first {} of the file were read", size(self.limits.file)).into());
            return Ok(ReadRow::End);
        }
        let row = self.rows.next().map_err(|why| unreadable(&self.path, &why))?;
        let Some(row) = row else {
            let is_changed = self.file.metadata().is_ok_and(|known| stamp(&known) != self.stamp);
            self.left_out.cut = is_changed.then(|| "the file was changed while it was read".into());
            return Ok(ReadRow::End);
        };
        if is_blank(&row) {
            empty(&mut self.left_out, row.line);
            return Ok(ReadRow::None);
        }
        if std::mem::take(&mut self.header) {
            return Ok(ReadRow::None);
        }
        // A quote that is never closed takes the rest of the file with it.
        self.has_ended = row.form == RowOutcome::Long && self.look.part.is_some();
        match text(&row, self.columns, &self.look, self.limits) {
            Ok((text, _)) if text.trim().is_empty() => empty(&mut self.left_out, row.line),
            Ok((text, label)) => {
                let (count, bytes) = (self.read.0, self.read.1 + text.len());
                if let Some(why) = full(count, bytes, self.limits) {
                    self.left_out.cut = Some(why.into());
                    return Ok(ReadRow::End);
                }
                self.read = (count + 1, bytes);
                let text = FileText { line: row.line, text: text.into(), label: label.map(Into::into) };
                return Ok(ReadRow::Text(text, row, &self.look));
            }
            Err(why) => refuse(&mut self.left_out, row.line, why),
        }
        Ok(ReadRow::None)
    }
}

impl std::fmt::Debug for TextReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TextReader").field("path", &self.path).field("columns", &self.columns).finish_non_exhaustive()
    }
}
