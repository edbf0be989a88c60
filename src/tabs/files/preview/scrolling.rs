//! Moves the cursor over the rows, and scrolls with it.

use super::Preview;
use super::row_layout::RowLayout;
use super::viewport::FollowCursor;

/// A line of the screen: a row and a line of it.
type RowLine = (usize, usize);

impl Preview {
    /// Puts the cursor on the row that a byte is in.
    pub(super) fn move_cursor_to_byte(&mut self, byte: u64) {
        let row = self.window.index_of(byte).max(self.first_row());
        self.viewport.cursor = self.window.place(row);
        self.viewport.follow = FollowCursor::Third;
        self.viewport.seek = true;
    }

    /// Returns the first row that is no header.
    pub(super) fn first_row(&self) -> usize {
        let header = self.display.is_table() && self.display.columns.header.is_some() && self.window.at().byte == 0;
        usize::from(header)
    }

    pub(super) fn cursor(&self) -> usize {
        self.window.index_of(self.viewport.cursor)
    }

    pub(super) fn row_layout(&self) -> RowLayout {
        RowLayout { width: usize::from(self.viewport.width).max(1), left: self.viewport.left, wrap: self.display.wrap }
    }

    /// Returns whether a row's value stands over several lines.
    pub(super) fn is_spread(&self, at: u64) -> bool {
        self.display.is_spread(at == self.viewport.cursor)
    }

    fn height(&self, row: usize) -> usize {
        if !self.display.is_lines() {
            return 1;
        }
        let Some(row) = self.window.row(row) else { return 1 };
        let (spread, row_layout) = (self.is_spread(row.at), self.row_layout());
        self.cache
            .borrow_mut()
            .lines(&row, self.display.format, self.window.writing(), spread, row_layout)
            .height()
            .max(1)
    }

    /// Moves by so many lines, up if negative; limited to what is loaded.
    fn step(&self, (mut row, mut line): RowLine, mut lines: isize) -> RowLine {
        while lines > 0 {
            let height = self.height(row) as isize;
            let rest = height - 1 - line as isize;
            if lines <= rest {
                return (row, line + lines as usize);
            }
            if row + 1 >= self.window.len() {
                return (row, (height - 1).max(0) as usize);
            }
            lines -= rest + 1;
            (row, line) = (row + 1, 0);
        }
        let first = self.first_row();
        while lines < 0 {
            if line as isize >= -lines {
                return (row, line - lines.unsigned_abs());
            }
            if row <= first {
                return (first, 0);
            }
            lines += line as isize + 1;
            row -= 1;
            line = self.height(row) - 1;
        }
        (row, line)
    }

    fn top(&self) -> RowLine {
        (self.window.index_of(self.viewport.top.0).max(self.first_row()), self.viewport.top.1)
    }

    fn set_top(&mut self, (row, line): RowLine) {
        self.viewport.top = (self.window.place(row), line);
    }

    /// Returns the furthest that is scrolled: the last line is the last that shows.
    fn lowest(&self) -> RowLine {
        let last = self.window.len().saturating_sub(1);
        let line = self.height(last) - 1;
        let page = self.page();
        self.step((last, line), 1 - page)
    }

    fn page(&self) -> isize {
        isize::try_from(self.viewport.page.max(1)).unwrap_or(1)
    }

    /// Returns the last line that shows.
    fn bottom(&self) -> RowLine {
        let (top, page) = (self.top(), self.page());
        self.step(top, page - 1)
    }

    /// Moves down by a row; through a row that is higher than the screen line by line. Returns whether there was a way
    /// down.
    pub(super) fn down(&mut self) -> bool {
        let cursor = self.cursor();
        let last = (cursor, self.height(cursor) - 1);
        if self.bottom() < last && self.top() >= (cursor, 0) {
            let next = {
                let top = self.top();
                self.step(top, 1)
            };
            self.set_top(next);
            self.viewport.follow = FollowCursor::No;
            return true;
        }
        if cursor + 1 >= self.window.len() {
            return false;
        }
        self.viewport.cursor = self.window.place(cursor + 1);
        self.viewport.follow = FollowCursor::Edge;
        true
    }

    /// Moves up by a row, as [`Self::down`].
    pub(super) fn up(&mut self) -> bool {
        let cursor = self.cursor();
        if self.top() > (cursor, 0) {
            let top = self.top();
            let before = self.step(top, -1);
            self.set_top(before);
            self.viewport.follow = FollowCursor::No;
            return true;
        }
        if cursor <= self.first_row() {
            return false;
        }
        self.viewport.cursor = self.window.place(cursor - 1);
        let height = self.height(cursor - 1);
        let page = self.page() as usize;
        self.viewport.follow = FollowCursor::Edge;
        if height > page {
            self.set_top((cursor - 1, height - page));
            self.viewport.follow = FollowCursor::No;
        }
        true
    }

    /// Scrolls by a part of the page: the cursor goes along. Returns whether anything moved.
    pub(super) fn scroll(&mut self, lines: isize) -> bool {
        let top = self.top();
        let lowest = self.lowest();
        let moved = self.step(top, lines).min(lowest.max(top));
        let cursor = self.cursor();
        if moved == top {
            // Nothing to scroll: the cursor goes to the edge.
            let to = if lines > 0 { self.window.len().saturating_sub(1) } else { self.first_row() };
            self.viewport.cursor = self.window.place(to);
            self.viewport.follow = FollowCursor::Edge;
            return to != cursor;
        }
        self.set_top(moved);
        // The cursor stays in view, on a row that begins there if one does.
        let first = if moved.1 > 0 && moved.0 + 1 < self.window.len() && self.bottom().0 > moved.0 {
            moved.0 + 1
        } else {
            moved.0
        };
        let last = self.bottom().0;
        let along = if lines > 0 { first.max(cursor) } else { cursor.min(last) };
        self.viewport.cursor = self.window.place(along.clamp(first.min(last), last));
        self.viewport.follow = FollowCursor::No;
        true
    }

    /// Brings the cursor's row into view, once the size is known.
    pub(super) fn reveal(&mut self) {
        let cursor = self.cursor();
        // The rows may have been divided differently since.
        self.viewport.cursor = self.window.place(cursor.max(self.first_row()));
        let top = self.top();
        let top = (top.0, top.1.min(self.height(top.0) - 1));
        self.set_top(top);
        match std::mem::take(&mut self.viewport.follow) {
            FollowCursor::No => {}
            follow => {
                let height = self.height(cursor);
                let page = self.page();
                let bottom = self.bottom();
                if (cursor, 0) < top || (follow == FollowCursor::Third && (cursor, 0) > bottom) {
                    let back = if follow == FollowCursor::Third { page / 3 } else { 0 };
                    let to = self.step((cursor, 0), -back);
                    self.set_top(to);
                } else if (cursor, height - 1) > bottom {
                    let to = self.step((cursor, height - 1), 1 - page);
                    self.set_top(to.min((cursor, 0)));
                }
            }
        }
        if std::mem::take(&mut self.viewport.seek) {
            self.reveal_match();
        }
        let (lowest, top) = (self.lowest(), self.top());
        if top > lowest {
            self.set_top(lowest);
        }
    }

    /// Brings the match into view, of which the row is.
    fn reveal_match(&mut self) {
        let Some((line, from)) = self.current_match() else { return };
        let cursor = self.cursor();
        let bottom = self.bottom();
        if (cursor, line) > bottom || (cursor, line) < self.top() {
            let to = self.step((cursor, line), -(self.page() / 3));
            self.set_top(to);
        }
        let width = usize::from(self.viewport.width);
        if !self.display.wrap
            && !self.is_spread(self.viewport.cursor)
            && !(self.viewport.left..self.viewport.left + width).contains(&from)
        {
            self.viewport.left = from.saturating_sub(width / 2);
        }
    }

    /// Returns the line of the cursor's row and the column where the current match begins.
    pub(super) fn current_match(&self) -> Option<(usize, usize)> {
        let search_text = self.search_text.as_ref()?;
        let at = search_text.at?;
        let row = self.window.row(self.window.index_of(self.viewport.cursor))?;
        let within = at.checked_sub(row.at).filter(|within| (*within as usize) < row.bytes.len())?;
        let writing = self.window.writing();
        let before = super::row_layout::text(&row.bytes[..within as usize], writing);
        let before = before.line();
        let (spread, row_layout) = (self.is_spread(row.at), self.row_layout());
        let mut cache = self.cache.borrow_mut();
        let laid = cache.lines(&row, self.display.format, writing, spread, row_layout);
        if !laid.whole {
            return Some((0, crate::ui::wrap::width(&before)));
        }
        let mut left = search_text.pattern.find_iter(&before).count();
        for (line, text) in laid.lines.iter().enumerate() {
            for found in search_text.pattern.find_iter(text) {
                if left == 0 {
                    return Some((line, crate::ui::wrap::width(&text[..found.start()])));
                }
                left -= 1;
            }
        }
        None
    }

    /// Returns the lines that show: the first one.
    pub(super) fn shown(&self) -> RowLine {
        self.top()
    }
}
