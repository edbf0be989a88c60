//! Draws the page.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::differences::differences;
use super::words::{FootPiece, FootStyle, brief, width};
use super::{CurvesBody, CurvesPage, WEIGHTS};
use crate::component::RenderContext;
use crate::tabs::fine_tunes::layout::SMALL;
use crate::tabs::fine_tunes::styled_lines::Styled;
use crate::ui::chart::{self, exact};
use crate::ui::meter;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::rule::{cut, cut_middle};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// What is said where no training is chosen.
const EMPTY: &str = "No job is selected. Curves come from a job's events and result file, or from a local \
compiled_results.csv or event log.";
/// Columns of a cell of a file's first rows at most.
const CELL: usize = 24;

impl CurvesPage {
    /// Draws it with its rule: heavy where it has the focus. The cursor of the screen is set only then.
    pub(super) fn draw(&self, frame: &mut Frame, area: Rect, context: RenderContext) {
        let (theme, spacing, focus) = (context.theme, context.session.spacing(), self.focus);
        let area = area.intersection(frame.area());
        if area.is_empty() {
            return;
        }
        let body = self.shown();
        let (title, note, right) = self.title(body, spacing);
        let right_style = if spacing.has_surfaces() { theme.faint } else { theme.muted };
        let pane = Pane { title: &title, note: &note, right: &right, right_style, focus, surface: Surface::Ground };
        pane.render(area, frame.buffer_mut(), theme, spacing);
        let inner = spacing.body(area);
        let at = match body {
            _ if self.is_empty() => {
                say(frame, inner, EMPTY, theme.muted);
                None
            }
            CurvesBody::Chart => self.draw_chart(frame, spacing.pane(area).content, theme),
            CurvesBody::Differences => self.table(frame, inner, &self.differences(inner.width), theme),
            CurvesBody::File => self.table(frame, inner, &self.files(), theme),
        };
        if focus {
            frame.set_cursor_position(at.unwrap_or(Position::new(area.x, inner.y.min(area.bottom() - 1))));
        }
    }

    /// Returns whether there is a curve to draw.
    pub(crate) fn draws(&self) -> bool {
        !self.lines.is_empty()
    }

    /// Fits it to its area.
    pub(super) fn fit(&mut self, area: Rect, spacing: Spacing) {
        self.update();
        let content = spacing.pane(area).content;
        let area = spacing.body(area);
        let lines = match self.shown() {
            CurvesBody::Chart if self.is_empty() => return,
            CurvesBody::Chart => return self.fit_chart(area, content, spacing.has_surfaces()),
            CurvesBody::Differences => self.differences(area.width),
            CurvesBody::File => self.files(),
        };
        let room = usize::from(area.height);
        self.first = self.first.min(lines.len().saturating_sub(room));
        let wide = lines.iter().map(|(words, _)| wrap::width(words)).max().unwrap_or(0);
        self.left = self.left.min(wide.saturating_sub(usize::from(area.width.saturating_sub(1))));
    }

    /// Returns what stands below the title: what cannot be drawn is shown as it stands.
    fn shown(&self) -> CurvesBody {
        let has_only_rows = self.body == CurvesBody::Chart && self.lines.is_empty() && self.has_only_head();
        if has_only_rows { CurvesBody::File } else { self.body }
    }

    /// Fits it to few rows without a title: the curves with a line of their last values, or only these.
    pub(crate) fn fit_small(&mut self, area: Rect) {
        self.update();
        let mut foot = self.legend(usize::from(area.width));
        foot.truncate(usize::from(if area.height > SMALL { 1 } else { area.height }));
        let height = if area.height > SMALL { area.height - 1 } else { 0 };
        let chart = Rect { height, ..area };
        self.with_chart(|drawn, view| drawn.fit(view, chart));
        self.chart = (chart, foot);
    }

    /// Draws it in few rows.
    pub(crate) fn draw_small(&self, frame: &mut Frame, area: Rect, theme: &Theme) {
        self.draw_chart(frame, area, theme);
    }

    /// Returns whether a file has rows and none of the trainings a curve.
    fn has_only_head(&self) -> bool {
        let runs = self.runs();
        runs.iter().all(|run| run.curves().next().is_none())
            && runs.iter().any(|run| run.file().is_some_and(|file| !file.head.is_empty()))
    }

    /// Returns the title, what is shown after it, and what at its right.
    fn title(&self, body: CurvesBody, spacing: Spacing) -> (String, String, String) {
        let runs = self.runs();
        let name = match &runs[..] {
            [] => return ("Curves".to_owned(), String::new(), String::new()),
            [run] => run.list_name().unwrap_or_else(|| run.name()),
            runs => format!("{} jobs", runs.len()),
        };
        // Where lines tell panes apart, both are one text.
        let behind = |name: String| if spacing.has_surfaces() { name } else { format!("· {name}") };
        match body {
            CurvesBody::Differences => return ("Settings that differ".to_owned(), behind(name), String::new()),
            CurvesBody::File => return ("Files".to_owned(), behind(name), String::new()),
            CurvesBody::Chart => {}
        }
        let mut right = Vec::new();
        if self.log {
            right.push("log".to_owned());
        }
        match WEIGHTS[self.smoothing] {
            chart::BY_LENGTH.. => {}
            0.0 => right.push("not smoothed".to_owned()),
            weight => right.push(format!("smoothing {weight}")),
        }
        if self.in_epochs() {
            right.push("epochs".to_owned());
        }
        if !self.which.words().is_empty() {
            right.push(self.which.words().to_owned());
        }
        if let Some((low, high)) = self.view.borrow().window() {
            let (low, high) =
                if self.in_epochs() { (brief(low), brief(high)) } else { (exact(low.ceil()), exact(high.floor())) };
            right.push(format!("{low}–{high}"));
        }
        if let [run] = &runs[..] {
            right.extend(run.step().map(|(step, of)| match of {
                Some(of) => format!("step {} of {}", exact(step), exact(of)),
                None => format!("step {}", exact(step)),
            }));
        }
        (self.metric.words().into_owned(), behind(name), right.join(" · "))
    }

    /// Draws the curves and the lines below them; returns where the cursor is.
    fn draw_chart(&self, frame: &mut Frame, inside: Rect, theme: &Theme) -> Option<Position> {
        let (area, foot) = &self.chart;
        let area = area.intersection(frame.area());
        // What was drawn before in another height goes; the background stays.
        for position in area.positions() {
            frame.buffer_mut()[position].set_char(' ');
        }
        let at = if self.draws() {
            self.with_chart(|chart, view| chart.render(view, area, frame.buffer_mut(), theme))
        } else {
            // What is empty says so in the upper third.
            let y = area.y + area.height / 6;
            let place = Rect { y, height: area.bottom() - y, ..inside };
            let lines = wrap::lines(self.awaited(), usize::from(place.width).max(1));
            for (line, y) in lines.iter().zip(place.top()..place.bottom()) {
                frame.buffer_mut().set_stringn(place.x, y, line, usize::from(place.width), theme.muted);
            }
            None
        };
        let below = Rect { y: area.bottom(), height: inside.bottom().saturating_sub(area.bottom()), ..inside };
        say_foot(frame, below, foot, theme);
        at
    }

    /// Fits the curves to the rows that the lines below them leave.
    fn fit_chart(&mut self, rows: Rect, inside: Rect, has_surfaces: bool) {
        // With surfaces the labels of the values are what stands at the left edge.
        let area = if has_surfaces { inside } else { Rect { width: rows.width.saturating_sub(1), ..rows } };
        let fit = |curves: &Self, foot: usize| {
            let chart = Rect { height: area.height.saturating_sub(foot as u16), ..area };
            curves.with_chart(|drawn, view| drawn.fit(view, chart));
            chart
        };
        // What the chart leaves out is said below it, and known once it is fitted, in whatever height.
        let before = self.chart.1.len();
        let chart = fit(self, before);
        let foot = self.foot(inside);
        let chart = if foot.len() == before { chart } else { fit(self, foot.len()) };
        self.chart = (chart, foot);
    }

    /// Returns the lines below the curves, as many as leave room for them.
    fn foot(&self, area: Rect) -> Vec<FootPiece> {
        let most = usize::from(area.width);
        let mut foot = self.under_cursor(most);
        foot.extend(self.legend(most));
        for words in self.warnings() {
            foot.push(vec![(format!("! {words}"), FootStyle::Warn)]);
        }
        let least = (area.height / 2).max(area.height.min(6));
        let room = usize::from(area.height - least);
        if foot.len() > room {
            foot.truncate(room);
            if let Some(last) = foot.last_mut().filter(|last| width(last) + 2 <= most) {
                last.push((" …".to_owned(), FootStyle::Muted));
            }
        }
        foot
    }

    /// Draws lines that are scrolled. Returns where the cursor belongs.
    fn table(&self, frame: &mut Frame, area: Rect, lines: &[Styled], theme: &Theme) -> Option<Position> {
        let x = area.x + area.width.min(1);
        let columns = usize::from(area.right().saturating_sub(x));
        for ((words, style), y) in lines.iter().skip(self.first).zip(area.top()..area.bottom()) {
            let shown: String = words.chars().skip(self.left).collect();
            frame.buffer_mut().set_stringn(x, y, cut(&shown, columns), columns, style(theme));
        }
        (!area.is_empty()).then(|| Position::new(x.min(area.right() - 1), area.y))
    }

    /// Returns the settings that differ, a row each, and how many are equal.
    fn differences(&self, columns: u16) -> Vec<Styled> {
        let runs = self.runs();
        let (different, equal) = differences(&runs);
        let columns = usize::from(columns.saturating_sub(2));
        let names = different.iter().map(|setting| setting.name.len()).max().unwrap_or(0).max(7).min(columns / 3);
        let share = (columns - names) / runs.len().max(1);
        let share = share.saturating_sub(2).clamp(8, 40);
        let row = |name: &str, values: &mut dyn Iterator<Item = String>| {
            let cells = values.map(|value| {
                let value = cut_middle(&value, share);
                let room = share.saturating_sub(wrap::width(&value));
                format!("  {value}{}", " ".repeat(room))
            });
            format!("{:<names$}{}", cut(name, names), cells.collect::<String>()).trim_end().to_owned()
        };
        let mut titles = runs.iter().enumerate().map(|(at, run)| format!("{} {}", super::letter(at, true), run.name()));
        let mut lines: Vec<Styled> = vec![(row("setting", &mut titles), |theme| theme.heading)];
        let settings = different.iter().map(|setting| row(setting.name, &mut setting.values.iter().cloned()));
        lines.extend(settings.map(|row| -> Styled { (row, |theme| theme.text) }));
        let words = match (runs.len(), equal) {
            (0 | 1, _) => "only one job: press space on others in the job list".to_owned(),
            (_, 0) => "no settings are the same".to_owned(),
            (_, 1) => "1 setting is the same".to_owned(),
            (_, equal) => format!("{equal} settings are the same"),
        };
        lines.push((String::new(), |theme| theme.text));
        lines.push((words, |theme| theme.muted));
        lines
    }

    /// Notes on each file, and its first rows as they stand.
    fn files(&self) -> Vec<Styled> {
        let mut lines: Vec<Styled> = Vec::new();
        for (at, run) in self.runs().iter().enumerate() {
            if at > 0 {
                lines.push((String::new(), |theme| theme.text));
            }
            let name = format!("{} {}", super::letter(at, true), run.name());
            let Some(file) = run.file() else {
                lines.push((format!("{name}: no file"), |theme| theme.muted));
                continue;
            };
            let title = format!("{name}: {}, {} rows", file.name.line(), meter::count(file.rows));
            lines.push((title, |theme| theme.heading));
            lines
                .extend(file.notes.iter().map(|note| -> Styled { (format!("! {}", note.line()), |theme| theme.warn) }));
            let cells: Vec<Vec<String>> =
                file.head.iter().map(|row| row.iter().map(|cell| cell.line().into_owned()).collect()).collect();
            let count = cells.iter().map(Vec::len).max().unwrap_or(0);
            let most = if count > 1 { CELL } else { usize::MAX };
            let width = |column: usize| {
                let widths = cells.iter().filter_map(|row| row.get(column)).map(|cell| wrap::width(cell));
                widths.max().unwrap_or(0).min(most)
            };
            let widths: Vec<usize> = (0..count).map(width).collect();
            for row in &cells {
                let mut line = String::new();
                for (cell, width) in row.iter().zip(&widths) {
                    let cell = cut(cell, *width);
                    line += &cell;
                    line += &" ".repeat(width - wrap::width(&cell) + 2);
                }
                lines.push((line.trim_end().to_owned(), |theme| theme.text));
            }
        }
        lines
    }
}

/// Draws what stands below the curves.
fn say_foot(frame: &mut Frame, area: Rect, foot: &[FootPiece], theme: &Theme) {
    for (line, y) in foot.iter().zip(area.top()..area.bottom()) {
        let mut x = area.x;
        for (words, style) in line {
            let room = usize::from(area.right().saturating_sub(x));
            let words = cut(words, room);
            let (end, _) = frame.buffer_mut().set_stringn(x, y, &words, room, style.of(theme));
            x = end;
        }
    }
}

/// Draws words over some lines.
fn say(frame: &mut Frame, area: Rect, words: &str, style: Style) {
    let room = usize::from(area.width.saturating_sub(2)).max(1);
    for (line, y) in wrap::lines(words, room).iter().zip(area.y + u16::from(area.height > 6)..area.bottom()) {
        frame.buffer_mut().set_stringn(area.x + area.width.min(1), y, line, room, style);
    }
}
