//! Draws the visible rows of a table, of bytes or of text.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use regex::Regex;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::Preview;
use super::draw_text::put;
use super::file_format::FileFormat;
use super::hex::HexLayout;
use super::json_parts::JsonPart;
use super::row_layout;
use super::row_window::RowSplit;
use crate::ui::list::Cursor;
use crate::ui::rule::cut;
use crate::ui::table::{Table, TableRow, TableView};
use crate::ui::theme::Theme;
use crate::ui::wrap;

impl Preview {
    pub(super) fn fit_table(&mut self, area: Rect) {
        self.viewport.page = area.height.saturating_sub(1);
        self.reveal();
        // Columns become wider with the rows that are shown.
        for row in self.rows_shown() {
            if let Some(row) = self.window.row(row) {
                let cells = self.display.columns.cells(&row);
                self.display.columns.see(&cells);
            }
        }
        let mut view = self.table_view();
        view.fit(&self.display.columns.columns(), self.window.len() - self.first_row(), area);
        self.viewport.left = view.left;
    }

    /// Returns the rows of a table or of bytes that show.
    fn rows_shown(&self) -> Range<usize> {
        let top = self.shown().0;
        top..(top + usize::from(self.viewport.page)).min(self.window.len())
    }

    fn table_view(&self) -> TableView {
        let first = self.first_row();
        let (top, cursor) = (self.shown().0, self.cursor());
        let cursor = Cursor { selected: cursor.saturating_sub(first), top: top.saturating_sub(first) };
        TableView { cursor, left: self.viewport.left, page: 0, right: self.viewport.right }
    }

    pub(super) fn table(&self, area: Rect, focus: bool, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        let (first, shown) = (self.first_row(), self.rows_shown());
        let sheet = &self.display.columns;
        let columns = sheet.columns();
        let row = |at: usize| {
            self.window.row(at + first).map_or_else(TableRow::default, |row| sheet.line(&sheet.cells(&row), theme))
        };
        let table = Table { columns: &columns, sort: None, len: self.window.len() - first, row: &row, focus };
        let place = table.render(self.table_view(), area, buf, theme);
        self.mark_cells(area, shown.len(), buf, theme);
        self.end_line(area, shown.len() + 1, buf, theme);
        place
    }

    /// Matches in what a table shows.
    fn mark_cells(&self, area: Rect, rows: usize, buf: &mut Buffer, theme: &Theme) {
        let Some(search_text) = &self.search_text else { return };
        for y in (area.y + 1..area.bottom()).take(rows) {
            let cells: Vec<(u16, String)> =
                (area.x..area.right()).map(|x| (x, buf[(x, y)].symbol().to_owned())).collect();
            let text: String = cells.iter().map(|(_, symbol)| symbol.as_str()).collect();
            for found in search_text.pattern.find_iter(&text) {
                let mut at = 0;
                for (x, symbol) in &cells {
                    if found.range().contains(&at) {
                        buf[(*x, y)].set_style(theme.find);
                    }
                    at += symbol.len();
                }
            }
        }
    }

    pub(super) fn fit_hex(&mut self, area: Rect) {
        self.window.recut(RowSplit::Bytes(self.hex_layout(area).width), self.window.writing());
        self.reveal();
    }

    fn hex_layout(&self, area: Rect) -> HexLayout {
        HexLayout::of(usize::from(area.width), self.known.total.unwrap_or_else(|| self.window.end()))
    }

    pub(super) fn hex(&self, area: Rect, focus: bool, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        let hex = self.hex_layout(area);
        let (top, cursor) = (self.shown().0, self.cursor());
        let mut place = None;
        let mut drawn = 0;
        for (row, y) in (top..self.window.len()).zip(area.y..area.bottom()) {
            let Some(row_here) = self.window.row(row) else { break };
            let at = row_here.at - row_here.at % hex.width;
            let (offset, numbers, letters) = hex.row(row_here.at, row_here.bytes);
            let offset = if at == row_here.at { offset } else { format!("{at:0digits$x}", digits = hex.digits) };
            let chosen = row == cursor;
            let line = Rect { y, height: 1, ..area };
            let ground = ground(line, chosen, focus, buf, theme);
            if chosen {
                place = Some(Position::new(area.x, y));
            }
            let mut x = 1;
            for (text, style) in [(offset, theme.muted), (numbers, theme.text), (letters, theme.code_string)] {
                put(buf, line, x, 0, &text, ground.patch(style));
                x += text.len().max(wrap::width(&text).min(text.len())) as u16 + 1;
            }
            drawn += 1;
        }
        self.end_line(area, drawn, buf, theme);
        place
    }

    pub(super) fn fit_lines(&mut self, area: Rect) {
        self.viewport.width = area.width.saturating_sub(self.gutter(area.width) + self.viewport.right);
        self.reveal();
        self.clamp_left();
    }

    pub(super) fn lines(&self, area: Rect, focus: bool, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        let gutter = self.gutter(area.width);
        let (mut row, mut skip) = self.shown();
        let cursor = self.cursor();
        let current = self.current_match();
        let row_layout = self.row_layout();
        let mut place = None;
        let mut y = area.y;
        while y < area.bottom() {
            let Some(here) = self.window.row(row) else { break };
            let chosen = row == cursor;
            let spread = self.is_spread(here.at);
            let mut cache = self.cache.borrow_mut();
            let laid = cache.lines(&here, self.display.format, self.window.writing(), spread, row_layout);
            for (at, text) in laid.lines.iter().enumerate().skip(skip) {
                if y >= area.bottom() {
                    break;
                }
                let line = Rect { y, height: 1, ..area };
                let ground = ground(line, chosen, focus, buf, theme);
                if chosen {
                    place.get_or_insert(Position::new(area.x, y));
                }
                if at == 0 {
                    let bad = laid.fault.is_some();
                    let style = ground.patch(if bad { theme.bad } else { theme.muted });
                    let number = match here.line {
                        Some(line) if here.begins => line.to_string(),
                        _ if here.begins => "·".to_owned(),
                        _ => "⋮".to_owned(),
                    };
                    let pad = usize::from(gutter).saturating_sub(2 + wrap::width(&number)) as u16;
                    put(buf, line, 1 + pad, 0, &number, style);
                }
                let room = line.width.saturating_sub(gutter + self.viewport.right);
                let room = Rect { x: line.x + gutter, width: room, ..line };
                let left = if laid.whole { 0 } else { row_layout.left };
                let mark = current.filter(|_| chosen).filter(|(line, _)| *line == at).map(|(_, column)| column);
                let pattern = self.search_text.as_ref().map(|search_text| &search_text.pattern);
                let more = here.open && at + 1 == laid.lines.len();
                let parts = laid.parts.get(at).map_or(&[][..], Vec::as_slice);
                LineText { text, parts, left, more, pattern, current: mark }.draw(room, ground, buf, theme);
                y += 1;
            }
            if let Some(fault) = laid.fault.as_ref().filter(|_| y < area.bottom()) {
                let line = Rect { y, height: 1, ..area };
                let room = usize::from(line.width.saturating_sub(gutter));
                put(buf, line, gutter, 0, &cut(&format!("✕ {fault}"), room), theme.bad);
                y += 1;
            }
            (row, skip) = (row + 1, 0);
        }
        let drawn = usize::from(y - area.y);
        if row >= self.window.len() {
            self.end_line(area, drawn, buf, theme);
        }
        place
    }

    /// Returns how many columns stand before the text: the cursor, the line's number, a blank.
    fn gutter(&self, width: u16) -> u16 {
        let last = self.window.row(self.window.len().saturating_sub(1)).and_then(|row| row.line).unwrap_or(1);
        let most = last.max(self.known.lines.unwrap_or(0)).max(99);
        let digits = most.ilog10() as u16 + 1;
        if width < 30 { 2 } else { digits + 3 }
    }

    /// Limits the scrolling to the right to the longest line that is shown.
    fn clamp_left(&mut self) {
        if self.viewport.left == 0 || self.display.wrap {
            return;
        }
        let top = self.shown().0;
        let rows =
            (top..self.window.len()).take(usize::from(self.viewport.page)).filter_map(|row| self.window.row(row));
        // Bytes are no fewer than columns but for what is made visible; a little more is harmless.
        let longest = rows.map(|row| row.bytes.len() * 4).max().unwrap_or(0);
        let exact = longest < usize::from(self.viewport.width) * 64;
        let width = if exact { self.longest() } else { longest };
        self.viewport.left = self.viewport.left.min(width.saturating_sub(usize::from(self.viewport.width) / 2));
    }

    /// Returns how many columns the longest line that is shown takes.
    fn longest(&self) -> usize {
        let top = self.shown().0;
        let rows =
            (top..self.window.len()).take(usize::from(self.viewport.page)).filter_map(|row| self.window.row(row));
        rows.map(|row| wrap::width(&row_layout::text(row.bytes, self.window.writing()).line())).max().unwrap_or(0)
    }

    /// Draws the line below the last row, which says that the file ends.
    fn end_line(&self, area: Rect, below: usize, buf: &mut Buffer, theme: &Theme) {
        if !self.window.at_end() || below >= usize::from(area.height) {
            return;
        }
        let unended = self.display.format != FileFormat::Hex && !self.window.ends_line();
        let words = if unended { "── end · no newline after the last line" } else { "── end" };
        put(buf, area, 1, below as u16, words, theme.faint);
    }
}

/// Returns the look of a line's text. Of one under the cursor the row is marked.
fn ground(line: Rect, chosen: bool, focus: bool, buf: &mut Buffer, theme: &Theme) -> Style {
    let surfaces = theme.kind.has_surfaces();
    let ground = if chosen && (focus || surfaces) { theme.text.patch(theme.select) } else { theme.text };
    buf.set_style(line, ground);
    if chosen {
        let bar = if focus || !surfaces { theme.accent } else { theme.faint };
        put(buf, line, 0, 0, "▌", ground.patch(bar));
    }
    ground
}

/// A line of text, scrolled, with its matches.
struct LineText<'a> {
    text: &'a str,
    /// Its parts, where it is JSON.
    parts: &'a [(usize, JsonPart)],
    /// Columns scrolled out at the left.
    left: usize,
    /// Whether what follows of it is not here.
    more: bool,
    pattern: Option<&'a Regex>,
    /// The column of the match that is gone to.
    current: Option<usize>,
}

impl LineText<'_> {
    fn draw(&self, area: Rect, ground: Style, buf: &mut Buffer, theme: &Theme) {
        let Self { text, parts, left, more, pattern, current } = *self;
        let width = usize::from(area.width);
        let (mut column, mut x) = (0, 0);
        let mut cut = false;
        let mut places = Vec::new();
        let (mut style, mut parts) = (ground, parts.iter().peekable());
        for (at, grapheme) in text.grapheme_indices(true) {
            let wide = grapheme.width();
            while let Some((_, part)) = parts.next_if(|(begins, _)| *begins <= at) {
                style = ground.patch(part.style(theme));
            }
            if column >= left {
                if x + wide > width {
                    cut = true;
                    break;
                }
                buf.set_stringn(area.x + x as u16, area.y, grapheme, wide.max(1), style);
                if pattern.is_some() {
                    places.push((at, x, wide));
                }
                x += wide;
            }
            column += wide;
        }
        if let Some(pattern) = pattern {
            let first = places.first().map_or(text.len(), |place| place.0);
            let last = places.last().map_or(0, |place| place.0);
            for found in pattern
                .find_iter(text)
                .skip_while(|found| found.end() <= first)
                .take_while(|found| found.start() <= last)
            {
                let style =
                    if current == Some(wrap::width(&text[..found.start()])) { theme.find_current } else { theme.find };
                for (_, x, wide) in places.iter().filter(|(at, ..)| found.range().contains(at)) {
                    let cell = Rect { x: area.x + *x as u16, width: *wide as u16, ..area };
                    buf.set_style(cell, style);
                }
            }
        }
        if left > 0 && width > 0 && !text.is_empty() {
            buf.set_stringn(area.x, area.y, "‹", 1, ground.patch(theme.accent));
        }
        if (cut || more) && width > 0 {
            let at = if cut { width - 1 } else { x.min(width - 1) };
            buf.set_stringn(area.x + at as u16, area.y, "…", 1, ground.patch(theme.muted));
        }
    }
}
