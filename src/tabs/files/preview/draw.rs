//! Draws the preview: only the visible rows.

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
use crate::component::RenderContext;
use crate::record::files::TextEncoding;
use crate::tabs::files::format::{list_rows, right_padding};
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::theme::Theme;
use crate::ui::{meter, time};

impl Preview {
    /// Fits page, scroll and columns to an area.
    pub(super) fn fit(&mut self, area: Rect, spacing: Spacing) {
        if area.is_empty() {
            return;
        }
        let (body, _) = self.parts(area, spacing);
        (self.viewport.page, self.viewport.width) = (body.height, body.width);
        self.viewport.right = right_padding(spacing);
        if body.is_empty() || !self.loader.is_open() {
            return;
        }
        if let Some(plot) = &mut self.plot {
            return plot.arrange(Self::inside(body, area, spacing));
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
    fn parts(&self, area: Rect, spacing: Spacing) -> (Rect, Rect) {
        let rows = list_rows(area, spacing);
        let foot = self.status_height(area.width).min(rows.height.saturating_sub(1));
        let body = Rect { height: rows.height - foot, ..rows };
        (body, Rect { y: body.bottom(), height: foot, ..spacing.pane(area).content })
    }

    /// Returns the rows without the columns that marks stand in, where panes have blank columns at their sides.
    fn inside(rows: Rect, area: Rect, spacing: Spacing) -> Rect {
        let content = spacing.pane(area).content;
        if spacing.has_surfaces() { Rect { x: content.x, width: content.width, ..rows } } else { rows }
    }

    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let RenderContext { session, theme, now } = context;
        let (focus, spacing) = (self.focus, session.spacing());
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        let (right, right_style) = self.state(usize::from(area.width), theme);
        let (title, note) = (self.source.name.line(), self.kind());
        let pane = Pane { title: &title, note: &note, right: &right, right_style, focus, surface: Surface::Ground };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let (body, status) = self.parts(area, spacing);
        let inside = Self::inside(body, area, spacing);
        let cursor = match &self.plot {
            Some(plot) if self.loader.is_open() && !body.is_empty() => plot.render(inside, frame.buffer_mut(), theme),
            _ => self.body(frame, body, theme, now),
        };
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
        let mut parts = Vec::new();
        if self.plot.is_none() && !self.window.is_empty() {
            parts.push(self.place(width));
        }
        if self.known.changed {
            parts.insert(0, "! changed".to_owned());
        }
        let style = if theme.kind.has_surfaces() { theme.faint } else { theme.muted };
        (parts.join(" · "), if self.known.changed { theme.warn } else { style })
    }

    /// Returns what the file is, such as `CSV   7 columns`; empty: that is not known yet.
    fn kind(&self) -> String {
        if !self.loader.is_open() {
            return String::new();
        }
        let mut parts = vec![self.form_name()];
        if self.display.is_table() && self.plot.is_none() {
            parts.push(match self.display.columns.count() {
                1 => "1 column".to_owned(),
                count => format!("{} columns", meter::count(count as u64)),
            });
        }
        match self.display.detected.map(|found| (found.writing, found.mark)) {
            Some((TextEncoding::Utf16Low | TextEncoding::Utf16High, _)) => parts.push("UTF-16".to_owned()),
            Some((TextEncoding::Utf8, true)) => parts.push("BOM".to_owned()),
            Some((TextEncoding::Utf8, false)) | None => {}
        }
        parts.join("   ")
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

    /// Draws the rows, or what is said in their place. Returns where the terminal's cursor belongs.
    fn body(&self, frame: &mut Frame, area: Rect, theme: &Theme, now: Instant) -> Option<Position> {
        if area.is_empty() {
            return None;
        }
        let focus = self.focus;
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
        if self.window.is_empty() {
            put(buf, area, 1, 1, "This file is empty.", theme.muted);
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
            FileOrigin::Remote { .. } => "fetching the first 64 kB",
        };
        put(buf, area, 1, 1, &format!("{spinner} {words}"), theme.busy);
        if let Some((at, why)) = waits.and_then(|wait| wait.retry.as_ref()) {
            let left = time::countdown(*at, now);
            put(buf, area, 1, 2, &format!("⚠ {} · retry in {left}", why.line()), theme.warn);
        }
    }
}
