//! Files of texts: one text a line, JSON Lines, CSV or TSV, read in bounded memory.
//!
//! Nothing is changed silently: a text is read unchanged, byte for byte, or its row is left out and reported with its
//! line.

mod field;
pub(super) mod guess;
pub(super) mod open;
mod others;
mod reader;
pub(crate) mod rows;
#[cfg(test)]
mod tests;

use std::path::Path;

use self::field::{TextField, Value};
pub use self::open::TextInput;
use self::open::{Open, unreadable};
pub use self::others::{OtherColumns, other_columns};
use self::reader::ReadRow;
pub use self::reader::TextReader;
use self::rows::{Row, RowOutcome, cells, place};
use crate::record::Stamp;
use crate::record::work::{Columns, FileText, FileTexts, Layout, LeftOut, Peek};
use crate::text::{self, Untrusted};

/// Rows examined for columns.
const LOOK: usize = 200;
/// Bytes of the file examined for columns, besides the first row.
const LOOK_BYTES: u64 = 1 << 20;
/// Rows shown.
const SHOWN: usize = 8;
/// Characters of a cell shown.
const CELL: usize = 400;
/// Bytes of the largest file whose rows are counted in a preview.
const COUNTED: u64 = 64 << 20;
/// Reasons kept for rows that are left out.
const REASONS: usize = 20;
/// Bytes between two reports of progress.
const OFTEN: u64 = 1 << 20;

/// How much of a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextLimits {
    /// Texts.
    pub rows: usize,
    /// Bytes of text in all.
    pub text: usize,
    /// Bytes of one row: what is held in memory besides the texts.
    pub row: usize,
    /// Bytes of the file.
    pub file: u64,
}

impl TextLimits {
    /// No limit but that of a row: for texts that are not kept in memory.
    const UNLIMITED: Self = Self { rows: usize::MAX, text: usize::MAX, row: 16 << 20, file: u64::MAX };
}

impl Default for TextLimits {
    /// Returns the default limits: 100,000 texts, 64 MiB of text, 16 MiB a row, 1 GiB of file.
    fn default() -> Self {
        Self { rows: 100_000, text: 64 << 20, row: 16 << 20, file: 1 << 30 }
    }
}

/// Called with the bytes read and their total; returns whether to continue.
pub type Moved<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

/// Previews a file: its form, its columns and first rows. `form`: the form to assume, and whether its first row has the
/// columns' names. Fails with a sentence if it cannot be read as texts.
pub fn peek_texts(path: &Path, form: Option<(Layout, bool)>, moved: Moved) -> Result<Peek, String> {
    let open = Open::new(path)?;
    let layout = form.map_or_else(|| layout(&open), |(layout, _)| Ok(layout))?;
    let header = match (form, open.part(layout)) {
        (Some((_, header)), Some(_)) => header,
        (None, Some(part)) => guess::header(&open.head, open.whole, part),
        (_, None) => false,
    };
    let bytes = open.bytes;
    let look = look(Open::new(path)?, layout, header)?;
    let (text, label) = guess::columns(&look.names, &look.rows);
    let count = if bytes <= COUNTED { Some(count(Open::new(path)?, layout, header, moved)?) } else { None };
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let cut = |cell: String| Untrusted::from(cell.chars().take(CELL).collect::<String>());
    let rows = look.rows.into_iter().take(SHOWN).map(|row| row.into_iter().map(cut).collect());
    Ok(Peek {
        path: absolute.to_string_lossy().into_owned().into(),
        bytes,
        columns: Columns { layout, header, text, label },
        rows: rows.collect(),
        names: look.names.into_iter().map(Untrusted::from).collect(),
        count,
    })
}

/// Reads the texts of a file, up to the limits. Fails with a sentence about the file as a whole; a faulty row is only
/// left out.
pub fn read_texts(path: &Path, columns: Columns, limits: TextLimits, moved: Moved) -> Result<FileTexts, String> {
    let mut rows = Vec::new();
    let mut take = |text, _: &Row<'_>, _: &TextPreview| {
        rows.push(text);
        Ok(())
    };
    let (left_out, stamp) = each_text(path, columns, limits, moved, &mut take)?;
    Ok(FileTexts { rows, left_out, stamp })
}

/// Receives a text with its row; an error ends the reading.
type Take<'a> = &'a mut dyn FnMut(FileText, &Row<'_>, &TextPreview) -> Result<(), String>;

/// Reads the texts of a file one by one, up to the limits. Returns what was left out, and the file's stamp.
fn each_text(
    path: &Path,
    columns: Columns,
    limits: TextLimits,
    moved: Moved,
    take: Take,
) -> Result<(LeftOut, Stamp), String> {
    let mut reader = TextReader::open(&TextInput::Path(path.to_owned()), columns, limits)?;
    let mut said = 0;
    loop {
        let read = reader.bytes_read();
        if read >= said + OFTEN {
            said = read;
            if !moved(read.min(reader.bytes), reader.bytes) {
                break;
            }
        }
        match reader.next_row()? {
            ReadRow::Text(text, row, look) => take(text, &row, look)?,
            ReadRow::None => {}
            ReadRow::End => break,
        }
    }
    let stamp = reader.stamp;
    Ok((reader.into_left_out(), stamp))
}

/// Guesses the form of a file. Fails with a sentence if it is a single JSON document.
fn layout(open: &Open) -> Result<Layout, String> {
    let layout = guess::layout(&open.head, open.whole, &open.path);
    match guess::document(&open.head, &open.path) {
        Some(why) if layout != Layout::Jsonl => Err(format!("{} {why}", open.path.display())),
        _ => Ok(layout),
    }
}

/// Returns why no further text is read; `None`: one that brings the total to `bytes` still fits.
fn full(count: usize, bytes: usize, limits: TextLimits) -> Option<String> {
    let rest = "split the file to read the rest";
    if count == limits.rows {
        return Some(format!("only the first {} texts were read; {rest}", text::count(limits.rows as u64)));
    }
    (bytes > limits.text).then(|| {
        let (rows, most) = (text::count(count as u64), size(limits.text as u64));
        format!("only the first {rows} texts were read, because the limit is {most} of text; {rest}")
    })
}

/// Returns the text and the label of a row, or why it is left out.
fn text(
    row: &Row<'_>,
    columns: Columns,
    look: &TextPreview,
    limits: TextLimits,
) -> Result<(String, Option<String>), String> {
    let line = row.line;
    match row.form {
        RowOutcome::Whole => {}
        RowOutcome::Long => {
            let hint =
                if look.part.is_some() { "; perhaps a quote is never closed: nothing after it is read" } else { "" };
            return Err(format!("line {line}: the row is longer than {}{hint}", size(limits.row as u64)));
        }
        RowOutcome::Unclosed => return Err(format!("line {line}: a quote is not closed before the end of the file")),
    }
    let whole = utf8(row)?;
    let name = |at: usize| look.names[at].as_str();
    let Some(part) = look.part else {
        if columns.layout == Layout::Lines {
            return Ok((whole.to_owned(), None));
        }
        let value: Value = serde_json::from_str(whole).map_err(|why| {
            let (line, column) = place(row, why.column().saturating_sub(1));
            format!("line {line}, column {column}: the line is not valid JSON")
        })?;
        let label = columns.label.and_then(|at| look.fields[at].of(&value)).map(Value::shown);
        return match look.fields[columns.text].of(&value) {
            Some(Value::Text(text)) => Ok((text.clone(), label)),
            Some(other) => Err(format!("line {line}: “{}” is {}, not text", name(columns.text), other.kind())),
            None => Err(format!("line {line}: there is no “{}”", name(columns.text))),
        };
    };
    let mut cells = cells(row.bytes, part);
    let (has, names) = (cells.len(), look.names.len());
    // A comma in an unquoted text would cut it.
    if cells.iter().skip(names).any(|cell| !cell.trim_ascii().is_empty()) {
        let s = if names == 1 { "" } else { "s" };
        return Err(format!("line {line}: the row has {has} cells, but there are {names} column{s}"));
    }
    // A part of valid UTF-8 between ASCII characters is valid.
    let mut take = |at: usize| cells.get_mut(at).map(std::mem::take).and_then(|cell| String::from_utf8(cell).ok());
    let label = columns.label.filter(|label| *label != columns.text).and_then(&mut take);
    let text = take(columns.text);
    let s = if has == 1 { "" } else { "s" };
    let text = text.ok_or_else(|| {
        format!("line {line}: the row has only {has} cell{s}, so “{}” is missing", name(columns.text))
    })?;
    Ok((text, label))
}

/// Returns a row's bytes as text, or why they are not.
fn utf8<'a>(row: &Row<'a>) -> Result<&'a str, String> {
    if let Some(at) = memchr::memchr(0, row.bytes) {
        let (line, column) = place(row, at);
        return Err(format!("line {line}, column {column}: contains a zero byte"));
    }
    str::from_utf8(row.bytes).map_err(|why| {
        let (line, column) = place(row, why.valid_up_to());
        let byte = row.bytes.get(why.valid_up_to()).copied().unwrap_or_default();
        format!("line {line}, column {column}: byte 0x{byte:02X} is not UTF-8")
    })
}

/// Counts a row without a text.
fn empty(left_out: &mut LeftOut, line: u64) {
    left_out.empty += 1;
    left_out.count(line, "no text");
}

/// Counts a row that cannot be read. `why` begins with its line.
fn refuse(left_out: &mut LeftOut, line: u64, why: String) {
    left_out.refused += 1;
    let reason = why.split_once(": ").map_or(&*why, |(_, reason)| reason);
    if left_out.reasons.len() < REASONS || left_out.reasons.iter().any(|known| known.why == *reason) {
        left_out.count(line, reason);
    } else {
        left_out.count(line, "other reasons");
    }
    if left_out.why.len() < REASONS {
        left_out.why.push(why.into());
    }
}

fn is_blank(row: &Row<'_>) -> bool {
    row.form == RowOutcome::Whole && row.bytes.trim_ascii().is_empty()
}

/// The columns of a file, and its first rows.
struct TextPreview {
    names: Vec<String>,
    /// Of JSON Lines; else empty.
    fields: Vec<TextField>,
    rows: Vec<Vec<String>>,
    /// The byte that separates cells; `None`: there are none.
    part: Option<u8>,
}

/// Determines the columns from the first rows. The same file gives the same columns.
fn look(open: Open, layout: Layout, header: bool) -> Result<TextPreview, String> {
    let part = open.part(layout);
    let path = open.path.clone();
    let mut rows = open.rows(layout, TextLimits::default().row);
    let mut first: Vec<Vec<String>> = Vec::new();
    let mut values = Vec::new();
    let mut fields = Vec::new();
    let mut seen = 0;
    while let Some(row) = rows.next().map_err(|why| unreadable(&path, &why))? {
        if is_blank(&row) || row.form == RowOutcome::Long {
            continue;
        }
        seen += 1;
        let lossy = String::from_utf8_lossy(row.bytes);
        match (layout, part) {
            (_, Some(part)) => {
                let cells = cells(row.bytes, part).into_iter();
                first.push(cells.map(|cell| String::from_utf8_lossy(&cell).into_owned()).collect());
            }
            (Layout::Jsonl, _) => {
                if let Ok(value) = serde_json::from_str::<Value>(&lossy) {
                    value.fields(&mut fields);
                    if values.len() < SHOWN {
                        values.push(value);
                    }
                }
            }
            _ => first.push(vec![lossy.into_owned()]),
        }
        if seen >= LOOK || rows.read() > LOOK_BYTES {
            break;
        }
    }
    let shown = |value: &Value| {
        fields.iter().map(|field: &TextField| field.of(value).map(Value::shown).unwrap_or_default()).collect()
    };
    first.extend(values.iter().map(shown));
    let names = match layout {
        Layout::Jsonl => fields.iter().map(TextField::name).collect(),
        Layout::Lines => vec!["text".to_owned()],
        Layout::Csv | Layout::Tsv => names(&mut first, header),
    };
    if names.is_empty() {
        let why = if seen == 0 { "contains no texts" } else { "contains no JSON objects or strings with text" };
        return Err(format!("{} {why}", path.display()));
    }
    Ok(TextPreview { names, fields, rows: first, part })
}

/// Returns the columns' names of a table, from its first row if it has them. Those without a name are numbered.
fn names(rows: &mut Vec<Vec<String>>, header: bool) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let first = if header { rows.remove(0) } else { Vec::new() };
    // Without a header the most frequent length decides.
    let count = if header { first.len() } else { usual(rows) };
    let name = |at: usize| first.get(at).map(|name| name.trim()).filter(|name| !name.is_empty());
    (0..count).map(|at| name(at).map_or_else(|| format!("column {}", at + 1), str::to_owned)).collect()
}

/// Returns the length that most rows have, the longest of these.
fn usual(rows: &[Vec<String>]) -> usize {
    let alike = |length: usize| rows.iter().filter(|row| row.len() == length).count();
    rows.iter().map(Vec::len).max_by_key(|length| (alike(*length), *length)).unwrap_or(0)
}

/// Counts the rows, without blank ones and the header.
fn count(open: Open, layout: Layout, header: bool, moved: Moved) -> Result<u64, String> {
    let header = header && open.part(layout).is_some();
    let (path, total) = (open.path.clone(), open.bytes);
    let mut rows = open.rows(layout, TextLimits::default().row);
    let (mut count, mut said) = (0_u64, 0);
    while let Some(row) = rows.next().map_err(|why| unreadable(&path, &why))? {
        count += u64::from(!is_blank(&row));
        if rows.read() >= said + OFTEN {
            said = rows.read();
            if !moved(said.min(total), total) {
                break;
            }
        }
    }
    Ok(count.saturating_sub(u64::from(header)))
}

/// Formats a limit in bytes, as `64 MiB`: limits are powers of two.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_024 => format!("{bytes} bytes"),
        1_024..1_048_576 => format!("{} KiB", bytes >> 10),
        1_048_576..0x4000_0000 => format!("{} MiB", bytes >> 20),
        _ => format!("{} GiB", bytes >> 30),
    }
}
