//! Draws notices as toasts. They cover no dialog, and what the tab shows only if there is no space elsewhere.
//!
//! - With a dialog open: one row over the header, which says nothing that a dialog needs.
//! - On a narrow screen: one row above the footer.
//! - Otherwise: padded blocks at the right edge, over the rows with the least contents; if these are not empty, without
//!   padding and as wide as the screen, so that they take the fewest rows.

use ratatui::Frame;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

use super::session::MODELS;
use super::{App, ToastPlace, notices};
use crate::component::{Level, Notice};
use crate::ui::overlay::ground;
use crate::ui::pane::Spacing;
use crate::ui::rule::cut;
use crate::ui::size_class::SizeClass;
use crate::ui::wrap;

/// Columns of a padded toast at most.
const WIDEST: usize = 60;
/// Columns beside a toast's text: a blank, the mark, a blank; a blank.
const BESIDE: usize = 4;

/// A notice as it is drawn.
struct Toast {
    level: Level,
    lines: Vec<String>,
}

impl App {
    /// Draws the notices that are shown.
    pub(super) fn draw_toasts(&self, frame: &mut Frame, body: Rect, class: SizeClass) {
        let is_in_dialog = |notice: &Notice| notice.about.as_deref() == Some(MODELS) && self.shows_missing_models();
        let shown = self.notices.shown().rev().filter(|(notice, _)| !is_in_dialog(notice));
        let texts: Vec<_> = shown.map(|(notice, kept)| (notice, self.dismiss_hint(kept))).collect();
        let Some((newest, how)) = texts.first() else { return self.frames.toasts.set(None) };
        if self.has_dialog() {
            let row = Rect { y: body.y.saturating_sub(1), height: 1, ..body };
            // The header's words about the server are covered in full.
            let (header, _) = self.header(class, body.width, self.now);
            let server: usize = header.spans.iter().rev().take(2).map(Span::width).sum();
            let covered = Rect { x: row.right().saturating_sub(server as u16 + 2), width: server as u16 + 2, ..row };
            ground(frame.buffer_mut(), covered.intersection(row), self.theme.notice);
            return self.draw_toast_row(frame, row, newest, how);
        }
        let free = Rect { height: body.height.saturating_sub(self.rows_of_text_field(class)), ..body };
        if class == SizeClass::Narrow {
            // The row under the cursor stays visible.
            let bottom = free.bottom().saturating_sub(1);
            let up = u16::from(self.is_selected(frame.buffer_mut(), Rect { y: bottom, height: 1, ..body }));
            return self.draw_toast_row(frame, Rect { y: bottom.saturating_sub(up), height: 1, ..body }, newest, how);
        }
        // Blank rows above and below a notice, if there is space and a background to show them.
        let padding = u16::from(self.session.spacing() == Spacing::Roomy);
        let (toasts, place) =
            self.place_toasts(frame.buffer_mut(), free, padding, &texts, WIDEST.min(body.width.into()));
        let (padding, toasts, place) = if place.covered == 0 {
            (padding, toasts, place)
        } else {
            let (toasts, place) = self.place_toasts(frame.buffer_mut(), free, 0, &texts, body.width.into());
            (0, toasts, place)
        };
        self.frames.toasts.set(Some(place));
        let mut y = (free.y + place.first as u16 + place.height).min(free.bottom());
        for mut toast in toasts {
            // If there is no space for all of it, the beginning is shown; Messages has the rest.
            toast.lines.truncate(usize::from((y - body.y).saturating_sub(2 * padding)));
            let height = toast.lines.len() as u16 + 2 * padding;
            if toast.lines.is_empty() {
                return;
            }
            y -= height;
            self.draw_toast(frame, Rect { y, height, ..place.free }, padding, &toast);
            y = y.saturating_sub(padding).max(body.y);
        }
    }

    /// Returns whether a dialog is over the tab.
    pub(super) fn has_dialog(&self) -> bool {
        self.dialogs.is_open() || self.tabs[self.front].has_dialog()
    }

    /// Returns the rows above the footer that belong to the text field in which the user types.
    fn rows_of_text_field(&self, class: SizeClass) -> u16 {
        match class {
            _ if !self.tabs[self.front].typing() => 0,
            SizeClass::Narrow => 2,
            SizeClass::Wide => 7,
            _ => 6,
        }
    }

    /// Returns what a toast says about dismissing it; `stays`: until it is dismissed.
    fn dismiss_hint(&self, stays: bool) -> &'static str {
        if stays && self.escape_dismisses_notice() { " · esc dismiss" } else { "" }
    }

    /// Wraps the texts for toasts of at most `widest` columns, and returns with them where they are to be drawn.
    fn place_toasts(
        &self,
        buf: &Buffer,
        area: Rect,
        padding: u16,
        texts: &[(&Notice, &str)],
        widest: usize,
    ) -> (Vec<Toast>, ToastPlace) {
        let room = widest.saturating_sub(BESIDE + usize::from(padding));
        let toast = |(notice, how): &(&Notice, &str)| {
            let text = format!("{}{how}", notice.text.line());
            Toast { level: notice.level, lines: wrap::lines(&text, room).into_iter().map(str::to_owned).collect() }
        };
        let toasts: Vec<Toast> = texts.iter().map(toast).collect();
        let columns = toasts.iter().flat_map(|toast| &toast.lines).map(|line| line.width()).max().unwrap_or(0);
        let width = ((columns + BESIDE) as u16).min(area.width);
        // A blank row between two of them.
        let height =
            toasts.iter().map(|toast| toast.lines.len() as u16 + 3 * padding).sum::<u16>().saturating_sub(padding);
        // The last column stays empty where the background of the notice ends.
        let free = Rect { x: area.right().saturating_sub(width + padding), width, ..area };
        let used = self.used_cells(buf, free);
        (toasts, toast_place(self.frames.toasts.get(), (self.front, free, height), &used))
    }

    /// Draws a toast with its text below `padding` blank rows.
    fn draw_toast(&self, frame: &mut Frame, area: Rect, padding: u16, toast: &Toast) {
        ground(frame.buffer_mut(), area, self.theme.notice);
        let (mark, style) = notices::mark(toast.level, &self.theme);
        // Where the toast is reversed, a coloured mark would have its colour as background.
        let style = if self.theme.kind.has_surfaces() { style } else { Style::new().add_modifier(Modifier::BOLD) };
        for (at, line) in toast.lines.iter().enumerate() {
            let mark = if at == 0 { Span::styled(mark, style) } else { Span::raw(" ") };
            let line = Line::from(vec![Span::raw(" "), mark, Span::raw(" "), Span::raw(line)]);
            frame.render_widget(line, Rect { y: area.y + padding + at as u16, height: 1, ..area });
        }
    }

    /// Draws a notice at the right of a row, cut if it is longer.
    fn draw_toast_row(&self, frame: &mut Frame, row: Rect, notice: &Notice, how: &str) {
        let room = usize::from(row.width).saturating_sub(BESIDE + how.width());
        let text = format!("{}{how}", cut(&notice.text.line(), room));
        let width = (text.width() + BESIDE) as u16;
        let area = Rect { x: row.right().saturating_sub(width), width: width.min(row.width), ..row };
        self.draw_toast(frame, area, 0, &Toast { level: notice.level, lines: vec![text] });
    }

    /// Returns whether a cell of an area has the background of the row under the cursor.
    fn is_selected(&self, buf: &Buffer, area: Rect) -> bool {
        area.intersection(buf.area).positions().any(|at| self.has_selection(&buf[at]))
    }

    /// Returns whether a cell has the background of the row under the cursor.
    fn has_selection(&self, cell: &Cell) -> bool {
        cell.modifier.contains(Modifier::REVERSED) || self.theme.select.bg.is_some_and(|bg| cell.bg == bg)
    }

    /// Counts the cells with contents in each row of an area: text and all of the row under the cursor, no lines.
    fn used_cells(&self, buf: &Buffer, area: Rect) -> Vec<usize> {
        let area = area.intersection(buf.area);
        let is_text = |symbol: &str| !symbol.starts_with([' ', '─', '━', '│', '╭', '╮', '╰', '╯']);
        let is_used = |cell: &&Cell| is_text(cell.symbol()) || self.has_selection(cell);
        let row = |y: u16| (area.left()..area.right()).map(|x| &buf[(x, y)]).filter(is_used).count();
        (area.top()..area.bottom()).map(row).collect()
    }
}

/// Returns the `height` rows of an area with the least contents, the lowest of equal ones. Toasts that are shown
/// already stay where they are until they cover more than before.
fn toast_place(kept: Option<ToastPlace>, (tab, free, height): (usize, Rect, u16), used: &[usize]) -> ToastPlace {
    let covered = |from: usize| used.iter().skip(from).take(usize::from(height)).sum::<usize>();
    let wanted = ToastPlace { tab, free, height, first: 0, covered: 0 };
    let last = used.len().saturating_sub(usize::from(height));
    let kept = kept.filter(|place| ToastPlace { first: 0, covered: 0, ..*place } == wanted);
    kept.filter(|place| covered(place.first) <= place.covered).unwrap_or_else(|| {
        let first = (0..=last).min_by_key(|first| (covered(*first), std::cmp::Reverse(*first))).unwrap_or(last);
        ToastPlace { first, covered: covered(first), ..wanted }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_cover_the_emptiest_rows_and_stay_there_until_more_is_below_them() {
        let kept = std::cell::Cell::new(None);
        let place = |wanted: (usize, Rect, u16), used: &[usize; 6]| {
            let place = toast_place(kept.get(), wanted, used);
            kept.set(Some(place));
            place.first
        };
        let free = Rect::new(10, 1, 30, 6);
        let first = |used: &[usize; 6]| place((0, free, 2), used);
        assert_eq!(first(&[0, 0, 5, 0, 0, 9]), 3, "the lowest of several such");
        assert_eq!(first(&[0, 0, 0, 0, 0, 0]), 3, "it does not jump");
        assert_eq!(first(&[0, 0, 5, 3, 3, 9]), 0, "what came below it is not covered");
        assert_eq!(place((1, free, 2), &[9; 6]), 4, "on another tab it finds a place of its own");
        assert_eq!(place((1, free, 9), &[9; 6]), 0, "higher than the room");
    }
}
