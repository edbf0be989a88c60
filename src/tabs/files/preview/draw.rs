//! Draws the preview: only the rows that show.

use std::time::Instant;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::Preview;
use super::chunk_loader::LoadState;
use super::draw_text::{block, put};
use super::file_format::FileFormat;
use super::source::FileOrigin;
use crate::record::files::TextEncoding;
use crate::ui::meter;
use crate::ui::rule::Rule;
use crate::ui::theme::Theme;

impl Preview {
    /// Fits page, scroll and columns to an area.
    pub(super) fn fit(&mut self, area: Rect) {
        if area.is_empty() {
            return;
        }
        let (body, _) = self.parts(area);
        (self.viewport.page, self.viewport.width) = (body.height, body.width);
        if body.is_empty() || !self.loader.is_open() {
            return;
        }
        if let Some(plot) = &mut self.plot {
            return plot.arrange(body);
        }
        if self.window.is_empty() {
            return;
        }
        match self.display.format {
            FileFormat::Table(_) => self.fit_table(body),
            FileFormat::Hex => self.fit_hex(body),
            FileFormat::Jsonl | FileFormat::Text => self.fit_lines(body),
        }
    }

    /// Returns where the rows are, and the line below them.
    fn parts(&self, area: Rect) -> (Rect, Rect) {
        let foot = self.status_height(area.width).min(area.height.saturating_sub(2));
        let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1 + foot), ..area };
        (body, Rect { y: body.bottom(), height: foot, ..area })
    }

    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, theme: &Theme, now: Instant) {
        let focus = self.focus;
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        let (right, right_style) = self.state(usize::from(area.width), theme);
        let title = self.source.name.line();
        Rule { title: &title, right: &right, right_style, focus }.render(area, frame.buffer_mut(), theme);
        let (body, status) = self.parts(area);
        let cursor = self.body(frame, body, focus, theme, now);
        let typing = self.status(frame, status, focus, theme, now);
        if focus
            && !typing
            && let Some(cursor) = cursor
        {
            frame.set_cursor_position(cursor);
        }
    }

    /// Returns what stands at the right of the title.
    fn state(&self, width: usize, theme: &Theme) -> (String, Style) {
        match &self.loader.phase {
            LoadState::Loading => return (self.known.total.map(meter::bytes).unwrap_or_default(), theme.muted),
            LoadState::Failed(_) => return ("✕ not shown".to_owned(), theme.bad),
            LoadState::Open => {}
        }
        let mut parts = vec![self.form_name()];
        if let Some(found) = self.display.detected.filter(|_| width >= 50) {
            match found.writing {
                TextEncoding::Utf16Low | TextEncoding::Utf16High => parts.push("UTF-16".to_owned()),
                TextEncoding::Utf8 if found.mark => parts.push("BOM".to_owned()),
                TextEncoding::Utf8 => {}
            }
        }
        if self.plot.is_none() && !self.window.is_empty() {
            parts.push(self.place(width));
        }
        if self.known.changed {
            parts.insert(0, "! changed".to_owned());
        }
        (parts.join(" · "), if self.known.changed { theme.warn } else { theme.muted })
    }

    fn form_name(&self) -> String {
        let name = match self.display.format {
            _ if self.plot.is_some() => "curves",
            FileFormat::Jsonl => "JSONL",
            FileFormat::Table(b'\t') => "TSV",
            FileFormat::Table(_) => "CSV",
            FileFormat::Text => "text",
            FileFormat::Hex => "hex",
        };
        name.to_owned()
    }

    /// Returns where the cursor is.
    fn place(&self, width: usize) -> String {
        let row = self.window.row(self.cursor());
        let at = self.viewport.cursor;
        let share = || {
            let total = self.known.total.filter(|total| *total > 0)?;
            let end = row.map_or(at, |row| row.at + row.bytes.len() as u64);
            let share =
                if self.window.at_end() && self.cursor() + 1 >= self.window.len() { total } else { end.min(total) };
            let percent = u128::from(share) * 100 / u128::from(total);
            Some(if width < 50 { format!("{percent}%") } else { format!("{percent}% of {}", meter::bytes(total)) })
        };
        let line = row.and_then(|row| row.line);
        match (self.display.format, line, self.known.lines) {
            (FileFormat::Hex, ..) => {
                format!("byte {}", meter::count(at)) + &share().map_or(String::new(), |share| format!(" · {share}"))
            }
            (_, Some(line), Some(lines)) => {
                let (line, lines) = (meter::count(line), meter::count(lines));
                if width < 50 { format!("{line} of {lines}") } else { format!("line {line} of {lines}") }
            }
            (_, Some(line), None) => {
                (if width < 50 { meter::count(line) } else { format!("line {}", meter::count(line)) })
                    + &share().map_or(String::new(), |share| format!(" · {share}"))
            }
            _ => share().unwrap_or_default(),
        }
    }

    /// Draws the rows, or what is said in their place; returns where the terminal's cursor belongs.
    fn body(&self, frame: &mut Frame, area: Rect, focus: bool, theme: &Theme, now: Instant) -> Option<Position> {
        if area.is_empty() {
            return None;
        }
        let buf = frame.buffer_mut();
        match &self.loader.phase {
            LoadState::Loading => {
                self.loading(area, buf, theme, now);
                return None;
            }
            LoadState::Failed(why) => {
                let words = format!("✕ {}", why.line());
                block(&words, Some("r try again   esc close"), theme.bad, area, buf, theme);
                return None;
            }
            LoadState::Open => {}
        }
        if let Some(plot) = &self.plot {
            return plot.render(area, buf, theme);
        }
        if self.window.is_empty() {
            put(buf, area, 1, 1, "This file is empty: it has no bytes.", theme.muted);
            return None;
        }
        match self.display.format {
            FileFormat::Table(_) => self.table(area, focus, buf, theme),
            FileFormat::Hex => self.hex(area, focus, buf, theme),
            FileFormat::Jsonl | FileFormat::Text => self.lines(area, focus, buf, theme),
        }
    }

    fn loading(&self, area: Rect, buf: &mut Buffer, theme: &Theme, now: Instant) {
        let waits = self.loader.waits();
        let since = waits.map_or(now, |wait| wait.since);
        let spinner = meter::spinner(now.duration_since(since), self.motion);
        let words = match &self.source.origin {
            FileOrigin::Local { .. } => "reading",
            FileOrigin::Remote { .. } => "fetching the first 64 KB",
        };
        put(buf, area, 1, 1, &format!("{spinner} {words}"), theme.busy);
        if let Some((at, why)) = waits.and_then(|wait| wait.retry.as_ref()) {
            let wait = at.saturating_duration_since(now).as_secs();
            put(buf, area, 1, 2, &format!("⚠ {} · again in {wait} s", why.line()), theme.warn);
        }
    }
}
