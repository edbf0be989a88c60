//! How a picker is drawn: what was typed, the list, and the notes below it.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

use super::{Item, PICKER_KEYS, Picker, PickerKey};
use crate::text::Untrusted;
use crate::ui::overlay::{self, Words};
use crate::ui::rule::cut;
use crate::ui::theme::{Kind, Theme};
use crate::ui::{meter, wrap};

/// The widest the box may be: it leaves space for the reason why something cannot be chosen.
const MAX_COLUMNS: u16 = 100;
/// The fewest and the most rows of the box, without the blank row below its title.
const BOX_ROWS: (u16, u16) = (6, 20);
/// Rows of the box besides list, notes and blank rows: the border, and what is typed.
const FRAME_ROWS: u16 = 3;
/// Columns of the box besides its contents: the border, and a column on each side.
const FRAME_COLUMNS: u16 = 4;
/// Rows of the screen from which on there is space for blank rows, and for the selected item in full beside the notes.
const TALL: u16 = 16;
/// Columns of the mark before an item, and of the blanks before a note.
const MARK_COLUMNS: usize = 2;
/// The fewest columns of a row besides label and detail: the mark, and a gap between the two.
const GAPS: usize = 4;
/// Columns of a detail below which it is left out.
const MIN_DETAIL_COLUMNS: usize = 16;

/// Where everything is in the box.
pub(super) struct Layout {
    size: (u16, u16),
    /// The inside of the box.
    inner: Rect,
    /// The rows below the list: a text, and whether it reports a failure.
    notes: Vec<(String, bool)>,
    /// Whether the list is shown; without items the notes take its place.
    has_list: bool,
    pub(super) list_rows: usize,
    /// Blank rows below what is typed, and between the list and the notes.
    gap: u16,
}

impl<T: Clone> Picker<T> {
    /// Returns where everything is in a box over `area`.
    pub(super) fn layout(&self, area: Rect, kind: Kind) -> Layout {
        let width = usize::from(MAX_COLUMNS.min(area.width).saturating_sub(FRAME_COLUMNS));
        let is_tall = area.height >= TALL;
        let mut notes = self.selected_detail(width);
        // While no reason is shown the list takes its rows, and the box stays as high as with one.
        let kept = if is_tall || self.in_full { self.detail_rows(width) } else { 0 };
        if self.in_full || !notes.is_empty() {
            notes.resize(notes.len().max(kept), (String::new(), false));
        }
        let hidden = kept.saturating_sub(notes.len());
        // The selected item in full comes before the notes where there is no space for both.
        if notes.is_empty() || !self.in_full || is_tall {
            notes.splice(0..0, self.wrapped_notes(width));
        }
        // Without a list the notes say what to do with what is typed.
        let has_list = !self.items.is_empty() || notes.is_empty();
        let wanted_rows = if has_list { self.items.len().max(1) } else { 0 };
        let gap = u16::from(is_tall || !has_list);
        let with_gap = |rows: usize| rows + if has_list && rows > 0 { usize::from(gap) } else { 0 };
        let note_rows = with_gap(notes.len());
        let rows_besides = FRAME_ROWS + gap + with_gap(notes.len() + hidden) as u16;
        let height = (wanted_rows as u16).saturating_add(rows_besides).clamp(BOX_ROWS.0, BOX_ROWS.1);
        let size = (MAX_COLUMNS, height + overlay::rows_below_title(area, kind));
        let inner = overlay::content_area(area, size, kind);
        let rows = usize::from(inner.height.saturating_sub(1 + gap));
        let list_rows = if has_list { rows - note_rows.min(rows.saturating_sub(1)) } else { 0 };
        Layout { size, inner, notes, has_list, list_rows, gap }
    }

    /// Draws the picker as a box over `area`.
    pub fn render(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        let (found, all) = (self.found.len(), self.items.len());
        let Layout { size, inner, notes, has_list, list_rows, gap } = self.layout(area, theme.kind);
        let mut cursor = self.cursor;
        let window = cursor.window(list_rows, found);
        let below_window = match found - window.end {
            0 => String::new(),
            more => format!("↓ {} more", meter::count(more as u64)),
        };
        let count = if all == 0 { String::new() } else { format!("{found} of {all}") };
        let words = Words { title: self.title, right: &count, more: &below_window, ..Words::default() };
        overlay::boxed(frame, area, size, &words, theme);
        if inner.is_empty() {
            return;
        }
        let row = |y| Rect { y, height: 1, ..inner };
        frame.render_widget(Span::styled("> ", theme.accent), row(inner.y));
        let query = Rect { x: inner.x + 2.min(inner.width), width: inner.width.saturating_sub(2), ..row(inner.y) };
        self.query.render(frame, query, theme.text, true);
        let list_top = inner.y + 1 + gap;
        let first_note = (list_top + list_rows as u16).saturating_add(if has_list { gap } else { 0 });
        for ((text, is_failure), y) in notes.into_iter().zip(first_note..inner.bottom()) {
            let style = if is_failure { theme.bad } else { theme.muted };
            frame.render_widget(Line::styled(text, style), row(y));
        }
        let width = usize::from(inner.width);
        let column = self.detail_column(width);
        for (at, y) in window.zip(list_top..) {
            frame.render_widget(self.row(at, width, column, theme), row(y));
        }
        if found == 0 && list_rows > 0 && (all > 0 || !self.query.is_empty()) {
            let words = cut(&self.no_match_words(), width.saturating_sub(MARK_COLUMNS));
            let line = Line::styled(format!("  {words}"), theme.muted);
            frame.render_widget(line, row(list_top));
        }
    }

    /// Returns what is said where nothing matches: if what is typed is accepted, what Enter does with it.
    fn no_match_words(&self) -> String {
        let enter = PICKER_KEYS.key(PickerKey::Choose);
        match self.typed() {
            _ if !self.accepts_typed => self.no_match_text.to_owned(),
            Some(typed) => format!("not in the list: {enter} uses “{}” as typed", Untrusted::from(typed).line()),
            None => format!("type a name: {enter} uses it as typed"),
        }
    }

    /// Returns the notes in rows of `width` columns, each with whether it reports a failure.
    fn wrapped_notes(&self, width: usize) -> Vec<(String, bool)> {
        let mut rows = Vec::new();
        for note in &self.notes {
            for (at, words) in wrap::lines(&note.text.line(), width.saturating_sub(MARK_COLUMNS)).iter().enumerate() {
                let mark = if note.is_failure && at == 0 { "✕ " } else { "  " };
                rows.push((format!("{mark}{words}"), note.is_failure));
            }
        }
        rows
    }

    /// Returns why the selected item cannot be chosen, or all of the item, if its row has no space for that.
    fn selected_detail(&self, width: usize) -> Vec<(String, bool)> {
        self.selected_item().map(|item| self.detail_of(item, width)).unwrap_or_default()
    }

    /// Returns the most rows that this takes for one of the items.
    fn detail_rows(&self, width: usize) -> usize {
        self.found_items().map(|item| self.detail_of(item, width).len()).max().unwrap_or(0)
    }

    fn detail_of(&self, item: &Item<T>, width: usize) -> Vec<(String, bool)> {
        if !item.is_cut(width) || (item.enabled && !self.in_full) {
            return Vec::new();
        }
        let whole = if self.in_full { format!("{}: {}", item.label, item.detail) } else { item.detail.clone() };
        let lines = wrap::lines(&whole, width.saturating_sub(MARK_COLUMNS));
        lines.iter().map(|line| (format!("  {line}"), false)).collect()
    }

    /// Returns a label with the typed words highlighted.
    fn highlighted_label(&self, label: String, enabled: bool, theme: &Theme) -> Vec<Span<'static>> {
        let lowercase = label.to_lowercase();
        // A few letters have a lower-case form of another length: the places would be wrong.
        if lowercase.len() != label.len() {
            return vec![Span::raw(label)];
        }
        let typed = self.query.text().to_lowercase();
        let mut is_typed = vec![false; label.len()];
        for word in typed.split_whitespace() {
            for (at, found) in lowercase.match_indices(word) {
                is_typed[at..at + found.len()].fill(true);
            }
        }
        let style = if enabled { theme.key() } else { Style::new().add_modifier(Modifier::UNDERLINED) };
        let parts = label.char_indices().collect::<Vec<_>>();
        let parts = parts.chunk_by(|(one, _), (other, _)| is_typed.get(*one) == is_typed.get(*other));
        let span = |part: &[(usize, char)]| {
            let text: String = part.iter().map(|(_, char)| *char).collect();
            let found = part.first().is_some_and(|(at, _)| is_typed.get(*at) == Some(&true));
            if found { Span::styled(text, style) } else { Span::raw(text) }
        };
        parts.map(span).collect()
    }

    /// Returns the column at which all details begin, if some do not fit beside their labels: they are cut there, or
    /// left out if little of them would be seen. `None`: they fit, and are at the right edge.
    fn detail_column(&self, width: usize) -> Option<usize> {
        let enabled = || self.found_items().filter(|item| item.enabled);
        let column = enabled().map(|item| item.label.width()).max()? + GAPS;
        let column = if column + MIN_DETAIL_COLUMNS <= width { column } else { width };
        enabled().any(|item| item.is_cut(width)).then_some(column)
    }

    pub(super) fn row(&self, at: usize, width: usize, column: Option<usize>, theme: &Theme) -> Line<'_> {
        let item = &self.items[self.found[at]];
        let is_selected = at == self.cursor.selected;
        let style = if item.enabled { Style::default() } else { theme.faint };
        let label = cut(&item.label, width.saturating_sub(MARK_COLUMNS + 1));
        let left = label.width() + MARK_COLUMNS;
        let (detail, gap) = match column.filter(|_| item.enabled) {
            Some(column) => (cut(&item.detail, width.saturating_sub(column)), column.saturating_sub(left)),
            None => {
                let detail = cut(&item.detail, width.saturating_sub(left + 2));
                let gap = width.saturating_sub(left + detail.width());
                (detail, gap)
            }
        };
        let mark = match is_selected {
            true if theme.kind.has_surfaces() => "▌ ",
            true => "▸ ",
            false => "  ",
        };
        let mut spans = vec![Span::styled(mark, theme.accent)];
        spans.extend(self.highlighted_label(label, item.enabled, theme));
        spans.extend([Span::raw(" ".repeat(gap)), Span::styled(detail, theme.muted)]);
        Line::from(spans).style(if is_selected { style.patch(theme.select) } else { style })
    }
}

impl<T> Item<T> {
    /// Returns whether a row of `width` columns does not show all of the item.
    fn is_cut(&self, width: usize) -> bool {
        self.label.width() + self.detail.width() + GAPS > width
    }
}
