//! Rows of columns: aligned under a heading for a person, separated by tabs for a program.

use unicode_width::UnicodeWidthStr as _;

use super::{Output, Reader};
use crate::text::Untrusted;

/// Blanks between two columns.
const GAP: usize = 2;

/// Prints rows. Cells are shown on one line each, also for programs: a tab or a line end in one would end it there.
pub(super) fn print<const N: usize>(heading: [&str; N], rows: &[[Untrusted; N]], out: &mut Output) {
    let rows: Vec<[String; N]> =
        rows.iter().map(|row| std::array::from_fn(|column| row[column].line().into_owned())).collect();
    if out.reader() == Reader::Program {
        for row in rows {
            out.line(&row.join("\t").into());
        }
        return;
    }
    let heading = heading.map(str::to_owned);
    let all: Vec<&[String; N]> = rows.first().map(|_| &heading).into_iter().chain(&rows).collect();
    let widths: [usize; N] =
        std::array::from_fn(|column| all.iter().map(|row| row[column].width()).max().unwrap_or_default());
    for row in all {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(widths) {
            line.push_str(cell);
            line.push_str(&" ".repeat(width - cell.width() + GAP));
        }
        out.line(&line.trim_end().into());
    }
}
