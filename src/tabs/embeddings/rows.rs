//! The pane of inputs: the texts, what is nearest to the one under the cursor, the box where one is typed.

use std::ops::Range;

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
        (false, false) if style == theme.bad => saved,
        // In a narrow pane the sign alone: `save…` would say the opposite.
        (false, false) if area.width < 30 && saved == super::notes::SAVED => format!("{count} · ✓"),
        (false, false) => format!("{count} · {saved}"),
    };
    let name =
        state.list.record.as_ref().filter(|list| !list.source.is_empty()).map(|list| list.name.line().into_owned());
    let title = name.as_deref().unwrap_or("Inputs");
    let rule = Rule { title, right: &right, right_style: style, focus };
    rule.render(Rect { height: 1, ..area }, frame.buffer_mut(), theme);
    let layout = InputsLayout::new(state, area, alone);
    let (inner, near) = (layout.inner, &layout.near);
    if state.is_blank() && alone {
        return super::view::blank(frame, inner, context);
    }
    layout.texts(frame, state, context, focus);
    if layout.list.height + layout.below > inner.height {
        return;
    }
    let mut y = layout.list.bottom() + 1;
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

/// Where the parts of the pane stand.
struct InputsLayout {
    /// Below the title.
    inner: Rect,
    list: Rect,
    /// Rows of the box; 0: there is none.
    box_rows: u16,
    /// What is nearest to the text under the cursor.
    near: Vec<String>,
    /// Rows that keys and what is nearest take below the list, where there is room for both.
    below: u16,
}

impl InputsLayout {
    fn new(state: &State, area: Rect, alone: bool) -> Self {
        let air = u16::from(area.height > 12);
        let inner = Rect { y: area.y + 1 + air, height: area.height - 1 - air, ..area };
        let box_rows =
            state.editing.as_ref().map_or(0, |editing| editing.editor.rows(inner.width.saturating_sub(4), BOX));
        let rows = u16::try_from(state.data.texts.len()).unwrap_or(u16::MAX);
        let near = if alone { Vec::new() } else { near(state, usize::from(inner.width), 4) };
        let below = KEYS.len() as u16 + 1 + near.len() as u16 + u16::from(!near.is_empty());
        let list = inner.height.saturating_sub(if inner.height > below + 6 { below } else { 0 });
        let list = Rect { height: list.min(rows.saturating_add(box_rows).max(1)), ..inner };
        Self { inner, list, box_rows, near, below }
    }

    /// Returns the cursor of the list, with the selected row or the box in sight, and the rows that show: behind the last
    /// text the box of a new one.
    fn window(&self, state: &State) -> (Cursor, Range<usize>) {
        let (rows, edited) = (state.data.texts.len(), edited_row(state));
        // The box is a row like the others, only higher.
        let height =
            usize::from(self.list.height.saturating_sub(self.box_rows.saturating_sub(u16::from(edited.is_some()))));
        let mut cursor = Cursor { selected: edited.unwrap_or(state.data.cursor.0), ..state.view.inputs };
        let window = cursor.window(height.max(1), rows + usize::from(edited == Some(rows)));
        (cursor, window)
    }

    /// Returns the rows that show, and where.
    fn places(&self, state: &State) -> impl Iterator<Item = (usize, Rect)> {
        let (list, edited, box_rows) = (self.list, edited_row(state), self.box_rows);
        let mut y = list.y;
        self.window(state).1.map(move |row| {
            let height = if edited == Some(row) { box_rows } else { 1 };
            let place = Rect { y, height: height.min(list.bottom().saturating_sub(y)), ..list };
            y += height;
            (row, place)
        })
    }

    /// Draws the texts that fit, and the box in its place among them.
    fn texts(&self, frame: &mut Frame, state: &State, context: RenderContext, focus: bool) {
        let letters = letters(state);
        for (row, place) in self.places(state).filter(|(_, place)| !place.is_empty()) {
            if let Some(editing) = state.editing.as_ref().filter(|_| edited_row(state) == Some(row)) {
                let name = format!("▌{}", state.data.letter(row));
                frame.buffer_mut().set_stringn(place.x + 1, place.y, name, letters + 1, context.theme.accent);
                editing.editor.draw(frame, box_area(state, place), context.theme, focus);
            } else {
                text(frame, place, state, (context, focus), (row, letters));
            }
        }
    }
}

/// Brings the selected text into sight, and fits the box to its place.
pub(super) fn arrange(state: &mut State, area: Rect, alone: bool) {
    if area.height < 2 || area.width < 6 {
        return;
    }
    let layout = InputsLayout::new(state, area, alone);
    state.view.inputs = layout.window(state).0;
    let edited = edited_row(state);
    let place = layout.places(state).find(|(row, _)| Some(*row) == edited).map(|(_, place)| box_area(state, place));
    if let (Some(editing), Some(place)) = (&mut state.editing, place) {
        editing.editor.arrange(place);
    }
}

/// Returns the row of the box; `None`: nothing is typed.
fn edited_row(state: &State) -> Option<usize> {
    state.editing.as_ref().map(|editing| editing.row.unwrap_or(state.data.texts.len()))
}

/// Returns the columns of the longest letter.
fn letters(state: &State) -> usize {
    state.data.letter(state.data.texts.len().saturating_sub(1)).len().max(1)
}

/// Returns the area of the box in its row: behind the letter.
fn box_area(state: &State, row: Rect) -> Rect {
    let x = row.x + 3 + letters(state) as u16;
    Rect { x, width: row.right().saturating_sub(x), ..row }
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
