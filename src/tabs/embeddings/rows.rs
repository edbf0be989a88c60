//! The pane of texts: the list, what is nearest to the one under the cursor, labels with their counts, the box where a
//! text is typed.

use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::editing::RowEditor;
use super::embedded_list::EmbeddedList;
use super::pane_data::VectorStatus;

use crate::component::RenderContext;
use crate::ui::list::{Cursor, draw_scroll_arrows};
use crate::ui::meter;
use crate::ui::pane::{self, Pane, Spacing, Surface};
use crate::ui::rule::cut;
use crate::ui::scatter::{SIGNS, sign};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// What the sign of a text means whose vector was cached, behind the title.
const CACHED: &str = " “=” cached";
/// Columns of the title's rule around its words.
const AROUND: usize = 12;
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

/// The pane of texts, and what it shows.
pub(super) struct TextsPane<'a> {
    pub(super) list: &'a EmbeddedList,
    pub(super) editing: Option<&'a RowEditor>,
    pub(super) cursor: Cursor,
    /// Whether the texts are on disk, in words.
    pub(super) saved: (String, Style),
    /// Whether there is nothing here at all.
    pub(super) blank: bool,
    pub(super) focus: bool,
    /// Whether it has the whole area: its notes are drawn elsewhere and its rows say more.
    pub(super) alone: bool,
}

impl TextsPane<'_> {
    /// Draws the pane.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        if area.height < 2 || area.width < 6 {
            return;
        }
        let theme = context.theme;
        let name = self
            .list
            .storage
            .record
            .as_ref()
            .filter(|list| !list.source.is_empty())
            .map(|list| list.name.line().into_owned());
        let title = name.as_deref().unwrap_or("Texts");
        let room = usize::from(area.width).saturating_sub(wrap::width(title));
        let (right, style) = self.note(context, room);
        let has_cached = self.list.data.statuses.contains(&VectorStatus::Cached);
        let note = if has_cached && wrap::width(CACHED) + wrap::width(&right) + AROUND <= room { CACHED } else { "" };
        let spacing = context.session.spacing();
        let surface = if self.alone { Surface::Ground } else { Surface::Panel };
        let pane = Pane { title, note, right: &right, right_style: style, focus: self.focus, surface };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let layout = InputsLayout::new(self, area, spacing);
        if self.blank && self.alone {
            return super::view::empty(frame, layout.inner, context);
        }
        layout.texts(frame, self, context);
        for (line, y) in layout.sections(self, theme).iter().zip(layout.list.bottom()..layout.inner.bottom()) {
            let width = layout.inner.width.saturating_sub(PAD + 1);
            frame.buffer_mut().set_line(layout.inner.x + PAD, y, line, width);
        }
    }

    /// Returns how many texts there are and whether they are kept, in as many columns as there are beside the title: a
    /// sign alone before a word that is cut, because `save…` would say nothing.
    fn note(&self, context: RenderContext, room: usize) -> (String, Style) {
        let (saved, style) = self.saved.clone();
        if self.list.data.texts.is_empty() || style == context.theme.bad {
            return (saved, style);
        }
        let count = meter::count(self.list.data.texts.len() as u64);
        if saved.is_empty() {
            return (count, style);
        }
        let whole = format!("{count}   {saved}");
        if wrap::width(&whole) + AROUND <= room {
            return (whole, style);
        }
        let sign = if saved == super::persistence::SAVED { "✓" } else { "…" };
        (format!("{count} {sign}"), style)
    }

    /// Returns `NEAREST TO A` and the texts.
    fn near(&self, theme: &Theme, width: usize) -> Vec<Line<'static>> {
        let row = self.list.data.cursor.0;
        let nearest = self.list.nearest(row, NEAREST);
        if nearest.is_empty() {
            return Vec::new();
        }
        let letters = self.letters();
        let mut lines = vec![heading(&format!("Nearest to {}", self.list.data.letter(row)), theme)];
        for (other, cosine) in nearest {
            let words = cut(&self.list.data.words(other), width.saturating_sub(7 + letters));
            lines.push(Line::from(vec![
                Span::styled(format!("{cosine:>4.2}  "), theme.text),
                Span::styled(format!("{:<letters$} ", self.list.data.letter(other)), theme.faint),
                Span::styled(words, theme.muted),
            ]));
        }
        lines
    }

    /// Returns `LABELS`, or `CLUSTERS`, each with its mark and how many texts it has.
    fn labels(&self, theme: &Theme, width: usize) -> Vec<Line<'static>> {
        let Some(groups) = self.list.panes.map.shown_groups() else { return Vec::new() };
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

    /// Returns the cursor that brings the selected text into sight, and where the box stands; `None`: there is no room.
    pub(super) fn arrange(&self, area: Rect, context: RenderContext) -> Option<(Cursor, Option<Rect>)> {
        if area.height < 2 || area.width < 6 {
            return None;
        }
        let layout = InputsLayout::new(self, area, context.session.spacing());
        let edited = self.edited_row();
        let place = layout.places(self).find(|(row, _)| Some(*row) == edited);
        Some((layout.window(self).0, place.map(|(_, place)| layout.box_area(self, place))))
    }

    /// Returns the row of the box; `None`: nothing is typed.
    fn edited_row(&self) -> Option<usize> {
        self.editing.map(|editing| editing.row.unwrap_or(self.list.data.texts.len()))
    }

    /// Returns the columns of the longest letter.
    fn letters(&self) -> usize {
        self.list.data.letter(self.list.data.texts.len().saturating_sub(1)).len().max(1)
    }
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
    fn new(texts: &TextsPane, area: Rect, spacing: Spacing) -> Self {
        let blank_rows = u16::from(area.height > 12 && !spacing.has_surfaces());
        let head = (spacing.head(area.height) + blank_rows).min(area.height);
        let inner = Rect { y: area.y + head, height: area.height - head, ..area };
        let box_rows = texts.editing.map_or(0, |editing| editing.editor.rows(inner.width.saturating_sub(4), BOX));
        let marks = if texts.list.panes.map.shown_groups().is_some() { 2 } else { 0 };
        // Alone every column counts.
        let lead = marks + if texts.alone { 1 } else { PAD };
        let rows = u16::try_from(texts.list.data.texts.len()).unwrap_or(u16::MAX);
        let wanted = rows.saturating_add(box_rows).max(1);
        let room = if texts.alone { 0 } else { inner.height.saturating_sub(wanted.min(ROWS)) };
        let below = Below::new(texts, room, inner.height.saturating_sub(wanted));
        let list = Rect { height: inner.height.saturating_sub(below.rows).min(wanted), ..inner };
        Self { inner, list, box_rows, below, lead }
    }

    /// Returns the lines below the list: each section with blanks around its heading.
    fn sections(&self, texts: &TextsPane, theme: &Theme) -> Vec<Line<'static>> {
        let Below { near: with_near, groups: with_groups, airy, .. } = self.below;
        let width = usize::from(self.inner.width.saturating_sub(2 * PAD));
        let near = if with_near { texts.near(theme, width) } else { Vec::new() };
        let labels = if with_groups { texts.labels(theme, width) } else { Vec::new() };
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
    fn window(&self, texts: &TextsPane) -> (Cursor, Range<usize>) {
        let (rows, edited) = (texts.list.data.texts.len(), texts.edited_row());
        // The box is a row like the others, only higher.
        let height =
            usize::from(self.list.height.saturating_sub(self.box_rows.saturating_sub(u16::from(edited.is_some()))));
        let mut cursor = Cursor { selected: edited.unwrap_or(texts.list.data.cursor.0), ..texts.cursor };
        let window = cursor.window(height.max(1), rows + usize::from(edited == Some(rows)));
        (cursor, window)
    }

    /// Returns the rows that show, and where.
    fn places(&self, texts: &TextsPane) -> impl Iterator<Item = (usize, Rect)> {
        let (list, edited, box_rows) = (self.list, texts.edited_row(), self.box_rows);
        let mut y = list.y;
        self.window(texts).1.map(move |row| {
            let height = if edited == Some(row) { box_rows } else { 1 };
            let place = Rect { y, height: height.min(list.bottom().saturating_sub(y)), ..list };
            y += height;
            (row, place)
        })
    }

    /// Returns the area of the box in its row: after the letter.
    fn box_area(&self, texts: &TextsPane, row: Rect) -> Rect {
        let x = row.x + self.lead + 1 + texts.letters() as u16;
        Rect { x, width: row.right().saturating_sub(x), ..row }
    }

    /// Draws the texts that fit, and the box in its place among them.
    fn texts(&self, frame: &mut Frame, texts: &TextsPane, context: RenderContext) {
        for (row, place) in self.places(texts).filter(|(_, place)| !place.is_empty()) {
            if let Some(editing) = texts.editing.filter(|_| texts.edited_row() == Some(row)) {
                let accent = context.theme.accent;
                frame.buffer_mut().set_stringn(place.x, place.y, "▌", 1, accent);
                let room = usize::from(place.width.saturating_sub(self.lead));
                frame.buffer_mut().set_stringn(place.x + self.lead, place.y, texts.list.data.letter(row), room, accent);
                editing.editor.draw(frame, self.box_area(texts, place), context.theme, texts.focus);
            } else {
                self.text(frame, place, row, texts, context);
            }
        }
        let (shown, count) = (self.window(texts).1, texts.list.data.texts.len());
        draw_scroll_arrows(frame.buffer_mut(), self.list, &shown, count, context.theme);
    }

    /// Returns whether an arrow stands at the end of a row: the list goes on above or below it.
    fn has_arrow(&self, row: usize, texts: &TextsPane) -> bool {
        let shown = self.window(texts).1;
        (row == shown.start && row > 0) || (row + 1 == shown.end && shown.end < texts.list.data.texts.len())
    }

    /// Draws a text in its row; with an arrow at its end, the words end before it.
    fn text(&self, frame: &mut Frame, area: Rect, row: usize, texts: &TextsPane, context: RenderContext) {
        let theme = context.theme;
        let here = row == texts.list.data.cursor.0;
        let (status, style) = match texts.list.data.statuses.get(row) {
            Some(VectorStatus::Waiting) => ("·", theme.busy),
            Some(VectorStatus::Failed) => ("—", theme.warn),
            Some(VectorStatus::TooLong) => ("!", theme.warn),
            Some(VectorStatus::Cached) => ("=", theme.faint),
            _ => ("", theme.muted),
        };
        let buf = frame.buffer_mut();
        let surfaces = context.session.spacing().has_surfaces();
        let text = if here && (texts.focus || surfaces) { theme.select } else { theme.text };
        if here && surfaces {
            pane::highlight(buf, area, theme, texts.focus);
        } else if here {
            buf.set_style(area, text);
            buf.set_stringn(area.x, area.y, "▌", 1, text.patch(theme.accent));
        }
        if let Some(groups) = texts.list.panes.map.shown_groups() {
            let (mark, style) = sign(groups.all.place(row), theme);
            buf.set_stringn(area.x + self.lead - 2, area.y, mark, 1, text.patch(style));
        }
        let letters = texts.letters();
        let end = if status.is_empty() && !self.has_arrow(row, texts) { 1 } else { 3 };
        let room = usize::from(area.width.saturating_sub(self.lead + end));
        let line = format!("{:<letters$} {}", texts.list.data.letter(row), texts.list.data.words(row));
        buf.set_stringn(area.x + self.lead, area.y, cut(&line, room), room, text);
        if !status.is_empty() && area.width > 4 {
            buf.set_stringn(area.right() - 2, area.y, status, 1, text.patch(style));
        }
        if here && texts.focus && texts.editing.is_none() {
            frame.set_cursor_position(Position::new(area.x, area.y));
        }
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
    fn new(texts: &TextsPane, room: u16, free: u16) -> Self {
        let near = texts.list.nearest(texts.list.data.cursor.0, NEAREST).len();
        let groups = texts.list.panes.map.shown_groups().map_or(0, |groups| groups.all.all.len().min(GROUPS));
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
