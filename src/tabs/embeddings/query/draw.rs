//! The ranking on the screen.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::super::pane::{Look, Read};
use super::{Query, Ranked, Shift};
use crate::ui::meter;
use crate::ui::rule::{Rule, cut};
use crate::ui::table::{Align, Cell, Column, Row, Table, Width};
use crate::ui::wrap;

/// From so many columns on there is room for bars.
const WIDE: u16 = 60;
/// Cells of a bar.
const BAR: usize = 16;

impl Query {
    pub(super) fn draw(&mut self, frame: &mut Frame, area: Rect, look: &Look, read: &Read) {
        let theme = look.theme;
        let ranked = self.view.position(self.ranked.len());
        let right = match (&self.embedding, &self.asked) {
            (Some(_), _) => "embedding…",
            (None, Some(_)) => "ranking…",
            _ => ranked.as_str(),
        };
        let rule = Rule { title: "Rank by a text", right, right_style: theme.muted, focus: look.focus };
        rule.render(Rect { height: 1.min(area.height), ..area }, frame.buffer_mut(), theme);
        if area.height < 3 || area.width < 8 {
            return;
        }
        let inner = Rect { x: area.x + 1, width: area.width - 2, ..area };
        let typed = look.focus && !self.resting;
        let line = Rect { y: area.y + 1, height: 1, ..inner };
        frame.buffer_mut().set_stringn(line.x, line.y, "›", 1, theme.accent);
        let style = if typed { theme.accent } else { theme.text };
        self.line.render(frame, Rect { x: line.x + 2, width: line.width - 2, ..line }, style, typed);
        let mut y = area.y + 2;
        let width = usize::from(inner.width);
        if let Some(why) = &self.why {
            for text in wrap::lines(&format!("✕ {}", why.line()), width).into_iter().take(3) {
                if y < area.bottom() {
                    frame.buffer_mut().set_stringn(inner.x, y, text, width, theme.error);
                    y += 1;
                }
            }
        }
        if self.ranked.is_empty() {
            return self.nothing(frame, Rect { y, height: area.bottom().saturating_sub(y), ..inner }, look);
        }
        if let Some((text, ..)) = self.by.as_ref().filter(|(text, ..)| *text != *self.line.text()) {
            if y < area.bottom() {
                let words = cut(&format!("by: {}", text.line()), width);
                frame.buffer_mut().set_stringn(inner.x, y, words, width, theme.muted);
                y += 1;
            }
        } else if area.height > 12 {
            y += 1;
        }
        self.list(frame, Rect { y, height: area.bottom().saturating_sub(y), ..area }, look, read);
    }

    fn nothing(&self, frame: &mut Frame, area: Rect, look: &Look) {
        if self.why.is_some() || self.embedding.is_some() || self.asked.is_some() {
            return;
        }
        let words = if self.by.is_some() {
            "No text has a vector to be ranked."
        } else {
            "Type a text and press ⏎: it is embedded as the others are, and they are ranked by how near they come. \
             Change a word and rank again to see what moves."
        };
        let width = usize::from(area.width);
        for (line, y) in wrap::lines(words, width).into_iter().zip(area.y + 1..area.bottom()) {
            frame.buffer_mut().set_stringn(area.x, y, line, width, look.theme.muted);
        }
    }

    fn list(&mut self, frame: &mut Frame, area: Rect, look: &Look, read: &Read) {
        let theme = look.theme;
        let bars = area.width >= WIDE;
        let ranked = &self.ranked;
        let digits = meter::count(ranked.len() as u64).len().max(2) as u16;
        let fixed = |title: &str, width, align| Column { title: title.into(), width: Width::Fixed(width), align };
        let name = if read.texts.len() > 702 { 7 } else { 3 };
        let mut columns = vec![fixed("#", digits, Align::Right), fixed("cosine", 6, Align::Right)];
        if bars {
            columns.push(fixed("", BAR as u16, Align::Left));
        }
        columns.push(fixed("moved", 5, Align::Left));
        columns.push(fixed("", name, Align::Left));
        columns.push(Column { title: "text".into(), width: Width::Share { weight: 1, least: 8 }, align: Align::Left });
        let row = |at: usize| {
            let Some(Ranked { row, cosine, shift }) = ranked.get(at).copied() else { return Row::default() };
            let (words, style) = match shift {
                Shift::First => (String::new(), theme.muted),
                Shift::New => ("new".to_owned(), theme.busy),
                Shift::Same => ("=".to_owned(), theme.muted),
                Shift::Up(places) => (format!("↑{places}"), theme.ok),
                Shift::Down(places) => (format!("↓{places}"), theme.warn),
            };
            let mut cells = vec![
                Cell::new(meter::count(at as u64 + 1), theme.muted),
                Cell::new(format!("{cosine:.3}"), theme.text),
            ];
            if bars {
                cells.push(Cell::new(meter::bar(f64::from(cosine.max(0.0)), BAR), theme.accent));
            }
            cells.push(Cell::new(words, style));
            cells.push(Cell::new(read.letter(row), theme.muted));
            cells.push(Cell::new(read.words(row), theme.text));
            Row { cells, marked: false }
        };
        let focus = look.focus && self.resting;
        let table = Table { columns: &columns, sort: None, len: ranked.len(), row: &row, focus };
        let cursor = table.render(&mut self.view, area, frame.buffer_mut(), theme);
        if let Some(cursor) = cursor.filter(|_| focus) {
            frame.set_cursor_position(cursor);
        }
    }
}
