//! Workbooks: the first sheet as comma-separated rows, copied to a temporary file that is deleted when dropped.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use calamine::{Data, DataRef, Reader as _, Xlsx};
use tempfile::{NamedTempFile, TempPath};
use zip::ZipArchive;

use super::limits::{ROW, STOPPED};
use crate::dataset::Moved;
use crate::dataset::texts::open::unreadable;

/// Bytes of a workbook, compressed.
const PACKED: u64 = 50 << 20;
/// Bytes of its sheets, decompressed: they are streamed.
const SHEETS: u64 = 512 << 20;
/// Bytes of everything else in it, decompressed: the texts of all cells are held in memory.
const REST: u64 = 64 << 20;
/// Columns and rows that a sheet can have.
const COLUMNS: u32 = 16_384;
const ROWS: u32 = 1_048_576;
/// Cells between two checks whether to continue.
const OFTEN: u64 = 4_096;

/// Copies the first sheet of a workbook as comma-separated rows, one for each of its rows. Fails with a sentence if it
/// is no workbook or too large, or if `moved` says to stop.
pub fn copy(path: &Path, moved: Moved) -> Result<TempPath, String> {
    let wrong = |why: &dyn std::fmt::Display| format!("{} cannot be read as a workbook: {why}", path.display());
    let known = path.metadata().map_err(|why| unreadable(path, &why))?;
    if !known.is_file() {
        return Err(format!("{} is not a regular file", path.display()));
    }
    if known.len() > PACKED {
        let most = PACKED >> 20;
        return Err(format!("{} is larger than {most} MiB; export the sheet as CSV", path.display()));
    }
    let open = || File::open(path).map_err(|why| unreadable(path, &why));
    let large = || format!("{} is too large when uncompressed; export the sheet as CSV", path.display());
    match unpacks(open()?, moved) {
        Ok(true) => {}
        Ok(false) => return Err(large()),
        Err(why) if why.kind() == io::ErrorKind::Interrupted => return Err(STOPPED.to_owned()),
        Err(why) => return Err(wrong(&why)),
    }
    let mut book = Xlsx::new(BufReader::new(open()?)).map_err(|why| wrong(&why))?;
    let sheet = book.sheet_names().into_iter().next().ok_or_else(|| wrong(&"it has no sheets"))?;
    let mut cells = book.worksheet_cells_reader(&sheet).map_err(|why| wrong(&why))?;
    let copied = NamedTempFile::with_prefix(".benchtop-").map_err(|why| format!("cannot copy the sheet: {why}"))?;
    let mut rows = csv::WriterBuilder::new().flexible(true).from_writer(io::BufWriter::new(copied.as_file()));
    let mut write = |row: &mut Vec<String>| {
        // An empty row stays an empty row.
        let wrote = if row.is_empty() { rows.write_record([""]) } else { rows.write_record(row.iter()) };
        row.clear();
        wrote.map_err(|why| format!("cannot copy the sheet: {why}"))
    };
    let (mut row, mut at) = (Vec::new(), 0);
    // Bytes of the row and of all of them; a text may occur in any number of cells.
    let (mut bytes, mut all, mut read) = (0, 0, 0_u64);
    while let Some(cell) = cells.next_cell().map_err(|why| wrong(&why))? {
        let (line, column) = cell.get_position();
        if line >= ROWS || column >= COLUMNS {
            return Err(wrong(&format!("unexpected cell in row {}, column {}", line + 1, u64::from(column) + 1)));
        }
        while at < line {
            write(&mut row)?;
            (at, bytes) = (at + 1, 0);
        }
        read += 1;
        if read.is_multiple_of(OFTEN) && !moved(0, known.len()) {
            return Err(STOPPED.to_owned());
        }
        // Of a row that is too long enough is written for that to be detected.
        if *cell.get_value() == DataRef::Empty || (column as usize) < row.len() || bytes > ROW {
            continue;
        }
        let mut text = text(cell.get_value());
        text.truncate(text.floor_char_boundary(ROW + 8));
        let added = column as usize - row.len() + 1 + text.len();
        (bytes, all) = (bytes + added, all + added as u64);
        if all > SHEETS {
            return Err(large());
        }
        row.resize(column as usize, String::new());
        row.push(text);
    }
    write(&mut row)?;
    rows.flush().map_err(|why| format!("cannot copy the sheet: {why}"))?;
    drop(rows);
    Ok(copied.into_temp_path())
}

/// Returns a cell as its text.
fn text(cell: &DataRef<'_>) -> String {
    match cell {
        DataRef::DateTime(moment) if moment.is_datetime() => {
            let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
            format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
        }
        other => Data::from(other.clone()).to_string(),
    }
}

/// Returns whether a workbook is small enough when decompressed. It is decompressed for that, as its own sizes may be
/// wrong. Fails if it is not an archive, or with `Interrupted` if `moved` says to stop.
fn unpacks(file: File, moved: Moved) -> io::Result<bool> {
    let mut archive = ZipArchive::new(BufReader::new(file))?;
    let (mut sheets, mut rest) = (SHEETS, REST);
    for at in 0..archive.len() {
        let entry = archive.by_index(at)?;
        let name = entry.name()?.to_lowercase();
        if !matches!(name.rsplit('.').next(), Some("xml" | "rels")) {
            continue;
        }
        let left = if name.contains("worksheets/") { &mut sheets } else { &mut rest };
        let unpacked = io::copy(&mut entry.take(*left + 1), &mut io::sink())?;
        if unpacked > *left {
            return Ok(false);
        }
        if !moved(0, 1) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        *left -= unpacked;
    }
    Ok(true)
}
