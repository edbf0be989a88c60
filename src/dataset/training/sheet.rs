//! Workbooks: the first sheet as comma-separated rows, copied to a file that goes away with who asked for it.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use calamine::{Data, DataRef, Reader as _, Xlsx};
use tempfile::{NamedTempFile, TempPath};
use zip::ZipArchive;

use crate::dataset::Moved;
use crate::dataset::texts::open::unreadable;

/// Bytes of a workbook, packed.
const PACKED: u64 = 50 << 20;
/// Bytes of its sheets, unpacked: they are read bit by bit.
const SHEETS: u64 = 512 << 20;
/// Bytes of everything else in it, unpacked: the texts of all cells are held in memory.
const REST: u64 = 64 << 20;
/// Rows between two looks whether it is still wanted.
const OFTEN: u32 = 4_096;

/// Copies the first sheet of a workbook, a row for each of its rows, or says in a sentence why not.
pub(super) fn copy(path: &Path, moved: Moved) -> Result<TempPath, String> {
    let wrong = |why: &dyn std::fmt::Display| format!("{} is no workbook that can be read: {why}", path.display());
    let known = path.metadata().map_err(|why| unreadable(path, &why))?;
    if !known.is_file() {
        return Err(format!("{} is no plain file", path.display()));
    }
    if known.len() > PACKED {
        let most = PACKED >> 20;
        return Err(format!("{} is larger than {most} MiB; export the sheet as CSV", path.display()));
    }
    let open = || File::open(path).map_err(|why| unreadable(path, &why));
    if !unpacks(open()?, moved).map_err(|why| wrong(&why))? {
        return Err(format!("{} is too large when it is unpacked; export the sheet as CSV", path.display()));
    }
    let mut book = Xlsx::new(BufReader::new(open()?)).map_err(|why| wrong(&why))?;
    let sheet = book.sheet_names().into_iter().next().ok_or_else(|| wrong(&"it has no sheet"))?;
    let mut cells = book.worksheet_cells_reader(&sheet).map_err(|why| wrong(&why))?;
    let copied = NamedTempFile::with_prefix(".benchtop-").map_err(|why| format!("cannot copy the sheet: {why}"))?;
    let mut rows = csv::WriterBuilder::new().flexible(true).from_writer(io::BufWriter::new(copied.as_file()));
    let mut write = |row: &mut Vec<String>| {
        // An empty row stays one.
        let wrote = if row.is_empty() { rows.write_record([""]) } else { rows.write_record(row.iter()) };
        row.clear();
        wrote.map_err(|why| format!("cannot copy the sheet: {why}"))
    };
    let (mut row, mut at) = (Vec::new(), 0);
    while let Some(cell) = cells.next_cell().map_err(|why| wrong(&why))? {
        let (line, column) = cell.get_position();
        while at < line {
            write(&mut row)?;
            at += 1;
            if at % OFTEN == 0 && !moved(0, known.len()) {
                return Err("stopped".to_owned());
            }
        }
        if *cell.get_value() == DataRef::Empty || (column as usize) < row.len() {
            continue;
        }
        row.resize(column as usize, String::new());
        row.push(text(cell.get_value()));
    }
    write(&mut row)?;
    rows.flush().map_err(|why| format!("cannot copy the sheet: {why}"))?;
    drop(rows);
    Ok(copied.into_temp_path())
}

/// A cell as its text.
fn text(cell: &DataRef<'_>) -> String {
    match cell {
        DataRef::DateTime(moment) if moment.is_datetime() => {
            let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
            format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}")
        }
        other => Data::from(other.clone()).to_string(),
    }
}

/// Whether a workbook is small enough once it is unpacked. It is unpacked for that: what it says of itself may be wrong.
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
        if unpacked > *left || !moved(0, 1) {
            return Ok(false);
        }
        *left -= unpacked;
    }
    Ok(true)
}
