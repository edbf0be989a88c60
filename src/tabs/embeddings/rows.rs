//! The pane of texts: the list, what is nearest to the one under the cursor, labels with their counts, the box where a
//! text is typed.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::pane_data::VectorStatus;
use super::state::State;
use crate::component::RenderContext;
use crate::ui::list::{Cursor, mark_more};
use crate::ui::meter;
use crate::ui::pane::{self, Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::scatter::{SIGNS, sign};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns before the text of the pane beside other panes.
const PAD: u16 = 2;
/// Rows of the box at most.
const BOX: u16 = 8;
/// Texts that are named as nearest below the list.
const NEAREST: usize = 4;
/// Labels or clusters that are named below the list; the last of them may stand for several.
const GROUPS: usize = SIGNS.len() + 1;
/// Rows of the list that stay before anything stands below it.
const ROWS: u16 = 6;

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
    let name =
        state.list.record.as_ref().filter(|list| !list.source.is_empty()).map(|list| list.name.line().into_owned());
    let title = name.as_deref().unwrap_or("Texts");
    let (right, style) = note(state, context, usize::from(area.width).saturating_sub(wrap::width(title)));
    let spacing = context.session.spacing();
    let surface = if alone { Surface::Ground } else { Surface::Panel };
    let pane = Pane { title, note: "", right: &right, right_style: style, focus, surface };
    pane.render(area, frame.buffer_mut(), theme, spacing);
    let layout = InputsLayout::new(state, area, spacing, alone);
    if state.is_blank() && alone {
        return super::view::empty(frame, layout.inner, context);
    }
    layout.texts(frame, state, context, focus);
    for (line, y) in layout.sections(state, theme).iter().zip(layout.list.bottom()..layout.inner.bottom()) {
        let width = layout.inner.width.saturating_sub(PAD + 1);
        frame.buffer_mut().set_line(layout.inner.x + PAD, y, line, width);
    }
}

/// Returns how many texts there are and whether they are kept, in as many columns as there are beside the title: a sign
/// alone before a word that is cut, because `save…` would say nothing.
fn note(state: &State, context: RenderContext, room: usize) -> (String, Style) {
    /// Columns of the rule around both.
    const AROUND: usize = 12;
    let (saved, style) = state.saved(context);
    if state.data.texts.is_empty() || style == context.theme.bad {
        return (saved, style);
    }
    let count = meter::count(state.data.texts.len() as u64);
    if saved.is_empty() {
        return (count, style);
    }
    let whole = format!("{count}   {saved}");
    if wrap::width(&whole) + AROUND <= room {
        return (whole, style);
    }
    let sign = if saved == super::notes::SAVED { "✓" } else { "…" };
    (format!("{count} {sign}"), style)
}

/// Returns `NEAREST TO A` and the texts.
fn near(state: &State, theme: &Theme, width: usize) -> Vec<Line<'static>> {
    let row = state.data.cursor.0;
    let nearest = state.nearest(row, NEAREST);
    if nearest.is_empty() {
        return Vec::new();
    }
    let letters = letters(state);
    let mut lines = vec![heading(&format!("Nearest to {}", state.data.letter(row)), theme)];
    for (other, cosine) in nearest {
        let words = cut(&state.data.words(other), width.saturating_sub(7 + letters));
        lines.push(Line::from(vec![
            Span::styled(format!("{cosine:>4.2}  "), theme.text),
            Span::styled(format!("{:<letters$} ", state.data.letter(other)), theme.faint),
            Span::styled(words, theme.muted),
        ]));
    }
    lines
}

/// Returns `LABELS`, or `CLUSTERS`, each with its mark and how many texts it has.
fn labels(state: &State, theme: &Theme, width: usize) -> Vec<Line<'static>> {
    let Some(groups) = state.panes.map.shown_groups() else { return Vec::new() };
    let all = &groups.all.all;
    let mut lines = vec![heading(if groups.clusters { "Clusters" } else { "Labels" }, theme)];
    let named = if all.len() <= GROUPS { all.len() } else { GROUPS - 1 };
    let row = |group: Option<usize>, words: &str, texts: usize| {
        let (mark, style) = sign(group, theme);
        let count = meter::count(texts as u64);
        let words = cut(words, width.saturating_sub(3 + count.len()));
        let gap = " ".repeat(width.saturating_sub(2 + wrap::width(&words) + count.len()));
        let words = Span::styled(format!(" {words}{gap}"), theme.muted);
        Line::from(vec![Span::styled(mark, style), words, Span::styled(count, theme.faint)])
    };
    for (at, label) in all.iter().enumerate().take(named) {
        lines.push(row(Some(at), &label.name, label.texts));
    }
    let rest = &all[named..];
    if !rest.is_empty() {
        let words = format!("{} more", meter::count(rest.len() as u64));
        lines.push(row(None, &words, rest.iter().map(|label| label.texts).sum()));
    }
    lines
}

/// Returns the heading of a section.
fn heading(words: &str, theme: &Theme) -> Line<'static> {
    pane::heading(words, theme).into()
}

/// Where the parts of the pane stand.
struct InputsLayout {
    /// Below the title.
    inner: Rect,
    list: Rect,
    /// Rows of the box; 0: there is none.
    box_rows: u16,
    below: Below,
    /// Columns before the letters: the bar of the selected row, and the marks of labels where there are any.
    lead: u16,
}

impl InputsLayout {
    fn new(state: &State, area: Rect, spacing: Spacing, alone: bool) -> Self {
        let blank_rows = u16::from(area.height > 12 && !spacing.has_surfaces());
        let head = (spacing.head(area.height) + blank_rows).min(area.height);
        let inner = Rect { y: area.y + head, height: area.height - head, ..area };
        let box_rows =
            state.editing.as_ref().map_or(0, |editing| editing.editor.rows(inner.width.saturating_sub(4), BOX));
        let marks = if state.panes.map.shown_groups().is_some() { 2 } else { 0 };
        // Alone every column counts.
        let lead = marks + if alone { 1 } else { PAD };
        let rows = u16::try_from(state.data.texts.len()).unwrap_or(u16::MAX);
        let wanted = rows.saturating_add(box_rows).max(1);
        let room = if alone { 0 } else { inner.height.saturating_sub(wanted.min(ROWS)) };
        let below = Below::new(state, room, inner.height.saturating_sub(wanted));
        let list = Rect { height: inner.height.saturating_sub(below.rows).min(wanted), ..inner };
        Self { inner, list, box_rows, below, lead }
    }

    /// Returns the lines below the list: each section with blanks around its heading.
    fn sections(&self, state: &State, theme: &Theme) -> Vec<Line<'static>> {
        let Below { near: with_near, groups: with_groups, airy, .. } = self.below;
        let width = usize::from(self.inner.width.saturating_sub(2 * PAD));
        let near = if with_near { near(state, theme, width) } else { Vec::new() };
        let labels = if with_groups { labels(state, theme, width) } else { Vec::new() };
        let blanks = |count: usize| std::iter::repeat_n(Line::default(), count);
        let mut lines = Vec::new();
        for section in [near, labels].into_iter().filter(|section| !section.is_empty()) {
            let mut section = section.into_iter();
            lines.extend(blanks(if airy { 2 } else { 1 }).chain(section.next()));
            lines.extend(blanks(usize::from(airy)).chain(section));
        }
        lines
    }

    /// Returns the cursor of the list, with the selected row or the box in sight, and the rows that show: behind the
    /// last text the box of a new one.
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

    /// Returns the area of the box in its row: after the letter.
    fn box_area(&self, state: &State, row: Rect) -> Rect {
        let x = row.x + self.lead + 1 + letters(state) as u16;
        Rect { x, width: row.right().saturating_sub(x), ..row }
    }

    /// Draws the texts that fit, and the box in its place among them.
    fn texts(&self, frame: &mut Frame, state: &State, context: RenderContext, focus: bool) {
        for (row, place) in self.places(state).filter(|(_, place)| !place.is_empty()) {
            if let Some(editing) = state.editing.as_ref().filter(|_| edited_row(state) == Some(row)) {
                let accent = context.theme.accent;
                frame.buffer_mut().set_stringn(place.x, place.y, "▌", 1, accent);
                let room = usize::from(place.width.saturating_sub(self.lead));
                frame.buffer_mut().set_stringn(place.x + self.lead, place.y, state.data.letter(row), room, accent);
                editing.editor.draw(frame, self.box_area(state, place), context.theme, focus);
            } else {
                self.text(frame, place, row, state, (context, focus));
            }
        }
        mark_more(frame.buffer_mut(), self.list, &self.window(state).1, state.data.texts.len(), context.theme);
    }

    /// Draws a text in its row.
    fn text(&self, frame: &mut Frame, area: Rect, row: usize, state: &State, (context, focus): (RenderContext, bool)) {
        let theme = context.theme;
        let here = row == state.data.cursor.0;
        let (status, style) = match state.data.statuses.get(row) {
            Some(VectorStatus::Waiting) => ("·", theme.busy),
            Some(VectorStatus::Failed) => ("—", theme.warn),
            Some(VectorStatus::TooLong) => ("!", theme.warn),
            Some(VectorStatus::Cached) => ("=", theme.faint),
            _ => ("", theme.muted),
        };
        let buf = frame.buffer_mut();
        let surfaces = context.session.spacing().has_surfaces();
        let text = if here && (focus || surfaces) { theme.select } else { theme.text };
        if here && surfaces {
            pane::highlight(buf, area, theme, focus);
        } else if here {
            buf.set_style(area, text);
            buf.set_stringn(area.x, area.y, "▌", 1, text.patch(theme.accent));
        }
        if let Some(groups) = state.panes.map.shown_groups() {
            let (mark, style) = sign(groups.all.place(row), theme);
            buf.set_stringn(area.x + self.lead - 2, area.y, mark, 1, text.patch(style));
        }
        let letters = letters(state);
        let room = usize::from(area.width.saturating_sub(self.lead + if status.is_empty() { 1 } else { 3 }));
        let line = format!("{:<letters$} {}", state.data.letter(row), state.data.words(row));
        buf.set_stringn(area.x + self.lead, area.y, cut(&line, room), room, text);
        if !status.is_empty() && area.width > 4 {
            buf.set_stringn(area.right() - 2, area.y, status, 1, text.patch(style));
        }
        if here && focus && !state.modals.is_open() && state.editing.is_none() {
            frame.set_cursor_position(Position::new(area.x, area.y));
        }
    }
}

/// Brings the selected text into sight, and fits the box to its place.
pub(super) fn arrange(state: &mut State, area: Rect, context: RenderContext, alone: bool) {
    if area.height < 2 || area.width < 6 {
        return;
    }
    let layout = InputsLayout::new(state, area, context.session.spacing(), alone);
    state.view.inputs = layout.window(state).0;
    let edited = edited_row(state);
    let place =
        layout.places(state).find(|(row, _)| Some(*row) == edited).map(|(_, place)| layout.box_area(state, place));
    if let (Some(editing), Some(place)) = (&mut state.editing, place) {
        editing.editor.arrange(place);
    }
}

/// Which sections have room below the list.
#[derive(Clone, Copy)]
struct Below {
    rows: u16,
    near: bool,
    groups: bool,
    /// Whether there is room for more blank rows around the headings.
    airy: bool,
}

impl Below {
    /// Chooses as much as fits into `room` rows; blanks only into the `free` ones that the list leaves.
    fn new(state: &State, room: u16, free: u16) -> Self {
        let near = state.nearest(state.data.cursor.0, NEAREST).len();
        let groups = state.panes.map.shown_groups().map_or(0, |groups| groups.all.all.len().min(GROUPS));
        let rows = |count: usize, blank_rows: usize| if count > 0 { count + 2 + blank_rows } else { 0 };
        let all = |blank_rows: usize| (rows(near, blank_rows) + rows(groups, blank_rows)) as u16;
        let none = Self { rows: 0, near: false, groups: false, airy: false };
        if all(2) <= free.min(room) {
            Self { rows: all(2), near: true, groups: true, airy: true }
        } else if all(0) <= room {
            Self { rows: all(0), near: true, groups: true, ..none }
        } else if rows(near, 0) as u16 <= room {
            Self { rows: rows(near, 0) as u16, near: true, ..none }
        } else {
            none
        }
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
