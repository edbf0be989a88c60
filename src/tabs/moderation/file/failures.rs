//! The texts that came to nothing, each with its sentence, to be tried again.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::open::Open;
use super::view;
use crate::component::{Hint, RenderContext};
use crate::ui::list::Cursor;
use crate::ui::meter::count;
use crate::ui::rule::{Rule, cut};

/// What a key asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    None,
    Close,
    /// All of them are tried again.
    Retry,
    /// This one, by its place in the list.
    Show(usize),
    Ignored,
}

/// The list's cursor.
#[derive(Debug, Default)]
pub(super) struct Failures {
    cursor: Cursor,
    page: usize,
}

impl Failures {
    pub(super) fn key(&mut self, key: KeyEvent, len: usize) -> Event {
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            return Event::Ignored;
        }
        let page = self.page.max(1) as isize;
        let by = match key.code {
            KeyCode::Esc => return Event::Close,
            KeyCode::Char('r') => return Event::Retry,
            KeyCode::Enter => return Event::Show(self.cursor.selected),
            KeyCode::Char('j') | KeyCode::Down => 1,
            KeyCode::Char('k') | KeyCode::Up => -1,
            KeyCode::PageDown => page,
            KeyCode::PageUp => -page,
            KeyCode::Char('g') | KeyCode::Home => isize::MIN,
            KeyCode::Char('G') | KeyCode::End => isize::MAX,
            _ => return Event::Ignored,
        };
        self.cursor.by(by, len);
        Event::None
    }

    pub(super) fn render(&mut self, frame: &mut Frame, area: Rect, open: &Open, context: RenderContext) {
        let theme = context.theme;
        let failures = open.run.as_ref().map_or(&[][..], |run| run.batch.failures());
        let (what, again) =
            if failures.len() == 1 { ("text", "r tries it again") } else { ("texts", "r tries them again") };
        let title = format!("{} {what} came to nothing", count(failures.len() as u64));
        Rule { title: &title, right: again, right_style: theme.muted, focus: true }.render(
            area,
            frame.buffer_mut(),
            theme,
        );
        let area = view::below(area, 1);
        // Two lines each: which one, and why.
        self.page = usize::from(area.height / 2).max(1);
        let window = self.cursor.window(self.page, failures.len());
        for (at, y) in window.zip((area.y..area.bottom().saturating_sub(1)).step_by(2)) {
            let Some(row) = row(open, at) else { continue };
            let chosen = at == self.cursor.selected;
            let style = if chosen { theme.text.patch(theme.select) } else { theme.text };
            let width = usize::from(area.width);
            let buf = frame.buffer_mut();
            if chosen {
                buf.set_stringn(area.x, y, " ".repeat(width), width, style);
                buf.set_stringn(area.x, y, "▌", 1, theme.accent);
                frame.set_cursor_position(Position::new(area.x, y));
            }
            let words = format!("{}  {}", count(row as u64 + 1), open.sheet.excerpt(row));
            let buf = frame.buffer_mut();
            buf.set_string(area.x + 1, y, cut(&words, width.saturating_sub(2)), style);
            let why = format!("✕ {}", failures[at].why.line());
            buf.set_string(area.x + 3, y + 1, cut(&why, width.saturating_sub(4)), theme.error);
        }
    }
}

/// The first row of the file with the text that failed at this place of the list.
pub(super) fn row(open: &Open, at: usize) -> Option<usize> {
    let run = open.run.as_ref()?;
    let text = run.text(run.batch.failures().get(at)?.item);
    open.sheet.texts().get(text as usize).map(|text| text.first as usize)
}

/// Keys for the footer.
pub(super) fn hints() -> Vec<Hint> {
    vec![Hint::new("r", "try again"), Hint::new("⏎", "whole text"), Hint::new("j k", "text")]
}

/// All keys.
pub(super) fn help() -> Vec<Hint> {
    let mut all = hints();
    all.push(Hint::new("esc", "all rows"));
    all
}
