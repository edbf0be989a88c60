//! Lines to scroll through in a box: the help page and past notices. What is longer than a row is wrapped.

use std::borrow::Cow;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

use super::view;
use crate::tabs::{Hint, Notice};
use crate::ui::overlay::{Words, boxed};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns of the box, where there are that many.
const WIDTH: u16 = 76;
/// Columns of it that are no text: border and margin on both sides.
const EDGES: u16 = 4;
/// Widest column of keys.
const KEYS: usize = 18;

/// Lines to scroll through.
#[derive(Debug)]
pub(super) struct Pages {
    title: &'static str,
    rows: Vec<Row>,
    /// First row on the screen.
    top: usize,
    /// Last value of `top` that fills the box, and rows in the box, as they were drawn last.
    most: usize,
    page: usize,
}

/// One of the things listed.
#[derive(Debug)]
pub(super) enum Row {
    /// A heading.
    Head(String),
    /// A key and what it does.
    Key(Hint),
    /// A notice with its time.
    Said(String, Notice),
    /// Plain words.
    Words(String),
}

impl Pages {
    pub(super) fn new(title: &'static str, rows: Vec<Row>) -> Self {
        Self { title, top: 0, most: rows.len(), page: 1, rows }
    }

    /// A key; whether the box stays open.
    pub(super) fn key(&mut self, key: &KeyEvent) -> bool {
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => self.top = self.top.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => self.top = (self.top + 1).min(self.most),
            KeyCode::PageUp => self.top = self.top.saturating_sub(self.page),
            KeyCode::PageDown | KeyCode::Char(' ') => self.top = (self.top + self.page).min(self.most),
            KeyCode::Home | KeyCode::Char('g') => self.top = 0,
            KeyCode::End | KeyCode::Char('G') => self.top = self.most,
            KeyCode::Esc | KeyCode::Enter | KeyCode::F(1) | KeyCode::Char('q' | '?') => return false,
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => return false,
            _ => {}
        }
        true
    }

    pub(super) fn render(&mut self, frame: &mut Frame, body: Rect, theme: &Theme) {
        let lines = lines(&self.rows, WIDTH.min(body.width).saturating_sub(EDGES) as usize, theme);
        let height = u16::try_from(lines.len()).unwrap_or(u16::MAX).saturating_add(2).min(body.height);
        let words = Words { title: self.title, right: "esc", foot: "" };
        let inner = boxed(frame, body, (WIDTH, height), &words, theme);
        let room = inner.height as usize;
        self.most = lines.len().saturating_sub(room);
        self.page = room.saturating_sub(1).max(1);
        // The box may have grown, or the lines may have become fewer, since a key moved it.
        self.top = self.top.min(self.most);
        for (line, y) in lines.into_iter().skip(self.top).zip(inner.y..inner.bottom()) {
            frame.render_widget(line, Rect { y, height: 1, ..inner });
        }
        if inner.width > 0 && inner.height > 0 {
            frame.set_cursor_position((inner.x, inner.y));
        }
    }
}

/// All of it at this many columns.
fn lines<'a>(rows: &'a [Row], width: usize, theme: &Theme) -> Vec<Line<'a>> {
    let keys = rows.iter().filter_map(|row| if let Row::Key(hint) = row { Some(hint.key.width()) } else { None });
    let column = keys.max().unwrap_or(0).min(KEYS);
    let mut lines = Vec::new();
    for row in rows {
        let (front, words, style) = match row {
            Row::Head(head) => (Vec::new(), Cow::from(head), theme.accent),
            Row::Key(hint) => {
                let pad = " ".repeat(column.saturating_sub(hint.key.width()) + 2);
                let key = Span::styled(hint.key.as_str(), theme.accent);
                (vec![Span::raw("  "), key, Span::raw(pad)], Cow::from(&hint.does), theme.text)
            }
            Row::Said(time, notice) => {
                let (mark, style) = view::mark(notice.level, theme);
                let time = Span::styled(format!("{time} "), theme.muted);
                (vec![time, Span::styled(format!("{mark} "), style)], notice.text.line(), theme.text)
            }
            Row::Words(words) => (Vec::new(), Cow::from(words), theme.text),
        };
        let indent: usize = front.iter().map(Span::width).sum();
        let mut front = Some(front);
        for words in wrap::lines(&words, width.saturating_sub(indent)) {
            // Further rows stand under the first one's words.
            let mut spans = front.take().unwrap_or_else(|| vec![Span::raw(" ".repeat(indent))]);
            spans.push(Span::styled(words.to_owned(), style));
            lines.push(Line::from(spans));
        }
    }
    lines
}
