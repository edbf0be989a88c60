//! Arranges and draws the check page.

use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::figures::{self, LineTone};
use super::line_canvas::{LineCanvas, row};
use super::{CheckPage, CheckPane, CheckPhase, columns, wording};
use crate::component::RenderContext;
use crate::record::training::{Problem, Repair, Sample};
use crate::text::Untrusted;
use crate::ui::meter::{count, spinner};
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::progress::{Progress, State, Unit};
use crate::ui::size_class::WIDE;
use crate::ui::wrap;

/// From so many rows on a repair shows real rows.
const TALL: u16 = 9;

/// Lines of a real row that show.
const SAMPLE: usize = 4;

/// Fits cursors and scroll to an area.
pub(super) fn arrange(page: &mut CheckPage, area: Rect, spacing: Spacing) {
    if area.is_empty() || !shows_report(page) {
        return;
    }
    for (which, area) in panes(page, spacing.pane(area).content) {
        let area = below(area, 1);
        let height = usize::from(area.height);
        if which == page.view.pane {
            page.view.height = height.max(1);
        }
        match which {
            CheckPane::Columns => _ = page.view.columns.window(height, page.report.columns.len()),
            CheckPane::Problems => {
                let (rows, _) = problem_rows(page, area);
                page.view.problems.window(rows, page.report.problems.len());
            }
            CheckPane::Repairs => {
                let rows = height.saturating_sub(repair_detail(page, area).len()).max(3);
                page.view.repairs.window(rows, page.report.repairs.len());
            }
            CheckPane::Figures => {
                let lines = figures::lines(page, usize::from(area.width)).len();
                page.view.figures = page.view.figures.min(lines.saturating_sub(height));
            }
        }
    }
}

/// Whether what was found stands on the page: it stays while rows are read again for other columns.
fn shows_report(page: &CheckPage) -> bool {
    match page.run.phase {
        CheckPhase::Reading { .. } => page.choices.stays,
        CheckPhase::Failed(_) => false,
        _ => true,
    }
}

pub(super) fn render(page: &CheckPage, buf: &mut Buffer, area: Rect, context: RenderContext) {
    let focus = page.view.focus;
    let (theme, now) = (context.theme, context.now);
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return;
    }
    let about = match (shows_report(page), area.width < 60) {
        (false, _) => String::new(),
        (true, true) => wording::rows(page.report.rows),
        (true, false) => wording::about(&page.report),
    };
    let mut title = Untrusted::from("Check ");
    title.append(&wording::name(page));
    let (spacing, surface) = (context.session.spacing(), Surface::Ground);
    let pane = Pane { title: &title.line(), note: "", right: &about, right_style: theme.muted, focus, surface };
    pane.render(area, buf, theme, spacing);
    let inside = spacing.pane(area).content;
    let mut canvas = LineCanvas { buf, theme };
    let spin = FrameTime { motion: context.session.motion, now };
    match &page.run.phase {
        CheckPhase::Reading { done, total } if !page.choices.stays => {
            let words = format!("{} reading every row", spin.glyph(page));
            canvas.line(inside, 1, &words, theme.busy);
            moving(page, (*done, *total), &mut canvas, below(inside, 2), spin);
        }
        CheckPhase::Failed(why) => {
            let at = canvas.wrapped(inside, 1, &format!("✕ {}", why.line()), theme.bad);
            canvas.line(inside, at + 2, "r checks it again", theme.muted);
        }
        _ => {
            head(page, inside).draw(&mut canvas);
            foot(page, &mut canvas, inside, spin);
            for (which, area) in panes(page, inside) {
                part(page, &mut canvas, (area, spacing.within()), which, focus);
            }
        }
    }
}

/// The time of a frame, and whether things may move in it.
#[derive(Clone, Copy)]
struct FrameTime {
    motion: bool,
    now: Instant,
}

impl FrameTime {
    fn elapsed(self, page: &CheckPage) -> Duration {
        if self.motion { self.now.saturating_duration_since(page.run.began) } else { Duration::ZERO }
    }

    fn glyph(self, page: &CheckPage) -> &'static str {
        spinner(self.elapsed(page), self.motion)
    }
}

/// Returns the rest of an area below so many rows.
fn below(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect { y: area.y + rows, height: area.height - rows, ..area }
}

fn moving(page: &CheckPage, (done, total): (u64, u64), canvas: &mut LineCanvas, area: Rect, spin: FrameTime) {
    let progress = Progress {
        done,
        total: (total > 0).then_some(total),
        unit: Unit::Bytes,
        rate: page.run.rate.per_second(spin.now),
        left: page.run.rate.left(spin.now, total.saturating_sub(done)),
        state: State::Running,
        elapsed: spin.elapsed(page),
    };
    if area.height > 0 {
        progress.render(Rect { height: 1, ..area }, canvas.buf, canvas.theme);
    }
}

/// Returns the parts of the page that show, with their areas.
fn panes(page: &CheckPage, area: Rect) -> Vec<(CheckPane, Rect)> {
    let middle = below(area, head(page, area).rows());
    let middle = Rect { height: middle.height.saturating_sub(foot_rows(page, area)), ..middle };
    if middle.height == 0 {
        return Vec::new();
    }
    // The panes' rules go from edge to edge.
    let wide = area.width + 2 >= WIDE;
    if !wide {
        return vec![(page.view.pane, middle)];
    }
    let mut left = Rect { width: middle.width / 2, ..middle };
    let right = Rect { x: left.right() + 1, width: middle.width.saturating_sub(left.width + 1), ..middle };
    let lines = figures::lines(page, usize::from(right.width)).len() + 1;
    let upper = right.height.saturating_sub(u16::try_from(lines).unwrap_or(u16::MAX)).max(right.height / 2);
    let mut panes = Vec::new();
    // A file that has the usual names needs no thought of them.
    let own = page.report.mapping.as_ref().is_some_and(columns::has_own_names);
    if page.view.pane == CheckPane::Columns || own {
        let lines = u16::try_from(page.report.columns.len()).unwrap_or(u16::MAX).saturating_add(1);
        let lines = lines.min(left.height / 2);
        panes.push((CheckPane::Columns, Rect { height: lines, ..left }));
        left = below(left, lines);
    }
    let rest = [(CheckPane::Problems, left), (CheckPane::Repairs, Rect { height: upper, ..right })];
    panes.extend(rest.into_iter().chain([(CheckPane::Figures, below(right, upper))]));
    panes.retain(|(_, area)| area.height > 0);
    panes
}

/// Lines of text, each with its place.
struct HeadLines {
    area: Rect,
    lines: Vec<(Rect, String, LineTone)>,
    next: usize,
}

impl HeadLines {
    /// Adds a text over several lines, so many at most.
    fn wrapped(&mut self, text: &str, most: usize, tone: LineTone) {
        for line in wrap::lines(text, usize::from(self.area.width).max(1)).into_iter().take(most) {
            self.lines.push((below(self.area, self.next as u16), line.to_owned(), tone));
            self.next += 1;
        }
    }

    fn rows(&self) -> u16 {
        u16::try_from(self.next).unwrap_or(u16::MAX).min(self.area.height)
    }

    fn draw(&self, canvas: &mut LineCanvas) {
        for (area, line, tone) in &self.lines {
            canvas.line(*area, 0, line, tone.style(canvas.theme));
        }
    }
}

/// Returns what holds of the whole file.
fn head(page: &CheckPage, area: Rect) -> HeadLines {
    let report = &page.report;
    let problems = wording::problems(report);
    let all = report.valid == report.rows && report.rows > 0;
    let (sign, tone) = if all { ("✓", LineTone::Ok) } else { ("!", LineTone::Warn) };
    let mut parts = vec![(format!("{sign} {} of {} good", count(report.valid), wording::rows(report.rows)), tone)];
    if problems > 0 {
        // Those that keep no row from being learnt from are no errors.
        let (sign, what, tone) =
            if all { ("!", "warning", LineTone::Warn) } else { ("✕", "problem", LineTone::Error) };
        parts.push((format!("{sign} {} {what}{}", count(problems), if problems == 1 { "" } else { "s" }), tone));
    }
    if area.width >= 60 {
        parts.push((wording::task(report).to_owned(), LineTone::Muted));
    }
    let mut head = HeadLines { area, lines: Vec::new(), next: 1 };
    let mut rest = area;
    for (part, tone) in parts {
        let taken = u16::try_from(part.width() + 3).unwrap_or(u16::MAX).min(rest.width);
        head.lines.push((rest, part, tone));
        rest = Rect { x: rest.x + taken, width: rest.width - taken, ..rest };
    }
    // In little room the list says the same.
    if area.height > 14 && problems > 0 {
        head.wrapped(&wording::counts(report), 2, LineTone::Muted);
    }
    if let Some(mapping) = report.mapping.as_ref().filter(|_| report.guessed || page.view.pane == CheckPane::Columns)
        && area.height > 8
    {
        let (guess, tone) = if report.guessed { ("! guessed: ", LineTone::Warn) } else { ("", LineTone::Muted) };
        head.wrapped(&format!("{guess}{}", columns::summary(mapping).line()), 2, tone);
    }
    for (sign, why, tone) in [("✕", &report.stop, LineTone::Error), ("!", &report.cut, LineTone::Warn)] {
        if let Some(why) = why
            && area.height > 8
        {
            head.wrapped(&format!("{sign} {}", why.line()), usize::MAX, tone);
        }
    }
    head
}

/// Returns how many rows at the foot say what is written or would be.
fn foot_rows(page: &CheckPage, area: Rect) -> u16 {
    match page.run.phase {
        _ if area.height < 4 => 0,
        _ if page.columns.template.is_some() => 2,
        CheckPhase::Reading { .. } => 1,
        CheckPhase::Writing { .. } => 2,
        _ => u16::try_from(outcome(page, area).len()).unwrap_or(1),
    }
}

/// Draws what is written or would be.
fn foot(page: &CheckPage, canvas: &mut LineCanvas, area: Rect, spin: FrameTime) {
    let theme = canvas.theme;
    let rows = foot_rows(page, area);
    if rows == 0 {
        return;
    }
    let (whole, area) = (area, below(area, area.height - rows));
    match page.run.phase {
        _ if page.columns.template.is_some() => {
            // The line itself is drawn over it, with its cursor.
            canvas.line(area, 0, "{column} stands for a column, \\n for a line end", theme.muted);
            canvas.line(area, 1, "template", theme.text);
        }
        CheckPhase::Reading { .. } => {
            canvas.line(area, 0, &format!("{} reading every row", spin.glyph(page)), theme.busy);
        }
        CheckPhase::Writing { done, total } => {
            canvas.line(area, 0, &format!("{} writing the mended copy", spin.glyph(page)), theme.busy);
            moving(page, (done, total), canvas, below(area, 1), spin);
        }
        _ => {
            for (at, (line, tone)) in outcome(page, whole).iter().enumerate() {
                canvas.line(area, at, line, tone.style(theme));
            }
        }
    }
}

/// Returns what was written, and what happens next, as the last lines of an area.
fn outcome(page: &CheckPage, area: Rect) -> Vec<(String, LineTone)> {
    let mut lines: Vec<(Untrusted, LineTone)> = Vec::new();
    if let CheckPhase::Written(prepared) = &page.run.phase {
        lines.extend(wording::written(prepared).into_iter().map(|line| (line, LineTone::Ok)));
        lines.extend(
            wording::requests(&prepared.prompt_end, &prepared.completion_end).map(|line| (line, LineTone::Plain)),
        );
    }
    let tone = match &page.run.phase {
        CheckPhase::NotWritten(_) => LineTone::Error,
        CheckPhase::Written(_) => LineTone::Accent,
        _ if wording::objection(&page.report).is_some() => LineTone::Error,
        _ => LineTone::Muted,
    };
    lines.push((wording::next(page), tone));
    let (width, height) = (usize::from(area.width).max(1), usize::from(area.height));
    let wrapped = |(line, tone): &(Untrusted, LineTone)| {
        wrap::lines(&line.line(), width).into_iter().map(|row| (row.to_owned(), *tone)).collect::<Vec<_>>()
    };
    let whole: Vec<(String, LineTone)> = lines.iter().flat_map(wrapped).collect();
    // A reason is worth more rows than what a key does.
    let most = if tone == LineTone::Error { height / 3 } else { height / 6 };
    let mut lines = if whole.len() <= most.max(lines.len()) {
        whole
    } else {
        lines.iter().map(|(line, tone)| (line.line().into_owned(), *tone)).collect()
    };
    let rows = lines.len().min(height / 3).max(1);
    lines.split_off(lines.len() - rows)
}

/// Draws a part of the page, its rule in the first row.
fn part(page: &CheckPage, canvas: &mut LineCanvas, (area, spacing): (Rect, Spacing), which: CheckPane, focus: bool) {
    let report = &page.report;
    let (title, right) = match which {
        CheckPane::Columns => ("Columns", "p prompt · c completion · t template".to_owned()),
        CheckPane::Problems => {
            let (shown, all) = (report.problems.len() as u64, wording::problems(report));
            let first = if shown < all { format!("the first {} · ", count(shown)) } else { String::new() };
            let keys = if area.width < 60 { "n/N" } else { "n next · N before" };
            ("Problems", if all == 0 { "none".to_owned() } else { format!("{first}{keys}") })
        }
        CheckPane::Repairs => {
            let accepted = page.choices.accepted.iter().filter(|accepted| **accepted).count();
            ("Repairs", format!("{accepted} of {} accepted", report.repairs.len()))
        }
        CheckPane::Figures => ("Figures", String::new()),
    };
    let focus = focus && page.view.pane == which;
    let (right_style, surface) = (canvas.theme.muted, Surface::Ground);
    let row = Rect { height: area.height.min(1), ..area };
    Pane { title, note: "", right: &right, right_style, focus, surface }.render(row, canvas.buf, canvas.theme, spacing);
    let inside = below(area, 1);
    match which {
        CheckPane::Columns => columns::draw(page, canvas, inside, focus),
        CheckPane::Problems => problems(page, canvas, inside, focus),
        CheckPane::Repairs => repairs(page, canvas, inside, focus),
        CheckPane::Figures => {
            let lines = figures::lines(page, usize::from(inside.width));
            for (at, (tone, line)) in lines.iter().skip(page.view.figures).take(usize::from(inside.height)).enumerate()
            {
                canvas.line(inside, at, line, tone.style(canvas.theme));
            }
        }
    }
}

fn problem_line(problem: &Problem) -> String {
    format!("line {:<7} {} (col {})", count(problem.line), problem.words.line(), count(problem.column))
}

/// Returns how many rows the list of problems has, and the lines below it: what of the selected one does not fit into it.
fn problem_rows(page: &CheckPage, area: Rect) -> (usize, Vec<String>) {
    let selected = page.report.problems.get(page.view.problems.selected).map(problem_line).unwrap_or_default();
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    if selected.width() < width {
        return (height, Vec::new());
    }
    let detail: Vec<String> = wrap::lines(&selected, width.max(1)).into_iter().map(str::to_owned).collect();
    (height.saturating_sub(detail.len() + usize::from(area.height >= TALL)).max(1), detail)
}

fn problems(page: &CheckPage, canvas: &mut LineCanvas, area: Rect, focus: bool) {
    let report = &page.report;
    let theme = canvas.theme;
    if report.problems.is_empty() {
        let words = if report.rows == 0 { "nothing could be read" } else { "✓ nothing is wrong with any row" };
        canvas.line(area, 0, words, if report.rows == 0 { theme.muted } else { theme.good });
        return;
    }
    let (rows, detail) = problem_rows(page, area);
    let mut cursor = page.view.problems;
    let window = cursor.window(rows, report.problems.len());
    let from = window.len() + usize::from(area.height >= TALL);
    for (at, line) in detail.iter().enumerate() {
        canvas.line(area, from + at, line, theme.text);
    }
    for (at, problem) in report.problems[window.clone()].iter().enumerate() {
        let selected = window.start + at == cursor.selected;
        row(canvas, area, at, (selected, focus), &problem_line(problem), theme.text);
    }
}

/// Returns what is said below the list of the repair under the cursor.
fn repair_detail(page: &CheckPage, area: Rect) -> Vec<(String, LineTone)> {
    let shown = page.report.repairs.get(page.view.repairs.selected).filter(|_| area.height >= TALL);
    shown.map(|repair| detail(repair, usize::from(area.width))).unwrap_or_default()
}

fn repairs(page: &CheckPage, canvas: &mut LineCanvas, area: Rect, focus: bool) {
    let theme = canvas.theme;
    if page.report.repairs.is_empty() {
        canvas.line(area, 0, "✓ there is nothing to mend", theme.good);
        return;
    }
    let detail = repair_detail(page, area);
    let list = usize::from(area.height).saturating_sub(detail.len()).max(3);
    let mut cursor = page.view.repairs;
    let window = cursor.window(list, page.report.repairs.len());
    let rest = window.len();
    for (at, repair) in page.report.repairs[window.clone()].iter().enumerate() {
        let mark = match (page.choices.accepted[window.start + at], repair.necessary) {
            (_, true) => "[!]",
            (true, false) => "[x]",
            (false, false) => "[ ]",
        };
        let line = format!("{mark} {}", wording::repair(repair));
        let style = if page.choices.accepted[window.start + at] { theme.text } else { theme.muted };
        row(canvas, area, at, (window.start + at == cursor.selected, focus), &line, style);
    }
    for (at, (line, tone)) in detail.iter().enumerate() {
        canvas.line(area, rest + at, line, tone.style(theme));
    }
}

/// Returns what a repair does, on real rows.
fn detail(repair: &Repair, width: usize) -> Vec<(String, LineTone)> {
    let mut lines = Vec::new();
    put(&mut lines, "", width, usize::MAX, LineTone::Plain);
    // The list has one line for each: what does not fit is here as a whole.
    let whole = wording::repair(repair);
    if whole.width() + 5 > width {
        put(&mut lines, &whole, width, usize::MAX, LineTone::Plain);
    }
    about(repair, width, SAMPLE, &mut lines);
    lines
}

/// Returns all that is known of a repair, as lines.
pub(super) fn repair_lines(repair: &Repair, width: usize) -> Vec<(String, LineTone)> {
    let mut lines = Vec::new();
    put(&mut lines, &wording::repair(repair), width, usize::MAX, LineTone::Plain);
    put(&mut lines, "", width, usize::MAX, LineTone::Plain);
    about(repair, width, usize::MAX, &mut lines);
    lines
}

/// Adds a text over several lines, so many at most.
fn put(lines: &mut Vec<(String, LineTone)>, text: &str, width: usize, most: usize, tone: LineTone) {
    lines.extend(wrap::lines(text, width.max(1)).into_iter().take(most).map(|line| (line.to_owned(), tone)));
}

/// Whether a repair is advised, and what it does to real rows, of each so many lines at most.
fn about(repair: &Repair, width: usize, most: usize, lines: &mut Vec<(String, LineTone)>) {
    let mut put = |text: String, tone| put(lines, &text, width, most, tone);
    let duty = match (repair.necessary, repair.advised) {
        (true, _) => "[!] necessary: the file cannot be used without",
        (false, true) => "advised · space accepts or not",
        (false, false) => "not advised · space accepts or not",
    };
    put(duty.to_owned(), LineTone::Muted);
    if let Some(note) = &repair.note {
        put(format!("! {}", note.line()), LineTone::Warn);
    }
    for Sample { line, before, after } in &repair.samples {
        put(format!("line {} - {}", count(*line), before.line()), LineTone::Error);
        match after {
            Some(after) => put(format!("line {} + {}", count(*line), after.line()), LineTone::Ok),
            None => put("  it goes".to_owned(), LineTone::Muted),
        }
    }
}
