//! Shows the whole text of the problem or the repair under the cursor, which the lists cut.

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::{Position, Rect};

use super::figures::LineTone;
use super::keys::{self, WholeTextKey};
use super::page_view::CheckPane;
use super::{CheckPage, findings_view};
use crate::component::{Component, border};
use crate::ui::meter::count;
use crate::ui::theme::Theme;
use crate::ui::{overlay, wrap};

/// Columns of the box, where there are so many.
const WIDTH: u16 = 96;

impl CheckPage {
    /// Takes a key while the text is open.
    pub(super) fn text_key(&mut self, key: KeyEvent) {
        let height = self.view.height;
        let Some(scroll) = &mut self.view.whole else { return };
        match keys::text().find(&key) {
            // A page keeps no row visible.
            Some(WholeTextKey::Scroll(motion)) => *scroll = scroll.saturating_add_signed(motion.rows(height + 1)),
            Some(WholeTextKey::Close) => self.view.whole = None,
            None => {}
        }
    }

    /// Returns the text in lines of so many columns.
    fn text(&self, width: usize) -> Vec<(String, LineTone)> {
        match self.view.pane {
            CheckPane::Problems => {
                self.report.problems.get(self.view.problems.selected).map_or_else(Vec::new, |problem| {
                    let place = format!("line {}, column {}", count(problem.line), count(problem.column));
                    let lines = [place, String::new(), problem.words.line().into_owned()];
                    let lines = lines.iter().flat_map(|line| wrap::lines(line, width));
                    lines.map(|line| (line.to_owned(), LineTone::Plain)).collect()
                })
            }
            CheckPane::Repairs => self
                .report
                .repairs
                .get(self.view.repairs.selected)
                .map_or_else(Vec::new, |repair| findings_view::repair_lines(repair, width)),
            CheckPane::Columns | CheckPane::Figures => Vec::new(),
        }
    }

    /// Returns the text as it is wrapped over an area, and the height of its box.
    fn text_over(&self, area: Rect) -> (Vec<(String, LineTone)>, u16) {
        let lines = self.text(usize::from(area.width.min(WIDTH)).saturating_sub(4).max(8));
        let height = u16::try_from(lines.len() + 2).unwrap_or(u16::MAX).max(5).min(area.height);
        (lines, height)
    }

    /// Scrolls no further than the text over an area goes.
    pub(super) fn arrange_text(&mut self, area: Rect) {
        let Some(scroll) = self.view.whole else { return };
        let (lines, height) = self.text_over(area);
        self.view.whole = Some(scroll.min(lines.len().saturating_sub(usize::from(height.saturating_sub(2)))));
    }

    /// Draws the text, where it is open.
    pub(super) fn render_text(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let Some(scroll) = self.view.whole else { return };
        let theme = &theme.over();
        let (lines, height) = self.text_over(area);
        let title = if self.view.pane == CheckPane::Repairs { "Repair" } else { "Problem" };
        let foot = border(&self.hints(), self.next_escape().1, WIDTH.min(area.width));
        let inside = overlay::frame(frame, area, (WIDTH, height), title, &foot, theme);
        let scroll = scroll.min(lines.len().saturating_sub(usize::from(inside.height)));
        let width = usize::from(inside.width.saturating_sub(2));
        for ((line, tone), y) in lines[scroll..].iter().zip(inside.y..inside.bottom()) {
            frame.buffer_mut().set_stringn(inside.x + 1, y, line, width, tone.style(theme));
        }
        frame.set_cursor_position(Position::new(inside.x + 1, inside.y));
    }
}
