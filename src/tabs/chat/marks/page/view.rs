//! Draws the page of marked answers.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::widgets::Clear;

use super::MarksPage;
use crate::component::{FindBar, RenderContext};
use crate::ui::meter::count;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::table::{Align, Table, TableCell, TableColumn, TableRow, Width};
use crate::ui::theme::Theme;
use crate::ui::wrap;

impl MarksPage {
    /// Returns the places of the words looked for, the table, and what was not exported.
    pub(super) fn places(&self, area: Rect, spacing: Spacing) -> [Rect; 3] {
        let head = spacing.head(area.height).min(area.height);
        let mut body = Rect { y: area.y + head, height: area.height - head, ..area };
        let find = Rect { height: u16::from(self.find.is_shown()).min(body.height), ..body };
        body = Rect { y: body.y + find.height, height: body.height - find.height, ..body };
        let below = (self.refused.len() as u16 + 1).min(body.height / 2);
        let below = if self.refused.is_empty() || below <= 1 { 0 } else { below };
        let lower = Rect { y: body.bottom() - below, height: below, ..body };
        body.height -= below;
        [find, body, lower]
    }

    /// Draws the table. Returns where the terminal's cursor belongs.
    fn table(&self, frame: &mut Frame, area: Rect, theme: &Theme) -> Option<Position> {
        let columns = columns(area.width);
        let row = |place: usize| {
            let Some(marked) = self.answers.row(place) else { return TableRow::default() };
            let ideal = marked.mark.ideal.as_ref();
            let cells = columns.iter().map(|column| match column.title.as_str() {
                "mark" if ideal.is_some() => TableCell::new("ideal", theme.accent),
                "mark" => TableCell::new("good", theme.good),
                "conversation" => {
                    TableCell::new(marked.title.line(), if marked.trashed { theme.faint } else { theme.muted })
                }
                "asked" => TableCell::new(cut(&marked.asked.line(), 200), theme.muted),
                _ => TableCell::new(cut(&ideal.unwrap_or(&marked.text).line(), 200), Style::default()),
            });
            TableRow { cells: cells.collect(), marked: false }
        };
        let table = Table { columns: &columns, sort: None, len: self.answers.len(), row: &row, focus: true };
        table.render(self.answers.view, area, frame.buffer_mut(), theme)
    }

    /// Draws the page.
    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let RenderContext { session, theme, .. } = context;
        let spacing = session.spacing();
        if area.height < 3 || area.width < 8 {
            return;
        }
        frame.render_widget(Clear, area);
        let right = match &self.export {
            Some(export) => format!("exporting {} of {} · esc stop", count(export.done()), count(export.total)),
            None if self.loading.is_some() => "loading…".to_owned(),
            None => self.answers.view.position(self.answers.len()),
        };
        let right_style = if spacing.has_surfaces() { theme.faint } else { theme.muted };
        let pane = Pane {
            title: "Marked answers",
            note: "",
            right: &right,
            right_style,
            focus: true,
            surface: Surface::Ground,
        };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let [find, body, lower] = self.places(area, spacing);
        if !find.is_empty() {
            let width = find.width.saturating_sub(2);
            let found = FindBar::found(self.answers.len());
            self.find.render(frame, Rect { x: find.x + 1, width, ..find }, &found, theme);
        }
        if !lower.is_empty() {
            let right = "esc close";
            let pane =
                Pane { title: "Not exported", note: "", right, right_style, focus: false, surface: Surface::Panel };
            pane.render(lower, frame.buffer_mut(), theme, spacing);
            let width = usize::from(lower.width).saturating_sub(2);
            for (why, y) in self.refused.iter().zip(lower.y + spacing.head(lower.height)..lower.bottom()) {
                frame.buffer_mut().set_stringn(lower.x + 1, y, cut(&why.line(), width), width, theme.warn);
            }
        }
        if self.answers.is_empty() && self.loading.is_none() {
            let words = if self.answers.items().is_empty() {
                "None yet: a marks an answer in the transcript as good, A writes what it should have been."
            } else {
                "No marked answer has these words."
            };
            let width = usize::from(body.width).saturating_sub(2).max(1);
            for (line, y) in wrap::lines(words, width).iter().zip(body.y + 1..body.bottom()) {
                frame.buffer_mut().set_stringn(body.x + 1, y, line, width, theme.muted);
            }
        } else if let Some(at) = self.table(frame, body, theme).filter(|_| !self.find.is_typing()) {
            frame.set_cursor_position(at);
        }
        self.modals.render(frame, area, context);
    }
}

/// Returns the columns there is room for.
pub(super) fn columns(width: u16) -> Vec<TableColumn> {
    let column = |title: &str, width| TableColumn { title: title.to_owned(), width, align: Align::Left };
    let share = |weight, least| Width::Share { weight, least };
    let mut columns = vec![column("mark", Width::Fixed(5))];
    if width >= 60 {
        columns.push(column("conversation", share(2, 10)));
        columns.push(column("asked", share(3, 10)));
    }
    columns.push(column("answer", share(4, 12)));
    columns
}
