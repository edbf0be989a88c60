//! Shows the whole text of the problem or the repair under the cursor, which the lists cut.

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::figures::LineTone;
use super::page::{CheckPage, Event};
use super::page_view::CheckPane;
use super::{findings_view, keys};
use crate::component::{Handled, Scroll};
use crate::ui::meter::count;
use crate::ui::theme::{Kind, Theme};
use crate::ui::wrap;

impl CheckPage {
    /// Takes a key while the text is open.
    pub(super) fn text_key(&mut self, key: KeyEvent) -> Handled<Event> {
        if let Some(scroll) = &mut self.view.whole
            && !scroll.key(key)
            && keys::close_text().find(&key).is_some()
        {
            self.view.whole = None;
        }
        Handled::Consumed
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

    /// Fits the text to an area, where it is open.
    pub(super) fn arrange_text(&mut self, area: Rect, kind: Kind) {
        if self.view.whole.is_none() {
            return;
        }
        let len = self.text(Scroll::text_columns(area)).len();
        if let Some(scroll) = &mut self.view.whole {
            scroll.arrange_box(len, area, kind);
        }
    }

    /// Draws the text, where it is open.
    pub(super) fn render_text(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let Some(scroll) = &self.view.whole else { return };
        let theme = &theme.over();
        let lines = self.text(Scroll::text_columns(area)).into_iter();
        let lines: Vec<Line> = lines.map(|(line, tone)| Line::styled(line, tone.style(theme))).collect();
        let title = if self.view.pane == CheckPane::Repairs { "Repair" } else { "Problem" };
        scroll.render_box(frame, area, title, &lines, theme);
    }
}
