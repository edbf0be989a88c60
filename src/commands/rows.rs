//! Rows of columns: aligned under a heading for a person, separated by tabs for a program.

use super::{Output, Reader};
use crate::text::Untrusted;
use crate::ui::wrap::width;

/// Blanks between two columns.
const GAP: &str = "  ";

/// Prints a row for a program, byte for byte except for tabs and line ends in a cell, which would end it there: they
/// become their pictures.
pub(super) fn print_cells(cells: &[Untrusted], out: &mut Output) {
    let cell = |cell: &Untrusted| cell.raw().replace('\t', "␉").replace('\n', "␊").replace('\r', "␍");
    out.line(&cells.iter().map(cell).collect::<Vec<_>>().join("\t").into());
}

/// Prints rows. A column whose heading begins with `>` is aligned at its right end.
pub(super) fn print<const N: usize>(heading: [&str; N], rows: &[[Untrusted; N]], out: &mut Output) {
    if out.reader() == Reader::Program {
        for row in rows {
            print_cells(row, out);
        }
        return;
    }
    let right = heading.map(|name| name.starts_with('>'));
    let heading = heading.map(|name| name.trim_start_matches('>').to_owned());
    let rows: Vec<[String; N]> = rows.iter().map(|row| row.each_ref().map(|cell| cell.line().into_owned())).collect();
    let all: Vec<&[String; N]> = rows.first().map(|_| &heading).into_iter().chain(&rows).collect();
    let widths: [usize; N] =
        std::array::from_fn(|column| all.iter().map(|row| width(&row[column])).max().unwrap_or_default());
    for row in all {
        let aligned = row.iter().enumerate().map(|(column, cell)| {
            let blanks = " ".repeat(widths[column] - width(cell));
            if right[column] { format!("{blanks}{cell}") } else { format!("{cell}{blanks}") }
        });
        out.line(&aligned.collect::<Vec<_>>().join(GAP).trim_end().into());
    }
}
