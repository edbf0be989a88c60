//! The table of results, prepared for drawing once: a column for each text and model, a row for each category.

use std::collections::BTreeSet;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::category::CategoryKey;
use super::result_table::{ResultColumn, ResultTable};
use super::styled_text::StyledText;
use super::thresholds::ThresholdProfile;
use crate::ui::bar::{Bar, number};
use crate::ui::rule::{cut, cut_middle};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns of the names, where there is room for a column of results of [`WIDE`].
const LABEL: u16 = 24;
/// The same where there is less room.
const SHORT_LABEL: u16 = 20;
/// Columns of a column of results, with the line before it.
const WIDE: u16 = 31;
/// The same where columns are narrow.
const SLIM: u16 = 19;
/// The names and a column of results where the models of a text would not fit otherwise.
const TINY: (u16, u16) = (16, 12);
/// One column alone is not wider than this.
const WIDEST: u16 = 60;

/// What is written above and below a column's cells.
#[derive(Clone, Debug, Default)]
pub(super) struct ColumnSummary {
    /// Its name, one line.
    pub(super) name: String,
    /// Lines below the name, as far as there is room.
    pub(super) lines: Vec<StyledText>,
    /// The verdict.
    pub(super) verdict: StyledText,
    /// A sentence in place of the cells; empty: there are cells.
    pub(super) instead: StyledText,
    /// Below the cells, one for each label of [`ResultGrid::labels`].
    pub(super) feet: Vec<StyledText>,
}

/// How a score's change is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChangeFormat {
    /// `0.93 ⚑ ←0.81`
    Both,
    /// `0.93 ⚑ +0.12`
    Difference,
}

/// The table.
pub(super) struct ResultGrid<'a> {
    pub(super) table: &'a ResultTable,
    /// The first column shown; its ends are the first of `ends`.
    pub(super) first: usize,
    pub(super) ends: Vec<ColumnSummary>,
    /// Labels of the rows below the cells.
    pub(super) labels: Vec<&'static str>,
    pub(super) profile: &'a ThresholdProfile,
    /// The column under the cursor.
    pub(super) column: usize,
    /// The category under the cursor.
    pub(super) at: Option<&'a CategoryKey>,
    pub(super) marked: &'a BTreeSet<CategoryKey>,
    pub(super) moved: ChangeFormat,
    /// How many columns belong together: the models of a text.
    pub(super) group: usize,
    /// Rows at the top that are left free in place of texts; names are below them.
    pub(super) free: Option<u16>,
    /// Blank columns at each side.
    pub(super) side: u16,
}

/// How columns are laid out in a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ColumnLayout {
    pub(super) label: u16,
    pub(super) each: u16,
    /// How many columns fit.
    pub(super) fit: usize,
}

impl ColumnLayout {
    /// Lays out so many columns at a width, of which `group` belong together.
    pub(super) fn of(width: u16, count: usize, group: usize) -> Self {
        let (label, least) = match width {
            _ if width >= LABEL + 2 * WIDE => (LABEL, WIDE),
            _ if width < SHORT_LABEL + 2 * SLIM && group > 1 => TINY,
            _ => (SHORT_LABEL, SLIM),
        };
        let room = width.saturating_sub(label);
        let fit = usize::from(room / least).max(1);
        let shown = count.clamp(1, fit) as u16;
        // The last one has what is left over.
        let each = (room.saturating_sub(3) / shown).clamp(least.min(room), WIDEST);
        Self { label, each, fit }
    }

    /// Returns the width of text in a column.
    pub(super) fn inside(self) -> usize {
        usize::from(self.each.saturating_sub(3)).max(1)
    }
}

/// The rows of a grid, from the top; without a row: there is no room for them.
struct GridRows {
    head: Rect,
    verdict: Rect,
    /// The results.
    body: Rect,
    foot: Rect,
    /// What is left below.
    rest: Rect,
    /// The rules between them.
    rules: [Rect; 3],
}

impl ResultGrid<'_> {
    /// Returns the rows it would need to show all.
    pub(super) fn height(&self, lines: usize) -> u16 {
        (self.heads_height(lines) + 3 + self.cells() + 1 + self.labels.len()) as u16
    }

    /// Returns the rows of names and of so many lines of texts.
    fn heads_height(&self, lines: usize) -> usize {
        1 + self.free.map_or(lines, usize::from)
    }

    /// Returns the rows of cells, or of the sentence in their place.
    pub(super) fn cells(&self) -> usize {
        let sentence = self.ends.iter().any(|ends| !ends.instead.0.is_empty());
        self.table.rows.len().max(if sentence { 6 } else { 1 })
    }

    /// Draws it; where the terminal's cursor belongs.
    pub(super) fn render(&self, frame: &mut Frame, area: Rect, theme: &Theme) -> Position {
        let columns = ColumnLayout::of(area.width, self.ends.len(), self.group);
        let GridRows { head, verdict, body, foot, rest, rules } = self.rows(area);
        let head = self.below_free(head);
        for place in [head, verdict, body, foot, rest] {
            self.lines(frame, place, columns, "│", theme);
        }
        for place in rules {
            let line = "─".repeat(usize::from(place.width));
            if place.height > 0 {
                frame.buffer_mut().set_stringn(place.x, place.y, line, usize::from(place.width), theme.rule);
            }
            self.lines(frame, place, columns, "┼", theme);
        }
        // The rule goes on to the edge.
        let rule = Rect { width: rules[0].width.saturating_sub(2), ..rules[0] };
        let (row, taken) =
            if rule.height > 0 { (rule, 0) } else { (last_row(head), wrap::width(&self.more_after(columns)) as u16) };
        self.heads(frame, head, columns, taken, theme);
        self.more(frame, head, (columns, row), theme.muted);
        label(frame, verdict, "Verdict", theme.text);
        let hidden = self.table.rows.len().saturating_sub(usize::from(body.height));
        if hidden > 0 {
            label(frame, Rect { x: verdict.x + 8, ..verdict }, &format!("+{hidden} more"), theme.muted);
        }
        for (nth, ends) in self.ends.iter().enumerate() {
            put(frame, self.inside(verdict, columns, nth), 0, &ends.verdict);
        }
        let cursor = self.body(frame, body, columns, theme);
        for ((nth, name), y) in self.labels.iter().enumerate().zip(foot.y..foot.bottom()) {
            let row = Rect { y, height: 1, ..foot };
            label(frame, row, name, theme.muted);
            for (at, ends) in self.ends.iter().enumerate() {
                if let Some(words) = ends.feet.get(nth) {
                    put(frame, self.inside(row, columns, at), 0, words);
                }
            }
        }
        cursor
    }

    /// Lays the rows out in an area.
    fn rows(&self, area: Rect) -> GridRows {
        let most = self.ends.iter().map(|ends| ends.lines.len()).max().unwrap_or(0);
        let fixed = 3 + 1 + self.labels.len() + 1;
        // Where there is little room the texts give way first, then what is below the cells.
        let height = usize::from(area.height);
        let few = self.cells().min(5);
        let lines = most.min(height.saturating_sub(fixed + self.cells()).max(1));
        let heads = self.heads_height(lines);
        let feet = if height >= heads + 3 + few + 1 + self.labels.len() { self.labels.len() } else { 0 };
        let rules = height >= heads + 3 + few;
        let below = if feet > 0 { feet + 1 } else { 0 };
        let cells = height.saturating_sub(heads + 1 + if rules { 2 } else { 0 } + below).min(self.cells());
        let mut y = area.y;
        let mut next = |rows: usize| {
            let rows = (rows as u16).min(area.bottom().saturating_sub(y));
            y += rows;
            Rect { y: y - rows, height: rows, ..area }
        };
        let head = next(heads);
        let first_rule = next(usize::from(rules));
        let verdict = next(1);
        let second_rule = next(usize::from(rules));
        let body = next(cells);
        let third_rule = next(usize::from(feet > 0));
        let foot = next(feet);
        let rest = next(usize::from(u16::MAX));
        GridRows { head, verdict, body, foot, rest, rules: [first_rule, second_rule, third_rule] }
    }

    /// Returns what is left of the rows of names and texts below those that are free.
    pub(super) fn below_free(&self, area: Rect) -> Rect {
        let free = self.free.unwrap_or(0).min(area.height);
        Rect { y: area.y + free, height: area.height - free, ..area }
    }

    /// Draws the lines between columns.
    fn lines(&self, frame: &mut Frame, area: Rect, columns: ColumnLayout, sign: &str, theme: &Theme) {
        for nth in 0..self.ends.len().max(1) as u16 {
            let x = area.x + columns.label + nth * columns.each;
            for y in area.y..area.bottom() {
                if x < area.right() {
                    frame.buffer_mut().set_stringn(x, y, sign, 1, theme.rule);
                }
            }
        }
    }

    /// Returns the inside of a column in some rows.
    pub(super) fn inside(&self, area: Rect, columns: ColumnLayout, nth: usize) -> Rect {
        let x = area.x + columns.label + nth as u16 * columns.each + 2;
        // The last one has what is left over, the others end a blank before the next line.
        let last = nth + 1 == self.ends.len();
        let end = if last { area.right() } else { x + columns.each - 3 };
        let end = end.min(area.right());
        let width = end.saturating_sub(x).min(if last { WIDEST } else { u16::MAX });
        Rect { x: x.min(area.right()), width, ..area }
    }

    /// Says how many columns there are before those that are shown, at the left of an area, and how many after them, at
    /// the right end of a row.
    pub(super) fn more(&self, frame: &mut Frame, area: Rect, (columns, row): (ColumnLayout, Rect), style: Style) {
        let buf = frame.buffer_mut();
        if self.first > 0 && area.height > 0 {
            let words = format!("← {} more", self.first);
            buf.set_stringn(area.x + self.side, area.y, words, usize::from(columns.label - 3), style);
        }
        let words = self.more_after(columns);
        if !words.is_empty() && row.height > 0 {
            let width = (wrap::width(&words) as u16).min(row.width);
            buf.set_stringn(row.right() - width, row.y, words, usize::from(width), style);
        }
    }

    /// Returns how many columns there are after those that are shown, in words; empty: none.
    fn more_after(&self, columns: ColumnLayout) -> String {
        match self.table.columns.len().saturating_sub(self.first + self.ends.len()) {
            0 => String::new(),
            after if columns.each < SLIM => format!(" +{after} → "),
            after => format!(" +{after} more → "),
        }
    }

    /// Draws the names and texts. In the last row they end where so many columns at the right edge are taken.
    fn heads(&self, frame: &mut Frame, area: Rect, columns: ColumnLayout, taken: u16, theme: &Theme) {
        let edge = area.right().saturating_sub(taken);
        for (nth, ends) in self.ends.iter().enumerate() {
            let place = self.inside(area, columns, nth);
            if place.is_empty() {
                continue;
            }
            let is_selected = self.first + nth == self.column;
            if is_selected && !ends.name.is_empty() {
                frame.buffer_mut().set_stringn(place.x - 1, place.y, "▌", 1, theme.accent);
            }
            let last = Rect { width: place.width.min(edge.saturating_sub(place.x)), ..place };
            let of_row = |row: u16| if row + 1 == area.height { last } else { place };
            put(frame, of_row(0), 0, &(ends.name.clone(), if is_selected { theme.accent } else { theme.text }));
            let rows = usize::from(area.height).saturating_sub(1);
            for (at, words) in ends.lines.iter().take(rows).enumerate() {
                let more = at + 1 == rows && ends.lines.len() > rows;
                let words = if more { (format!("{}…", words.0), words.1) } else { words.clone() };
                let row = at as u16 + 1;
                put(frame, of_row(row), row, &words);
            }
        }
    }

    /// Draws the cells. Returns where the cursor is.
    fn body(&self, frame: &mut Frame, area: Rect, columns: ColumnLayout, theme: &Theme) -> Position {
        let height = usize::from(area.height);
        let here = self.table.row(self.at);
        // The cursor's row is in view; around it as much as fits.
        let top = (here + 1).saturating_sub(height).min(self.table.rows.len().saturating_sub(height));
        let mut cursor = Position::new(area.x, area.y);
        for (row, y) in self.table.rows.iter().enumerate().skip(top).zip(area.y..area.bottom()) {
            let (at, row) = row;
            let key = &self.table.categories[row.category].key;
            let place = Rect { y, height: 1, ..area };
            let selected = at == here && self.at.is_some();
            let style = if selected { theme.text.patch(theme.select) } else { theme.text };
            if selected {
                cursor = Position::new(area.x, y);
                let names = Rect { width: columns.label, ..place };
                frame.buffer_mut().set_style(names, theme.select);
                frame.buffer_mut().set_stringn(area.x, y, "▌", 1, theme.accent.patch(theme.select));
            }
            let marked = self.marked.contains(key);
            let width = usize::from(columns.label) - 2;
            let name = if marked {
                format!("▣ {}", cut_middle(&row.label, width - 2))
            } else {
                cut_middle(&row.label, width)
            };
            frame.buffer_mut().set_stringn(area.x + 1, y, name, width, style);
            for nth in 0..self.ends.len() {
                if let Some(column) = self.table.columns.get(self.first + nth) {
                    let place = Rect { width: columns.inside() as u16, ..self.inside(place, columns, nth) };
                    self.cell(frame, place.intersection(area), column, row.category, theme);
                }
            }
        }
        self.in_place_of_cells(frame, area, columns, theme);
        cursor
    }

    /// Writes why there are no cells: nothing differs, or a column failed.
    pub(super) fn in_place_of_cells(&self, frame: &mut Frame, area: Rect, columns: ColumnLayout, theme: &Theme) {
        let height = usize::from(area.height);
        if self.table.rows.is_empty() && !self.table.categories.is_empty() {
            // About all columns: it is not cut where the first one ends.
            let x = self.inside(area, columns, 0).x;
            let place = Rect { x, width: area.right().saturating_sub(x), ..area };
            put(frame, place, 0, &("No category differs by more than 0.10.".to_owned(), theme.muted));
        }
        for (nth, ends) in self.ends.iter().enumerate() {
            let place = self.inside(area, columns, nth);
            let lines = wrap::lines(&ends.instead.0, usize::from(place.width).max(1));
            for (line, at) in lines.into_iter().take(height).zip(0..) {
                if !ends.instead.0.is_empty() {
                    put(frame, place, at, &(line.to_owned(), ends.instead.1));
                }
            }
        }
    }

    pub(super) fn cell(&self, frame: &mut Frame, area: Rect, column: &ResultColumn, at: usize, theme: &Theme) {
        if column.check.is_none() || area.is_empty() || !self.ends.iter().any(|ends| ends.instead.0.is_empty()) {
            return;
        }
        let moves = !column.old.is_empty();
        let (score, flag) = column.cells[at];
        let bar = Bar {
            score,
            threshold: Some(self.profile.of(&self.table.categories[at].key)),
            flagged: flag == Some(true),
        };
        // Bars of all columns are as long, so that they can be compared.
        let more = if self.table.columns.iter().any(|column| !column.old.is_empty()) { 6 } else { 0 };
        let place = Rect { width: area.width.saturating_sub(1 + more), ..area };
        bar.render(place, frame.buffer_mut(), theme);
        let old = column.old.get(at).copied().flatten();
        let shown = |score: Option<f64>| score.map(number);
        if !moves || shown(score) == shown(old) {
            return;
        }
        let words = match (self.moved, score, old) {
            (ChangeFormat::Both, _, old) => format!(" ←{}", old.map_or_else(|| "—".to_owned(), number)),
            (ChangeFormat::Difference, Some(score), Some(old)) => format!(" {:+.2}", score - old),
            (ChangeFormat::Difference, ..) => " new".to_owned(),
        };
        let room = usize::from(area.right().saturating_sub(place.right()));
        frame.buffer_mut().set_stringn(place.right(), area.y, words, room, theme.accent);
    }
}

/// Returns the last row of an area, if it has any.
fn last_row(area: Rect) -> Rect {
    let height = area.height.min(1);
    Rect { y: area.bottom() - height, height, ..area }
}

/// Draws a name at the left.
fn label(frame: &mut Frame, area: Rect, name: &str, style: Style) {
    if area.height > 0 {
        frame.buffer_mut().set_stringn(area.x + 1, area.y, name, usize::from(area.width), style);
    }
}

/// Writes words into a row of a place, cut where there is no room.
pub(super) fn put(frame: &mut Frame, area: Rect, row: u16, words: &StyledText) {
    let y = area.y + row;
    if y < area.bottom() && area.width > 0 {
        let width = usize::from(area.width);
        frame.buffer_mut().set_stringn(area.x, y, cut(&words.0, width), width, words.1);
    }
}
