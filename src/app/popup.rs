//! The picture of overlays: rounded boxes over the tab, the only boxes there are.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::overlay::Overlay;
use super::profile_form::{Form, SOURCES};
use crate::text::Untrusted;
use crate::ui::overlay::{WIDEST, Words, boxed};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Draws the open overlay.
pub(super) fn render(overlay: &mut Overlay, frame: &mut Frame, body: Rect, theme: &Theme) {
    match overlay {
        Overlay::Help(pages) | Overlay::Messages(pages) => pages.render(frame, body, theme),
        Overlay::Palette(picker) => picker.render(frame, body, theme),
        Overlay::Models(picker) => picker.render(frame, body, theme),
        Overlay::Profiles(picker) => picker.render(frame, body, theme),
        Overlay::Takers(_, picker) => picker.render(frame, body, theme),
        Overlay::AddProfile(form) => draw_form(form, frame, body, theme),
        Overlay::Quit(question) => question.render(frame, body, theme),
    }
}

/// A row of `area`; `None` below its end.
fn row(area: Rect, index: usize) -> Option<Rect> {
    let y = area.y.checked_add(u16::try_from(index).ok()?)?;
    (y < area.bottom()).then_some(Rect { y, height: 1, ..area })
}

fn put(frame: &mut Frame, area: Rect, index: usize, line: Line) {
    if let Some(area) = row(area, index) {
        frame.render_widget(line, area);
    }
}

/// Puts the real cursor `column` columns into a row.
fn cursor(frame: &mut Frame, area: Rect, index: usize, column: usize) {
    if let Some(area) = row(area, index).filter(|area| area.width > 0) {
        let x = area.x + (column as u16).min(area.width - 1);
        frame.set_cursor_position((x, area.y));
    }
}

fn draw_form(form: &Form, frame: &mut Frame, body: Rect, theme: &Theme) {
    let words = Words { title: "Add a profile", ..Words::default() };
    let inner = boxed(frame, body, (WIDEST, 16), &words, theme);
    let mut at = 1;
    if form.fields.is_empty() {
        put(frame, inner, at, Line::raw(" Where should this profile's key come from?"));
        at += 2;
        for (index, (source, note)) in SOURCES.iter().enumerate() {
            let here = index == form.source;
            let mark = if here { " ▸ " } else { "   " };
            let note = if index == 0 && !form.env_key { "(not set)" } else { note };
            let line =
                Line::from(vec![Span::styled(mark, theme.accent), Span::raw(format!("{}  {source}  ", index + 1))]);
            put(frame, inner, at, line);
            if here {
                cursor(frame, inner, at, 3);
            }
            at += 1;
            if !note.is_empty() {
                put(frame, inner, at, Line::styled(format!("      {note}"), theme.muted));
                at += 1;
            }
        }
    } else {
        for (index, field) in form.fields.iter().enumerate() {
            let here = index == form.at;
            let mark = if here { "▸ " } else { "  " };
            let label = format!("{:<9}", field.label);
            let line = Line::from(vec![Span::styled(mark, theme.accent), Span::styled(label, theme.muted)]);
            put(frame, inner, at, line);
            if let Some(row) = row(inner, at) {
                let place = Rect { x: row.x + row.width.min(11), width: row.width.saturating_sub(11), ..row };
                field.line.render(frame, place, theme.text, here);
            }
            at += 1;
        }
        at += 1;
        let wrong = form.wrong.as_ref().map(Untrusted::line).unwrap_or_default();
        for (index, line) in wrap::lines(&wrong, (inner.width as usize).saturating_sub(2)).into_iter().enumerate() {
            let mark = if index > 0 || wrong.is_empty() { " " } else { "✕" };
            put(frame, inner, at, Line::styled(format!("{mark} {line}"), theme.error));
            at += 1;
        }
        at += 1;
    }
    at += 1;
    put(frame, inner, at, Line::styled(" Nothing is sent until you press ⏎ on a prompt.", theme.muted));
    put(frame, inner, at + 1, Line::styled(" Requests go to the host you choose here and nowhere else.", theme.muted));
}
