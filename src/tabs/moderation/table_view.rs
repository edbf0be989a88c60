//! Draws the table of results: its title, the texts with their cells, the lines below them.

use std::collections::BTreeSet;
use std::ops::Range;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::agreement::model_names;
use super::bench_texts::letter;
use super::result_grid::{ChangeFormat, ColumnLayout, ColumnSummary, ResultGrid};
use super::state::Moderate;
use super::styled_text::StyledText;
use crate::api::call::Failure;
use crate::component::{RenderContext, draw_lines, failure_line};
use crate::text::Untrusted;
use crate::ui::overlay::below;
use crate::ui::pane::Spacing;
use crate::ui::rule::cut_middle;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Returns what the rows below the columns are called: without a result there is nothing to name.
fn foot_labels(columns: &[ColumnSummary], models: usize) -> Vec<&'static str> {
    let has_result = columns.iter().any(|column| column.feet.iter().any(|(words, _)| !words.is_empty()));
    match (has_result, models > 1) {
        (false, _) => Vec::new(),
        (true, false) => vec!["Highest", "Latency"],
        (true, true) => vec!["Highest", "Latency", "Answered by"],
    }
}

impl Moderate {
    /// Draws texts side by side.
    pub(super) fn render_table(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let models = self.models(context.session);
        let spacing = context.session.spacing();
        let (title, facts) = self.table_title(models.len(), spacing);
        self.render_title(frame, area, &title, &facts, context);
        let notes: Vec<_> = self.notes(area, spacing).into_iter().map(|note| (note, theme.muted)).collect();
        let below_title = Rect { y: spacing.pane(area).title.bottom(), ..spacing.body(area) };
        draw_lines(frame.buffer_mut(), below_title, &notes, theme);
        let mut body = below(area, spacing.head(area.height) + notes.len() as u16);
        let free = self.render_writing(frame, body, context);
        let problem = self.problem(context, area.width);
        let columns = ColumnLayout::of(area.width, self.bench.table.columns.len(), models.len());
        let inside = columns.inside().min(usize::from(area.width)) - usize::from(spacing.has_surfaces());
        // Its text's letter is before a name, as in `A · name`.
        let names = model_names(&models, inside.saturating_sub(4));
        let failure = self.failure(context.session).filter(|_| !problem.is_empty());
        let summary = |at| self.summary(at, inside, (&names, failure), context).unwrap_or_default();
        let ends: Vec<ColumnSummary> = self.bench.in_view.clone().map(summary).collect();
        let most = ends.iter().map(|ends| ends.lines.len()).max().unwrap_or(0);
        let none = BTreeSet::new();
        let grid = ResultGrid {
            table: &self.bench.table,
            first: self.bench.in_view.start,
            labels: foot_labels(&ends, models.len()),
            ends,
            profile: self.file.shared.thresholds.profile(),
            column: self.bench.column,
            at: self.bench.at.as_ref(),
            marked: if self.bench.table.rows.is_empty() { &none } else { &self.bench.marked },
            moved: ChangeFormat::Both,
            group: models.len(),
            free,
            side: spacing.side(),
        };
        if spacing.has_surfaces() {
            return self.render_cards(frame, body, (&grid, &problem), context);
        }
        // The lines below give way before the results do.
        let needed = grid.height(most.min(2));
        let room = (area.width, body.height.saturating_sub(needed));
        let foot = foot(&problem, self.threshold_line(theme), room, context);
        let rows = (foot.len() as u16).min(body.height / 2);
        // The lines below are right below the table, however much room there is.
        body.height = (body.height - rows).min(grid.height(most));
        let cursor = grid.render(frame, body, theme);
        if self.text_editor.is_none() && !self.modals.is_open() {
            frame.set_cursor_position(cursor);
        }
        for (line, y) in foot.iter().zip(body.bottom()..body.bottom() + rows) {
            frame.buffer_mut().set_line(area.x, y, line, area.width);
        }
    }

    /// Returns the title of the table, and the facts beside it.
    fn table_title(&self, models: usize, spacing: Spacing) -> (String, String) {
        let facts = self.table_facts(models);
        let (count, rest) = facts.split_once(" · ").unwrap_or((&facts, ""));
        match &self.text_editor {
            Some(_) => (format!("Text {}", self.texts.title(self.bench.column / models.max(1))), facts),
            // How many there are stands in the title, where there is no rule to stand in.
            None if spacing.has_surfaces() => (count.replace(" × ", ", "), rest.to_owned()),
            None => ("Texts".to_owned(), facts),
        }
    }

    /// Draws the table as cards, and right below it what went wrong, else the threshold and what the signs mean.
    fn render_cards(
        &self,
        frame: &mut Frame,
        body: Rect,
        (grid, problem): (&ResultGrid, &[StyledText]),
        context: RenderContext,
    ) {
        let theme = context.theme;
        let inset = context.session.spacing().side() - 1;
        let width = usize::from(body.width.saturating_sub(2 * inset));
        let foot: Vec<Line> = match self.threshold_line(theme) {
            _ if !problem.is_empty() => {
                problem.iter().map(|(words, style)| failure_line(words, *style, width, theme)).collect()
            }
            Some(threshold) => vec![threshold, Line::default(), legend(width, theme)],
            None => Vec::new(),
        };
        // The lines below give way before the results do.
        let needed = grid.height(1).saturating_sub(2);
        let rows = (foot.len() as u16 + 1).min(body.height.saturating_sub(needed)).min(body.height / 2);
        let (cursor, end) = grid.render_cards(frame, Rect { height: body.height - rows, ..body }, theme);
        if self.text_editor.is_none() && !self.modals.is_open() {
            frame.set_cursor_position(cursor);
        }
        let lines = if rows > foot.len() as u16 { &foot[..] } else { &foot[foot.len() - usize::from(rows)..] };
        let top = (end + 1 + inset).min(body.bottom() - (lines.len() as u16).min(body.height));
        for (line, y) in lines.iter().zip(top..body.bottom()) {
            frame.buffer_mut().set_line(body.x + inset, y, line, body.width.saturating_sub(2 * inset));
        }
    }

    /// Returns what is at the right of the table's title: how many texts, which columns, which thresholds.
    fn table_facts(&self, models: usize) -> String {
        let all = self.bench.table.columns.len();
        let Range { start: first, end: shown } = self.bench.in_view;
        let some = shown - first < all;
        let s = |count: usize| if count == 1 { "" } else { "s" };
        let texts = self.texts.len();
        let mut facts = format!("{texts} text{} × {models} model{}", s(texts), s(models));
        if some {
            facts = format!("{facts} · {}–{shown} of {all} · < >", first + 1);
        }
        if self.bench.differences {
            let what = if models > 1 { "models differ" } else { "texts differ" };
            let of = if some { ", of all columns" } else { "" };
            facts = format!("{facts} · only where {what}{of}");
        }
        if self.file.shared.thresholds.chosen() > 0 {
            let name = Untrusted::from(self.file.shared.thresholds.profile().name.as_str());
            facts = format!("{facts} · thresholds “{}”", name.line());
        }
        facts
    }

    /// Returns what is written above and below a column's cells. `names`: of the models; `below`: the failure that
    /// is shown below the table.
    fn summary(
        &self,
        at: usize,
        width: usize,
        (names, below): (&[String], Option<&Failure>),
        context: RenderContext,
    ) -> Option<ColumnSummary> {
        let theme = context.theme;
        let column = self.bench.table.columns.get(at)?;
        let text = self.texts.get(column.text)?;
        let why = self.results.failure(&text.key, &column.model).filter(|_| column.check.is_none());
        // A failure shown below is not repeated in each column.
        let why = why.filter(|why| below.is_none_or(|below| below.sentence != why.sentence));
        let instead = why.map(|why| why.sentence.line().into_owned()).unwrap_or_default();
        let mut feet = vec![(Self::highest(column), theme.text), (self.latency(column), theme.muted)];
        if column.check.is_none() {
            feet = vec![(String::new(), theme.text); 2];
        }
        let letter = letter(column.text);
        let (mut name, before_model) = match &self.text_editor {
            None => (self.texts.title(column.text), format!("{letter} · ")),
            // The title names the only text.
            Some(_) if self.texts.len() == 1 => (String::new(), String::new()),
            // While a text is written, the others are not shown above their scores.
            Some(editor) => {
                let whose = if editor.id == text.row.id { "this text" } else { "another text" };
                (format!("{letter} · {whose}"), format!("{letter} · {whose} · "))
            }
        };
        if names.len() > 1 {
            let answered = column.check.as_ref().map(|check| check.model.line().into_owned());
            feet.push((answered.unwrap_or_default(), theme.muted));
            let room = width.saturating_sub(wrap::width(&before_model));
            name = format!("{before_model}{}", cut_middle(&names[at % names.len()], room));
        }
        Some(ColumnSummary {
            name,
            lines: self.quote(text, width).into_iter().map(|line| (line, theme.text)).collect(),
            verdict: self.verdict(column, &text.key, context),
            instead: (instead, theme.bad),
            feet,
        })
    }

    /// Returns the threshold of the row under the cursor and the keys that move it; `None`: there is no row.
    pub(super) fn threshold_line(&self, theme: &Theme) -> Option<Line<'static>> {
        let table = &self.bench.table;
        let row = table.rows.get(table.row(self.bench.at.as_ref())).filter(|_| self.bench.at.is_some())?;
        let name = table.categories[row.category].name.line().into_owned();
        let line = Line::from_iter([
            Span::raw(" "),
            Span::styled(name, theme.heading),
            Span::styled(format!("  threshold {}   ", self.threshold()), theme.muted),
            Span::styled("- +", theme.accent),
            Span::styled(" move   ", theme.muted),
            Span::styled("0", theme.accent),
            Span::styled(" default", theme.muted),
        ]);
        Some(line)
    }
}

/// Returns the lines below the table, as far as there are columns and rows for them: what went wrong, else the threshold
/// of the row under the cursor and what the signs mean.
fn foot(
    problem: &[StyledText],
    threshold: Option<Line<'static>>,
    (width, room): (u16, u16),
    context: RenderContext,
) -> Vec<Line<'static>> {
    let theme = context.theme;
    let rule = Line::styled("─".repeat(400), theme.rule);
    if !problem.is_empty() {
        let lines = problem.iter().map(|(words, style)| Line::styled(words.clone(), *style));
        return std::iter::once(rule).chain(lines).collect();
    }
    let Some(threshold) = threshold else { return Vec::new() };
    let legend = legend(usize::from(width), theme);
    match room {
        0..2 => Vec::new(),
        2 => vec![rule, legend],
        3 => vec![rule, threshold, legend],
        _ => vec![rule, threshold, Line::default(), legend],
    }
}

/// Returns what the signs of bars mean, as far as there is room.
fn legend(width: usize, theme: &Theme) -> Line<'static> {
    let parts = [
        ("⚑", theme.bad, " flagged by the service"),
        ("▲", theme.bad, " over your threshold"),
        ("┃", theme.muted, " your threshold"),
        ("━", theme.warn, " at least half of it"),
        ("!", theme.warn, " within 20% of it"),
    ];
    let mut line = Line::default();
    for (sign, style, words) in parts {
        let gap = if line.spans.is_empty() { " " } else { "   " };
        // What has no room is left out whole.
        if line.width() + wrap::width(gap) + wrap::width(sign) + wrap::width(words) > width {
            break;
        }
        line.extend([Span::raw(gap), Span::styled(sign, style), Span::styled(words, theme.faint)]);
    }
    line
}
