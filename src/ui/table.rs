//! A table of any length: only the rows that show are asked for.
//!
//! ```text
//!    name ▾                 size  purpose    created  status
//!  ▌ train-v3.jsonl        214 MB  fine-tune   12:02   ✓ processed
//! ▣  valid-v3.jsonl         18 MB  fine-tune   12:02   ✓ processed
//! ```
//!
//! Before the first column: `▣` of a marked row, `▌` of the one under the cursor, a blank. Where the columns have no room
//! at their least, the first stays and the others scroll; `‹` and `›` in the line of titles say on which side there is
//! more. Its keys are its owner's.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::list::Cursor;
use super::rule::{cut, cut_middle};
use super::theme::Theme;
use super::{meter, wrap};

/// Columns before the first column: the mark, the cursor, a blank.
const GUTTER: usize = 3;
/// Blanks between columns.
const GAP: usize = 2;
/// Columns of a column that say something where the next one does not fit.
const PIECE: usize = 4;

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
        match len {
            0 => String::new(),
            _ => {
                let at = self.cursor.selected.min(len - 1) + 1;
                format!("{} of {}", meter::count(at as u64), meter::count(len as u64))
            }
        }
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
        let area = area.intersection(buf.area);
        view.page = usize::from(area.height).saturating_sub(1);
        let window = view.cursor.window(view.page, self.len);
        if area.is_empty() {
            return None;
        }
        let places = self.places(&mut view.left, usize::from(area.width));
        self.titles(&places, view.left, area, buf, theme);
        let mut cursor = None;
        for (at, y) in window.zip(area.y + 1..) {
            let chosen = at == view.cursor.selected;
            let line = Rect { y, height: 1, ..area };
            self.line(&(self.row)(at), chosen, &places, line, buf, theme);
            if chosen && self.focus {
                cursor = Some(Position::new(area.x + 1.min(area.width - 1), y));
            }
        }
        cursor
    }

    fn titles(&self, places: &[Place], left: usize, area: Rect, buf: &mut Buffer, theme: &Theme) {
        for place in places {
            let column = &self.columns[place.column];
            let sorted = self.sort.filter(|(by, _)| *by == place.column);
            let mark = match sorted {
                Some((_, Way::Up)) => " ▴",
                Some((_, Way::Down)) => " ▾",
                None => "",
            };
            // The mark stays when the title is cut.
            let title = cut(&column.title, place.width.saturating_sub(wrap::width(mark))) + mark;
            let style = if sorted.is_some() { theme.text } else { theme.muted };
            place.put(&title, column.align, style, area, buf);
        }
        if left > 0
            && let Some(second) = places.get(1)
        {
            buf.set_stringn(area.x + (second.x - 1) as u16, area.y, "‹", 1, theme.accent);
        }
        let hidden = places.last().is_some_and(|last| last.cut || last.column + 1 < self.columns.len());
        if hidden && !self.columns.is_empty() {
            buf.set_stringn(area.right() - 1, area.y, "›", 1, theme.accent);
        }
    }

    fn line(&self, row: &Row, chosen: bool, places: &[Place], area: Rect, buf: &mut Buffer, theme: &Theme) {
        let ground = if chosen && self.focus { theme.text.patch(theme.select) } else { theme.text };
        buf.set_style(area, ground);
        let over = |style: Style| ground.patch(style);
        if row.marked {
            buf.set_stringn(area.x, area.y, "▣", 1, over(theme.mark));
        }
        if chosen && area.width > 1 {
            buf.set_stringn(area.x + 1, area.y, "▌", 1, over(theme.accent));
        }
        for place in places {
            let Some(cell) = row.cells.get(place.column) else { continue };
            let text = match cell.cut {
                Cut::End => cut(&cell.text, place.width),
                Cut::Middle => cut_middle(&cell.text, place.width),
            };
            place.put(&text, self.columns[place.column].align, over(cell.style), area, buf);
        }
    }

    /// Where the columns that show stand within `width`; `left` is brought to what there is to scroll.
    fn places(&self, left: &mut usize, width: usize) -> Vec<Place> {
        let room = width.saturating_sub(GUTTER);
        let least: usize =
            self.columns.iter().map(|column| column.width.least() + GAP).sum::<usize>().saturating_sub(GAP);
        if least <= room {
            *left = 0;
            return self.shared(room - least);
        }
        // The first column never takes what the others need to be read beside it.
        let Some(first) = self.columns.first() else { return Vec::new() };
        let first = if self.columns.len() > 1 { first.width.least().min((room / 2).max(PIECE)) } else { room };
        *left = (*left).min(self.furthest(room.saturating_sub(first)));
        let mut places = vec![Place { column: 0, x: GUTTER, width: first.min(room), cut: false }];
        let mut x = GUTTER + first + GAP;
        for (column, at) in self.columns.iter().zip(0..).skip(1 + *left) {
            let wanted = column.width.least();
            let left = width.saturating_sub(x);
            if left < wanted.min(PIECE) {
                break;
            }
            places.push(Place { column: at, x, width: wanted.min(left), cut: wanted > left });
            x += wanted + GAP;
        }
        places
    }

    /// All columns, `extra` shared among those that take a share.
    fn shared(&self, mut extra: usize) -> Vec<Place> {
        let mut weights: usize = self.columns.iter().map(|column| column.width.weight()).sum();
        let mut x = GUTTER;
        let place = |(column, at): (&Column, usize)| {
            let weight = column.width.weight();
            let more = if weight > 0 { extra * weight / weights } else { 0 };
            (extra, weights) = (extra - more, weights - weight);
            let place = Place { column: at, x, width: column.width.least() + more, cut: false };
            x += place.width + GAP;
            place
        };
        self.columns.iter().zip(0..).map(place).collect()
    }

    /// How many columns behind the first may scroll out before all those behind them show.
    fn furthest(&self, room: usize) -> usize {
        let mut used = 0;
        let fits = |column: &&Column| {
            used += column.width.least() + GAP;
            used <= room
        };
        let last = self.columns.iter().skip(1).rev().take_while(fits).count();
        // The last one stays, however wide it is.
        (self.columns.len() - 1).saturating_sub(last.max(1))
    }
}

impl Width {
    fn least(self) -> usize {
        usize::from(match self {
            Self::Fixed(width) => width,
            Self::Share { least, .. } => least,
        })
    }

    /// 0: takes no share.
    fn weight(self) -> usize {
        match self {
            Self::Fixed(_) => 0,
            Self::Share { weight, .. } => usize::from(weight.max(1)),
        }
    }
}

/// Where a column stands.
struct Place {
    column: usize,
    /// From the left edge.
    x: usize,
    width: usize,
    /// Whether it has less room than it wants.
    cut: bool,
}

impl Place {
    fn put(&self, text: &str, align: Align, style: Style, area: Rect, buf: &mut Buffer) {
        let spare = match align {
            Align::Left => 0,
            Align::Right => self.width.saturating_sub(wrap::width(text)),
        };
        buf.set_stringn(area.x + (self.x + spare) as u16, area.y, text, self.width - spare, style);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::ui::theme::{Depth, Kind};

    fn columns() -> Vec<Column> {
        let column = |title: &str, width, align| Column { title: title.to_owned(), width, align };
        vec![
            column("name", Width::Share { weight: 1, least: 12 }, Align::Left),
            column("size", Width::Fixed(7), Align::Right),
            column("purpose", Width::Fixed(9), Align::Left),
            column("status", Width::Share { weight: 2, least: 11 }, Align::Left),
        ]
    }

    fn row(at: usize) -> Row {
        const NAMES: [&str; 3] = ["train-v3.jsonl", "results-of-a-very-long-name-ft-8Qk.csv", "日本語の要約"];
        let style = Style::new();
        let cells = vec![
            Cell::name(NAMES[at % 3], style),
            Cell::from(format!("{} MB", at * 77)),
            "fine-tune".into(),
            Cell::new("✓ processed", Theme::of(Kind::Dark, Depth::True).ok),
        ];
        Row { cells, marked: at == 2 }
    }

    fn drawn(view: &mut View, len: usize, width: u16, height: u16) -> String {
        let columns = columns();
        let table = Table { columns: &columns, sort: Some((0, Way::Down)), len, row: &row, focus: true };
        let area = Rect::new(0, 0, width, height);
        let mut buf = Buffer::empty(area);
        table.render(view, area, &mut buf, &Theme::of(Kind::Mono, Depth::None));
        let rows = buf.content().chunks(usize::from(width.max(1)));
        let line = |row: &[ratatui::buffer::Cell]| {
            let mut out = String::new();
            let mut skip = 0;
            for cell in row {
                if skip == 0 {
                    out += cell.symbol();
                    skip = wrap::width(cell.symbol()).max(1);
                }
                skip -= 1;
            }
            out.trim_end().to_owned()
        };
        rows.map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn it_looks_as_drawn() {
        let mut view = View::default();
        let wide = "   name ▾                 size  purpose    status
 ▌ train-v3.jsonl         0 MB  fine-tune  ✓ processed
   results-of-a-very…    77 MB  fine-tune  ✓ processed
▣  日本語の要約         154 MB  fine-tune  ✓ processed
";
        assert_eq!(drawn(&mut view, 3, 66, 5), wide);
        let narrow = "   name ▾           size  purpose      ›
 ▌ train-v3.js…     0 MB  fine-tune
   results-of-…    77 MB  fine-tune";
        assert_eq!(drawn(&mut view, 3, 40, 3), narrow);
        view.scroll(7);
        let scrolled = "   name ▾       ‹purpose    status
 ▌ train-v3.js…  fine-tune  ✓ processed
   results-of-…  fine-tune  ✓ processed";
        assert_eq!(drawn(&mut view, 3, 40, 3), scrolled);
        assert_eq!(view.left, 1, "no farther than there is something to see");
        let tight = "   name ▾     ‹purpose ›\n ▌ train-v3.…  fine-tune";
        assert_eq!(drawn(&mut view, 3, 24, 2), tight);
    }

    #[test]
    fn no_size_breaks_it() {
        for width in 1..70 {
            for height in 1..4 {
                for left in 0..6 {
                    let mut view = View { left, ..View::default() };
                    drawn(&mut view, 100, width, height);
                    assert!(view.left <= 3);
                }
            }
        }
    }

    #[test]
    fn only_the_rows_that_show_are_asked_for() {
        let asked = RefCell::new(Vec::new());
        let columns = columns();
        let row = |at| {
            asked.borrow_mut().push(at);
            row(at)
        };
        let table = Table { columns: &columns, sort: None, len: 10_000, row: &row, focus: true };
        let area = Rect::new(3, 2, 60, 11);
        let mut buf = Buffer::empty(Rect::new(0, 0, 80, 24));
        let theme = Theme::of(Kind::Dark, Depth::True);
        let mut view = View::default();
        view.end(10_000);
        let cursor = table.render(&mut view, area, &mut buf, &theme);
        assert_eq!(asked.take(), (9_990..10_000).collect::<Vec<_>>());
        assert_eq!(cursor, Some(Position::new(4, 12)), "at the row under the cursor");
        assert_eq!(view.position(10_000), "10,000 of 10,000");
        view.pages(-1, 10_000);
        assert_eq!(view.cursor.selected, 9_990, "a page keeps one row in sight");
        view.home();
        view.by(411, 10_000);
        assert_eq!((view.position(10_000), view.position(0)), ("412 of 10,000".to_owned(), String::new()));
        assert_eq!(view.position(3), "3 of 3", "rows that went");
        let still = Table { focus: false, ..table };
        assert_eq!(still.render(&mut view, area, &mut buf, &theme), None);
    }

    #[test]
    fn the_row_under_the_cursor_keeps_the_colours_of_its_cells() {
        let theme = Theme::of(Kind::Dark, Depth::True);
        let columns = columns();
        let table = Table { columns: &columns, sort: None, len: 2, row: &row, focus: true };
        let area = Rect::new(0, 0, 66, 3);
        let mut buf = Buffer::empty(area);
        table.render(&mut View::default(), area, &mut buf, &theme);
        let at = (0..66).find(|x| buf[(*x, 1)].symbol() == "✓").unwrap();
        assert_eq!((Some(buf[(at, 1)].fg), Some(buf[(at, 1)].bg)), (theme.ok.fg, theme.select.bg));
        assert_eq!(Some(buf[(65, 1)].bg), theme.select.bg, "to the end of the row");
        assert_ne!(Some(buf[(at, 2)].bg), theme.select.bg);
    }
}
