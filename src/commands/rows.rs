//! Rows of columns: aligned under a heading for a person, separated by tabs for a program.

use super::{Output, Reader};
use crate::text::Untrusted;
use crate::ui::rule::pad;
use crate::ui::wrap::width;

/// Blanks between two columns.
const GAP: &str = "  ";
/// Columns that a cell keeps when rows are cut.
const LEAST: usize = 4;

/// Prints a row for a program, byte for byte except for tabs and line ends in a cell, which would end it there: they
/// become their pictures.
pub(super) fn print_cells(cells: &[Untrusted], out: &mut Output) {
    let cell = |cell: &Untrusted| cell.raw().replace('\t', "␉").replace('\n', "␊").replace('\r', "␍");
    out.line(&cells.iter().map(cell).collect::<Vec<_>>().join("\t").into());
}

/// Prints rows. A column whose heading begins with `>` is aligned at its right end and never cut.
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
    let mut widths: [usize; N] =
        std::array::from_fn(|column| all.iter().map(|row| width(&row[column])).max().unwrap_or_default());
    if let Some(columns) = out.columns() {
        fit(&mut widths, &right, columns.saturating_sub(GAP.len() * N.saturating_sub(1)));
    }
    for row in all {
        let aligned = row.iter().enumerate().map(|(column, cell)| {
            if right[column] {
                format!("{}{cell}", " ".repeat(widths[column] - width(cell)))
            } else {
                pad(cell, widths[column])
            }
        });
        out.line(&aligned.collect::<Vec<_>>().join(GAP).trim_end().into());
    }
}

/// Makes the widest columns narrower until all fit into so many: the first one, which names the row, only after all
/// others, and none that is aligned at the right: a part of a number would be another number.
fn fit(widths: &mut [usize], right: &[bool], columns: usize) {
    while widths.iter().sum::<usize>() > columns {
        let is_text = |column: &usize| !right[*column] && widths[*column] > LEAST;
        let texts = (1..widths.len()).filter(is_text);
        let widest = texts.max_by_key(|column| widths[*column]).or_else(|| Some(0).filter(is_text));
        let Some(widest) = widest else { return };
        widths[widest] -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_texts_are_cut_until_a_row_fits() {
        let fitted = |mut widths: [usize; 3], columns: usize| {
            fit(&mut widths, &[false, true, false], columns);
            widths
        };
        assert_eq!(fitted([9, 7, 20], 40), [9, 7, 20]);
        assert_eq!(fitted([9, 7, 20], 30), [9, 7, 14]);
        assert_eq!(fitted([9, 7, 20], 21), [9, 7, 5]);
        assert_eq!(fitted([9, 7, 20], 18), [7, 7, LEAST]);
        assert_eq!(fitted([9, 7, 20], 5), [LEAST, 7, LEAST], "something of each text is left");
    }
}
