//! Columns of a table: names, widths, alignment.

use super::row_layout::text;
use super::row_window::{Row, RowWindow};
use crate::text::Untrusted;
use crate::ui::chart::LOOKS;
use crate::ui::table::{Align, TableCell, TableColumn, TableRow, Width};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Rows that are seen before the first frame.
const SEEN: usize = 200;
/// Columns of a cell at most.
const WIDEST: usize = 40;
/// Columns that a name takes at most beside narrower cells.
const NAME: usize = 20;
/// Cells of a row at most.
const CELLS: usize = 1_000;
/// Bytes of a cell that are shown.
const CELL: usize = 400;

/// The columns of a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TableColumns {
    pub(super) part: u8,
    /// The first row, where it has names.
    pub(super) header: Option<Vec<Untrusted>>,
    columns: Vec<ColumnExtent>,
    /// Which colour each column keeps, chosen by the first rows; `None`: that of text.
    looks: Vec<Option<usize>>,
}

/// What was seen of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ColumnExtent {
    width: usize,
    /// Whether all cells that are not empty are numbers.
    numbers: bool,
    /// Whether all of them are whole numbers.
    whole: bool,
    any: bool,
}

impl ColumnExtent {
    const NONE: Self = Self { width: 1, numbers: true, whole: true, any: false };
}

impl TableColumns {
    /// Judges a table by its first rows.
    pub(super) fn of(window: &RowWindow, part: u8) -> Self {
        let mut sheet = Self { part, ..Self::default() };
        let rows: Vec<Vec<Untrusted>> =
            (0..window.len().min(SEEN)).filter_map(|at| window.row(at)).map(|row| sheet.cells(&row)).collect();
        if let Some(first) = rows.first()
            && window.at().byte == 0
            && rows.len() > 1
            && names(first)
        {
            sheet.header = Some(first.clone());
        }
        for row in &rows[usize::from(sheet.header.is_some()).min(rows.len())..] {
            sheet.see(row);
        }
        sheet.looks = looks(&sheet.columns);
        sheet
    }

    /// Takes in how wide a row is.
    pub(super) fn see(&mut self, row: &[Untrusted]) {
        for (at, cell) in row.iter().enumerate() {
            if at == self.columns.len() {
                self.columns.push(ColumnExtent::NONE);
            }
            let seen = &mut self.columns[at];
            seen.width = seen.width.max(wrap::width(&cell.line()).min(WIDEST));
            if !cell.is_empty() {
                seen.any = true;
                seen.numbers &= number(cell).is_some();
                seen.whole &= cell.raw().trim().parse::<i128>().is_ok();
            }
        }
    }

    /// Returns the cells of a row.
    pub(super) fn cells(&self, row: &Row) -> Vec<Untrusted> {
        let mut reader = csv::ReaderBuilder::new();
        reader.delimiter(self.part).has_headers(false).flexible(true);
        let bytes = if row.at == 0 { row.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(row.bytes) } else { row.bytes };
        let mut record = csv::ByteRecord::new();
        // A faulty row is read as far as possible.
        let _ = reader.from_reader(bytes).read_byte_record(&mut record);
        let short = |cell: &[u8]| text(&cell[..cell.len().min(CELL)], crate::record::files::TextEncoding::Utf8);
        record.iter().take(CELLS).map(short).collect()
    }

    /// Returns how many columns there are.
    pub(super) fn count(&self) -> usize {
        self.columns.len().max(self.header.as_ref().map_or(0, Vec::len))
    }

    /// Returns the table's columns.
    pub(super) fn columns(&self) -> Vec<TableColumn> {
        let name =
            |at: usize| self.header.as_ref().and_then(|names| names.get(at)).map(|name| name.line().into_owned());
        let column = |at: usize| {
            let seen = self.columns.get(at).copied().unwrap_or(ColumnExtent::NONE);
            let title = name(at).unwrap_or_else(|| format!("{}", at + 1));
            let width = seen.width.max(wrap::width(&title).min(NAME)) as u16;
            let align = if seen.numbers && seen.any { Align::Right } else { Align::Left };
            TableColumn { title, width: Width::Fixed(width), align }
        };
        (0..self.count()).map(column).collect()
    }

    /// Returns a row as it is drawn.
    pub(super) fn line(&self, cells: &[Untrusted], theme: &Theme) -> TableRow {
        let look = |at: usize| self.looks.get(at).copied().flatten().map(|look| theme.series[look % LOOKS]);
        let cell = |(at, cell): (usize, &Untrusted)| TableCell::new(cell.line(), look(at).unwrap_or_default());
        TableRow { cells: cells.iter().enumerate().map(cell).collect(), marked: false }
    }
}

/// Returns which colour each column keeps: all but those of whole numbers, where there are several, in their order.
fn looks(columns: &[ColumnExtent]) -> Vec<Option<usize>> {
    let coloured = |column: &ColumnExtent| column.any && !column.whole;
    if columns.iter().filter(|column| coloured(column)).count() < 2 {
        return Vec::new();
    }
    let mut next = 0..;
    columns.iter().map(|column| if coloured(column) { next.next() } else { None }).collect()
}

/// Returns whether a row has names and no values: all different, none empty, long, or a number.
fn names(row: &[Untrusted]) -> bool {
    let odd = |cell: &Untrusted| cell.is_empty() || cell.len() > 60 || number(cell).is_some();
    let again = |(at, cell): (usize, &Untrusted)| row[..at].contains(cell);
    !row.is_empty() && !row.iter().any(odd) && !row.iter().enumerate().any(again)
}

/// Returns the number that a cell holds.
pub(super) fn number(cell: &Untrusted) -> Option<f64> {
    cell.raw().trim().parse().ok()
}
