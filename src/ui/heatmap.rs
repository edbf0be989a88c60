//! A square of similarities: numbers up to 20 rows, above that one column a cell and two rows a line.
//!
//! ```text
//!       A    B    C    D
//! A  1.00▐ .87  .82  .52      the cursor stands before A × B
//! B   .87 1.00  .79  .54
//! C   .82  .79 1.00  .66
//! ```
//!
//! If there is space for the texts of the rows, cells are 6 columns wide and `▌` marks the cursor's row; with twice the
//! lines, every second line only continues the colour. Without 256 colours `░▒▓█` show the quarters, before the numbers
//! and below them.
//!
//! The dense form draws each cell as half a line (`▀`: upper and lower half are two rows), or without 256 colours as a
//! shade, one row a line. If not all rows fit, it shows a window that follows the cursor, or zoomed out all of them,
//! each cell the maximum of its block (without the diagonal, which is always 1); the legend says which. Marks at the
//! left and at the top show the cursor's row and column.

mod dense;
mod draw;
mod overview;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::meter;
use super::theme::{Kind, Theme};
use overview::Overview;

/// Rows up to which each cell has its number.
pub const NUMBERS: usize = 20;

/// The contents of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HeatCell {
    /// A number; NaN counts as missing.
    Known(f64),
    /// `—`: there is none and there will be none.
    Missing,
    /// `·`: it is being computed.
    Waiting,
}

/// The range of the colours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// 0 to 1; values below 0 look like 0.
    Fixed,
    /// From the smallest to the greatest number, as given by the owner.
    Span(f64, f64),
}

/// The cell under the cursor and the visible part, fitted by [`Heatmap::arrange`] before keys and frames.
#[derive(Clone, Debug, Default)]
pub struct HeatmapView {
    /// Row under the cursor.
    pub row: usize,
    /// Column under the cursor.
    pub column: usize,
    /// Zoomed out: all rows at once, each cell the maximum of its block. Only if they do not fit otherwise.
    pub whole: bool,
    /// The first visible row and column.
    top: usize,
    left: usize,
    /// Number of visible rows and columns; one cell each, or a block.
    seen: (usize, usize),
    overview: Option<Overview>,
}

impl HeatmapView {
    /// Moves the cursor, kept within `size`; zoomed out, by blocks.
    pub fn move_by(&mut self, rows: isize, columns: isize, size: usize) {
        let last = size.saturating_sub(1);
        let (high, wide) = self.block();
        self.row = self.row.saturating_add_signed(rows.saturating_mul(high)).min(last);
        self.column = self.column.saturating_add_signed(columns.saturating_mul(wide)).min(last);
    }

    /// Moves the cursor by pages of the visible part, kept within `size`.
    pub fn pages(&mut self, rows: isize, columns: isize, size: usize) {
        let page = |seen: usize| seen.saturating_sub(1).max(1) as isize;
        self.move_by(rows.saturating_mul(page(self.seen.0)), columns.saturating_mul(page(self.seen.1)), size);
    }

    /// Returns rows and columns of a block; 1 if each cell is shown.
    pub fn block(&self) -> (isize, isize) {
        match &self.overview {
            Some(overview) if self.whole => (overview.block.0 as isize, overview.block.1 as isize),
            _ => (1, 1),
        }
    }

    /// Scrolls so that the cursor is within a window of so many rows and columns.
    fn window(&mut self, rows: usize, columns: usize, size: usize) {
        let into = |first: &mut usize, at: usize, seen: usize| {
            *first = (*first).min(at).max((at + 1).saturating_sub(seen)).min(size.saturating_sub(seen));
        };
        into(&mut self.top, self.row, rows);
        into(&mut self.left, self.column, columns);
        self.seen = (rows.min(size), columns.min(size));
    }
}

/// The heat map for drawing once.
#[derive(Clone, Copy)]
pub struct Heatmap<'a, F: Fn(usize, usize) -> HeatCell> {
    /// Rows, and columns.
    pub size: usize,
    /// Returns a cell by row and column, 0-based; called only for visible cells, zoomed out for all, once per
    /// `version`.
    pub cell: F,
    /// Changes whenever a cell or the order of the rows does.
    pub version: u64,
    /// Short names of the rows for both axes, at most 3 columns: `A`. Not used above [`NUMBERS`] rows.
    pub name: &'a dyn Fn(usize) -> String,
    /// The texts of the rows, safe to show on one line, drawn at the left if there is space; `None`: names alone.
    pub text: Option<&'a dyn Fn(usize) -> String>,
    /// The range of the colours.
    pub scale: Scale,
    /// Whether it has the focus.
    pub focus: bool,
}

impl<F: Fn(usize, usize) -> HeatCell> Heatmap<'_, F> {
    /// Fits the view to the area into which it will be drawn: the visible rows and columns, or the blocks if zoomed
    /// out.
    pub fn arrange(&self, view: &mut HeatmapView, area: Rect, theme: &Theme) {
        let last = self.size.saturating_sub(1);
        (view.row, view.column) = (view.row.min(last), view.column.min(last));
        if area.is_empty() || self.size == 0 {
            return;
        }
        if self.size <= NUMBERS {
            view.overview = None;
            let (rows, columns) = self.grid(area).room(area);
            view.window(rows, columns, self.size);
        } else {
            self.arrange_dense(view, area, theme);
        }
    }

    /// Draws it as it was arranged. Returns the position of the terminal's cursor, if it has the focus and the cursor
    /// is visible.
    pub fn render(&self, view: &HeatmapView, area: Rect, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        if area.is_empty() || self.size == 0 {
            return None;
        }
        let at = if self.size <= NUMBERS {
            self.numbers(view, area, buf, theme)
        } else {
            self.dense(view, area, buf, theme)
        };
        at.filter(|_| self.focus)
    }

    /// Returns what the colours and the cells mean, for a line of 60 columns below.
    pub fn legend(&self, view: &HeatmapView, theme: &Theme) -> Line<'static> {
        let (low, high, words) = match self.scale {
            Scale::Fixed => ("0".to_owned(), "1".to_owned(), ""),
            Scale::Span(low, high) => {
                (number(low).trim().to_owned(), number(high).trim().to_owned(), "   stretched, least to most")
            }
        };
        let mut spans = vec![Span::styled(format!("{low} "), theme.muted)];
        if shaded(theme) {
            spans.push(Span::styled("░░▒▒▓▓██", theme.text));
        } else {
            spans.extend(theme.heat.iter().map(|style| Span::styled("  ", *style)));
        }
        spans.push(Span::styled(format!(" {high}"), theme.muted));
        if !words.is_empty() {
            spans.push(Span::styled(words, theme.faint));
        }
        let seen = self.seen(view);
        if !seen.is_empty() {
            spans.push(Span::styled(format!("   {seen}"), theme.faint));
        }
        Line::from(spans)
    }

    /// Returns which part of the whole is visible; empty: all of it, cell by cell.
    fn seen(&self, view: &HeatmapView) -> String {
        let size = meter::count(self.size as u64);
        let (high, wide) = view.block();
        if (high, wide) != (1, 1) {
            return format!("all {size}: highest of {high} × {wide}");
        }
        let (rows, columns) = view.seen;
        if rows == 0 || rows >= self.size && columns >= self.size {
            return String::new();
        }
        let range = |first: usize, seen: usize| {
            format!("{}–{}", meter::count(first as u64 + 1), meter::count((first + seen) as u64))
        };
        format!("rows {}, columns {} of {size}", range(view.top, rows), range(view.left, columns))
    }

    /// Returns the position of a number on the scale, 0 to 1.
    fn share(&self, number: f64) -> f64 {
        match self.scale {
            Scale::Fixed => number.clamp(0.0, 1.0),
            Scale::Span(low, high) if high > low => ((number - low) / (high - low)).clamp(0.0, 1.0),
            Scale::Span(..) => 1.0,
        }
    }

    /// Returns a cell's style: a ground with its text; without 256 colours the text's own.
    fn style(&self, cell: HeatCell, theme: &Theme) -> Style {
        match cell.known() {
            Some(number) if !shaded(theme) => theme.heat(self.share(number)),
            Some(_) => theme.text,
            None => theme.faint,
        }
    }

    /// Returns a cell's shade.
    fn shade(&self, cell: HeatCell) -> &'static str {
        const SHADES: [&str; 4] = ["░", "▒", "▓", "█"];
        match cell.known().map(|number| self.share(number)) {
            Some(share) if share > 0.0 => SHADES[((share * 4.0) as usize).min(3)],
            _ => " ",
        }
    }
}

impl HeatCell {
    /// Returns the sign of a cell without a number.
    fn absent(self) -> &'static str {
        if self == Self::Waiting { "·" } else { "—" }
    }

    fn known(self) -> Option<f64> {
        match self {
            Self::Known(number) if !number.is_nan() => Some(number),
            _ => None,
        }
    }
}

/// Returns the lines that a heat map of so many rows needs to show them all.
pub fn height(size: usize, theme: &Theme) -> usize {
    let two = size > NUMBERS && !shaded(theme);
    1 + if two { size.div_ceil(2) } else { size }
}

/// Returns whether shades replace colours.
fn shaded(theme: &Theme) -> bool {
    matches!(theme.kind, Kind::Ansi | Kind::Mono)
}

/// Returns a similarity in 4 columns, right-aligned: `1.00`, ` .87`, `−.12`, `   —` for no number.
pub fn number(cosine: f64) -> String {
    if cosine.is_nan() {
        return "   —".to_owned();
    }
    let hundredths = (cosine * 100.0).round();
    if hundredths.abs() < 100.0 {
        let sign = if hundredths < 0.0 { "−" } else { "" };
        return format!("{:>4}", format!("{sign}.{:02}", hundredths.abs() as u32));
    }
    // A length, or a product of vectors that are not normalised: as much as fits.
    let words = if (-9.95..9.995).contains(&cosine) {
        format!("{cosine:.*}", if cosine < 0.0 { 1 } else { 2 })
    } else if cosine.abs() < 999.5 {
        format!("{cosine:.0}")
    } else {
        format!("{cosine:.0e}")
    };
    format!("{:>4}", words.replace('-', "−"))
}

/// Returns the name of a row by its place: `A` to `Z`, then `AA`.
pub fn letter(at: usize) -> String {
    let last = char::from(b'A' + (at % 26) as u8);
    if at < 26 { last.to_string() } else { format!("{}{last}", letter(at / 26 - 1)) }
}

#[cfg(test)]
mod tests;
