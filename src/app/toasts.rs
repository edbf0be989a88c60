//! Draws notices as toasts. They cover nothing that is read or typed.
//!
//! - With a dialog open: one row over the header, which says nothing that a dialog needs.
//! - On a narrow screen: the newest in an empty row.
//! - Otherwise: padded blocks over empty rows at the right edge; where there are too few, without padding and as wide
//!   as the screen, then the newest alone, then the newest in one row.
//! - Without an empty row: one row over the header.

use ratatui::Frame;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

use super::notices::ShownNotice;
use super::session::MODELS;
use super::{App, ToastPlace, notices};
use crate::component::{Level, Notice, palette_key};
use crate::ui::overlay::ground;
use crate::ui::pane::Spacing;
use crate::ui::rule::cut;
use crate::ui::size_class::SizeClass;
use crate::ui::wrap;

/// Columns of a padded toast at most.
const WIDEST: u16 = 60;
/// Columns beside a toast's text: a blank, the mark, a blank; a blank.
const BESIDE: u16 = 4;

/// The words of a notice.
struct ToastText {
    level: Level,
    text: String,
    /// What it says about dismissing it.
    how: &'static str,
}

impl ToastText {
    /// Returns whether all of it fits into one row of so many columns.
    fn fits(&self, width: u16) -> bool {
        self.text.width() + self.how.width() + usize::from(BESIDE) <= usize::from(width)
    }
}

/// A notice as it is drawn.
#[derive(Clone)]
struct Toast {
    level: Level,
    lines: Vec<String>,
    /// Blank rows above and below the lines.
    padding: u16,
}

impl Toast {
    /// Wraps a notice, with what it says about dismissing it, for a toast of at most `widest` columns.
    fn wrapped(ToastText { level, text, how }: &ToastText, padding: u16, widest: u16) -> Self {
        let text = format!("{text}{how}");
        let lines = wrap::lines(&text, usize::from(widest.saturating_sub(BESIDE + padding)));
        Self { level: *level, lines: lines.into_iter().map(str::to_owned).collect(), padding }
    }

    /// Cuts a notice for a toast of one row, with `how` after it.
    fn row(ToastText { level, text, .. }: &ToastText, how: &str, widest: u16) -> Self {
        let room = usize::from(widest.saturating_sub(BESIDE)).saturating_sub(how.width());
        Self { level: *level, lines: vec![format!("{}{how}", cut(text, room))], padding: 0 }
    }

    fn width(&self) -> u16 {
        self.lines.iter().map(|line| line.width()).max().unwrap_or(0) as u16 + BESIDE
    }

    fn height(&self) -> u16 {
        self.lines.len() as u16 + 2 * self.padding
    }
}

impl App {
    /// Draws the notices that are shown.
    pub(super) fn draw_toasts(&self, frame: &mut Frame, body: Rect, class: SizeClass) {
        let is_in_dialog = |notice: &Notice| notice.about.as_deref() == Some(MODELS) && self.shows_missing_models();
        let shown = self.notices.shown(self.front).rev().filter(|shown| !is_in_dialog(&shown.notice));
        let texts: Vec<ToastText> = shown.map(|shown| self.toast_text(shown)).collect();
        let placed = if self.open_dialogs().contains(&true) {
            None
        } else {
            self.place_toasts(frame.buffer_mut(), body, class, &texts)
        };
        self.frames.toasts.set(placed.as_ref().map(|(_, place)| *place));
        let Some((toasts, place)) = placed else {
            if let Some(newest) = texts.first() {
                self.draw_over_header(frame, body, class, newest);
            }
            return;
        };
        let mut y = place.free.y + place.first as u16 + place.height;
        for toast in toasts {
            y -= toast.height();
            self.draw_toast(frame, Rect { y, height: toast.height(), ..place.free }, &toast);
            y = y.saturating_sub(toast.padding);
        }
    }

    /// Returns the words of a notice: of an error that another page of the tab said, that page too.
    fn toast_text(&self, shown: &ShownNotice) -> ToastText {
        let tab = &self.tabs[self.front];
        let text = shown.notice.text.line();
        let text = match shown.page().filter(|page| shown.stays() && *page != tab.page()) {
            Some("") => format!("{}: {text}", tab.title()),
            Some(page) => format!("{page}: {text}"),
            None => text.into_owned(),
        };
        ToastText { level: shown.notice.level, text, how: self.dismiss_hint(shown.stays()) }
    }

    /// Draws a notice over the header. The footer names `Esc` too: a text that needs its columns is shown instead.
    fn draw_over_header(&self, frame: &mut Frame, body: Rect, class: SizeClass, notice: &ToastText) {
        let row = Rect { y: body.y.saturating_sub(1), height: 1, ..body };
        let how = if notice.fits(row.width) { notice.how } else { "" };
        // The header's words about the server are covered in full.
        let (header, _) = self.header(class, body.width, self.now);
        let server = header.spans.iter().rev().take(2).map(Span::width).sum::<usize>() as u16 + 2;
        let toast = Toast::row(notice, how, row.width);
        ground(frame.buffer_mut(), at_right(row, server), self.theme.notice);
        self.draw_toast(frame, at_right(row, toast.width()), &toast);
    }

    /// Returns whether a dialog of the tab in front is open, and one of the shell.
    pub(super) fn open_dialogs(&self) -> [bool; 2] {
        [self.tabs[self.front].has_dialog(), self.dialogs.is_open()]
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

    /// Returns the toasts, newest first, and where they cover nothing; `None`: there are none, or there is no such
    /// place.
    fn place_toasts(
        &self,
        buf: &Buffer,
        body: Rect,
        class: SizeClass,
        texts: &[ToastText],
    ) -> Option<(Vec<Toast>, ToastPlace)> {
        let newest = texts.first()?;
        let free = Rect { height: body.height.saturating_sub(self.rows_of_text_field(class)), ..body };
        // Blank rows above and below a notice, if there is space and a background to show them.
        let padding = u16::from(self.session.spacing() == Spacing::Roomy);
        let all = |padding, widest| texts.iter().map(|text| Toast::wrapped(text, padding, widest)).collect::<Vec<_>>();
        // The footer says what Esc does, too; where all of a text that is cut can be read, nothing else does.
        let messages = format!(" · {} Messages", palette_key());
        let how = if newest.fits(free.width) { newest.how } else { messages.as_str() };
        let mut ways = vec![vec![Toast::row(newest, how, free.width)]];
        if class != SizeClass::Narrow {
            let close = all(0, free.width);
            ways.splice(0..0, [all(padding, WIDEST.min(free.width)), close.clone(), close[..1].to_vec()]);
        }
        ways.into_iter().find_map(|toasts| {
            let place = self.find_place(buf, free, class, &toasts)?;
            Some((toasts, place))
        })
    }

    /// Returns where toasts cover nothing in an area; `None`: nowhere.
    fn find_place(&self, buf: &Buffer, area: Rect, class: SizeClass, toasts: &[Toast]) -> Option<ToastPlace> {
        let padding = toasts.first()?.padding;
        let width = toasts.iter().map(Toast::width).max()?;
        // A blank row between two of them.
        let height = toasts.iter().map(|toast| toast.height() + padding).sum::<u16>() - padding;
        // The last column stays empty where the background of the notice ends.
        let free = at_right(Rect { width: area.width.saturating_sub(padding), ..area }, width);
        // On a narrow screen a notice beside a text would look like a part of it.
        let in_use = self.rows_in_use(buf, if class == SizeClass::Narrow { area } else { free });
        toast_place(self.frames.toasts.get(), (self.front, free, height), &in_use)
    }

    /// Draws a toast.
    fn draw_toast(&self, frame: &mut Frame, area: Rect, toast: &Toast) {
        ground(frame.buffer_mut(), area, self.theme.notice);
        let (mark, style) = notices::mark(toast.level, &self.theme);
        // Where the toast is reversed, a coloured mark would have its colour as background.
        let style = if self.theme.kind.has_surfaces() { style } else { Style::new().add_modifier(Modifier::BOLD) };
        for (at, line) in toast.lines.iter().enumerate() {
            let mark = if at == 0 { Span::styled(mark, style) } else { Span::raw(" ") };
            let line = Line::from(vec![Span::raw(" "), mark, Span::raw(" "), Span::raw(line)]);
            frame.render_widget(line, Rect { y: area.y + toast.padding + at as u16, height: 1, ..area });
        }
    }

    /// Returns whether a cell has the background of the row under the cursor.
    fn has_selection(&self, cell: &Cell) -> bool {
        cell.modifier.contains(Modifier::REVERSED) || self.theme.select.bg.is_some_and(|bg| cell.bg == bg)
    }

    /// Returns which rows of an area have contents: text, the row under the cursor and the message box, no lines.
    fn rows_in_use(&self, buf: &Buffer, area: Rect) -> Vec<bool> {
        let area = area.intersection(buf.area);
        let is_text = |symbol: &str| !symbol.starts_with([' ', '─', '━', '│', '╭', '╮', '╰', '╯']);
        // Only the message box has round corners.
        let mut is_in_box = false;
        let mut is_used = |y: u16| {
            // A wide character may begin in the column before.
            let is_cut = area.x > buf.area.x && buf[(area.x - 1, y)].symbol().width() > 1;
            let mut cells = (area.left()..area.right()).map(|x| &buf[(x, y)]);
            is_in_box |= cells.clone().any(|cell| cell.symbol() == "╮");
            let is_used =
                is_in_box || is_cut || cells.clone().any(|cell| is_text(cell.symbol()) || self.has_selection(cell));
            is_in_box &= cells.all(|cell| cell.symbol() != "╯");
            is_used
        };
        (area.top()..area.bottom()).map(&mut is_used).collect()
    }
}

/// Returns the last columns of a row or area, as many as there are up to `width`.
fn at_right(area: Rect, width: u16) -> Rect {
    let width = width.min(area.width);
    Rect { x: area.right() - width, width, ..area }
}

/// Returns the lowest `height` rows of an area that are not in use; `None`: there are none. Toasts that are shown
/// already stay where they are as long as they cover nothing.
fn toast_place(
    kept: Option<ToastPlace>,
    (tab, free, height): (usize, Rect, u16),
    is_used: &[bool],
) -> Option<ToastPlace> {
    let is_free = |first: &usize| {
        let rows = is_used.get(*first..*first + usize::from(height));
        rows.is_some_and(|rows| rows.iter().all(|is_used| !is_used))
    };
    let wanted = ToastPlace { tab, free, height, first: 0 };
    let kept = kept.filter(|place| ToastPlace { first: 0, ..*place } == wanted).map(|place| place.first);
    let first = kept.filter(is_free).or_else(|| (0..is_used.len()).rev().find(is_free))?;
    Some(ToastPlace { first, ..wanted })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notices_take_the_lowest_empty_rows_and_stay_there_until_something_comes_below_them() {
        let kept = std::cell::Cell::new(None);
        let place = |wanted: (usize, Rect, u16), rows: &str| {
            let used: Vec<bool> = rows.chars().map(|row| row == 'x').collect();
            kept.set(toast_place(kept.get(), wanted, &used));
            kept.get().map(|place: ToastPlace| place.first)
        };
        let free = Rect::new(10, 1, 30, 6);
        let first = |rows: &str| place((0, free, 2), rows);
        assert_eq!(first("..x..x"), Some(3), "the lowest of several such");
        assert_eq!(first("......"), Some(3), "it does not jump");
        assert_eq!(first("..xxxx"), Some(0), "what came below it is not covered");
        assert_eq!(first(".xx.xx"), None, "no two empty rows");
        assert_eq!(place((1, free, 2), "......"), Some(4), "on another tab it finds a place of its own");
        assert_eq!(place((1, free, 9), "......"), None, "higher than the room");
    }
}
