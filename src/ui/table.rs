//! A table of any length: only the visible rows are queried.
//!
//! ```text
//!    name ▾                 size  purpose    created  status
//!  ▌ train-v3.jsonl        214 MB  fine-tune   12:02   ✓ processed
//! ▣  valid-v3.jsonl         18 MB  fine-tune   12:02   ✓ processed
//! ```
//!
//! Before the first column: `▣` for a marked row, `▌` for the one under the cursor, a blank; with surfaces `▌`, then
//! `●`. If the columns do not fit at their smallest widths, the first stays and the others scroll; `‹` and `›` in the
//! line of titles show on which side there are more. The owner handles the keys.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::canvas::Canvas;
use super::list::{Cursor, draw_scroll_arrows};
use super::rule::{cut, cut_file, cut_middle};
use super::theme::Theme;
use super::{meter, wrap};

/// Columns before the first column: the mark, the cursor, a blank.
const GUTTER: usize = 3;
/// Blanks between columns.
const GAP: usize = 2;
/// Columns of a column that are useful if the next one does not fit.
const PIECE: usize = 4;

/// How wide a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// This many columns.
    Fixed(u16),
    /// A share of the remaining columns, by weight, and at least some columns.
    Share {
        /// Its weight among the shares; 0 counts as 1.
        weight: u16,
        /// The fewest columns.
        least: u16,
    },
}

/// The alignment of a column's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Left: for words.
    Left,
    /// Right: for numbers.
    Right,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableColumn {
    /// Its title, safe to show.
    pub title: String,
    /// Its width.
    pub width: Width,
    /// Its alignment.
    pub align: Align,
}

/// Which part of a text is left out if it does not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// The end: for sentences.
    #[default]
    End,
    /// The middle: for names.
    Middle,
    /// The middle, of a name of a file: its end is kept however narrow the column is.
    File,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableCell {
    /// Its text, safe to show on one line.
    pub text: String,
    /// Its style; the row's own where it sets nothing.
    pub style: Style,
    /// The part that is cut.
    pub cut: Cut,
    /// Fainter text after it: a unit, the target of a link. Safe to show; of the two it is cut first.
    pub note: String,
}

impl TableCell {
    /// Creates a cell of words in a style.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style, ..Self::default() }
    }

    /// Creates a cell of a name: it is shortened in the middle.
    pub fn name(text: impl Into<String>, style: Style) -> Self {
        Self { cut: Cut::Middle, ..Self::new(text, style) }
    }

    /// Creates a cell of a file's name.
    pub fn file(name: impl Into<String>, style: Style) -> Self {
        Self { cut: Cut::File, ..Self::new(name, style) }
    }

    /// Creates a cell of a number and its unit, separated by a blank.
    pub fn measure(text: &str, style: Style) -> Self {
        let at = text.rfind(' ').unwrap_or(text.len());
        Self { note: text[at..].to_owned(), ..Self::new(&text[..at], style) }
    }
}

impl From<String> for TableCell {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl From<&str> for TableCell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableRow {
    /// A cell for each column; missing ones are empty.
    pub cells: Vec<TableCell>,
    /// `▣` before it.
    pub marked: bool,
}

/// The direction rows are sorted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortDirection {
    /// `▴`: the smallest first.
    Ascending,
    /// `▾`: the greatest first.
    Descending,
}

impl SortDirection {
    /// Returns `Descending` if `descending`, else `Ascending`.
    pub fn from_descending(descending: bool) -> Self {
        if descending { Self::Descending } else { Self::Ascending }
    }

    /// Returns the other direction.
    pub fn reversed(self) -> Self {
        Self::from_descending(self == Self::Ascending)
    }
}

/// The row under the cursor and the visible part, fitted by [`TableView::fit`] before keys and frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableView {
    /// The row under the cursor and the first one shown.
    pub cursor: Cursor,
    /// Columns scrolled out at the left; the first column always stays.
    pub left: usize,
    /// Number of visible rows.
    pub page: usize,
    /// Blank columns at the right edge of the rows.
    pub right: u16,
}

impl TableView {
    /// Moves the cursor by rows, kept within `len`.
    pub fn move_by(&mut self, rows: isize, len: usize) {
        self.cursor.move_by(rows, len);
    }

    /// Fits page and scroll to an area with `len` rows of these columns.
    pub fn fit(&mut self, columns: &[TableColumn], len: usize, area: Rect) {
        self.page = usize::from(area.height).saturating_sub(1);
        self.cursor.window(self.page, len);
        if !area.is_empty() {
            places(columns, &mut self.left, usize::from(area.width.saturating_sub(self.right)));
        }
    }

    /// Moves the cursor by pages (a page keeps one row visible), kept within `len`.
    pub fn pages(&mut self, pages: isize, len: usize) {
        self.move_by(pages.saturating_mul(self.page.saturating_sub(1).max(1) as isize), len);
    }

    /// Moves the cursor to the first row.
    pub fn home(&mut self) {
        self.cursor.selected = 0;
    }

    /// Moves the cursor to the last of `len` rows.
    pub fn end(&mut self, len: usize) {
        self.cursor.selected = len.saturating_sub(1);
    }

    /// Scrolls by columns; the limit is applied when it is drawn.
    pub fn scroll(&mut self, columns: isize) {
        self.left = self.left.saturating_add_signed(columns);
    }

    /// Returns `412 of 10,000`, for the right of the title rule; empty: there are no rows.
    pub fn position(&self, len: usize) -> String {
        match len {
            0 => String::new(),
            _ => {
                let at = self.cursor.selected.min(len - 1) + 1;
                format!("{} of {}", meter::count(at as u64), meter::count(len as u64))
            }
        }
    }
}

/// The table for drawing once.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    /// Its columns; the first stays when the others scroll.
    pub columns: &'a [TableColumn],
    /// The column rows are sorted by.
    pub sort: Option<(usize, SortDirection)>,
    /// Rows in all.
    pub len: usize,
    /// Returns a row by its index, 0-based; called only for visible rows.
    pub row: &'a dyn Fn(usize) -> TableRow,
    /// Whether it has the focus.
    pub focus: bool,
}

impl Table<'_> {
    /// Draws the titles and the rows that fit below them. Returns the position of the terminal's cursor, if it has the
    /// focus.
    pub fn render(&self, mut view: TableView, area: Rect, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return None;
        }
        let window = view.cursor.window(usize::from(area.height) - 1, self.len);
        let width = usize::from(area.width.saturating_sub(view.right));
        let places = places(self.columns, &mut view.left, width);
        self.titles(&places, view.left, Rect { width: width as u16, ..area }, buf, theme);
        let mut cursor = None;
        for (at, y) in window.clone().zip(area.y + 1..) {
            let chosen = at == view.cursor.selected;
            let line = Rect { y, height: 1, ..area };
            let canvas = Canvas { area: line, buf: &mut *buf, theme };
            self.line(&(self.row)(at), chosen, &places, canvas);
            if chosen && self.focus {
                cursor = Some(Position::new(area.x + 1.min(area.width - 1), y));
            }
        }
        let rows = Rect { y: area.y + 1, height: area.height - 1, ..area };
        draw_scroll_arrows(buf, rows, &window, self.len, theme);
        cursor
    }

    fn titles(&self, places: &[ColumnPlace], left: usize, area: Rect, buf: &mut Buffer, theme: &Theme) {
        for place in places {
            let column = &self.columns[place.column];
            let sorted = self.sort.filter(|(by, _)| *by == place.column);
            let mark = match sorted {
                Some((_, SortDirection::Ascending)) => " ▴",
                Some((_, SortDirection::Descending)) => " ▾",
                None => "",
            };
            // The mark stays when the title is shortened.
            let title = cut_middle(&column.title, place.width.saturating_sub(wrap::width(mark))) + mark;
            let style = if sorted.is_some() { theme.text } else { theme.muted };
            place.put(&title, column.align, style, area, buf);
        }
        if left > 0
            && let Some(second) = places.get(1)
        {
            buf.set_stringn(area.x + (second.x - 1) as u16, area.y, "‹", 1, theme.accent);
        }
        let hidden = places.last().is_some_and(|last| last.cut || last.column + 1 < self.columns.len());
        if hidden && !self.columns.is_empty() && area.width > 0 {
            buf.set_stringn(area.right() - 1, area.y, "›", 1, theme.accent);
        }
    }

    fn line(&self, row: &TableRow, chosen: bool, places: &[ColumnPlace], canvas: Canvas) {
        let Canvas { area, buf, theme } = canvas;
        let surfaces = theme.kind.has_surfaces();
        let lit = chosen && (self.focus || surfaces);
        let ground = if lit { theme.text.patch(theme.select) } else { theme.text };
        buf.set_style(area, ground);
        let over = |style: Style| ground.patch(style);
        // With surfaces the bar is the left edge of the row.
        let (bar, mark) = if surfaces { (0, 1) } else { (1, 0) };
        if row.marked && area.width > mark {
            let glyph = if surfaces { "●" } else { "▣" };
            buf.set_stringn(area.x + mark, area.y, glyph, 1, over(theme.mark));
        }
        if chosen && area.width > bar {
            let style = if self.focus || !surfaces { theme.accent } else { theme.faint };
            buf.set_stringn(area.x + bar, area.y, "▌", 1, over(style));
        }
        for place in places {
            let Some(cell) = row.cells.get(place.column) else { continue };
            let text = match cell.cut {
                Cut::End => cut(&cell.text, place.width),
                Cut::Middle => cut_middle(&cell.text, place.width),
                Cut::File => cut_file(&cell.text, place.width),
            };
            let used = wrap::width(&text);
            let note = cut(&cell.note, place.width.saturating_sub(used));
            let align = self.columns[place.column].align;
            // Both are placed as one text; the note is then drawn over its part in its own style.
            place.put(&format!("{text}{note}"), align, over(cell.style), area, buf);
            if !note.is_empty() {
                let x = match align {
                    Align::Left => used,
                    Align::Right => place.width - wrap::width(&note),
                };
                let x = area.x + (place.x + x) as u16;
                buf.set_stringn(x, area.y, note, place.width, over(theme.faint));
            }
        }
    }
}

impl Width {
    fn least(self) -> usize {
        usize::from(match self {
            Self::Fixed(width) => width,
            Self::Share { least, .. } => least,
        })
    }

    /// Returns the weight of its share; 0: it takes no share.
    fn weight(self) -> usize {
        match self {
            Self::Fixed(_) => 0,
            Self::Share { weight, .. } => usize::from(weight.max(1)),
        }
    }
}

/// The position of a column.
struct ColumnPlace {
    column: usize,
    /// From the left edge.
    x: usize,
    width: usize,
    /// Whether it has fewer columns than it wants.
    cut: bool,
}

impl ColumnPlace {
    fn put(&self, text: &str, align: Align, style: Style, area: Rect, buf: &mut Buffer) {
        let spare = match align {
            Align::Left => 0,
            Align::Right => self.width.saturating_sub(wrap::width(text)),
        };
        buf.set_stringn(area.x + (self.x + spare) as u16, area.y, text, self.width - spare, style);
    }
}

/// Returns the positions of the visible columns within `width`; limits `left` to what can be scrolled.
fn places(columns: &[TableColumn], left: &mut usize, width: usize) -> Vec<ColumnPlace> {
    let room = width.saturating_sub(GUTTER);
    let least: usize = columns.iter().map(|column| column.width.least() + GAP).sum::<usize>().saturating_sub(GAP);
    if least <= room {
        *left = 0;
        return shared(columns, room - least);
    }
    // The first column never takes what the others need to be readable beside it.
    let Some(first) = columns.first() else { return Vec::new() };
    let first = if columns.len() > 1 { first.width.least().min((room / 2).max(PIECE)) } else { room };
    *left = (*left).min(furthest(columns, room.saturating_sub(first)));
    let mut places = vec![ColumnPlace { column: 0, x: GUTTER, width: first.min(room), cut: false }];
    let mut x = GUTTER + first + GAP;
    for (column, at) in columns.iter().zip(0..).skip(1 + *left) {
        let wanted = column.width.least();
        let left = width.saturating_sub(x);
        if left < wanted.min(PIECE) {
            break;
        }
        places.push(ColumnPlace { column: at, x, width: wanted.min(left), cut: wanted > left });
        x += wanted + GAP;
    }
    places
}

/// Returns the positions of all columns, `extra` shared among those that take a share.
fn shared(columns: &[TableColumn], mut extra: usize) -> Vec<ColumnPlace> {
    let mut weights: usize = columns.iter().map(|column| column.width.weight()).sum();
    let mut x = GUTTER;
    let place = |(column, at): (&TableColumn, usize)| {
        let weight = column.width.weight();
        let more = if weight > 0 { extra * weight / weights } else { 0 };
        (extra, weights) = (extra - more, weights - weight);
        let place = ColumnPlace { column: at, x, width: column.width.least() + more, cut: false };
        x += place.width + GAP;
        place
    };
    columns.iter().zip(0..).map(place).collect()
}

/// Returns how many columns after the first may scroll out before all those after them are visible.
fn furthest(columns: &[TableColumn], room: usize) -> usize {
    let mut used = 0;
    let fits = |column: &&TableColumn| {
        used += column.width.least() + GAP;
        used <= room
    };
    let last = columns.iter().skip(1).rev().take_while(fits).count();
    // The last one stays, however wide it is.
    (columns.len() - 1).saturating_sub(last.max(1))
}

#[cfg(test)]
mod tests;
