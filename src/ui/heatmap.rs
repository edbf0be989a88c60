//! A square of similarities: numbers up to 20 rows, above that one column a cell and two rows a line.
//!
//! ```text
//!       A    B    C    D
//! A  1.00▐ .87  .82  .52
//! B   .87 1.00  .79  .54
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::theme::Theme;

/// Rows up to which each cell has its number.
pub const NUMBERS: usize = 20;

/// What is in a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// A number; one that is none counts as missing.
    Known(f64),
    /// `—`: there is none and there will be none.
    Missing,
    /// The spinner: it is being computed.
    Waiting,
}

/// What the colours span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// 0 to 1; what is below 0 looks as 0.
    Fixed,
    /// From the smallest number to the greatest, as the owner found them.
    Span(f64, f64),
}

/// Where the owner's eye is: kept between frames.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// Row under the cursor.
    pub row: usize,
    /// Column under the cursor.
    pub column: usize,
    /// Zoomed out: all rows at once, each cell the highest of its block. Only where they do not fit.
    pub whole: bool,
}

impl View {
    /// Moves the cursor, kept within `size`; zoomed out, by blocks.
    pub fn by(&mut self, rows: isize, columns: isize, size: usize) {
        let last = size.saturating_sub(1);
        self.row = self.row.saturating_add_signed(rows).min(last);
        self.column = self.column.saturating_add_signed(columns).min(last);
    }
}

/// A heat map as it is drawn once.
#[derive(Clone, Copy)]
pub struct Heatmap<'a, F: Fn(usize, usize) -> Cell> {
    /// Rows, and columns.
    pub size: usize,
    /// A cell by row and column, 0-based; asked only for those that show, zoomed out for all, once a `version`.
    pub cell: F,
    /// Changes when a cell does or the order of the rows.
    pub version: u64,
    /// Short names of the rows for both axes, at most 3 columns: `A`. Not used above [`NUMBERS`] rows.
    pub name: &'a dyn Fn(usize) -> String,
    /// What the rows say, safe to show on one line, drawn at the left where there is room; `None`: names alone.
    pub text: Option<&'a dyn Fn(usize) -> String>,
    /// What the colours span.
    pub scale: Scale,
    /// The spinner's glyph now.
    pub spin: &'a str,
    /// Whether it has the focus.
    pub focus: bool,
}

impl<F: Fn(usize, usize) -> Cell> Heatmap<'_, F> {
    /// Draws it. Where the terminal's cursor belongs, if it has the focus and the cursor shows.
    pub fn render(&self, view: &mut View, area: Rect, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        let _ = (view, area, buf, theme);
        None
    }

    /// What the colours and the cells mean, for the line below; as drawn last.
    pub fn legend(&self, view: &View, theme: &Theme) -> Line<'static> {
        let _ = (view, theme);
        Line::default()
    }

    /// Lines that it needs to show all rows within `width` columns.
    pub fn height(&self, width: u16, theme: &Theme) -> u16 {
        let _ = (width, theme);
        self.size.min(2_000) as u16 + 1
    }
}

/// A similarity in 4 columns, right-aligned: `1.00`, ` .87`, `-.12`, `   —`.
pub fn number(cosine: f64) -> String {
    format!("{cosine:>4.2}")
}

/// The name of a row by its place: `A` to `Z`, then `AA`.
pub fn letter(at: usize) -> String {
    let last = char::from(b'A' + (at % 26) as u8);
    if at < 26 { last.to_string() } else { format!("{}{last}", letter(at / 26 - 1)) }
}
