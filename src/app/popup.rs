//! The picture of overlays: rounded boxes over the tab, the only boxes there are.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear};
use unicode_width::UnicodeWidthStr as _;

use super::App;
use super::overlay::{Overlay, Pages, Quit, Row};
use super::picker::Picker;
use super::profile_form::{Form, SOURCES};
use super::view::wrap;
use crate::tabs::tab::Level;
use crate::ui::theme::Theme;

/// Draws the open overlay.
pub(super) fn render(app: &App, frame: &mut Frame, body: Rect) {
    let theme = &app.theme;
    match &app.overlay {
        Some(Overlay::Help(pages) | Overlay::Messages(pages)) => draw_pages(pages, frame, body, theme),
        Some(Overlay::Palette(picker)) => draw_picker(picker, frame, body, theme),
        Some(Overlay::Models(picker)) => draw_picker(picker, frame, body, theme),
        Some(Overlay::Profiles(picker)) => draw_picker(picker, frame, body, theme),
        Some(Overlay::Takers(_, picker)) => draw_picker(picker, frame, body, theme),
        Some(Overlay::AddProfile(form)) => draw_form(form, frame, body, theme),
        Some(Overlay::Quit(quit)) => draw_quit(quit, frame, body, theme),
        None => {}
    }
}

/// An empty box of at most this size in the middle of `body`; what is inside it.
fn boxed(title: &str, right: &str, size: (u16, u16), frame: &mut Frame, body: Rect, theme: &Theme) -> Rect {
    let (width, height) = (size.0.min(body.width), size.1.min(body.height));
    let x = body.x + (body.width - width) / 2;
    let y = body.y + (body.height - height) / 3;
    let area = Rect { x, y, width, height };
    frame.render_widget(Clear, area);
    let mut block = Block::bordered()
        .border_type(BorderType::Rounded)
        .border_style(theme.rule)
        .style(theme.overlay)
        .title(Line::styled(format!("─ {title} "), theme.accent));
    if !right.is_empty() {
        block = block.title(Line::styled(format!(" {right} ─"), theme.muted).right_aligned());
    }
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let side = inner.width.min(1);
    Rect { x: inner.x + side, width: inner.width.saturating_sub(2 * side), ..inner }
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

fn draw_picker<T: Clone>(picker: &Picker<T>, frame: &mut Frame, body: Rect, theme: &Theme) {
    let (found, all) = picker.counts();
    let height = (all as u16).saturating_add(4).clamp(6, 20);
    let inner = boxed(picker.title, &format!("{found} of {all}"), (64, height), frame, body, theme);
    let query = tail(&picker.query, (inner.width as usize).saturating_sub(4));
    put(frame, inner, 0, Line::from(vec![Span::styled("> ", theme.accent), Span::raw(query.to_owned())]));
    cursor(frame, inner, 0, 2 + query.width());
    let rows = (inner.height as usize).saturating_sub(2);
    let top = (picker.cursor + 1).saturating_sub(rows);
    for (index, item) in picker.found().enumerate().skip(top).take(rows) {
        let here = index == picker.cursor;
        let mark = if here { "▸ " } else { "  " };
        let (mut style, detail) = match &item.disabled {
            Some(why) => (theme.faint, format!("— {why}")),
            None => (Style::default(), item.detail.clone()),
        };
        if here {
            style = style.patch(theme.select);
        }
        let width = inner.width as usize;
        let label = head(&item.label, width.saturating_sub(3));
        let room = width.saturating_sub(label.width() + 4);
        let detail = head(&detail, room);
        let gap = width.saturating_sub(2 + label.width() + detail.width());
        let line = Line::from(vec![
            Span::styled(mark, theme.accent),
            Span::raw(label.into_owned()),
            Span::raw(" ".repeat(gap)),
            Span::styled(detail.into_owned(), theme.muted),
        ]);
        put(frame, inner, index - top + 2, line.style(style));
    }
    if found == 0 {
        put(frame, inner, 2, Line::styled("  nothing matches", theme.muted));
    }
}

fn draw_pages(pages: &Pages, frame: &mut Frame, body: Rect, theme: &Theme) {
    let height = (pages.lines.len() as u16).saturating_add(2).min(body.height);
    let inner = boxed(pages.title, "esc", (76, height), frame, body, theme);
    let rows = inner.height as usize;
    let top = pages.top.min(pages.lines.len().saturating_sub(rows));
    let keys =
        pages.lines.iter().filter_map(|row| if let Row::Key(hint) = row { Some(hint.key.width()) } else { None });
    let column = keys.max().unwrap_or(0).min(18);
    for (index, line) in pages.lines.iter().skip(top).take(rows).enumerate() {
        let line = match line {
            Row::Head(head) => Line::styled(head.clone(), theme.accent),
            Row::Key(hint) => {
                let pad = " ".repeat(column.saturating_sub(hint.key.width()) + 2);
                Line::from(vec![
                    Span::raw("  "),
                    Span::styled(hint.key.clone(), theme.accent),
                    Span::raw(format!("{pad}{}", hint.does)),
                ])
            }
            Row::Said(time, notice) => {
                let (mark, style) = match notice.level {
                    Level::Ok => ("✓", theme.ok),
                    Level::Warn => ("!", theme.warn),
                    Level::Error => ("✕", theme.error),
                };
                Line::from(vec![
                    Span::styled(format!("{time} "), theme.muted),
                    Span::styled(format!("{mark} "), style),
                    Span::raw(notice.text.clone()),
                ])
            }
            Row::Words(words) => Line::raw(words.clone()),
        };
        put(frame, inner, index, line);
    }
    cursor(frame, inner, 0, 0);
}

fn draw_form(form: &Form, frame: &mut Frame, body: Rect, theme: &Theme) {
    let inner = boxed("Add a profile", "", (64, 16), frame, body, theme);
    let mut at = 1;
    if form.fields.is_empty() {
        put(frame, inner, at, Line::raw(" Where should this profile's key come from?"));
        at += 2;
        for (index, (source, note)) in SOURCES.iter().enumerate() {
            let here = index == form.source;
            let mark = if here { " ▸ " } else { "   " };
            let set = std::env::var_os("OPENAI_API_KEY").is_some_and(|key| !key.is_empty());
            let note = if index == 0 && !set { "(not set)" } else { note };
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
            let text = if field.secret {
                "•".repeat(field.text.chars().count())
            } else {
                crate::text::line(&field.text).into_owned()
            };
            let text = tail(&text, (inner.width as usize).saturating_sub(13)).to_owned();
            let mark = if index == form.at { "▸ " } else { "  " };
            let label = format!("{:<9}", field.label);
            if index == form.at {
                cursor(frame, inner, at, 11 + text.width());
            }
            let line =
                Line::from(vec![Span::styled(mark, theme.accent), Span::styled(label, theme.muted), Span::raw(text)]);
            put(frame, inner, at, line);
            at += 1;
        }
        if let Some(wrong) = form.wrong {
            put(frame, inner, at + 1, Line::styled(format!("✕ {wrong}"), theme.error));
        }
        at += 3;
    }
    at += 1;
    put(frame, inner, at, Line::styled(" Nothing is sent until you press ⏎ on a prompt.", theme.muted));
    put(frame, inner, at + 1, Line::styled(" Requests go to the host you choose here and nowhere else.", theme.muted));
}

fn draw_quit(quit: &Quit, frame: &mut Frame, body: Rect, theme: &Theme) {
    let height = (quit.held.len() as u16).saturating_mul(2).saturating_add(6);
    let inner = boxed("Quit now?", "esc stay", (64, height), frame, body, theme);
    let mut at = 1;
    for why in &quit.held {
        for line in wrap(why, (inner.width as usize).saturating_sub(1)) {
            put(frame, inner, at, Line::raw(format!(" {line}")));
            at += 1;
        }
    }
    let (stay, leave) = if quit.leave { ("  Stay  ", "[ Quit ]") } else { ("[ Stay ]", "  Quit  ") };
    let here = |on: bool| if on { theme.accent } else { theme.muted };
    let line = Line::from(vec![
        Span::raw("     "),
        Span::styled(stay, here(!quit.leave)),
        Span::raw("    "),
        Span::styled(leave, here(quit.leave)),
    ]);
    put(frame, inner, at + 1, line);
    cursor(frame, inner, at + 1, if quit.leave { 19 } else { 7 });
}

/// As many leading columns of a line as fit, `…` where it was cut.
fn head(text: &str, width: usize) -> std::borrow::Cow<'_, str> {
    if text.width() <= width {
        return text.into();
    }
    let mut used = 0;
    let kept: String = text
        .chars()
        .take_while(|c| {
            used += unicode_width::UnicodeWidthChar::width(*c).unwrap_or(0);
            used < width
        })
        .collect();
    if width == 0 { "".into() } else { format!("{kept}…").into() }
}

/// As many trailing columns as fit: what is typed stays in sight.
fn tail(text: &str, width: usize) -> &str {
    let mut start = 0;
    while text[start..].width() > width {
        start += text[start..].chars().next().map_or(1, char::len_utf8);
    }
    &text[start..]
}
