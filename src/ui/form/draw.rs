//! A form on the screen.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::{Field, Form, Kind};
use crate::text;
use crate::ui::list::Cursor;
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Most rows of the words below the fields.
const WORDS: usize = 5;
/// Stands before a value that is sent.
const SENT: &str = "● ";
/// Stands in the place of a value that is not.
const UNSENT: &str = "server default";

impl Form {
    /// Draws it; with the focus the terminal's cursor stands on the selected field.
    pub fn render(&self, frame: &mut Frame, area: Rect, theme: &Theme, focus: bool) {
        if area.width < 8 || area.height < 3 {
            return;
        }
        let label_width = self.fields.iter().map(|field| field.label.width()).max().unwrap_or(0) as u16;
        let label_width = label_width.min(area.width / 2);
        let width = usize::from(area.width);
        let (words, style) = self.words(theme);
        let mut words = wrap::lines(&words, width);
        // A sentence that is longer than its place is given more of it, and the fields keep one row at least.
        words.truncate(usize::from(area.height - 1).min(WORDS));
        let foot = area.bottom() - words.len().max(2) as u16;
        for (line, y) in words.iter().zip(foot..) {
            frame.buffer_mut().set_stringn(area.x, y, line, width, style);
        }
        let rows = usize::from(foot - area.y);
        let mut cursor = Cursor { top: self.top.get(), ..self.cursor };
        let shown = cursor.window(rows, self.fields.len());
        self.top.set(cursor.top);
        for (at, y) in shown.zip(area.y..) {
            let field = &self.fields[at];
            let selected = focus && at == self.cursor.selected;
            let style = if selected { theme.text.patch(theme.select) } else { theme.text };
            let noted = self.notes.iter().any(|(name, _)| *name == field.name);
            let (mark, look) = match (selected, noted) {
                (true, _) => ("▌", theme.accent),
                (false, true) => ("!", theme.warn),
                (false, false) => (" ", theme.text),
            };
            let buf = frame.buffer_mut();
            buf.set_stringn(area.x, y, mark, 1, look);
            buf.set_stringn(area.x + 1, y, cut(field.label, usize::from(label_width)), usize::from(label_width), style);
            let x = area.x + label_width + 2;
            let room = area.right().saturating_sub(x);
            if let (true, Some(line)) = (selected, &self.typing) {
                line.render(frame, Rect::new(x, y, room, 1), theme.accent, true);
                continue;
            }
            let set = !field.value.is_empty();
            let sent = field.optional && set;
            if sent {
                buf.set_stringn(x, y, SENT, usize::from(room), theme.accent);
            }
            // The values of optional fields stand under one another, with the mark or without it.
            let indent = if field.optional { (SENT.width() as u16).min(room) } else { 0 };
            let (x, room) = (x + indent, room - indent);
            let style = if set { style } else { theme.muted };
            let shown = field.shown(usize::from(room));
            buf.set_stringn(x, y, cut(&text::line(&shown), usize::from(room)), usize::from(room), style);
            if set || !field.optional {
                slider(field, &shown, Rect::new(x + 7, y, room.saturating_sub(7), 1), buf, theme);
            }
            if selected {
                frame.set_cursor_position(Position::new(x, y));
            }
        }
    }

    /// What stands below the fields, and how: a refusal, what there is to say of the value, or what the field means.
    fn words(&self, theme: &Theme) -> (String, Style) {
        if let Some(error) = &self.error {
            return (format!("✕ {}", error.line()), theme.bad);
        }
        let Some(field) = self.fields.get(self.cursor.selected) else { return (String::new(), theme.muted) };
        match self.notes.iter().find(|(name, _)| *name == field.name) {
            Some((_, note)) => (format!("! {}", text::line(note)), theme.warn),
            None if field.optional && field.value.is_empty() && !field.default.is_empty() => {
                (format!("{} Server default: {}.", field.help, word(field, field.default)), theme.muted)
            }
            None => (field.help.to_owned(), theme.muted),
        }
    }
}

impl Field {
    /// Its value as it is shown within `room` columns, or what holds while there is none.
    fn shown(&self, room: usize) -> String {
        if !self.value.is_empty() {
            return word(self, &self.value).to_owned();
        }
        let default = word(self, self.default);
        if !self.optional {
            return default.to_owned();
        }
        let known = format!("{UNSENT} ({default})");
        if default.is_empty() || known.width() > room { UNSENT.to_owned() } else { known }
    }
}

/// A field's value in the words of the screen.
fn word<'a>(field: &Field, value: &'a str) -> &'a str {
    match (field.kind, value) {
        (Kind::Toggle, "true") if field.optional => "yes",
        (Kind::Toggle, "true") => "✓ yes",
        (Kind::Toggle, "false") => "no",
        _ => value,
    }
}

/// `├────●────┤` for a bounded number, where there is room for it.
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
