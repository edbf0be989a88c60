//! The pane of inputs: the texts, what is nearest to the one under the cursor, the box where one is typed.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::pane_data::VectorStatus;
use super::state::State;
use crate::component::RenderContext;
use crate::ui::list::Cursor;
use crate::ui::meter;
use crate::ui::rule::{Rule, cut};

/// Rows of the box at most.
const BOX: u16 = 8;
/// What can be done here, below the list.
const KEYS: [&str; 3] = ["a add   f from file", "e edit  x delete", "J/K move row"];

/// Returns the area that the pane has above so many notes.
pub(super) fn list_area(area: Rect, notes: usize) -> Rect {
    Rect { height: area.height - (area.height / 3).min(notes as u16), ..area }
}

/// Draws the pane; `alone`: it has the whole area, so its notes are drawn elsewhere and its rows say more.
pub(super) fn render(frame: &mut Frame, area: Rect, state: &State, context: RenderContext, focus: bool, alone: bool) {
    if area.height < 2 || area.width < 6 {
        return;
    }
    let theme = context.theme;
    let (saved, style) = state.saved(context);
    let count = meter::count(state.data.texts.len() as u64);
    let right = match (state.data.texts.is_empty(), saved.is_empty()) {
        (true, _) => saved,
        (false, true) => count,
        (false, false) if style == theme.error => saved,
        // In a narrow pane the sign alone: `save…` would say the opposite.
        (false, false) if area.width < 30 && saved == super::notes::SAVED => format!("{count} · ✓"),
        (false, false) => format!("{count} · {saved}"),
    };
    let name =
        state.list.record.as_ref().filter(|list| !list.source.is_empty()).map(|list| list.name.line().into_owned());
    let title = name.as_deref().unwrap_or("Inputs");
    let rule = Rule { title, right: &right, right_style: style, focus };
    rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), theme);
    let air = u16::from(area.height > 12);
    let inner = Rect { y: area.y + 1 + air, height: area.height - 1 - air, ..area };
    if state.is_blank() && alone {
        return super::view::blank(frame, inner, context);
    }
    let writing = writing_rows(state, inner.width);
    let rows = u16::try_from(state.data.texts.len()).unwrap_or(u16::MAX);
    // Below the list stands what can be done and what is nearest, as far as there is room for both.
    let near = if alone { Vec::new() } else { near(state, usize::from(inner.width), 4) };
    let below = KEYS.len() as u16 + 1 + near.len() as u16 + u16::from(!near.is_empty());
    let list = inner.height.saturating_sub(if inner.height > below + 6 { below } else { 0 });
    let list = Rect { height: list.min(rows.saturating_add(writing).max(1)), ..inner };
    texts(frame, list, state, (context, focus), writing);
    if list.height + below > inner.height {
        return;
    }
    let mut y = list.bottom() + 1;
    for line in KEYS {
        put(frame, inner, y, line, theme.muted);
        y += 1;
    }
    let fits = inner.bottom().saturating_sub(y) as usize > near.len();
    // As drawn: what is nearest stands halfway down where there is room.
    let y = if fits { y.max(inner.y + (inner.height / 2).min(14)) } else { y };
    let y = if y + near.len() as u16 > inner.bottom() { inner.bottom() - near.len() as u16 } else { y };
    for (line, y) in near.iter().zip(y..inner.bottom()) {
        put(frame, inner, y, line, theme.text);
    }
}

fn put(frame: &mut Frame, area: Rect, y: u16, line: &str, style: Style) {
    let width = usize::from(area.width.saturating_sub(1));
    frame.buffer_mut().set_stringn(area.x + 1, y, cut(line, width), width, style);
}

/// Returns `Nearest to A` and the texts.
fn near(state: &State, width: usize, most: usize) -> Vec<String> {
    let row = state.data.cursor.0;
    let nearest = state.nearest(row, most);
    if nearest.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![format!("Nearest to {}", state.data.letter(row))];
    for (other, cosine) in nearest {
        let words = format!("{:<2} {cosine:.2} {}", state.data.letter(other), state.data.words(other));
        lines.push(cut(&words, width.saturating_sub(9).max(12)));
    }
    lines
}

/// Returns the rows the box takes; 0: there is none.
fn writing_rows(state: &State, width: u16) -> u16 {
    state.editing.as_ref().map_or(0, |writing| writing.editor.borrow().rows(width.saturating_sub(4), BOX).max(1))
}

/// Draws the texts that fit, and the box in its place among them.
fn texts(frame: &mut Frame, area: Rect, state: &State, (context, focus): (RenderContext, bool), writing: u16) {
    let at = state.editing.as_ref().map(|writing| writing.row);
    let rows = state.data.texts.len();
    // The box is a row like the others, only higher.
    let height = usize::from(area.height.saturating_sub(writing.saturating_sub(u16::from(at.is_some()))));
    let count = rows + usize::from(at == Some(None));
    let mut cursor = match at {
        Some(row) => Cursor { selected: row.unwrap_or(rows), ..state.view.inputs.get() },
        None => Cursor { selected: state.data.cursor.0, ..state.view.inputs.get() },
    };
    let window = cursor.window(height.max(1), count);
    state.view.inputs.set(cursor);
    let letters = state.data.letter(rows.saturating_sub(1)).len().max(1);
    let mut y = area.y;
    for row in window {
        if at == Some(Some(row)) || row == rows {
            let letter = if row == rows { state.data.letter(rows) } else { state.data.letter(row) };
            frame.buffer_mut().set_stringn(area.x + 1, y, format!("▌{letter}"), letters + 1, context.theme.accent);
            let x = area.x + 3 + letters as u16;
            let place = Rect { x, y, width: area.right().saturating_sub(x), height: writing.min(area.bottom() - y) };
            if let Some(writing) = &state.editing {
                writing.editor.borrow_mut().render(frame, place, context.theme, focus);
            }
            y += writing;
        } else {
            if y < area.bottom() {
                text(frame, Rect { y, height: 1, ..area }, state, (context, focus), (row, letters));
            }
            y += 1;
        }
    }
}

fn text(
    frame: &mut Frame,
    area: Rect,
    state: &State,
    (context, focus): (RenderContext, bool),
    (row, letters): (usize, usize),
) {
    let theme = context.theme;
    let here = row == state.data.cursor.0;
    let (sign, mark) = match state.data.statuses.get(row) {
        Some(VectorStatus::Waiting) => (meter::spinner(state.elapsed(context.now), context.session.motion), theme.busy),
        Some(VectorStatus::Failed) => ("—", theme.warn),
        Some(VectorStatus::TooLong) => ("!", theme.warn),
        Some(VectorStatus::Cached) => ("=", theme.faint),
        _ => ("", theme.muted),
    };
    let width = usize::from(area.width);
    let edge = if here { "▌" } else { " " };
    let style = if here && focus { theme.select } else { theme.text };
    let line = format!("{edge}{:<letters$} {}", state.data.letter(row), state.data.words(row));
    let room = width.saturating_sub(1 + if sign.is_empty() { 0 } else { 2 });
    frame.buffer_mut().set_stringn(area.x + 1, area.y, cut(&line, room), room, style);
    if !sign.is_empty() && width > 4 {
        frame.buffer_mut().set_stringn(area.right() - 2, area.y, sign, 2, mark);
    }
    if here && focus && !state.modals.is_open() && state.editing.is_none() {
        frame.set_cursor_position(Position::new(area.x + 1, area.y));
    }
}
