//! Draws the page: the table, and below it the curve and the confusion table of the row under the cursor.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::super::page_data::{head, quiet_style};
use super::LabelsPage;
use super::figures::ConfusionCounts;
use crate::component::RenderContext;
use crate::ui::meter;
use crate::ui::pane::{self, Pane, Spacing, Surface};
use crate::ui::rule::{cut, pad};
use crate::ui::theme::Theme;
use crate::ui::{bar, wrap};

/// Columns of a number of the table, its blank before it too.
const NUMBER: usize = 7;
/// Columns of the last number, whose title is longer.
const UNSCORED: usize = 10;
/// Columns of a category's name at least and at most.
const NAME: (usize, usize) = (10, 26);
/// Columns and rows of the confusion table.
const TABLE: u16 = 46;
const TABLE_ROWS: u16 = 5;
/// Rows of the curves at most, with their words and axis.
const CURVES: u16 = 15;

/// Where the page's parts stand.
struct EvaluationAreas {
    body: Rect,
    summary: Rect,
    table: Rect,
    below: Rect,
}

/// Returns the rows of the table between its head and the service's row.
fn list(table: Rect) -> Rect {
    let service = u16::from(table.height > 3);
    Rect { y: table.y + 1, height: table.height.saturating_sub(1 + service), ..table }
}

impl LabelsPage {
    /// Counts at the thresholds, and fits the table to the area.
    pub(super) fn fit(&mut self, area: Rect, spacing: Spacing) {
        self.count();
        let selected = self.selected_category().map(|at| self.threshold(&self.evaluation.categories[at].name));
        self.chart.get_mut().set_cursor(selected);
        if let Some(areas) = self.areas(area, spacing).filter(|_| !self.evaluation.is_empty()) {
            let count = self.evaluation.categories.len() + 1;
            self.cursor.window(usize::from(list(areas.table).height), count);
        }
    }

    /// Returns where its parts stand; `None`: there is no room for it.
    fn areas(&self, area: Rect, spacing: Spacing) -> Option<EvaluationAreas> {
        if area.width < 8 || area.height == 0 {
            return None;
        }
        let body = spacing.body(area);
        let summary = Rect { height: body.height.min(3), ..body };
        let said = (wrap::lines(&self.facts(), inner_width(summary)).len() as u16).min(summary.height);
        let rows = self.evaluation.categories.len() as u16 + 3;
        let left = body.height.saturating_sub(said);
        // What is below needs some rows; where there are none for it, the table has them all.
        let most = CURVES + spacing.head(CURVES);
        let below = left.saturating_sub(rows).max(left.saturating_sub(left / 2)).min(most);
        let below = if below < TABLE_ROWS + spacing.head(below) || left < below + 5 { 0 } else { below };
        let table = Rect { y: body.y + said, height: (left - below).min(rows + 1), ..body };
        // Its background ends where the screen does.
        let below = if below > 0 && spacing.has_surfaces() { body.bottom() - table.bottom() } else { below };
        let below = Rect { y: table.bottom(), height: below, ..area };
        Some(EvaluationAreas { body, summary, table, below })
    }

    /// Draws it.
    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let (theme, spacing) = (context.theme, context.session.spacing());
        let area = area.intersection(frame.area());
        let Some(areas) = self.areas(area, spacing) else { return };
        head(frame, area, ("Results against labels", ""), quiet_style(context), context);
        if self.evaluation.is_empty() {
            return says(frame, areas.body, &self.nothing(), theme.muted);
        }
        says(frame, areas.summary, &self.facts(), theme.muted);
        self.table(frame, areas.table, area, theme);
        if areas.below.height > 0 {
            self.draw_below_table(frame, areas.below, context);
        }
    }

    /// Returns why there is nothing to compare.
    fn nothing(&self) -> String {
        let evaluation = &self.evaluation;
        match () {
            () if evaluation.all == 0 => "No texts.".to_owned(),
            () if evaluation.unchecked == evaluation.all => {
                "Nothing is checked yet. Run the check to compare results with the labels.".to_owned()
            }
            () => format!("No label is recognized{}", self.unknown_labels()),
        }
    }

    /// Returns how many rows count, and how labels were read.
    fn facts(&self) -> String {
        if let Some(note) = self.note {
            return note.to_owned();
        }
        let evaluation = &self.evaluation;
        let count = |number: usize| meter::count(number as u64);
        let known = evaluation.all - self.any.unknown;
        let mut said = vec![format!("{} of {} rows are counted", count(known), count(evaluation.all))];
        if evaluation.unchecked > 0 {
            said.push(format!("{} not checked", count(evaluation.unchecked)));
        }
        if self.any.unscored > 0 {
            said.push(format!("{} without any score", count(self.any.unscored)));
        }
        if evaluation.untold > 0 {
            let s = if evaluation.untold == 1 { "" } else { "s" };
            said.push(format!("{} unknown label{s}{}", count(evaluation.untold), self.unknown_labels()));
        }
        if evaluation.scheme.flags_only {
            said.push("labels name no category: each category is measured on its own".to_owned());
        }
        if evaluation.scheme.empty_is_none {
            said.push("an empty label counts as “none”".to_owned());
        }
        said.join(" · ")
    }

    /// Labels nobody knows, for a sentence.
    fn unknown_labels(&self) -> String {
        let labels = self.evaluation.strange.iter().map(|label| format!("“{}”", cut(&label.line(), 20)));
        let labels = labels.collect::<Vec<_>>().join(", ");
        if labels.is_empty() { labels } else { format!(": {labels}") }
    }

    /// Draws the table: any category, each category, and the service's own flag. `page` has the
    /// columns in which the selected row is highlighted.
    fn table(&self, frame: &mut Frame, area: Rect, page: Rect, theme: &Theme) {
        if area.height == 0 {
            return;
        }
        let width = usize::from(area.width);
        let name = width.saturating_sub(2 + 4 * NUMBER).clamp(NAME.0, NAME.1);
        // Rates first; counts where there is room for all four, then those that count for nothing.
        let room = width.saturating_sub(2 + name);
        let shown = match room / NUMBER {
            8.. if room >= 8 * NUMBER + UNSCORED => 9,
            8.. => 8,
            fit => fit.min(4),
        };
        let heads = ["at", "P", "R", "F1", "TP", "FP", "FN", "TN", "no score"];
        let line = |label: &str, cells: &[String]| {
            let widths = [NUMBER; 8].into_iter().chain([UNSCORED]);
            let cells = cells[..shown].iter().zip(widths).map(|(cell, width)| format!("{:>width$}", cut(cell, width)));
            std::iter::once(pad(label, name)).chain(cells).collect::<String>()
        };
        let head = line("", &heads.map(str::to_owned));
        put(frame, Rect { height: 1, ..area }, &format!(" {head}"), theme.muted);
        let count = self.evaluation.categories.len() + 1;
        let (list, mut cursor) = (list(area), self.cursor);
        for (at, y) in cursor.window(usize::from(list.height), count).zip(list.y..) {
            let is_selected = at == self.cursor.selected;
            let row = Rect { y, height: 1, ..list };
            let (label, at, figures) = match at.checked_sub(1) {
                None => ("any category".to_owned(), "—".to_owned(), self.any),
                Some(at) => {
                    let category = &self.evaluation.categories[at];
                    let threshold = self.threshold(&category.name);
                    let label = category.name.line().into_owned();
                    (label, format!("{threshold:.2}"), category.scores.at(threshold))
                }
            };
            if is_selected {
                pane::highlight(frame.buffer_mut(), Rect { x: page.x, width: page.width, ..row }, theme, true);
                frame.set_cursor_position(Position::new(row.x, y));
            }
            let words = line(&label, &cells(&at, &figures));
            let style = if is_selected { theme.text.patch(theme.select) } else { theme.text };
            put(frame, Rect { x: row.x + 1, width: row.width.saturating_sub(1), ..row }, &words, style);
        }
        if area.height > 3 {
            let y = list.y + (count as u16).min(list.height);
            let words = line("the service's flag", &cells("—", &self.evaluation.service));
            put(frame, Rect { y, height: 1, ..area }, &format!(" {words}"), theme.muted);
        }
    }

    /// Draws the curve on the left and the confusion table on the right; where there is no room for both, the table.
    fn draw_below_table(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let (theme, spacing) = (context.theme, context.session.spacing());
        let (title, figures, curves, at) = match self.selected_category() {
            Some(at) => {
                let category = &self.evaluation.categories[at];
                let threshold = self.threshold(&category.name);
                let title = category.name.line().into_owned();
                (title, category.scores.at(threshold), category.curves.as_ref(), Some(threshold))
            }
            None => ("any category".to_owned(), self.any, self.evaluation.highest_curves.as_ref(), None),
        };
        let pane = Pane {
            title: &title,
            note: "",
            right: "",
            right_style: theme.muted,
            focus: false,
            surface: Surface::Panel,
        };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let inner = spacing.pane(area).content;
        let inner = Rect { height: inner.height.min(CURVES), ..inner };
        let beside = inner.width >= TABLE + 28;
        let table = Rect { width: inner.width.min(TABLE), ..inner };
        let table = if beside { Rect { x: inner.right() - table.width, ..table } } else { table };
        confusion(frame, table, &figures, at, theme);
        if beside {
            let left = Rect { width: inner.width - TABLE - 2, ..inner };
            self.curves(frame, left, (curves, at), theme);
        }
    }
}

/// Returns a row's numbers: its threshold, rates, counts, and how many rows have no score.
fn cells(at: &str, figures: &ConfusionCounts) -> [String; 9] {
    let count = |number: usize| meter::count(number as u64);
    [
        at.to_owned(),
        meter::ratio(figures.precision()),
        meter::ratio(figures.recall()),
        meter::ratio(figures.f1()),
        count(figures.tp),
        count(figures.fp),
        count(figures.fn_),
        count(figures.tn),
        if figures.unscored == 0 { "·".to_owned() } else { count(figures.unscored) },
    ]
}

/// Draws two rows by two columns, each with its number and its share of the row.
fn confusion(frame: &mut Frame, area: Rect, figures: &ConfusionCounts, at: Option<f64>, theme: &Theme) {
    let label = 12;
    let cell = usize::from(area.width).saturating_sub(label) / 2;
    if cell < 8 || area.height < 3 {
        return;
    }
    let over = at.map_or_else(|| "flagged".to_owned(), |at| format!("{at:.2} or more"));
    let below = if at.is_some() { "less" } else { "not flagged" };
    let head = format!("{}{}{}", pad("", label), pad(&cut(&over, cell - 1), cell), cut(below, cell));
    put(frame, Rect { height: 1, ..area }, &head, theme.muted);
    let rows = [
        ("with label", [("TP", figures.tp, theme.good), ("FN", figures.fn_, theme.warn)]),
        ("no label", [("FP", figures.fp, theme.bad), ("TN", figures.tn, theme.muted)]),
    ];
    for ((name, counts), y) in rows.iter().zip(area.y + 1..area.bottom()) {
        put(frame, Rect { y, height: 1, ..area }, name, theme.text);
        let sum: usize = counts.iter().map(|(_, count, _)| count).sum();
        for (place, (mark, count, style)) in counts.iter().enumerate() {
            let x = area.x + (label + place * cell) as u16;
            let number = format!("{mark} {:>6} ", meter::short(*count as u64));
            let columns = cell.saturating_sub(number.width() + 1);
            let share = if sum == 0 { 0.0 } else { *count as f64 / sum as f64 };
            let row = Rect { x, y, width: cell as u16, height: 1 };
            put(frame, row, &number, theme.text);
            let place = Rect { x: x + number.width() as u16, width: columns as u16, ..row };
            bar::thin(share, place.intersection(frame.area()), frame.buffer_mut(), *style, theme);
        }
    }
    let said = format!(
        "P {}  R {}  F1 {}{}",
        meter::ratio(figures.precision()),
        meter::ratio(figures.recall()),
        meter::ratio(figures.f1()),
        match (figures.recall(), figures.unscored) {
            (None, _) => "  no row has this label".to_owned(),
            (_, 0) => String::new(),
            (_, rows) => format!("  {} without a score", meter::count(rows as u64)),
        }
    );
    if area.height > 4 {
        put(frame, Rect { y: area.y + 4, height: 1, ..area }, &said, theme.text);
    }
}

/// Returns how many columns a sentence has in an area.
fn inner_width(area: Rect) -> usize {
    usize::from(area.width.saturating_sub(2)).max(1)
}

/// Draws a sentence into the first rows.
fn says(frame: &mut Frame, area: Rect, words: &str, style: Style) {
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let lines = wrap::lines(words, inner_width(area));
    for (line, y) in lines.iter().zip(inner.y..inner.bottom()) {
        put(frame, Rect { y, height: 1, ..inner }, line, style);
    }
}

pub(super) fn put(frame: &mut Frame, area: Rect, words: &str, style: Style) {
    let area = area.intersection(frame.area());
    if !area.is_empty() {
        frame.buffer_mut().set_stringn(area.x, area.y, words, usize::from(area.width), style);
    }
}
