//! Draws the tab: which page, the title, the table, the lines below the results; and fits its parts to the screen.

use std::collections::BTreeSet;
use std::ops::Range;
use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::agreement::{ModelAgreement, model_names};
use super::bench_actions::EXAMPLES;
use super::bench_texts::letter;
use super::language::{ENGLISH, is_local};
use super::result_grid::{ChangeFormat, ColumnLayout, ColumnSummary, ResultGrid};
use super::single_column;
use super::state::{Moderate, Page};
use super::styled_text::{StyledText, lines};
use crate::api::call::Failure;
use crate::component::{Component, RenderContext, Session};
use crate::text::Untrusted;
use crate::ui::pane::{Pane, Surface};
use crate::ui::rule::cut_middle;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// The keys at the right of the table's title.
const BENCH_KEYS: &str = " · a add · e edit · m add model";

/// What is known before a key.
impl Moderate {
    /// Fits all parts to the area and to what has come.
    pub(super) fn fit(&mut self, area: Rect, session: &Session, now: Instant) {
        self.results.see_failures();
        self.modals.arrange(area, session, now);
        self.file.arrange(area, session, now);
        self.bench.resize(area.width, area.height);
        let models = self.models(session);
        self.bench.sync(&self.texts, &self.results, &self.file.shared, &models);
        self.bench.show_columns(area.width, models.len());
        let head = if self.bench.shows_one() { 1 } else { session.spacing().head(area.height) };
        let notes = if session.spacing().has_surfaces() { 0 } else { self.notes(area).len() as u16 };
        let body = below(area, head + notes);
        let focus = !self.modals.is_open();
        if let Some(writing) = &mut self.writing {
            writing.focus = focus;
            writing.arrange(writing.place(body), session, now);
        }
        self.fit_page(area, session, now);
    }

    fn fit_page(&mut self, area: Rect, session: &Session, now: Instant) {
        let data = self.page_data();
        let place = self.page_area(area, session, now);
        match &mut self.page {
            Page::Bench | Page::File => {}
            Page::History(page) => {
                page.sync(&self.results, data);
                page.arrange(place, session, now);
            }
            Page::Sentences(page) => {
                page.sync(&self.results, data);
                page.arrange(place, session, now);
            }
            Page::Conversation => {
                let model = self.models(session).into_iter().next().unwrap_or_default();
                let mut page = std::mem::take(&mut self.conversation);
                page.arrange(place, session, now);
                page.sync(&self.results, &model, |key| self.awaits(key, &model), data);
                self.conversation = page;
            }
        }
    }

    /// Returns the lines below the table's title.
    fn notes(&self, area: Rect) -> Vec<String> {
        if self.bench.shows_one() {
            return Vec::new();
        }
        let agreement = ModelAgreement::in_table(&self.bench.table);
        let mut notes: Vec<String> =
            agreement.iter().map(|agreement| format!(" {}", agreement.sentence(usize::from(area.width)))).collect();
        let mut columns = self.bench.table.columns.iter();
        if usize::from(area.height) > 17 + notes.len()
            && columns.any(|column| column.check.is_some() && is_local(&column.model))
        {
            notes.push(format!(" {ENGLISH}"));
        }
        notes
    }
}

/// Returns `area` without its first rows.
fn below(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect { y: area.y + rows, height: area.height - rows, ..area }
}

impl Moderate {
    /// Draws everything.
    pub(super) fn render_tab(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        if area.height < 4 || area.width < 10 {
            return;
        }
        match &self.page {
            Page::File => self.file.render(frame, area, context),
            Page::History(page) => self.render_page(page.as_ref(), frame, area, context),
            Page::Sentences(page) => self.render_page(page.as_ref(), frame, area, context),
            Page::Conversation => self.render_page(&self.conversation, frame, area, context),
            Page::Bench if self.texts.len() == 0 => self.render_empty(frame, area, context),
            Page::Bench if self.bench.shows_one() => single_column::render(frame, area, self, context),
            Page::Bench => self.render_table(frame, area, context),
        }
        self.modals.render(frame, area, context);
    }

    /// Draws a page, and what went wrong below it.
    fn render_page<E>(&self, page: &impl Component<E>, frame: &mut Frame, area: Rect, context: RenderContext) {
        let place = self.page_area(area, context.session, context.now);
        lines(frame, below(area, place.height), &self.problem(context, area.width));
        page.render(frame, place, context);
    }

    /// Returns `saving…` or why nothing is saved; `None`: all is on disk.
    fn saving(&self, context: RenderContext) -> Option<StyledText> {
        match self.saves.refusal().or(context.session.unsaved.as_ref()) {
            Some(why) => Some((format!("✕ not saved: {}", why.line()), context.theme.bad)),
            None => self.is_saving().then(|| ("saving…".to_owned(), context.theme.muted)),
        }
    }

    /// Draws the title; `keys`: what is at its right while nothing else has to.
    pub(super) fn render_title(&self, frame: &mut Frame, area: Rect, title: &str, keys: &str, context: RenderContext) {
        let theme = context.theme;
        let writing = self.writing.is_some();
        let (right, right_style) = match self.saving(context) {
            Some((words, style)) if style == theme.bad => (words, style),
            _ if self.checks.is_busy() => (self.checks.status().words(context), theme.busy),
            Some((words, style)) if writing => (format!("{words} · esc done · F4 $EDITOR"), style),
            None if writing => ("saved ✓ · esc done · F4 $EDITOR".to_owned(), theme.muted),
            // A file that is not done comes first.
            _ => match self.file.unfinished() {
                Some(file) => (format!("{file} · f · {keys}"), theme.muted),
                None => (keys.to_owned(), theme.muted),
            },
        };
        let spacing = context.session.spacing();
        let surfaces = spacing.has_surfaces();
        let right = if surfaces { right.replace(" · ", "   ") } else { right };
        let right_style = if surfaces && right_style == theme.muted { theme.faint } else { right_style };
        let focus = !self.modals.is_open();
        // With surfaces what is known of all texts stands behind the title, and the focus is on one of them.
        let bench = surfaces && matches!(self.page, Page::Bench) && !self.bench.shows_one();
        let note = if bench { self.notes(area).concat() } else { String::new() };
        let focus = focus && !(bench && self.writing.is_none());
        let pane = Pane { title, note: &note, right: &right, right_style, focus, surface: Surface::Ground };
        pane.render(area, frame.buffer_mut(), theme, spacing);
    }

    /// Draws the text that is written; returns the rows it takes.
    pub(super) fn render_writing(&self, frame: &mut Frame, body: Rect, context: RenderContext) -> Option<u16> {
        let writing = self.writing.as_ref()?;
        writing.render(frame, writing.place(body), context);
        Some(writing.rows())
    }

    /// Draws texts side by side.
    fn render_table(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        let models = self.models(context.session);
        let spacing = context.session.spacing();
        let facts = self.table_facts(models.len());
        let (title, facts) = match (&self.writing, facts.split_once(" · ")) {
            (Some(_), _) => (format!("Text {}", self.texts.title(self.bench.column / models.len().max(1))), facts),
            // How many there are stands in the title, where there is no rule to stand in; the footer has the keys.
            (None, Some((count, rest))) if spacing.has_surfaces() => {
                let rest = rest.strip_suffix(BENCH_KEYS.trim_start_matches(" · ")).unwrap_or(rest);
                (count.replace(" × ", ", "), rest.trim_end_matches(" · ").to_owned())
            }
            (None, _) => ("Texts".to_owned(), facts),
        };
        self.render_title(frame, area, &title, &facts, context);
        let notes = if spacing.has_surfaces() { Vec::new() } else { self.notes(area) };
        let notes: Vec<_> = notes.into_iter().map(|note| (note, theme.muted)).collect();
        let mut body = below(area, spacing.head(area.height));
        lines(frame, body, &notes);
        body = below(body, notes.len() as u16);
        let free = self.render_writing(frame, body, context);
        let problem = self.problem(context, area.width);
        let columns = ColumnLayout::of(area.width, self.bench.table.columns.len(), models.len());
        let inside = columns.inside().min(usize::from(area.width)) - usize::from(spacing.has_surfaces());
        // Its text's letter is before a name, as in `A · name`.
        let names = model_names(&models, inside.saturating_sub(4));
        let failure = self.failure(context.session).filter(|_| !problem.is_empty());
        let ends: Vec<ColumnSummary> = self
            .bench
            .in_view
            .clone()
            .map(|at| self.summary(at, inside, (&names, failure), context).unwrap_or_default())
            .collect();
        let mut labels = vec!["Highest", "Latency"];
        if models.len() > 1 {
            labels.push("Answered by");
        }
        let most = ends.iter().map(|ends| ends.lines.len()).max().unwrap_or(0);
        let none = BTreeSet::new();
        let grid = ResultGrid {
            table: &self.bench.table,
            first: self.bench.in_view.start,
            ends,
            labels,
            profile: self.file.shared.thresholds.profile(),
            column: self.bench.column,
            at: self.bench.at.as_ref(),
            marked: if self.bench.table.rows.is_empty() { &none } else { &self.bench.marked },
            moved: ChangeFormat::Both,
            group: models.len(),
            free,
        };
        if spacing.has_surfaces() {
            return self.render_cards(frame, body, (&grid, &problem), context);
        }
        // The lines below give way before the results do.
        let needed = grid.height(most.min(2));
        let foot = foot(&problem, self.threshold_line(theme), body.height.saturating_sub(needed), context);
        let rows = (foot.len() as u16).min(body.height / 2);
        body.height -= rows;
        let cursor = grid.render(frame, body, theme);
        if self.writing.is_none() && !self.modals.is_open() {
            frame.set_cursor_position(cursor);
        }
        for (line, y) in foot.iter().zip(body.bottom()..body.bottom() + rows) {
            frame.buffer_mut().set_line(area.x, y, line, area.width);
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
        let foot: Vec<Line> = if problem.is_empty() {
            vec![self.threshold_line(theme), Line::default(), legend(theme)]
        } else {
            problem.iter().map(|(words, style)| Line::styled(words.clone(), *style)).collect()
        };
        // The lines below give way before the results do.
        let needed = grid.height(1).saturating_sub(2);
        let rows = (foot.len() as u16 + 1).min(body.height.saturating_sub(needed)).min(body.height / 2);
        let (cursor, end) = grid.render_cards(frame, Rect { height: body.height - rows, ..body }, theme);
        if self.writing.is_none() && !self.modals.is_open() {
            frame.set_cursor_position(cursor);
        }
        let inset = context.session.spacing().side() - 1;
        let lines = if rows > foot.len() as u16 { &foot[..] } else { &foot[foot.len() - usize::from(rows)..] };
        let top = (end + 1 + inset).min(body.bottom() - (lines.len() as u16).min(body.height));
        for (line, y) in lines.iter().zip(top..body.bottom()) {
            frame.buffer_mut().set_line(body.x + inset, y, line, body.width.saturating_sub(2 * inset));
        }
    }

    /// Returns what is at the right of the table's title: how many texts, which columns, which thresholds, the keys.
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
        facts + BENCH_KEYS
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
        let mut name = self.texts.title(column.text);
        if names.len() > 1 {
            let answered = column.check.as_ref().map(|check| check.model.line().into_owned());
            feet.push((answered.unwrap_or_default(), theme.muted));
            let letter = format!("{} · ", letter(column.text));
            let room = width.saturating_sub(wrap::width(&letter));
            name = format!("{letter}{}", cut_middle(&names[at % names.len()], room));
        }
        Some(ColumnSummary {
            name,
            lines: self.quote(text, width).into_iter().map(|line| (line, theme.text)).collect(),
            verdict: self.verdict(column, &text.key, context),
            instead: (instead, theme.bad),
            feet,
        })
    }

    /// Returns the threshold of the row under the cursor and the keys that move it.
    pub(super) fn threshold_line(&self, theme: &Theme) -> Line<'static> {
        let table = &self.bench.table;
        let name = table.rows.get(table.row(self.bench.at.as_ref())).filter(|_| self.bench.at.is_some());
        let name = name.map(|row| table.categories[row.category].name.line().into_owned());
        Line::from_iter([
            Span::raw(" "),
            Span::styled(name.unwrap_or_default(), theme.heading),
            Span::styled(format!("  threshold {}   ", self.threshold()), theme.muted),
            Span::styled("- +", theme.accent),
            Span::styled(" move   ", theme.muted),
            Span::styled("0", theme.accent),
            Span::styled(" default", theme.muted),
        ])
    }

    /// Draws what the tab is for, its keys, and examples to load: No texts..
    fn render_empty(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let theme = context.theme;
        // With surfaces the keys stand below alone.
        let keys = if context.session.spacing().has_surfaces() { "" } else { "a add · f file" };
        self.render_title(frame, area, "Texts", keys, context);
        let width = usize::from(area.width.saturating_sub(2).min(76));
        let wrapped = |words: &str, style| -> Vec<StyledText> {
            wrap::lines(words, width).into_iter().map(|line| (format!(" {line}"), style)).collect()
        };
        let mut rows = wrapped("Check texts for harmful content, category by category.", theme.text);
        let keys = match width {
            ..48 => "⏎ try these · a write · f open a file",
            _ => "⏎ try these texts   a write your own   f open a file",
        };
        rows.extend(wrapped(keys, theme.muted));
        if let Some(file) = self.file.unfinished() {
            rows.extend(wrapped(&format!("{file} checked: f shows it, L lists earlier files."), theme.text));
        }
        let spacing = context.session.spacing();
        let head = spacing.head(area.height).max(1 + u16::from(area.height > 10));
        let room = usize::from(area.height.saturating_sub(head));
        if room > rows.len() + 6 {
            rows.push((String::new(), theme.text));
        }
        // Of a sample all is shown, or nothing.
        for (_, text) in EXAMPLES {
            let lines = wrapped(&format!("“{text}”"), theme.faint);
            if rows.len() + lines.len() <= room {
                rows.extend(lines);
            }
        }
        let inset = spacing.side() - 1;
        let place = below(Rect { x: area.x + inset, ..area }, head);
        frame.set_cursor_position(Position::new(place.x + 1, place.y));
        lines(frame, place, &rows);
    }
}

/// Returns the lines below the table, as far as there is room for them: what went wrong, else the threshold of the row
/// under the cursor and what the signs mean.
fn foot(problem: &[StyledText], threshold: Line<'static>, room: u16, context: RenderContext) -> Vec<Line<'static>> {
    let theme = context.theme;
    let rule = Line::styled("─".repeat(400), theme.rule);
    if !problem.is_empty() {
        let lines = problem.iter().map(|(words, style)| Line::styled(words.clone(), *style));
        return std::iter::once(rule).chain(lines).collect();
    }
    match room {
        0..2 => Vec::new(),
        2 => vec![rule, legend(theme)],
        3 => vec![rule, threshold, legend(theme)],
        _ => vec![rule, threshold, Line::default(), legend(theme)],
    }
}

/// Returns what the signs of bars mean.
pub(super) fn legend(theme: &Theme) -> Line<'static> {
    let parts = [
        ("⚑", theme.bad, " flagged by the service   "),
        ("▲", theme.bad, " over your threshold   "),
        ("┃", theme.muted, " your threshold   "),
        ("━", theme.warn, " at least half of it   "),
        ("!", theme.warn, " within 20% of it"),
    ];
    let spans = parts
        .into_iter()
        .flat_map(|(sign, style, words)| [Span::styled(sign, style), Span::styled(words, theme.faint)]);
    std::iter::once(Span::raw(" ")).chain(spans).collect()
}
