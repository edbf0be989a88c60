//! A form on the screen.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::{Field, Form, Kind};
use crate::text;
use crate::ui::list::draw_scroll_arrows;
use crate::ui::pane::{self, Spacing};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// The most rows of the text below the fields.
const MAX_FOOT_ROWS: usize = 5;
/// Columns before a label: the cursor or a note; if fields may be omitted, also the mark of what is sent, and a blank.
const MARKS: (u16, u16) = (1, 3);
/// Precedes the label of a value that is sent.
const SENT: &str = "•";
/// Shown for a number that is not sent.
const DEFAULT: &str = "default";
/// Up to this width values are at the right edge, beyond it after their labels.
const NARROW: u16 = 48;

/// The columns of labels and values.
#[derive(Clone, Copy)]
struct Columns {
    area: Rect,
    /// Blank columns at each side: with surfaces a form fills its pane.
    pad: u16,
    /// Columns before a label.
    marks: u16,
    /// Columns of the labels.
    labels: u16,
    /// Blank columns after the labels.
    gap: u16,
    /// Blank columns after the values.
    end: u16,
    /// Whether values are right-aligned.
    right: bool,
}

impl Columns {
    /// Lays the fields out; `scrolls`: some have no row, which a mark at the end of the rows says.
    fn of(area: Rect, fields: &[Field], pad: u16, scrolls: bool) -> Self {
        let labels = fields.iter().map(|field| field.label.width()).max().unwrap_or(0) as u16;
        let sends = fields.iter().any(|field| field.optional);
        let marks = if sends { MARKS.1 } else { MARKS.0 } + pad;
        // Beside marks of what is sent a wider gap costs more than it helps.
        let gap = if sends || area.width <= NARROW { 1 } else { 3 };
        // With a blank before the mark.
        let end = if scrolls { 3 * pad } else { 2 * pad };
        Self { area, pad, marks, labels: labels.min(area.width / 2), gap, end, right: sends && area.width <= NARROW }
    }

    /// Returns the columns for the value of a field at a row.
    fn value(self, field: &Field, y: u16) -> Rect {
        let label = if self.right { self.label(field) } else { self.labels };
        let x = (self.area.x + self.marks + label + self.gap).min(self.area.right());
        let end = self.area.right().saturating_sub(self.end).max(x);
        Rect::new(x, y, end - x, 1)
    }

    fn label(self, field: &Field) -> u16 {
        (field.label.width() as u16).min(if self.right { self.area.width * 2 / 3 } else { self.labels })
    }
}

impl Form {
    /// Fits the fields to the area, scrolling no more than necessary.
    pub fn arrange(&mut self, area: Rect, spacing: Spacing, focus: bool) {
        if is_shown(area) {
            let (words, _) = self.words(focus);
            let words = foot(&words, area, u16::from(spacing.has_surfaces())).len();
            self.cursor.window(rows(area, words), self.fields.len());
        }
    }

    /// Draws the form; with the focus the terminal's cursor is on the selected field.
    pub fn render(&self, frame: &mut Frame, area: Rect, theme: &Theme, focus: bool) {
        if !is_shown(area) {
            return;
        }
        let pad = u16::from(theme.kind.has_surfaces());
        let width = words_width(area, pad);
        let (words, style) = self.words(focus);
        let words = foot(&words, area, pad);
        for (line, y) in words.iter().zip(area.bottom() - words.len() as u16..) {
            frame.buffer_mut().set_stringn(area.x + 1 + pad, y, line, width, style(theme));
        }
        let mut cursor = self.cursor;
        let rows = rows(area, words.len());
        let columns = Columns::of(area, &self.fields, pad, rows < self.fields.len());
        let shown = cursor.window(rows, self.fields.len());
        for (at, y) in shown.clone().zip(area.y..) {
            self.row(frame, columns, (at, y), theme, focus && at == self.cursor.selected);
        }
        let rows = Rect { height: rows as u16, ..area };
        draw_scroll_arrows(frame.buffer_mut(), rows, &shown, self.fields.len(), theme);
    }

    /// Draws a field into a row.
    fn row(&self, frame: &mut Frame, columns: Columns, (at, y): (usize, u16), theme: &Theme, selected: bool) {
        let field = &self.fields[at];
        let area = columns.area;
        let buf = frame.buffer_mut();
        let line = Rect::new(area.x, y, area.width, 1);
        let patched = |style: Style| if selected { style.patch(theme.select) } else { style };
        if selected {
            pane::highlight(buf, line, theme, true);
        }
        let noted = self.note_of(field.name).is_some();
        let (mark, look) = match (selected, noted) {
            (true, _) => ("▌", patched(theme.accent)),
            (false, true) => ("!", theme.warn),
            (false, false) => (" ", theme.text),
        };
        buf.set_stringn(area.x, y, mark, 1, look);
        let set = !field.value.is_empty();
        let sent = field.optional && set;
        if sent {
            buf.set_stringn(area.x + 1 + columns.pad, y, SENT, 1, patched(theme.accent));
        }
        let strong = selected || sent || !theme.kind.has_surfaces();
        let label = usize::from(columns.label(field));
        let look = patched(if strong { theme.text } else { theme.muted });
        buf.set_stringn(area.x + columns.marks, y, cut(field.label, label), label, look);
        let place = columns.value(field, y);
        if let (true, Some(typed)) = (selected, &self.typing) {
            typed.render(frame, place, patched(theme.accent), true);
            return;
        }
        let room = usize::from(place.width);
        let (shown, look) = field.shown(self.summary(field), theme);
        let shown = cut(&text::line(&shown), room);
        let indent = if columns.right { place.width - wrap::width(&shown) as u16 } else { 0 };
        buf.set_stringn(place.x + indent, y, &shown, room, patched(look));
        if !columns.right && (set || !field.optional) {
            slider(field, &shown, Rect { x: place.x + 7, width: place.width.saturating_sub(7), ..place }, buf, theme);
        }
        if selected {
            frame.set_cursor_position(Position::new(place.x + indent, y));
        }
    }

    /// Returns the text below the fields, and its style: a refusal; with the focus a note on the value, or the field's
    /// help; without it the meaning of the mark of sent fields.
    fn words(&self, focus: bool) -> (String, fn(&Theme) -> Style) {
        if let Some(error) = &self.error {
            return (format!("✕ {}", error.line()), |theme| theme.bad);
        }
        if !focus {
            let sends = self.fields.iter().any(|field| field.optional);
            return (if sends { format!("{SENT} sent with the request") } else { String::new() }, |theme| theme.faint);
        }
        let Some(field) = self.fields.get(self.cursor.selected) else { return (String::new(), |theme| theme.muted) };
        match self.note_of(field.name) {
            Some(note) => (format!("! {}", text::line(note)), |theme| theme.warn),
            None if field.optional && field.value.is_empty() && !field.default.is_empty() => {
                (format!("{} Server default: {}.", field.help, word(field, field.default)), |theme| theme.muted)
            }
            None => (field.help.to_owned(), |theme| theme.muted),
        }
    }
}

/// Returns whether there is space for any field.
fn is_shown(area: Rect) -> bool {
    area.width >= 8 && area.height >= 3
}

/// Returns the columns of the words below the fields.
fn words_width(area: Rect, pad: u16) -> usize {
    usize::from(area.width.saturating_sub(1 + 3 * pad))
}

/// Returns the rows of the words below the fields.
fn foot(words: &str, area: Rect, pad: u16) -> Vec<&str> {
    let mut lines = wrap::lines(words, words_width(area, pad));
    // A text that is longer than its place is given more of it, and the fields keep at least one row.
    lines.truncate(usize::from(area.height - 1).min(MAX_FOOT_ROWS));
    lines
}

/// Returns the rows of the fields above so many rows of words.
fn rows(area: Rect, words: usize) -> usize {
    usize::from(area.height) - words.max(2)
}

impl Field {
    /// Returns its value on one line, or the default while there is none, with the style.
    fn shown(&self, value: &str, theme: &Theme) -> (String, Style) {
        if !value.is_empty() {
            return (word(self, value).to_owned(), theme.text);
        }
        let default = word(self, self.default);
        let known =
            if self.optional && (default.is_empty() || default.parse::<f64>().is_ok()) { DEFAULT } else { default };
        (known.to_owned(), theme.faint)
    }
}

/// Returns a field's value in words.
fn word<'a>(field: &Field, value: &'a str) -> &'a str {
    match (field.kind, value) {
        (Kind::Toggle, "true") if field.optional => "yes",
        (Kind::Toggle, "true") => "✓ yes",
        (Kind::Toggle, "false") => "no",
        _ => value,
    }
}

/// Draws `├────●────┤` for a bounded number, if there is space for it.
fn slider(field: &Field, text: &str, area: Rect, buf: &mut ratatui::buffer::Buffer, theme: &Theme) {
    let Kind::Number { min, max, whole: false, .. } = field.kind else { return };
    let Ok(number) = text.parse::<f64>() else { return };
    let cells = usize::from(area.width.min(13)).saturating_sub(2);
    if cells < 5 {
        return;
    }
    let at = ((number - min) / (max - min) * (cells - 1) as f64).round().clamp(0.0, (cells - 1) as f64) as usize;
    let bar = format!("├{}●{}┤", "─".repeat(at), "─".repeat(cells - 1 - at));
    buf.set_stringn(area.x, area.y, bar, cells + 2, theme.faint);
}
