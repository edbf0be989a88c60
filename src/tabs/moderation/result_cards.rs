//! Draws the table of results where the theme has surfaces: each text on a card with its verdict, the categories below.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use super::result_grid::{ColumnLayout, ResultGrid, put};
use crate::ui::pane::{Surface, highlight, paint};
use crate::ui::rule::{cut, cut_middle};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Rows from which on cards have blank rows around their words.
const TALL: u16 = 22;

/// Columns that the last card takes besides its own where they would be left over.
const LEFT_OVER: u16 = 6;

/// The rows of the parts, from the top.
struct CardRows {
    cards: Rect,
    body: Rect,
    feet: Rect,
    /// Rows from one category to the next.
    step: u16,
    /// Blank rows above and below the words of a card.
    pad: u16,
}

impl ResultGrid<'_> {
    /// Draws it as cards. Returns where the terminal's cursor belongs, and the row after the last that is drawn.
    pub(super) fn render_cards(&self, frame: &mut Frame, area: Rect, theme: &Theme) -> (Position, u16) {
        let columns = ColumnLayout::of(area.width, self.ends.len(), self.group);
        let rows = self.card_rows(area);
        let heads = self.below_free(rows.cards);
        if self.free.is_some() {
            self.names(frame, heads, columns, theme);
        } else {
            for nth in 0..self.ends.len() {
                self.card(frame, &rows, (columns, nth), theme);
            }
        }
        // The row below the cards is blank.
        let row = Rect { y: heads.bottom(), height: 1, width: heads.width.saturating_sub(self.side), ..heads };
        self.more(frame, heads, (columns, row.intersection(area)), theme.faint);
        let cursor = self.categories(frame, &rows, columns, theme);
        for (at, (nth, name)) in self.card_labels().enumerate().take(usize::from(rows.feet.height)) {
            let row = Rect { y: rows.feet.y + at as u16, height: 1, ..rows.feet };
            frame.buffer_mut().set_stringn(row.x + self.side, row.y, name, usize::from(columns.label - 2), theme.faint);
            for (at, ends) in self.ends.iter().enumerate() {
                if let Some((words, _)) = ends.feet.get(nth) {
                    put(frame, self.inside(row, columns, at), 0, &(words.clone(), theme.faint));
                }
            }
        }
        let has_cells = !self.table.rows.is_empty() || self.ends.iter().any(|ends| !ends.instead.0.is_empty());
        let last = if rows.feet.height > 0 {
            rows.feet
        } else if has_cells {
            rows.body
        } else {
            rows.cards
        };
        (cursor, last.bottom())
    }

    /// Returns the labels of the rows below the categories with their places: the highest category is seen above.
    fn card_labels(&self) -> impl Iterator<Item = (usize, &'static str)> {
        self.labels.iter().copied().enumerate().filter(|(_, label)| *label != "Highest")
    }

    /// Lays the parts out: where there is little room the texts give way first, then the blank rows.
    fn card_rows(&self, area: Rect) -> CardRows {
        let most = self.ends.iter().map(|ends| ends.lines.len()).max().unwrap_or(0) as u16;
        let cells = self.cells() as u16;
        let pad = if area.height >= TALL { 2 } else { 0 };
        let labels = self.card_labels().count() as u16;
        let fixed = 1 + pad + 1;
        let lines = most.min(area.height.saturating_sub(fixed + cells + labels + 1).max(1));
        let cards = self.free.map_or(1 + lines + pad, |free| free + 1).min(area.height);
        let left = area.height.saturating_sub(cards + 1);
        let step = if left >= 2 * cells + labels { 2 } else { 1 };
        let body = (cells * step).min(left);
        let feet = if left >= body + labels + u16::from(step == 1) { labels } else { 0 };
        let body_y = (area.y + cards + 1).min(area.bottom());
        let gap = u16::from(step == 1 && feet > 0);
        CardRows {
            cards: Rect { height: cards, ..area },
            body: Rect { y: body_y, height: body.min(area.bottom() - body_y), ..area },
            feet: Rect { y: (body_y + body + gap).min(area.bottom()), height: feet, ..area },
            step,
            pad: pad / 2,
        }
    }

    /// Draws the names of the columns alone, where there is no room for cards.
    fn names(&self, frame: &mut Frame, area: Rect, columns: ColumnLayout, theme: &Theme) {
        for (nth, ends) in self.ends.iter().enumerate() {
            let style = if self.first + nth == self.column { theme.accent } else { theme.faint };
            put(frame, self.inside(area, columns, nth), 0, &(ends.name.clone(), style));
        }
    }

    /// Draws a text on its card, with its name and verdict above it.
    fn card(&self, frame: &mut Frame, rows: &CardRows, (columns, nth): (ColumnLayout, usize), theme: &Theme) {
        let (area, pad) = (rows.cards, rows.pad);
        let ends = &self.ends[nth];
        let inside = self.inside(area, columns, nth);
        if inside.is_empty() {
            return;
        }
        let x = inside.x - 2;
        // The last one ends where the title does, unless the columns end long before that.
        let (right, edge) = (x + columns.each - 1, area.right().saturating_sub(self.side));
        let last = nth + 1 == self.ends.len();
        let right = if last && edge.saturating_sub(right) <= LEFT_OVER { edge } else { right.min(edge) };
        let card = Rect { x, width: right.saturating_sub(x), ..area };
        let is_selected = self.first + nth == self.column;
        if is_selected {
            highlight(frame.buffer_mut(), card, theme, true);
        } else {
            paint(frame.buffer_mut(), card, Surface::Panel, theme);
        }
        let inside = Rect { width: (card.right() - 1).saturating_sub(inside.x), ..inside };
        let inside = Rect { y: inside.y + pad, height: inside.height.saturating_sub(2 * pad), ..inside };
        let width = usize::from(inside.width);
        // The number of categories is shown below.
        let (verdict, verdict_style) = &ends.verdict;
        let verdict = verdict.split("  ").next().unwrap_or_default();
        let room = wrap::width(verdict).min(width.saturating_sub(4));
        let name = cut_middle(&ends.name.replacen(" · ", "  ", 1), width.saturating_sub(room + 2));
        let style = if is_selected { theme.accent } else { theme.text }.add_modifier(Modifier::BOLD);
        let buf = frame.buffer_mut();
        buf.set_stringn(inside.x, inside.y, &name, width, style);
        let x = inside.right() - room as u16;
        buf.set_stringn(x, inside.y, cut(verdict, room), room, verdict_style.add_modifier(Modifier::BOLD));
        let rows = usize::from(inside.height).saturating_sub(1);
        for (at, words) in ends.lines.iter().take(rows).enumerate() {
            let more = at + 1 == rows && ends.lines.len() > rows;
            let words = if more { (format!("{}…", words.0), words.1) } else { words.clone() };
            put(frame, inside, at as u16 + 1, &words);
        }
    }

    /// Draws the categories with their bars. Returns where the cursor is.
    fn categories(&self, frame: &mut Frame, rows: &CardRows, columns: ColumnLayout, theme: &Theme) -> Position {
        let area = rows.body;
        let height = usize::from(area.height / rows.step);
        let here = self.table.row(self.at);
        let top = (here + 1).saturating_sub(height).min(self.table.rows.len().saturating_sub(height));
        let mut cursor = Position::new(area.x, area.y);
        for (at, row) in self.table.rows.iter().enumerate().skip(top).take(height) {
            let y = area.y + (at - top) as u16 * rows.step;
            let line = Rect { y, height: 1, ..area };
            let selected = at == here && self.at.is_some();
            if selected {
                cursor = Position::new(area.x, y);
                paint(frame.buffer_mut(), line, Surface::Panel, theme);
                frame.buffer_mut().set_stringn(area.x, y, "▌", 1, theme.accent);
            }
            let style = if selected { theme.text.add_modifier(Modifier::BOLD) } else { theme.muted };
            let mark = if self.marked.contains(&self.table.categories[row.category].key) { "▣ " } else { "" };
            let width = usize::from(columns.label).saturating_sub(2);
            let name = format!("{mark}{}", cut_middle(&row.label, width - wrap::width(mark)));
            frame.buffer_mut().set_stringn(area.x + self.side, y, name, width, style);
            for nth in 0..self.ends.len() {
                if let Some(column) = self.table.columns.get(self.first + nth) {
                    let place = Rect { width: columns.inside() as u16, ..self.inside(line, columns, nth) };
                    self.cell(frame, place.intersection(area), column, row.category, theme);
                }
            }
        }
        let hidden = self.table.rows.len().saturating_sub(height);
        if hidden > 0 && area.height > 0 {
            // Above the names: at the right of this row columns are counted.
            let (x, y) = (area.x + self.side, area.y.saturating_sub(1));
            let width = usize::from(columns.label).saturating_sub(2);
            frame.buffer_mut().set_stringn(x, y, format!("+{hidden} more"), width, theme.faint);
        }
        self.in_place_of_cells(frame, area, columns, theme);
        cursor
    }
}
