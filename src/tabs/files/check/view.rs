//! The page on the screen: what is drawn is what fits.

use std::time::{Duration, Instant};

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use super::figures::{self, Look};
use super::paper::{Paper, row};
use super::{Page, Pane, Phase, columns, words};
use crate::record::training::{Problem, Repair, Sample};
use crate::text::Untrusted;
use crate::ui::meter::{count, spinner};
use crate::ui::progress::{Progress, State, Unit};
use crate::ui::rule::Rule;
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// From so many columns on problems and repairs stand side by side.
const WIDE: u16 = 100;
/// From so many rows on a repair shows real rows.
const TALL: u16 = 9;

/// Lines of a real row that show.
const SAMPLE: usize = 4;

pub(super) fn render(
    page: &mut Page,
    buf: &mut Buffer,
    area: Rect,
    focus: bool,
    motion: bool,
    theme: &Theme,
    now: Instant,
) {
    let area = area.intersection(buf.area);
    if area.is_empty() {
        return;
    }
    // What was found stays while rows are read again for other columns.
    let again = matches!(page.phase, Phase::Reading { .. }) && page.stays;
    let reading = matches!(page.phase, Phase::Reading { .. } | Phase::Failed(_)) && !again;
    let about = match (reading, area.width < 60) {
        (true, _) => String::new(),
        (false, true) => words::rows(page.report.rows),
        (false, false) => words::about(&page.report),
    };
    let mut title = Untrusted::from("Check ");
    title.append(&words::name(page));
    Rule { title: &title.line(), right: &about, right_style: theme.muted, focus }.render(area, buf, theme);
    let inside = Rect { x: area.x + 1, y: area.y + 1, width: area.width.saturating_sub(2), height: area.height - 1 };
    let mut paper = Paper { buf, theme };
    match &page.phase {
        Phase::Reading { done, total } if !again => {
            let elapsed = if motion { now.saturating_duration_since(page.began) } else { Duration::ZERO };
            let words = format!("{} reading every row", spinner(elapsed, motion));
            paper.line(inside, 1, &words, theme.busy);
            moving(page, (*done, *total), &mut paper, below(inside, 2), elapsed, now);
        }
        Phase::Failed(why) => {
            let at = paper.wrapped(inside, 1, &format!("✕ {}", why.line()), theme.error);
            paper.line(inside, at + 2, "r checks it again", theme.muted);
        }
        _ => checked(page, &mut paper, inside, focus, motion, now),
    }
}

/// The rest of an area below so many rows.
fn below(area: Rect, rows: u16) -> Rect {
    let rows = rows.min(area.height);
    Rect { y: area.y + rows, height: area.height - rows, ..area }
}

fn moving(page: &Page, (done, total): (u64, u64), paper: &mut Paper, area: Rect, elapsed: Duration, now: Instant) {
    let progress = Progress {
        done,
        total: (total > 0).then_some(total),
        unit: Unit::Bytes,
        rate: page.rate.per_second(now),
        left: page.rate.left(now, total.saturating_sub(done)),
        state: State::Running,
        elapsed,
    };
    if area.height > 0 {
        progress.render(Rect { height: 1, ..area }, paper.buf, paper.theme);
    }
}

/// The report, and what becomes of it.
fn checked(page: &mut Page, paper: &mut Paper, area: Rect, focus: bool, motion: bool, now: Instant) {
    let head = head(page, paper, area);
    let foot = foot(page, paper, area, motion, now);
    let middle = below(area, head);
    let middle = Rect { height: middle.height.saturating_sub(foot), ..middle };
    if middle.height == 0 {
        return;
    }
    // The panes' rules go from edge to edge.
    let wide = area.width + 2 >= WIDE;
    if !wide {
        pane(page, paper, middle, page.pane, focus);
        return;
    }
    let mut left = Rect { width: middle.width / 2, ..middle };
    let right = Rect { x: left.right() + 1, width: middle.width.saturating_sub(left.width + 1), ..middle };
    let lines = figures::lines(page, usize::from(right.width)).len() + 1;
    let upper = right.height.saturating_sub(u16::try_from(lines).unwrap_or(u16::MAX)).max(right.height / 2);
    let lines = u16::try_from(page.report.columns.len()).unwrap_or(u16::MAX).saturating_add(1);
    // A file that has the usual names needs no thought of them.
    let own = page.report.mapping.as_ref().is_some_and(columns::has_own_names);
    if page.pane == Pane::Columns || own {
        let lines = lines.min(left.height / 2);
        pane(page, paper, Rect { height: lines, ..left }, Pane::Columns, focus);
        left = below(left, lines);
    }
    pane(page, paper, left, Pane::Problems, focus);
    pane(page, paper, Rect { height: upper, ..right }, Pane::Repairs, focus);
    pane(page, paper, below(right, upper), Pane::Figures, focus);
}

/// What holds of the whole file; how many rows that took.
fn head(page: &Page, paper: &mut Paper, area: Rect) -> u16 {
    let (report, theme) = (&page.report, paper.theme);
    let problems = words::problems(report);
    let mut row = 0;
    let all = report.valid == report.rows && report.rows > 0;
    let (sign, style) = if all { ("✓", theme.ok) } else { ("!", theme.warn) };
    let mut parts = vec![(format!("{sign} {} of {} good", count(report.valid), words::rows(report.rows)), style)];
    if problems > 0 {
        // Those that keep no row from being learnt from are no errors.
        let (sign, what, style) = if all { ("!", "warning", theme.warn) } else { ("✕", "problem", theme.error) };
        parts.push((format!("{sign} {} {what}{}", count(problems), if problems == 1 { "" } else { "s" }), style));
    }
    if area.width >= 60 {
        parts.push((words::task(report).to_owned(), theme.muted));
    }
    let mut rest = area;
    for (part, style) in parts {
        paper.line(rest, row, &part, style);
        let taken = u16::try_from(part.width() + 3).unwrap_or(u16::MAX).min(rest.width);
        rest = Rect { x: rest.x + taken, width: rest.width - taken, ..rest };
    }
    row += 1;
    // In little room the list says the same.
    if area.height > 14 && problems > 0 {
        row += paper.wrapped(area, row, &words::counts(report), theme.muted).min(2);
    }
    if let Some(mapping) = report.mapping.as_ref().filter(|_| report.guessed || page.pane == Pane::Columns)
        && area.height > 8
    {
        let guess = if report.guessed { "! guessed: " } else { "" };
        let style = if report.guessed { theme.warn } else { theme.muted };
        row += paper.wrapped(area, row, &format!("{guess}{}", columns::summary(mapping).line()), style).min(2);
    }
    for (sign, why) in [("✕", &report.stop), ("!", &report.cut)] {
        if let Some(why) = why
            && area.height > 8
        {
            let style = if sign == "✕" { theme.error } else { theme.warn };
            row += paper.wrapped(area, row, &format!("{sign} {}", why.line()), style);
        }
    }
    u16::try_from(row).unwrap_or(u16::MAX).min(area.height)
}

/// What is written or would be; how many rows that took.
fn foot(page: &Page, paper: &mut Paper, area: Rect, motion: bool, now: Instant) -> u16 {
    let theme = paper.theme;
    if area.height < 4 {
        return 0;
    }
    if page.template.is_some() {
        // The line itself is drawn over it, with its cursor.
        let row = below(area, area.height - 2);
        paper.line(row, 0, "{column} stands for a column, \\n for a line end", theme.muted);
        paper.line(row, 1, "template", theme.text);
        return 2;
    }
    if let Phase::Reading { .. } = page.phase {
        let elapsed = if motion { now.saturating_duration_since(page.began) } else { Duration::ZERO };
        paper.line(
            below(area, area.height - 1),
            0,
            &format!("{} reading every row", spinner(elapsed, motion)),
            theme.busy,
        );
        return 1;
    }
    if let Phase::Writing { done, total } = page.phase {
        let elapsed = if motion { now.saturating_duration_since(page.began) } else { Duration::ZERO };
        let row = below(area, area.height - 2);
        paper.line(row, 0, &format!("{} writing the mended copy", spinner(elapsed, motion)), theme.busy);
        moving(page, (done, total), paper, below(row, 1), elapsed, now);
        return 2;
    }
    let mut lines: Vec<(Untrusted, Style)> = Vec::new();
    if let Phase::Written(prepared) = &page.phase {
        lines.extend(words::written(prepared).into_iter().map(|line| (line, theme.ok)));
        lines.extend(words::requests(&prepared.prompt_end, &prepared.completion_end).map(|line| (line, theme.text)));
    }
    let style = match &page.phase {
        Phase::NotWritten(_) => theme.error,
        Phase::Written(_) => theme.accent,
        _ if words::objection(&page.report).is_some() => theme.error,
        _ => theme.muted,
    };
    lines.push((words::next(page), style));
    let (width, height) = (usize::from(area.width).max(1), usize::from(area.height));
    let wrapped = |(line, style): &(Untrusted, Style)| {
        wrap::lines(&line.line(), width).into_iter().map(|row| (row.to_owned(), *style)).collect::<Vec<_>>()
    };
    let whole: Vec<(String, Style)> = lines.iter().flat_map(wrapped).collect();
    // A reason is worth more rows than what a key does.
    let most = if style == theme.error { height / 3 } else { height / 6 };
    let lines = if whole.len() <= most.max(lines.len()) {
        whole
    } else {
        lines.iter().map(|(line, style)| (line.line().into_owned(), *style)).collect()
    };
    let rows = lines.len().min(height / 3).max(1);
    let area = below(area, area.height - u16::try_from(rows).unwrap_or(1));
    for (at, (line, style)) in lines.iter().rev().take(rows).rev().enumerate() {
        paper.line(area, at, line, *style);
    }
    u16::try_from(rows).unwrap_or(1)
}

/// A part of the page, its rule in the first row.
fn pane(page: &mut Page, paper: &mut Paper, area: Rect, which: Pane, focus: bool) {
    if area.height == 0 {
        return;
    }
    let report = &page.report;
    let (title, right) = match which {
        Pane::Columns => ("Columns", "p prompt · c completion · t template".to_owned()),
        Pane::Problems => {
            let (shown, all) = (report.problems.len() as u64, words::problems(report));
            let first = if shown < all { format!("the first {} · ", count(shown)) } else { String::new() };
            let keys = if area.width < 60 { "n/N" } else { "n next · N before" };
            ("Problems", if all == 0 { "none".to_owned() } else { format!("{first}{keys}") })
        }
        Pane::Repairs => {
            let accepted = page.accepted.iter().filter(|accepted| **accepted).count();
            ("Repairs", format!("{accepted} of {} accepted", report.repairs.len()))
        }
        Pane::Figures => ("Figures", String::new()),
    };
    let focus = focus && page.pane == which;
    Rule { title, right: &right, right_style: paper.theme.muted, focus }.render(area, paper.buf, paper.theme);
    let inside = below(area, 1);
    if which == page.pane {
        page.height = usize::from(inside.height).max(1);
    }
    match which {
        Pane::Columns => columns::draw(page, paper, inside, focus),
        Pane::Problems => problems(page, paper, inside, focus),
        Pane::Repairs => repairs(page, paper, inside, focus),
        Pane::Figures => {
            let lines = figures::lines(page, usize::from(inside.width));
            page.figures = page.figures.min(lines.len().saturating_sub(usize::from(inside.height)));
            let theme = paper.theme;
            for (at, (look, line)) in lines.iter().skip(page.figures).take(usize::from(inside.height)).enumerate() {
                let style = match look {
                    Look::Plain => theme.text,
                    Look::Muted => theme.muted,
                    Look::Warn => theme.warn,
                    Look::Bar => theme.accent,
                };
                paper.line(inside, at, line, style);
            }
        }
    }
}

fn problems(page: &mut Page, paper: &mut Paper, area: Rect, focus: bool) {
    let report = &page.report;
    let theme = paper.theme;
    if report.problems.is_empty() {
        let words = if report.rows == 0 { "nothing could be read" } else { "✓ nothing is wrong with any row" };
        paper.line(area, 0, words, if report.rows == 0 { theme.muted } else { theme.ok });
        return;
    }
    let line_of = |problem: &Problem| {
        format!("line {:<7} {} (col {})", count(problem.line), problem.words.line(), count(problem.column))
    };
    let selected = report.problems.get(page.problems.selected).map(line_of).unwrap_or_default();
    let width = usize::from(area.width);
    // The list has one line for each: what does not fit is below it as a whole.
    let detail = if selected.width() + 1 > width { wrap::lines(&selected, width.max(1)) } else { Vec::new() };
    let apart = usize::from(area.height >= TALL);
    let list = usize::from(area.height).saturating_sub(detail.len() + apart).max(1);
    let list = if detail.is_empty() { usize::from(area.height) } else { list };
    let window = page.problems.window(list, report.problems.len());
    for (at, line) in detail.iter().enumerate() {
        paper.line(area, window.len() + apart + at, line, theme.text);
    }
    for (at, problem) in report.problems[window.clone()].iter().enumerate() {
        let line = line_of(problem);
        let selected = window.start + at == page.problems.selected;
        row(paper, area, at, (selected, focus), &line, theme.text);
    }
}

fn repairs(page: &mut Page, paper: &mut Paper, area: Rect, focus: bool) {
    let theme = paper.theme;
    if page.report.repairs.is_empty() {
        paper.line(area, 0, "✓ there is nothing to mend", theme.ok);
        return;
    }
    let selected = page.repairs.selected;
    let shown = page.report.repairs.get(selected).filter(|_| area.height >= TALL);
    let detail = shown.map(|repair| detail(repair, usize::from(area.width), theme)).unwrap_or_default();
    let list = usize::from(area.height).saturating_sub(detail.len()).max(3);
    let window = page.repairs.window(list, page.report.repairs.len());
    let rest = window.len();
    for (at, repair) in page.report.repairs[window.clone()].iter().enumerate() {
        let mark = match (page.accepted[window.start + at], repair.necessary) {
            (_, true) => "[!]",
            (true, false) => "[x]",
            (false, false) => "[ ]",
        };
        let line = format!("{mark} {}", words::repair(repair));
        let style = if page.accepted[window.start + at] { theme.text } else { theme.muted };
        row(paper, area, at, (window.start + at == page.repairs.selected, focus), &line, style);
    }
    for (at, (line, style)) in detail.iter().enumerate() {
        paper.line(area, rest + at, line, *style);
    }
}

/// What a repair does, on real rows.
fn detail(repair: &Repair, width: usize, theme: &Theme) -> Vec<(String, Style)> {
    let mut lines = Vec::new();
    put(&mut lines, "", width, usize::MAX, theme.text);
    // The list has one line for each: what does not fit is here as a whole.
    let whole = words::repair(repair);
    if whole.width() + 5 > width {
        put(&mut lines, &whole, width, usize::MAX, theme.text);
    }
    about(repair, width, SAMPLE, theme, &mut lines);
    lines
}

/// All that is known of a repair, as lines.
pub(super) fn repair_lines(repair: &Repair, width: usize, theme: &Theme) -> Vec<(String, Style)> {
    let mut lines = Vec::new();
    put(&mut lines, &words::repair(repair), width, usize::MAX, theme.text);
    put(&mut lines, "", width, usize::MAX, theme.text);
    about(repair, width, usize::MAX, theme, &mut lines);
    lines
}

/// Adds a text over several lines, so many at most.
fn put(lines: &mut Vec<(String, Style)>, text: &str, width: usize, most: usize, style: Style) {
    lines.extend(wrap::lines(text, width.max(1)).into_iter().take(most).map(|line| (line.to_owned(), style)));
}

/// Whether a repair is advised, and what it does to real rows, of each so many lines at most.
fn about(repair: &Repair, width: usize, most: usize, theme: &Theme, lines: &mut Vec<(String, Style)>) {
    let mut put = |text: String, style| put(lines, &text, width, most, style);
    let duty = match (repair.necessary, repair.advised) {
        (true, _) => "[!] necessary: the file cannot be used without",
        (false, true) => "advised · space accepts or not",
        (false, false) => "not advised · space accepts or not",
    };
    put(duty.to_owned(), theme.muted);
    if let Some(note) = &repair.note {
        put(format!("! {}", note.line()), theme.warn);
    }
    for Sample { line, before, after } in &repair.samples {
        put(format!("line {} - {}", count(*line), before.line()), theme.error);
        match after {
            Some(after) => put(format!("line {} + {}", count(*line), after.line()), theme.ok),
            None => put("  it goes".to_owned(), theme.muted),
        }
    }
}
