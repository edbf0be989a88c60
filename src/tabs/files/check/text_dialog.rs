//! The whole text of the problem or the repair under the cursor, over the page: lists cut what is too long for a line.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::figures::LineTone;
use super::{Page, Pane, view};
use crate::ui::meter::count;
use crate::ui::theme::Theme;
use crate::ui::{overlay, wrap};

/// Columns of the box, where there are so many.
const WIDTH: u16 = 96;

impl Page {
    /// Opens the text of what is under the cursor, where there is one.
    pub(super) fn open_whole(&mut self) {
        let any = match self.pane {
            Pane::Problems => self.report.problems.len(),
            Pane::Repairs => self.report.repairs.len(),
            Pane::Columns | Pane::Figures => 0,
        };
        self.whole = (any > 0).then_some(0);
    }

    /// A key while the text is open.
    pub(super) fn whole_key(&mut self, key: KeyEvent) {
        let Some(scroll) = &mut self.whole else { return };
        match key.code {
            KeyCode::Char('j') | KeyCode::Down => *scroll += 1,
            KeyCode::Char('k') | KeyCode::Up => *scroll = scroll.saturating_sub(1),
            KeyCode::PageDown => *scroll += self.height,
            KeyCode::PageUp => *scroll = scroll.saturating_sub(self.height),
            KeyCode::Esc | KeyCode::Enter | KeyCode::Char('q') => self.whole = None,
            _ => {}
        }
    }

    /// Returns the text in lines of so many columns.
    fn text(&self, width: usize) -> Vec<(String, LineTone)> {
        match self.pane {
            Pane::Problems => self.report.problems.get(self.problems.selected).map_or_else(Vec::new, |problem| {
                let place = format!("line {}, column {}", count(problem.line), count(problem.column));
                let lines = [place, String::new(), problem.words.line().into_owned()];
                let lines = lines.iter().flat_map(|line| wrap::lines(line, width));
                lines.map(|line| (line.to_owned(), LineTone::Plain)).collect()
            }),
            Pane::Repairs => self
                .report
                .repairs
                .get(self.repairs.selected)
                .map_or_else(Vec::new, |repair| view::repair_lines(repair, width)),
            Pane::Columns | Pane::Figures => Vec::new(),
        }
    }

    /// Returns the text as it is wrapped over an area, and the height of its box.
    fn text_over(&self, area: Rect) -> (Vec<(String, LineTone)>, u16) {
        let lines = self.text(usize::from(area.width.min(WIDTH)).saturating_sub(4).max(8));
        let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).max(5).min(area.height);
        (lines, height)
    }

    /// Scrolls no further than the text over an area goes.
    pub(super) fn arrange_whole(&mut self, area: Rect) {
        let Some(scroll) = self.whole else { return };
        let (lines, height) = self.text_over(area);
        self.whole = Some(scroll.min(lines.len().saturating_sub(usize::from(height.saturating_sub(2)))));
    }

    /// Draws the text, where it is open.
    pub(super) fn render_whole(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let Some(scroll) = self.whole else { return };
        let theme = &theme.over();
        let (lines, height) = self.text_over(area);
        let title = if self.pane == Pane::Repairs { "Repair" } else { "Problem" };
        let inside = overlay::frame(frame, area, (WIDTH, height), title, "j k scroll  esc close", theme);
        let scroll = scroll.min(lines.len().saturating_sub(usize::from(inside.height)));
        let width = usize::from(inside.width.saturating_sub(2));
        for ((line, tone), y) in lines[scroll..].iter().zip(inside.y..inside.bottom()) {
            frame.buffer_mut().set_stringn(inside.x + 1, y, line, width, tone.style(theme));
        }
        frame.set_cursor_position(Position::new(inside.x + 1, inside.y));
    }
}
