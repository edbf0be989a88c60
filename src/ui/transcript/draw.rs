//! Draws the visible rows straight into the buffer.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::widgets::Widget;
use unicode_width::UnicodeWidthStr;

use super::Transcript;
use super::entry::{Entry, EntryRow, ShownRow};
use super::look::EntryLook;
use super::rows::BlockRow;
use crate::ui::canvas::Canvas;
use crate::ui::markdown::{Kind, Line, Role, Shape};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::{hyperlink, meter, wrap};

/// Precedes the lines of a listing without a surface.
const LISTING: &str = "│ ";

impl<K: Copy + Eq + Ord> Transcript<K> {
    /// Fits it to the area into which it is drawn, and finds the rows in view: they affect keys.
    pub fn arrange(&mut self, area: Rect) {
        self.area = area;
        self.rows.clear();
        if area.is_empty() {
            return;
        }
        self.set_width(usize::from(area.width.saturating_sub(1)));
        self.find_in_new();
        self.settle();
        self.count_new_lines();
        let (mut at, mut row) = self.top;
        for _ in 0..area.height {
            while at < self.entries.len() && row >= self.measure(at) {
                (at, row) = (at + 1, 0);
            }
            let Some(part) = self.part(at, row) else { break };
            self.rows.push(ShownRow { at, part, is_first: row == self.entries[at].head() });
            row += 1;
        }
        self.drop_offscreen(self.top.0..at + 1);
    }

    /// Draws the rows in view, with a column for the mark of the selection at their left. `caret` follows the last
    /// message's text while that is streaming.
    pub fn render(&self, buf: &mut Buffer, theme: &Theme, caret: Option<&str>) {
        let area = self.area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        let room = area.width.saturating_sub(1);
        let area = Rect { x: area.right() - room, width: room.min(self.fit.width as u16), ..area };
        let mut last = None;
        for (shown, y) in self.rows.iter().zip(area.top()..area.bottom()) {
            let Some(entry) = self.entries.get(shown.at) else { break };
            let place = Rect { y, height: 1, ..area };
            let end = self.draw_row(shown, entry, Canvas { area: place, buf: &mut *buf, theme });
            if shown.at + 1 == self.entries.len() && matches!(shown.part, EntryRow::Title(_) | EntryRow::Text(..)) {
                last = Some((end, y, matches!(shown.part, EntryRow::Title(_))));
            }
        }
        let streaming = self.entries.last().is_some_and(|entry| !entry.doc().finished());
        if let (Some(caret), Some((x, y, false)), true) = (caret, last, streaming) {
            let x = x.min(area.right().saturating_sub(1));
            buf.set_stringn(x, y, caret, usize::from(area.right() - x), theme.busy);
        }
    }

    /// Draws one row; returns the column after its text.
    fn draw_row(&self, shown: &ShownRow, entry: &Entry<K>, canvas: Canvas) -> u16 {
        let ShownRow { at, part, is_first } = *shown;
        let Canvas { area, buf, theme } = canvas;
        let inner = area.x + area.width.min(entry.indent() as u16);
        let body = Rect { x: inner, width: area.right() - inner, ..area };
        let mut end = inner;
        let mut marked = false;
        let chosen = self.selected.filter(|(id, _)| *id == entry.id()).map(|(_, code)| code);
        let target = self.selected.is_none() && self.target == Some(entry.id());
        if entry.is_on_panel() && !matches!(part, EntryRow::Blank) {
            let surface = if chosen == Some(None) || target { theme.raised } else { theme.panel };
            buf.set_style(area, Style { fg: None, ..surface });
        }
        match part {
            EntryRow::Title(n) => {
                if let Some(title) = entry.title(n) {
                    title.render(area, buf);
                }
                if entry.look() == EntryLook::Part && !entry.is_on_panel() {
                    buf.set_stringn(area.x, area.y, "┃", 1, theme.muted);
                }
                marked = chosen == Some(None);
            }
            EntryRow::Note(n) => {
                if let Some(note) = entry.note(n) {
                    note.render(body, buf);
                }
            }
            EntryRow::Folded(rows) => {
                let text = format!("… {} more rows · z shows all", meter::count(rows as u64));
                buf.set_stringn(body.x, body.y, text, usize::from(body.width), theme.muted);
            }
            EntryRow::Text(block, row) => {
                if let Some(line) = entry.block(block).and_then(|found| found.lines.get(row.line)) {
                    let found = self.find.in_line(&line.text, (at, block, row.line));
                    let offered = self.offered().filter(|(id, _)| *id == entry.id()).and_then(|(_, code)| code);
                    let code = offered.and_then(|n| entry.doc().code(n));
                    let copies = code.is_some_and(|(at, code)| at == block && code.lines.start == row.line);
                    let code = entry.doc().code_at(block, row.line).is_some();
                    if code {
                        buf.set_style(body, theme.panel);
                    }
                    end = draw_text(line, row, body, buf, theme, &Extra { found: &found, copies, code });
                    if self.hyperlinks {
                        link_row(line, row, body, buf);
                    }
                }
                if entry.look() == EntryLook::Aside {
                    buf.set_style(body, theme.muted);
                }
                if entry.look() == EntryLook::Aside || entry.look() == EntryLook::Part && !entry.is_on_panel() {
                    buf.set_stringn(area.x, area.y, "┃", 1, theme.muted);
                }
                marked = match chosen {
                    Some(Some(n)) => entry.doc().code_at(block, row.line) == Some(n),
                    _ => false,
                };
            }
            EntryRow::CodeEnd => buf.set_style(body, theme.panel),
            EntryRow::Pad | EntryRow::Blank => {}
        }
        if marked {
            // Only the background: a name keeps its colour.
            buf.set_style(area, Style { fg: None, ..theme.select });
        }
        if let Some(note) = entry.side_note().filter(|_| !matches!(part, EntryRow::Blank)) {
            let width = (note.width() as u16).min(area.width.saturating_sub(1));
            if is_first {
                note.render(Rect { x: area.right() - 1 - width, width, ..area }, buf);
            }
            buf.set_stringn(area.x, area.y, "▌", 1, theme.accent);
        } else if marked || (chosen == Some(None) || target) && !matches!(part, EntryRow::Blank) {
            buf.set_stringn(area.x.max(1) - 1, area.y, "▌", 1, theme.accent);
        }
        end
    }
}

/// What is shown on a row besides its text.
struct Extra<'a> {
    /// Matches in the line; `true`: the current one.
    found: &'a [(Range<usize>, bool)],
    /// Whether `y` copies the block that begins here.
    copies: bool,
    /// Whether it is a row of a listing.
    code: bool,
}

/// Draws a row of a line; returns the column after it.
fn draw_text(line: &Line, row: BlockRow, area: Rect, buf: &mut Buffer, theme: &Theme, extra: &Extra) -> u16 {
    let right = area.right();
    let put = |buf: &mut Buffer, x: u16, text: &str, style: Style| {
        if x < right { buf.set_stringn(x, area.y, text, usize::from(right - x), style).0 } else { x }
    };
    let surfaces = theme.kind.has_surfaces();
    let prefix = if row.start == 0 { &line.first } else { &line.hang };
    let mut x = match prefix.strip_suffix(LISTING).filter(|_| extra.code && surfaces) {
        Some(before) => put(buf, area.x, before, theme.muted) + LISTING.width() as u16,
        None => put(buf, area.x, prefix, theme.muted),
    };
    match line.shape {
        Shape::Rule => {
            while x < right {
                x = put(buf, x, "─", theme.rule);
            }
        }
        Shape::Frame if surfaces => {
            let copy = if extra.copies { "y copy" } else { "" };
            let gap = if copy.is_empty() || line.text.is_empty() { "" } else { "   " };
            let words = cut(&format!("{}{gap}{copy}", line.text), usize::from(right.saturating_sub(x + 1)));
            put(buf, right.saturating_sub(1 + words.width() as u16), &words, theme.faint);
        }
        Shape::Frame => {
            const COPY: &str = " y copy";
            x = put(buf, x, "┌ ", theme.muted);
            if !line.text.is_empty() {
                x = put(buf, x, &line.text, theme.muted);
                x = put(buf, x, " ", theme.muted);
            }
            let room = usize::from(right.saturating_sub(x));
            let copy = (extra.copies && room > COPY.len() + 2).then_some(COPY);
            let end = right - copy.map_or(0, |copy| copy.len() as u16);
            while x < end {
                x = put(buf, x, "─", theme.rule);
            }
            x = put(buf, x, copy.unwrap_or_default(), theme.muted);
        }
        Shape::Text => {
            let mut from = row.start;
            let first = line.roles.partition_point(|(range, _)| range.end <= from);
            for (range, role) in &line.roles[first..] {
                if range.start >= row.end {
                    break;
                }
                if range.start > from {
                    x = put(buf, x, &line.text[from..range.start], theme.text);
                    from = range.start;
                }
                let end = range.end.min(row.end);
                let text = &line.text[from..end];
                x = match role.kind {
                    // On a surface of its own code needs no delimiters.
                    Kind::Backtick if surfaces => put(buf, x, &" ".repeat(text.len()), role.style(theme)),
                    _ => put(buf, x, text, role.style(theme)),
                };
                from = end;
            }
            x = put(buf, x, &line.text[from..row.end], Role::default().style(theme));
            for (range, current) in extra.found {
                if let Some(place) = place_in_row(line, row, range, area) {
                    buf.set_style(place, if *current { theme.find_current } else { theme.find });
                }
            }
        }
    }
    x
}

/// Makes the links of a drawn row open in the terminal.
fn link_row(line: &Line, row: BlockRow, area: Rect, buf: &mut Buffer) {
    for (range, target) in &line.links {
        if let Some(place) = place_in_row(line, row, range, area) {
            hyperlink::link(buf, place, target);
        }
    }
}

/// Returns where the part of a line's text is that is on a row; `None`: none of it.
fn place_in_row(line: &Line, row: BlockRow, part: &Range<usize>, area: Rect) -> Option<Rect> {
    let (from, to) = (part.start.max(row.start), part.end.min(row.end));
    if from >= to {
        return None;
    }
    let prefix = if row.start == 0 { &line.first } else { &line.hang };
    let before = wrap::width(prefix) + wrap::width(&line.text[row.start..from]);
    let room = usize::from(area.width).checked_sub(before).filter(|room| *room > 0)?;
    let width = wrap::width(&line.text[from..to]).min(room) as u16;
    Some(Rect { x: area.x + before as u16, width, ..area })
}
