//! The whole text of the problem or the repair under the cursor, over the page: lists cut what is too long for a line.

use crossterm::event::{KeyCode, KeyEvent};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

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
    fn text(&self, width: usize, theme: &Theme) -> Vec<(String, Style)> {
        match self.pane {
            Pane::Problems => self.report.problems.get(self.problems.selected).map_or_else(Vec::new, |problem| {
                let place = format!("line {}, column {}", count(problem.line), count(problem.column));
                let lines = [place, String::new(), problem.words.line().into_owned()];
                let lines = lines.iter().flat_map(|line| wrap::lines(line, width));
                lines.map(|line| (line.to_owned(), theme.text)).collect()
            }),
            Pane::Repairs => self
                .report
                .repairs
                .get(self.repairs.selected)
                .map_or_else(Vec::new, |repair| view::repair_lines(repair, width, theme)),
            Pane::Columns | Pane::Figures => Vec::new(),
        }
    }

    /// Draws the text, where it is open.
    pub(super) fn render_whole(&mut self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let Some(scroll) = self.whole else { return };
        let theme = &theme.over();
        let lines = self.text(usize::from(area.width.min(WIDTH)).saturating_sub(4).max(8), theme);
        let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).max(5).min(area.height);
        let title = if self.pane == Pane::Repairs { "Repair" } else { "Problem" };
        let inside = overlay::frame(frame, area, (WIDTH, height), title, "j k scroll  esc close", theme);
        let scroll = scroll.min(lines.len().saturating_sub(usize::from(inside.height)));
        self.whole = Some(scroll);
        let width = usize::from(inside.width.saturating_sub(2));
        for ((line, style), y) in lines[scroll..].iter().zip(inside.y..inside.bottom()) {
            frame.buffer_mut().set_stringn(inside.x + 1, y, line, width, *style);
        }
        frame.set_cursor_position(Position::new(inside.x + 1, inside.y));
    }
}
