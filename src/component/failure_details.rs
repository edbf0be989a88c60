//! What is known of a failed call, as a dialog.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::{Component, Cx, Handled, Hint, RenderContext, Session, Step, border};
use crate::api::call::Failure;
use crate::ui::overlay;
use crate::ui::rule::cut;
use crate::ui::wrap;

/// The most columns of the box.
const WIDTH: u16 = 96;

/// Shows a failure: its sentence, status, code, headers and body.
#[derive(Debug)]
pub struct FailureDetails {
    failure: Failure,
    /// First line shown.
    scroll: usize,
}

impl FailureDetails {
    /// Creates a dialog that shows a failure.
    pub fn new(failure: Failure) -> Self {
        Self { failure, scroll: 0 }
    }

    fn lines(&self, area: Rect) -> Vec<String> {
        lines(&self.failure, usize::from(area.width.min(WIDTH)).saturating_sub(4).max(8))
    }

    /// Returns the height of the box for so many lines, with so many blank rows below its title.
    fn height(lines: &[String], blank_rows: u16, area: Rect) -> u16 {
        u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).max(5).saturating_add(blank_rows).min(area.height)
    }
}

impl<E> Component<Step<E>> for FailureDetails {
    fn key(&mut self, key: KeyEvent, _cx: &mut Cx) -> Handled<Step<E>> {
        match key.code {
            KeyCode::Char('j') | KeyCode::Down => self.scroll += 1,
            KeyCode::Char('k') | KeyCode::Up => self.scroll = self.scroll.saturating_sub(1),
            KeyCode::Esc | KeyCode::Enter | KeyCode::Char('d' | 'D' | 'q') => return Handled::close(),
            _ => {}
        }
        Handled::Consumed
    }

    fn hints(&self) -> Vec<Hint> {
        vec![Hint::new("j k", "scroll")]
    }

    fn arrange(&mut self, area: Rect, session: &Session, _now: Instant) {
        let lines = self.lines(area);
        let blank_rows = overlay::rows_below_title(area, session.palette);
        let rows = usize::from(Self::height(&lines, blank_rows, area).saturating_sub(2 + blank_rows));
        self.scroll = self.scroll.min(lines.len().saturating_sub(rows));
    }

    fn typing(&self) -> bool {
        true
    }

    fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let lines = self.lines(area);
        let blank_rows = overlay::rows_below_title(area, context.session.palette);
        // Without an answer the words are the program's own.
        let answered = self.failure.status.is_some() || !self.failure.body.is_empty();
        let title = if answered { "What the server said" } else { "Details of the failure" };
        let size = (WIDTH, Self::height(&lines, blank_rows, area));
        let foot = border(&Component::<Step<E>>::hints(self), "close", WIDTH.min(area.width));
        let inside = overlay::frame(frame, area, size, title, &foot, theme);
        let inside = overlay::below(inside, blank_rows);
        let width = usize::from(inside.width.saturating_sub(2));
        for (line, y) in lines.iter().skip(self.scroll).zip(inside.y..inside.bottom()) {
            frame.buffer_mut().set_stringn(inside.x + 1, y, cut(line, width), width, theme.text);
        }
        frame.set_cursor_position(Position::new(inside.x + 1, inside.y));
    }
}

/// Returns everything known of a failure, safe for the screen and wrapped at `width` columns.
fn lines(failure: &Failure, width: usize) -> Vec<String> {
    let mut lines = vec![failure.sentence.line().into_owned(), String::new()];
    lines.extend(failure.status.map(|status| format!("status      {status}")));
    lines.extend(failure.code.as_ref().map(|code| format!("code        {}", code.line())));
    lines.extend(failure.request_id.as_ref().map(|id| format!("request id  {}", id.line())));
    if failure.attempts > 1 {
        lines.push(format!("attempts    {}", failure.attempts));
    }
    lines.extend(failure.headers.iter().map(|(name, value)| format!("{name}: {}", value.line())));
    if !failure.body.is_empty() {
        lines.push(String::new());
        lines.extend(failure.body.screen().lines().map(str::to_owned));
    }
    // A space that hangs over the edge must not cost the letter before it.
    lines.iter().flat_map(|line| wrap::lines(line, width)).map(str::to_owned).collect()
}
