//! Draws the ranking.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::super::pane::framed;
use super::{Page, QueryFocus, QueryPane, RankShift, Ranked};
use crate::component::RenderContext;
use crate::text::Untrusted;
use crate::ui::meter;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::size_class::MEDIUM;
use crate::ui::table::{Align, Table, TableCell, TableColumn, TableRow, Width};
use crate::ui::wrap;

/// Cells of a bar.
const BAR: usize = 16;

impl QueryPane {
    /// Fits the list to the area it will be drawn in.
    pub(super) fn fit(&mut self, area: Rect, spacing: Spacing) {
        let area = framed(area, spacing);
        let (columns, list) = (self.columns(area.width), self.list_area(area));
        self.view.fit(&columns, self.ranked.len(), list);
    }

    /// Returns the sentence that says what went wrong, or when it is tried again, on three lines at most.
    fn error_lines(&self, width: usize) -> Vec<String> {
        let retry = self.retry.as_ref().filter(|_| self.embedding.is_some());
        let words = match (&self.error, retry) {
            (Some(why), _) => format!("✕ {}", why.line()),
            (None, Some(retry)) => retry.clone(),
            (None, None) => return Vec::new(),
        };
        wrap::lines(&words, width).into_iter().take(3).map(str::to_owned).collect()
    }

    /// Returns the text that the ranking is by, where the line says another.
    fn ranked_by(&self) -> Option<&Untrusted> {
        self.by.as_ref().map(|(text, ..)| text).filter(|text| **text != *self.line.text())
    }

    /// Returns the area of the list: below title, line, error, and what it is ranked by.
    fn list_area(&self, area: Rect) -> Rect {
        let errors = self.error_lines(usize::from(area.width.saturating_sub(2))).len() as u16;
        let above = 2 + errors + u16::from(self.ranked_by().is_some() || area.height > 12);
        let y = (area.y + above).min(area.bottom());
        Rect { y, height: area.bottom() - y, ..area }
    }

    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let focus = self.data.focus == Some(Page::Query);
        let ranked = self.view.position(self.ranked.len());
        let right = match (&self.embedding, self.job.of()) {
            (Some(_), _) if self.retry.is_some() => "waiting",
            (Some(_), _) => "embedding…",
            (None, Some(_)) => "ranking…",
            _ => ranked.as_str(),
        };
        let spacing = context.session.spacing();
        let (right_style, surface) = (theme.muted, Surface::Ground);
        let pane = Pane { title: "Rank by similarity to…", note: "", right, right_style, focus, surface };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let area = framed(area, spacing);
        if area.height < 3 || area.width < 8 {
            return;
        }
        let inner = Rect { x: area.x + 1, width: area.width - 2, ..area };
        let typed = focus && self.focus == QueryFocus::Line;
        let line = Rect { y: area.y + 1, height: 1, ..inner };
        frame.buffer_mut().set_stringn(line.x, line.y, "›", 1, theme.accent);
        let style = if typed { theme.accent } else { theme.text };
        self.line.render(frame, Rect { x: line.x + 2, width: line.width - 2, ..line }, style, typed);
        let width = usize::from(inner.width);
        let errors = self.error_lines(width);
        let style = if self.error.is_some() { theme.bad } else { theme.warn };
        for (text, y) in errors.iter().zip(area.y + 2..area.bottom()) {
            frame.buffer_mut().set_stringn(inner.x, y, text, width, style);
        }
        let y = (area.y + 2 + errors.len() as u16).min(area.bottom());
        if self.ranked.is_empty() {
            return self.nothing(frame, Rect { y, height: area.bottom() - y, ..inner }, context);
        }
        if let Some(text) = self.ranked_by().filter(|_| y < area.bottom()) {
            let words = cut(&format!("by: {}", text.line()), width);
            frame.buffer_mut().set_stringn(inner.x, y, words, width, theme.muted);
        }
        self.list(frame, self.list_area(area), focus && self.focus == QueryFocus::List, context);
    }

    fn nothing(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        if self.error.is_some() || self.embedding.is_some() || self.job.of().is_some() {
            return;
        }
        let words = if self.by.is_some() {
            "No text has a vector, so none can be ranked."
        } else {
            "Type a text and press ⏎ to rank all others by their similarity to it. \
             Change a word and rank again to see what moves."
        };
        let width = usize::from(area.width);
        for (line, y) in wrap::lines(words, width).into_iter().zip(area.y + 1..area.bottom()) {
            frame.buffer_mut().set_stringn(area.x, y, line, width, context.theme.muted);
        }
    }

    fn columns(&self, width: u16) -> Vec<TableColumn> {
        let digits = meter::count(self.ranked.len() as u64).len().max(2) as u16;
        let fixed = |title: &str, width, align| TableColumn { title: title.into(), width: Width::Fixed(width), align };
        let name = if self.data.texts.len() > 702 { 7 } else { 3 };
        let mut columns = vec![fixed("#", digits, Align::Right), fixed("cosine", 6, Align::Right)];
        if width >= MEDIUM {
            columns.push(fixed("", BAR as u16, Align::Left));
        }
        columns.push(fixed("moved", 5, Align::Left));
        columns.push(fixed("", name, Align::Left));
        columns.push(TableColumn {
            title: "text".into(),
            width: Width::Share { weight: 1, least: 8 },
            align: Align::Left,
        });
        columns
    }

    fn list(&self, frame: &mut Frame, area: Rect, focus: bool, context: RenderContext) {
        let theme = context.theme;
        let (columns, ranked, data) = (self.columns(area.width), &self.ranked, &self.data);
        let row = |at: usize| {
            let Some(Ranked { row, cosine, shift }) = ranked.get(at).copied() else { return TableRow::default() };
            let (words, style) = match shift {
                RankShift::First => (String::new(), theme.muted),
                RankShift::New => ("new".to_owned(), theme.busy),
                RankShift::Same => ("same".to_owned(), theme.muted),
                RankShift::Up(places) => (format!("↑{places}"), theme.good),
                RankShift::Down(places) => (format!("↓{places}"), theme.warn),
            };
            let mut cells = vec![
                TableCell::new(meter::count(at as u64 + 1), theme.muted),
                TableCell::new(format!("{cosine:.3}"), theme.text),
            ];
            if area.width >= MEDIUM {
                cells.push(TableCell::new(meter::thin(f64::from(cosine.max(0.0)), BAR), theme.accent));
            }
            cells.push(TableCell::new(words, style));
            cells.push(TableCell::new(data.letter(row), theme.muted));
            cells.push(TableCell::new(data.words(row), theme.text));
            TableRow { cells, marked: false }
        };
        let table = Table { columns: &columns, sort: None, len: ranked.len(), row: &row, focus };
        let cursor = table.render(self.view, area, frame.buffer_mut(), theme);
        if let Some(cursor) = cursor.filter(|_| focus) {
            frame.set_cursor_position(cursor);
        }
    }
}
