//! The preview as it is drawn: only the rows that show.

use std::time::Instant;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use regex::Regex;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

use super::feed::Phase;
use super::form::Form;
use super::held::Cut;
use super::hex::Hex;
use super::sheet::Sheet;
use super::{Origin, Over, Preview};
use crate::record::files::Writing;
use crate::ui::list::Cursor;
use crate::ui::rule::Rule;
use crate::ui::table::{Row, Table, View};
use crate::ui::theme::Theme;
use crate::ui::{meter, wrap};

impl Preview {
    pub(super) fn draw(&mut self, frame: &mut Frame, area: Rect, focus: bool, theme: &Theme, now: Instant) {
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        let (right, right_style) = self.state(usize::from(area.width), theme);
        let title = self.name.line();
        Rule { title: &title, right: &right, right_style, focus }.render(area, frame.buffer_mut(), theme);
        let foot = self.status_height(area.width).min(area.height.saturating_sub(2));
        let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1 + foot), ..area };
        let status = Rect { y: body.bottom(), height: foot, ..area };
        let cursor = self.body(frame, body, focus, theme, now);
        let typing = self.status(frame, status, focus, theme, now);
        if focus
            && !typing
            && let Some(cursor) = cursor
        {
            frame.set_cursor_position(cursor);
        }
    }

    /// What stands at the right of the title.
    fn state(&self, width: usize, theme: &Theme) -> (String, Style) {
        match &self.feed.phase {
            Phase::Loading => return (self.known.total.map(meter::bytes).unwrap_or_default(), theme.muted),
            Phase::Failed(_) => return ("✕ not shown".to_owned(), theme.error),
            Phase::Open => {}
        }
        let mut parts = vec![self.form_name()];
        if let Some(found) = self.found.filter(|_| width >= 50) {
            match found.writing {
                Writing::Utf16Low | Writing::Utf16High => parts.push("UTF-16".to_owned()),
                Writing::Utf8 if found.mark => parts.push("BOM".to_owned()),
                Writing::Utf8 => {}
            }
        }
        if self.plot.is_none() && !self.held.is_empty() {
            parts.push(self.place(width));
        }
        if self.known.changed {
            parts.insert(0, "! changed".to_owned());
        }
        (parts.join(" · "), if self.known.changed { theme.warn } else { theme.muted })
    }

    fn form_name(&self) -> String {
        let name = match self.form {
            _ if self.plot.is_some() => "curves",
            Form::Jsonl => "JSONL",
            Form::Table(b'\t') => "TSV",
            Form::Table(_) => "CSV",
            Form::Text => "text",
            Form::Hex => "hex",
        };
        name.to_owned()
    }

    /// Where the cursor is.
    fn place(&self, width: usize) -> String {
        let row = self.held.row(self.cursor());
        let at = self.eye.cursor;
        let share = || {
            let total = self.known.total.filter(|total| *total > 0)?;
            let end = row.map_or(at, |row| row.at + row.bytes.len() as u64);
            let share = if self.held.at_end() && self.cursor() + 1 >= self.held.len() { total } else { end.min(total) };
            Some(format!("{}% of {}", (share as u128 * 100 / total as u128), meter::bytes(total)))
        };
        let line = row.and_then(|row| row.line);
        match (self.form, line, self.known.lines) {
            (Form::Hex, ..) => {
                format!("byte {}", meter::count(at)) + &share().map_or(String::new(), |share| format!(" · {share}"))
            }
            (_, Some(line), Some(lines)) => {
                let (line, lines) = (meter::count(line), meter::count(lines));
                if width < 50 { format!("{line} of {lines}") } else { format!("line {line} of {lines}") }
            }
            (_, Some(line), None) => {
                format!("line {}", meter::count(line)) + &share().map_or(String::new(), |share| format!(" · {share}"))
            }
            _ => share().unwrap_or_default(),
        }
    }

    /// The rows, or what is said in their place. Where the terminal's cursor belongs.
    fn body(&mut self, frame: &mut Frame, area: Rect, focus: bool, theme: &Theme, now: Instant) -> Option<Position> {
        (self.eye.page, self.eye.width) = (area.height, area.width);
        if area.is_empty() {
            return None;
        }
        let buf = frame.buffer_mut();
        match &self.feed.phase {
            Phase::Loading => {
                self.loading(area, buf, theme, now);
                return None;
            }
            Phase::Failed(why) => {
                let gone = why.contains("is gone");
                let mark = if gone { "gone: " } else { "✕ " };
                let words = format!("{mark}{}", why.line());
                block(&words, Some("r try again   esc close"), theme.error, area, buf, theme);
                return None;
            }
            Phase::Open => {}
        }
        if let Some(plot) = &mut self.plot {
            return plot.render(area, buf, theme);
        }
        if self.held.is_empty() {
            put(buf, area, 1, 1, "This file is empty: it has no bytes.", theme.muted);
            return None;
        }
        match self.form {
            Form::Table(_) => self.table(area, focus, buf, theme),
            Form::Hex => self.hex(area, focus, buf, theme),
            Form::Jsonl | Form::Text => self.lines(area, focus, buf, theme),
        }
    }

    fn loading(&self, area: Rect, buf: &mut Buffer, theme: &Theme, now: Instant) {
        let waits = self.feed.waits();
        let since = waits.map_or(now, |wait| wait.since);
        let spinner = meter::spinner(now.duration_since(since), self.motion);
        let words = match &self.origin {
            Origin::Local { .. } => "reading",
            Origin::Remote { .. } => "fetching the first 64 KB",
        };
        put(buf, area, 1, 1, &format!("{spinner} {words}"), theme.busy);
        if let Some((at, why)) = waits.and_then(|wait| wait.retry.as_ref()) {
            let wait = at.saturating_duration_since(now).as_secs();
            put(buf, area, 1, 2, &format!("⚠ {} · again in {wait} s", why.line()), theme.warn);
        }
    }

    fn table(&mut self, area: Rect, focus: bool, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        self.eye.page = area.height.saturating_sub(1);
        self.reveal();
        let first = self.first_row();
        let (top, cursor) = (self.shown().0, self.cursor());
        // Columns grow with what is seen.
        let shown = top..(top + usize::from(self.eye.page)).min(self.held.len());
        for row in shown.clone() {
            if let Some(row) = self.held.row(row) {
                let cells = self.sheet.cells(&row);
                self.sheet.see(&cells);
            }
        }
        let columns = self.sheet.columns();
        let mut view = View {
            cursor: Cursor { selected: cursor.saturating_sub(first), top: top.saturating_sub(first) },
            left: self.eye.left,
            page: 0,
        };
        let row =
            |at: usize| self.held.row(at + first).map_or_else(Row::default, |row| Sheet::line(&self.sheet.cells(&row)));
        let table = Table { columns: &columns, sort: None, len: self.held.len() - first, row: &row, focus };
        let place = table.render(&mut view, area, buf, theme);
        self.eye.left = view.left;
        self.mark_cells(area, shown.len(), buf, theme);
        self.end_line(area, shown.len() + 1, buf, theme);
        place
    }

    /// Matches in what a table shows.
    fn mark_cells(&self, area: Rect, rows: usize, buf: &mut Buffer, theme: &Theme) {
        let Some(sought) = &self.sought else { return };
        for y in (area.y + 1..area.bottom()).take(rows) {
            let cells: Vec<(u16, String)> =
                (area.x..area.right()).map(|x| (x, buf[(x, y)].symbol().to_owned())).collect();
            let text: String = cells.iter().map(|(_, symbol)| symbol.as_str()).collect();
            for found in sought.pattern.find_iter(&text) {
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

    fn hex(&mut self, area: Rect, focus: bool, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        let hex = Hex::of(usize::from(area.width), self.known.total.unwrap_or_else(|| self.held.end()));
        self.held.recut(Cut::Bytes(hex.width), self.held.writing());
        self.reveal();
        let (top, cursor) = (self.shown().0, self.cursor());
        let mut place = None;
        let mut drawn = 0;
        for (row, y) in (top..self.held.len()).zip(area.y..area.bottom()) {
            let Some(row_here) = self.held.row(row) else { break };
            let at = row_here.at - row_here.at % hex.width;
            let (offset, numbers, letters) = hex.row(row_here.at, row_here.bytes);
            let offset = if at == row_here.at { offset } else { format!("{at:0digits$x}", digits = hex.digits) };
            let chosen = row == cursor;
            let line = Rect { y, height: 1, ..area };
            let ground = ground(line, chosen && focus, buf, theme);
            if chosen {
                put(buf, line, 0, 0, "▌", ground.patch(theme.accent));
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

    fn lines(&mut self, area: Rect, focus: bool, buf: &mut Buffer, theme: &Theme) -> Option<Position> {
        let gutter = self.gutter(area.width);
        self.eye.width = area.width.saturating_sub(gutter);
        self.reveal();
        self.clamp_left();
        let (mut row, mut skip) = self.shown();
        let cursor = self.cursor();
        let current = self.current_match();
        let dress = self.dress();
        let mut place = None;
        let mut y = area.y;
        while y < area.bottom() {
            let Some(here) = self.held.row(row) else { break };
            let chosen = row == cursor;
            let spread = self.spread(here.at);
            let laid = self.cache.lines(&here, self.form, self.held.writing(), spread, dress);
            for (at, text) in laid.lines.iter().enumerate().skip(skip) {
                if y >= area.bottom() {
                    break;
                }
                let line = Rect { y, height: 1, ..area };
                let ground = ground(line, chosen && focus, buf, theme);
                if chosen {
                    put(buf, line, 0, 0, "▌", ground.patch(theme.accent));
                    place.get_or_insert(Position::new(area.x, y));
                }
                if at == 0 {
                    let bad = laid.fault.is_some();
                    let style = ground.patch(if bad { theme.error } else { theme.muted });
                    let number = match here.line {
                        Some(line) if here.begins => line.to_string(),
                        _ if here.begins => "·".to_owned(),
                        _ => "⋮".to_owned(),
                    };
                    let pad = usize::from(gutter).saturating_sub(2 + wrap::width(&number)) as u16;
                    put(buf, line, 1 + pad, 0, &number, style);
                }
                let room = Rect { x: line.x + gutter, width: line.width.saturating_sub(gutter), ..line };
                let left = if laid.whole { 0 } else { dress.left };
                let mark = current.filter(|_| chosen).filter(|(line, _)| *line == at).map(|(_, column)| column);
                let pattern = self.sought.as_ref().map(|sought| &sought.pattern);
                let more = here.open && at + 1 == laid.lines.len();
                one(text, left, more, (pattern, mark), room, ground, buf, theme);
                y += 1;
            }
            if let Some(fault) = laid.fault.as_ref().filter(|_| y < area.bottom()) {
                let line = Rect { y, height: 1, ..area };
                put(buf, line, gutter, 0, &format!("✕ {fault}"), theme.error);
                y += 1;
            }
            (row, skip) = (row + 1, 0);
        }
        let drawn = usize::from(y - area.y);
        if row >= self.held.len() {
            self.end_line(area, drawn, buf, theme);
        }
        place
    }

    /// Columns before the text: the cursor, the line's number, a blank.
    fn gutter(&self, width: u16) -> u16 {
        let last = self.held.row(self.held.len().saturating_sub(1)).and_then(|row| row.line).unwrap_or(1);
        let most = last.max(self.known.lines.unwrap_or(0)).max(99);
        let digits = most.ilog10() as u16 + 1;
        if width < 30 { 2 } else { digits + 3 }
    }

    /// Not further to the right than the longest line that shows.
    fn clamp_left(&mut self) {
        if self.eye.left == 0 || self.wrap {
            return;
        }
        let top = self.shown().0;
        let rows = (top..self.held.len()).take(usize::from(self.eye.page)).filter_map(|row| self.held.row(row));
        // Bytes are no fewer than columns but for what is made visible; a little more is harmless.
        let longest = rows.map(|row| row.bytes.len() * 4).max().unwrap_or(0);
        let exact = longest < usize::from(self.eye.width) * 64;
        let width = if exact { self.longest() } else { longest };
        self.eye.left = self.eye.left.min(width.saturating_sub(usize::from(self.eye.width) / 2));
    }

    /// Columns of the longest line that shows.
    fn longest(&self) -> usize {
        let top = self.shown().0;
        let rows = (top..self.held.len()).take(usize::from(self.eye.page)).filter_map(|row| self.held.row(row));
        rows.map(|row| wrap::width(&super::lay::text(row.bytes, self.held.writing()).line())).max().unwrap_or(0)
    }

    /// That the file ends, below its last row.
    fn end_line(&self, area: Rect, below: usize, buf: &mut Buffer, theme: &Theme) {
        if !self.held.at_end() || below >= usize::from(area.height) {
            return;
        }
        let unended = self.form != Form::Hex && !self.held.ends_line();
        let words = if unended { "── end · no newline after the last line" } else { "── end" };
        put(buf, area, 1, below as u16, words, theme.faint);
    }

    /// Whether something is typed in the status line.
    pub(super) fn is_typing(&self) -> bool {
        matches!(self.over, Over::Find(_) | Over::GoTo(_))
    }
}

/// The ground of a line.
fn ground(line: Rect, chosen: bool, buf: &mut Buffer, theme: &Theme) -> Style {
    let ground = if chosen { theme.text.patch(theme.select) } else { theme.text };
    buf.set_style(line, ground);
    ground
}

/// Puts a text into an area, cut at its edge.
pub(super) fn put(buf: &mut Buffer, area: Rect, x: u16, y: u16, text: &str, style: Style) {
    if x < area.width && y < area.height {
        buf.set_stringn(area.x + x, area.y + y, text, usize::from(area.width - x), style);
    }
}

/// A sentence with a bar at its left, and the keys below it. How many lines it took.
pub(super) fn block(words: &str, keys: Option<&str>, style: Style, area: Rect, buf: &mut Buffer, theme: &Theme) -> u16 {
    let width = usize::from(area.width.saturating_sub(4)).max(1);
    let mut y = 0;
    for (text, style) in
        wrap::lines(words, width).into_iter().map(|line| (line, style)).chain(keys.map(|keys| (keys, theme.muted)))
    {
        put(buf, area, 1, y, "┃", style);
        put(buf, area, 3, y, text, style);
        y += 1;
    }
    y
}

/// One line of text, scrolled, with its matches.
#[allow(clippy::too_many_arguments)]
fn one(
    text: &str,
    left: usize,
    more: bool,
    (pattern, current): (Option<&Regex>, Option<usize>),
    area: Rect,
    ground: Style,
    buf: &mut Buffer,
    theme: &Theme,
) {
    let width = usize::from(area.width);
    let (mut column, mut x) = (0, 0);
    let mut cut = false;
    let mut places = Vec::new();
    for (at, grapheme) in text.grapheme_indices(true) {
        let wide = grapheme.width();
        if column >= left {
            if x + wide > width {
                cut = true;
                break;
            }
            buf.set_stringn(area.x + x as u16, area.y, grapheme, wide.max(1), ground);
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
        for found in
            pattern.find_iter(text).skip_while(|found| found.end() <= first).take_while(|found| found.start() <= last)
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
