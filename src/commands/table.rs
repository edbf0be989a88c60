//! Lists as commands print them: aligned columns for a person, fields with a tab between them for a program.

use super::Output;
use crate::text::Untrusted;
use crate::ui::wrap::width;

/// Blank columns between two columns of a table.
const GAP: &str = "  ";

/// Prints a row for a program. A tab or a line end within a field becomes a space.
pub(super) fn print_fields(out: &mut Output, fields: &[Untrusted]) {
    let plain = |field: &Untrusted| field.raw().replace(['\t', '\n', '\r'], " ");
    out.line(&fields.iter().map(plain).collect::<Vec<_>>().join("\t").into());
}

/// Prints rows for a person below a line of titles. Titles that begin with a `>` are of numbers: these end in one
/// column.
pub(super) fn print_table<const N: usize>(out: &mut Output, titles: [&str; N], rows: &[[Untrusted; N]]) {
    let numbers = titles.map(|title| title.starts_with('>'));
    let titles = titles.map(|title| title.trim_start_matches('>').to_owned());
    let rows = rows.iter().map(|row| row.each_ref().map(|cell| cell.line().into_owned()));
    let all: Vec<[String; N]> = std::iter::once(titles).chain(rows).collect();
    let widths: [usize; N] =
        std::array::from_fn(|column| all.iter().map(|row| width(&row[column])).max().unwrap_or_default());
    for row in &all {
        let cells = row.iter().enumerate().map(|(column, cell)| {
            let blanks = " ".repeat(widths[column] - width(cell));
            if numbers[column] { format!("{blanks}{cell}") } else { format!("{cell}{blanks}") }
        });
        out.line(&cells.collect::<Vec<_>>().join(GAP).trim_end().into());
    }
}
