//! Draws the problems and the repairs of the check page, each list with what is to be said of the row under its cursor.

use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::figures::LineTone;
use super::line_canvas::{ARROW, LineCanvas, beside_mark, row};
use super::page::CheckPage;
use super::page_view::Finding;
use super::wording;
use crate::component::TextViewer;
use crate::record::training::{Problem, Repair, Sample};
use crate::ui::list::draw_scroll_arrows;
use crate::ui::meter::count;
use crate::ui::rule::cut;
use crate::ui::wrap;

/// From so many rows on a repair shows real rows.
const TALL: u16 = 9;

/// Lines of a real row that show.
const SAMPLE: usize = 4;

fn problem_line(problem: &Problem) -> String {
    // In the first column it is about the row as a whole.
    let column = if problem.column > 1 { format!(" (col {})", count(problem.column)) } else { String::new() };
    format!("line {:>6}  {}{column}", count(problem.line), problem.words.line())
}

/// Returns how many rows the list of problems has, and the lines below it: what of the selected one does not fit into
/// it.
pub(super) fn problem_rows(page: &CheckPage, area: Rect) -> (usize, Vec<String>) {
    let selected = page.report.problems.get(page.view.problems.selected).map(problem_line).unwrap_or_default();
    let height = usize::from(area.height);
    if selected.width() <= row_width(area, height, page.report.problems.len()) {
        return (height, Vec::new());
    }
    let detail: Vec<String> =
        wrap::lines(&selected, usize::from(beside_mark(area).width).max(1)).into_iter().map(str::to_owned).collect();
    (height.saturating_sub(detail.len() + usize::from(area.height >= TALL)).max(1), detail)
}

/// Returns the columns for the texts of a list that shows so many of its rows.
fn row_width(area: Rect, shown: usize, all: usize) -> usize {
    usize::from(beside_mark(area).width).saturating_sub(if shown < all { ARROW } else { 0 })
}

/// Draws the list of problems.
pub(super) fn problems(page: &CheckPage, canvas: &mut LineCanvas, area: Rect, focus: bool) {
    let report = &page.report;
    let theme = canvas.theme;
    if report.problems.is_empty() {
        let words = if report.rows == 0 { "nothing could be read" } else { "✓ no problems" };
        canvas.line(beside_mark(area), 0, words, if report.rows == 0 { theme.muted } else { theme.good });
        return;
    }
    let (rows, detail) = problem_rows(page, area);
    let mut cursor = page.view.problems;
    let window = cursor.window(rows, report.problems.len());
    let from = window.len() + usize::from(area.height >= TALL);
    for (at, line) in detail.iter().enumerate() {
        canvas.line(beside_mark(area), from + at, line, theme.text);
    }
    let width = row_width(area, window.len(), report.problems.len());
    for (at, problem) in report.problems[window.clone()].iter().enumerate() {
        let selected = window.start + at == cursor.selected;
        row(canvas, area, at, (selected, focus), &cut(&problem_line(problem), width), theme.text);
    }
    let list = Rect { height: area.height.min(rows as u16), ..area };
    draw_scroll_arrows(canvas.buf, list, &window, report.problems.len(), theme);
}

/// Returns what is said below the list of the repair under the cursor.
pub(super) fn repair_detail(page: &CheckPage, area: Rect) -> Vec<(String, LineTone)> {
    let shown = page.report.repairs.get(page.view.repairs.selected).filter(|_| area.height >= TALL);
    shown.map(|repair| detail(repair, usize::from(beside_mark(area).width))).unwrap_or_default()
}

/// Returns how many rows the list of repairs and what is said below it would have in an area.
pub(super) fn repairs_rows(page: &CheckPage, area: Rect) -> u16 {
    let rows = page.report.repairs.len().max(1) + repair_detail(page, area).len();
    u16::try_from(rows).unwrap_or(u16::MAX)
}

/// Draws the list of repairs.
pub(super) fn repairs(page: &CheckPage, canvas: &mut LineCanvas, area: Rect, focus: bool) {
    let theme = canvas.theme;
    if page.report.repairs.is_empty() {
        canvas.line(beside_mark(area), 0, "✓ nothing to repair", theme.good);
        return;
    }
    let detail = repair_detail(page, area);
    let list = usize::from(area.height).saturating_sub(detail.len()).max(3);
    let mut cursor = page.view.repairs;
    let window = cursor.window(list, page.report.repairs.len());
    let rest = window.len();
    let width = row_width(area, rest, page.report.repairs.len());
    for (at, repair) in page.report.repairs[window.clone()].iter().enumerate() {
        let mark = match (page.choices.accepted[window.start + at], repair.necessary) {
            (_, true) => "[!]",
            (true, false) => "[x]",
            (false, false) => "[ ]",
        };
        let line = cut(&format!("{mark} {}", wording::repair(repair)), width);
        let style = if page.choices.accepted[window.start + at] { theme.text } else { theme.muted };
        row(canvas, area, at, (window.start + at == cursor.selected, focus), &line, style);
    }
    let shown = Rect { height: area.height.min(list as u16), ..area };
    draw_scroll_arrows(canvas.buf, shown, &window, page.report.repairs.len(), theme);
    for (at, (line, tone)) in detail.iter().enumerate() {
        canvas.line(beside_mark(area), rest + at, line, tone.style(theme));
    }
}

/// Returns what a repair does, on real rows.
fn detail(repair: &Repair, width: usize) -> Vec<(String, LineTone)> {
    let mut lines = Vec::new();
    put(&mut lines, "", width, usize::MAX, LineTone::Plain);
    // The list has one line for each finding; the whole text is here.
    let whole = wording::repair(repair);
    // Before it stand its mark and a blank.
    if whole.width() + 4 + ARROW > width {
        put(&mut lines, &whole, width, usize::MAX, LineTone::Plain);
    }
    about(repair, width, SAMPLE, &mut lines);
    lines
}

/// Creates a dialog with the whole text of a finding, which the lists cut.
pub(crate) fn finding_viewer(finding: &Finding) -> TextViewer {
    let (title, paragraphs) = match finding {
        Finding::Problem(problem) => {
            let place = format!("line {}, column {}", count(problem.line), count(problem.column));
            let text = [place, String::new(), problem.words.line().into_owned()];
            ("Problem", text.map(|text| (text, LineTone::Plain)).into())
        }
        Finding::Repair(repair) => {
            let mut text = [wording::repair(repair), String::new()].map(|text| (text, LineTone::Plain)).into();
            about(repair, usize::MAX, usize::MAX, &mut text);
            ("Repair", text)
        }
    };
    TextViewer::new(title, paragraphs.into_iter().map(|(text, tone)| (text, tone.style_of())).collect())
}

/// Adds a text over several lines, so many at most.
fn put(lines: &mut Vec<(String, LineTone)>, text: &str, width: usize, most: usize, tone: LineTone) {
    lines.extend(wrap::lines(text, width.max(1)).into_iter().take(most).map(|line| (line.to_owned(), tone)));
}

/// Adds lines that say whether a repair is advised, and what it does to real rows, with at most so many lines of each.
fn about(repair: &Repair, width: usize, most: usize, lines: &mut Vec<(String, LineTone)>) {
    let mut put = |text: String, tone| put(lines, &text, width, most, tone);
    let duty = match (repair.necessary, repair.advised) {
        (true, _) => "[!] required: the file cannot be used without it",
        (false, true) => "recommended · space accepts or rejects it",
        (false, false) => "not recommended · space accepts or rejects it",
    };
    put(duty.to_owned(), LineTone::Muted);
    if let Some(note) = &repair.note {
        put(format!("! {}", note.line()), LineTone::Warn);
    }
    for Sample { line, before, after } in &repair.samples {
        put(format!("line {} - {}", count(*line), before.line()), LineTone::Error);
        match after {
            Some(after) => put(format!("line {} + {}", count(*line), after.line()), LineTone::Ok),
            None => put("  removed".to_owned(), LineTone::Muted),
        }
    }
}
