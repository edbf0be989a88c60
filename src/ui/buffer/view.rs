//! The visible rows, and the mapping between text and screen.

use std::ops::Range;

use ratatui::layout::{Position, Rect};

use super::Buffer;
use super::glyph::{Glyph, glyphs};
use super::lines::LinePlace;

/// A row of a line, valid until the next edit or resize.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LineRow {
    line: LinePlace,
    row: usize,
}

impl Buffer {
    /// Returns the columns of a row.
    fn columns(&self) -> usize {
        usize::from(self.area.width)
    }

    /// Returns the rows of the view.
    fn height(&self) -> usize {
        usize::from(self.area.height)
    }

    /// Returns the row that contains a byte.
    fn row_at(&mut self, at: usize) -> LineRow {
        let line = self.lines.find(at);
        self.lines.wrap(line, self.area.width);
        self.row_of(line, at)
    }

    /// Returns the row that contains a byte of a line that is wrapped, as all visible ones are.
    pub(super) fn shown_row_at(&self, at: usize) -> LineRow {
        self.row_of(self.lines.find(at), at)
    }

    fn row_of(&self, line: LinePlace, at: usize) -> LineRow {
        LineRow { line, row: self.lines.get(line).row_of(at - line.start) }
    }

    fn row_below(&mut self, row: LineRow) -> Option<LineRow> {
        let below = self.shown_row_below(row)?;
        self.lines.wrap(below.line, self.area.width);
        Some(below)
    }

    /// Returns the next row, if that is visible.
    pub(super) fn shown_row_below(&self, row: LineRow) -> Option<LineRow> {
        if row.row + 1 < self.lines.get(row.line).rows() {
            return Some(LineRow { row: row.row + 1, ..row });
        }
        Some(LineRow { line: self.lines.next(row.line)?, row: 0 })
    }

    fn row_above(&mut self, row: LineRow) -> Option<LineRow> {
        if row.row > 0 {
            return Some(LineRow { row: row.row - 1, ..row });
        }
        let line = self.lines.previous(row.line)?;
        self.lines.wrap(line, self.area.width);
        Some(LineRow { line, row: self.lines.get(line).rows() - 1 })
    }

    /// Returns the row `by` rows further down, or up if negative; at most the last or first.
    fn row_by(&mut self, mut row: LineRow, by: isize) -> LineRow {
        for _ in 0..by.unsigned_abs() {
            let next = if by > 0 { self.row_below(row) } else { self.row_above(row) };
            let Some(next) = next else { break };
            row = next;
        }
        row
    }

    /// Returns the bytes of a row, with its line end if `whole`.
    pub(super) fn bytes(&self, row: LineRow, whole: bool) -> Range<usize> {
        let line = self.lines.get(row.line);
        let bytes = line.row(row.row);
        let end = if whole && row.row + 1 == line.rows() { line.len() } else { bytes.end };
        row.line.start + bytes.start..row.line.start + end
    }

    /// Returns the line of a row, the row's bytes in it, and where the line begins in the text.
    pub(super) fn line(&self, row: LineRow) -> (&str, Range<usize>, usize) {
        let line = self.lines.get(row.line);
        (line.content(), line.row(row.row), row.line.start)
    }

    /// Returns the characters of a row, each with its column and width.
    pub(super) fn placed(&self, row: LineRow) -> impl Iterator<Item = (Glyph, usize, usize)> {
        let (line, bytes, _) = self.line(row);
        let (mut used, width) = (0, self.columns());
        glyphs(line, bytes.start).take_while(move |glyph| glyph.at < bytes.end).map(move |glyph| {
            let (at, columns) = (used, glyph.fits(used, width).unwrap_or_else(|| glyph.columns(used)));
            used += columns;
            (glyph, at, columns)
        })
    }

    /// Returns the column of a byte of a row.
    pub(super) fn column(&self, row: LineRow, at: usize) -> usize {
        let within = at - row.line.start;
        let before = self.placed(row).take_while(|(glyph, ..)| glyph.at < within).last();
        before.map_or(0, |(_, at, columns)| at + columns).min(self.columns())
    }

    /// Returns the byte at a column of a row; past its end, the last position of the caret in this row.
    fn byte(&self, row: LineRow, column: usize) -> usize {
        let (_, bytes, start) = self.line(row);
        let mut last = bytes.start;
        for (glyph, at, columns) in self.placed(row) {
            last = glyph.at;
            if at + columns > column {
                return start + last;
            }
        }
        let ends = row.row + 1 == self.lines.get(row.line).rows();
        start + if ends { bytes.end } else { last }
    }

    /// Returns the position `by` rows further down, or up if negative, in the column where the movement started; beyond
    /// the first or last row the beginning or end of the text.
    pub(super) fn vertical(&mut self, by: isize) -> usize {
        let from = self.row_at(self.caret);
        let column = self.goal.unwrap_or_else(|| self.column(from, self.caret));
        self.goal = Some(column);
        let to = self.row_by(from, by);
        match by {
            _ if to != from => self.byte(to, column),
            ..0 => 0,
            _ => self.len(),
        }
    }

    /// Scrolls the view by rows, down if positive; ends following. The caret stays where it is.
    pub fn scroll(&mut self, rows: isize) {
        let top = self.row_at(self.top);
        let to = self.row_by(top, rows);
        self.top = self.bytes(to, false).start;
        self.reveal = false;
        self.follow = false;
        self.fill();
    }

    /// Scrolls the view by pages less a row; ends following.
    pub fn page(&mut self, pages: isize) {
        self.scroll(pages.saturating_mul(self.a_page()));
    }

    /// Returns the rows of a page.
    pub(super) fn a_page(&self) -> isize {
        self.height().saturating_sub(1).max(1) as isize
    }

    /// Sets whether each frame shows the streaming tail, or the caret if there is none. Keys, edits of the user and
    /// scrolling end it.
    pub fn follow(&mut self, on: bool) {
        self.follow = on;
    }

    /// Returns whether frames follow the tail.
    pub fn follows(&self) -> bool {
        self.follow
    }

    /// Returns the byte with which the view begins.
    pub fn top(&self) -> usize {
        self.top
    }

    /// Begins the view with the row that contains a byte (or earlier, if the text would end before the view does); ends
    /// following.
    pub fn set_top(&mut self, at: usize) {
        self.top = self.lines.floor(at);
        self.reveal = false;
        self.follow = false;
    }

    /// Returns the visible bytes; edits adjust them.
    pub fn visible(&self) -> Range<usize> {
        self.visible.clone()
    }

    /// Returns the rows of the view that have text, as they were arranged.
    pub fn rows_in_view(&self) -> usize {
        let first = self.shown_row_at(self.top);
        std::iter::successors(Some(first), |row| self.shown_row_below(*row)).take(self.height()).count()
    }

    /// Fits the view to the area into which the text is drawn: it begins with a row, shows what it should, and ends no
    /// earlier than the text. Call it before keys and frames. `tail` is where text is streaming in.
    pub fn arrange(&mut self, area: Rect, tail: Option<usize>) {
        if area.is_empty() {
            return;
        }
        let gutter = u16::from(area.width > 1);
        let spare = u16::from(area.width > 2);
        let inner = Rect { x: area.x + gutter, width: area.width - gutter - spare, ..area };
        // Rows break at other places: a caret that was visible stays visible.
        let at_end = self.caret == self.len() && self.visible.end == self.caret;
        self.reveal |= inner.width != self.area.width && (at_end || self.visible.contains(&self.caret));
        self.area = inner;
        self.edge = area.right() - 1;
        self.settle(tail);
        let mut row = Some(self.row_at(self.top));
        self.visible = self.top..self.top;
        for _ in 0..self.height() {
            let Some(this) = row else { break };
            self.visible.end = self.bytes(this, true).end;
            row = self.row_below(this);
        }
    }

    fn settle(&mut self, tail: Option<usize>) {
        let top = self.row_at(self.top);
        self.top = self.bytes(top, false).start;
        let shown = if self.follow { Some(tail.unwrap_or(self.caret)) } else { self.reveal.then_some(self.caret) };
        self.reveal = false;
        if let Some(at) = shown {
            self.show(top, at.min(self.len()));
        }
        self.fill();
    }

    fn show(&mut self, top: LineRow, at: usize) {
        let row = self.row_at(at);
        let start = self.bytes(row, false).start;
        let below = self.height().saturating_sub(1) as isize;
        let bottom = self.row_by(top, below);
        if start < self.top {
            self.top = start;
        } else if start > self.bytes(bottom, false).start {
            let top = self.row_by(row, -below);
            self.top = self.bytes(top, false).start;
        }
    }

    /// Moves the view up if the text ends before it does.
    fn fill(&mut self) {
        let mut row = self.row_at(self.top);
        let top = row;
        for done in 1..self.height() {
            let Some(below) = self.row_below(row) else {
                let top = self.row_by(top, done as isize - self.height() as isize);
                self.top = self.bytes(top, false).start;
                return;
            };
            row = below;
        }
    }

    /// Moves the caret to a mouse press. Returns whether that was on the text.
    pub fn click(&mut self, at: Position) -> bool {
        // The gutter belongs to the rows, and so does the caret's own column.
        let columns = self.area.x.saturating_sub(1)..=self.edge;
        let inside = columns.contains(&at.x) && (self.area.y..self.area.bottom()).contains(&at.y);
        if inside {
            let at = self.under(at);
            self.set_caret(at);
        }
        inside
    }

    /// Extends the selection to the mouse, and scrolls if that is outside the text.
    pub fn drag(&mut self, at: Position) {
        let anchor = self.anchor.unwrap_or(self.caret);
        let at = self.under(at);
        self.set_caret(at);
        self.anchor = Some(anchor);
    }

    /// Returns the byte at a position on the screen; above and below the text, that of the adjacent row.
    fn under(&mut self, at: Position) -> usize {
        let rows = (at.y.min(self.area.bottom()) as isize - self.area.y as isize).max(-1);
        let top = self.row_at(self.top);
        let row = self.row_by(top, rows);
        self.byte(row, usize::from(at.x.saturating_sub(self.area.x)))
    }
}
