//! Draws the pairs.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::super::pane::framed;
use super::{AT_ONCE, Page, PairKind, PairsPane};
use crate::component::RenderContext;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::table::{Align, SortDirection, Table, TableCell, TableColumn, TableRow, Width};
use crate::ui::{meter, wrap};

impl PairsPane {
    /// Fits the list to the area it will be drawn in.
    pub(super) fn fit(&mut self, area: Rect, spacing: Spacing) {
        let area = framed(area, spacing);
        let (len, columns) = (self.pairs().0.len(), self.columns());
        let list = self.list_area(area);
        self.view.fit(&columns, len, list);
    }

    /// Returns whether the list lacks pairs that there are now.
    fn is_outdated(&self) -> bool {
        !self.pairs().0.is_empty() && !self.is_current()
    }

    /// Returns the area of the list: below the title, above a line that says what is under way or outdated.
    fn list_area(&self, area: Rect) -> Rect {
        let inner = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        let line = (self.job.of().is_some() || self.is_outdated()) && inner.height > 1;
        Rect { height: inner.height - u16::from(line), ..inner }
    }

    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        let (theme, data) = (context.theme, &self.data);
        let focus = data.focus == Some(Page::Pairs);
        let above = self.above();
        let (pairs, more) = self.pairs();
        let title = match self.kind {
            PairKind::Above => format!("Pairs above {above:.2}"),
            PairKind::Duplicates => format!("Near-duplicates from {above:.2}"),
        };
        let total = self.known.as_ref().map_or(0, |known| known.pairs.total);
        let right = match self.view.position(pairs.len()) {
            at if more => format!("{at} shown, {} in all", meter::count(total)),
            at => at,
        };
        let spacing = context.session.spacing();
        let (right_style, surface) = (theme.muted, Surface::Ground);
        let pane = Pane { title: &title, note: "", right: &right, right_style, focus, surface };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let area = framed(area, spacing);
        let list = self.list_area(area);
        let line = Rect { x: area.x + 1, y: list.bottom(), width: area.width.saturating_sub(2), height: 1 };
        if line.y == area.bottom() {
            // There is no room for a line.
        } else if let Some(progress) = self.job.progress("pairs", context.now, context.session.motion) {
            progress.render(line, frame.buffer_mut(), theme);
        } else if self.is_outdated() {
            let words = "out of date: s recomputes";
            let room = usize::from(area.width).saturating_sub(1);
            frame.buffer_mut().set_stringn(line.x, line.y, words, room, theme.warn);
        }
        if pairs.is_empty() {
            return self.nothing(frame, list, context);
        }
        let row = |at: usize| {
            let (first, second, cosine) = pairs[at];
            let (first, second) = (first as usize, second as usize);
            let cells = vec![
                TableCell::from(format!("{}–{}", data.letter(first), data.letter(second))),
                TableCell::from(format!("{cosine:.3}")),
                TableCell::new(data.words(first), Style::new()),
                TableCell::new(data.words(second), Style::new()),
            ];
            TableRow { cells, marked: false }
        };
        let columns = self.columns();
        let table =
            Table { columns: &columns, sort: Some((1, SortDirection::Descending)), len: pairs.len(), row: &row, focus };
        if let Some(at) = table.render(self.view, list, frame.buffer_mut(), theme) {
            frame.set_cursor_position(at);
        }
    }

    /// Draws why there is no list.
    fn nothing(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let (theme, data) = (context.theme, &self.data);
        let count = data.texts.len() as u64;
        let present = data.table.as_ref().map_or(0, |table| table.present());
        let (words, style) = match self.job.failed() {
            Some(why) => (format!("✕ {} · ⏎ try again", why.line()), theme.bad),
            None if count < 2 => ("Pairs need two texts: a adds one.".to_owned(), theme.muted),
            None if present < 2 => ("No vectors yet: ^R embeds the texts.".to_owned(), theme.muted),
            None if self.job.of().is_some() => ("Comparing all pairs of texts.".to_owned(), theme.muted),
            None if self.stopped => ("Stopped. ⏎ starts again.".to_owned(), theme.warn),
            None if self.is_current() => {
                ("No two texts are that similar. − lowers the threshold.".to_owned(), theme.muted)
            }
            None if data.texts.len() > AT_ONCE => {
                let pairs = meter::count(count * (count - 1) / 2);
                (format!("{pairs} pairs to compare, which takes a while. ⏎ starts, esc stops it."), theme.muted)
            }
            None => ("⏎ computes them.".to_owned(), theme.muted),
        };
        let room = usize::from(area.width.saturating_sub(2));
        for (line, y) in wrap::lines(&words, room).iter().zip(area.y..area.bottom()) {
            frame.buffer_mut().set_stringn(area.x + 1, y, line, room, style);
        }
    }

    fn columns(&self) -> Vec<TableColumn> {
        let name = self.data.letter(self.data.texts.len().saturating_sub(1)).len();
        let column = |title: &str, width, align| TableColumn { title: title.to_owned(), width, align };
        let text = Width::Share { weight: 1, least: 8 };
        vec![
            column("pair", Width::Fixed((2 * name + 1).max(5) as u16), Align::Left),
            column("cosine", Width::Fixed(8), Align::Right),
            column("first", text, Align::Left),
            column("second", text, Align::Left),
        ]
    }
}
