//! Draws the page.

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::dataset::{AnswerVerdict, NAMES, TuningEffect};
use super::figures_view::{MATCHES, classes, matches};
use super::open_evaluation::{EvaluationView, OpenEvaluation, RowFilter};
use super::{EvaluationPage, EvaluationPhase};
use crate::component::RenderContext;
use crate::tabs::batch::BatchState;
use crate::tabs::fine_tunes::styled_lines::Styled;
use crate::text::Untrusted;
use crate::ui::meter::{bytes, count};
use crate::ui::overlay::below;
use crate::ui::pane::{Pane, Spacing, Surface};
use crate::ui::progress::{Progress, State, Unit};
use crate::ui::rule::cut;
use crate::ui::table::{Align, Table, TableCell, TableColumn, TableRow, Width};
use crate::ui::theme::Theme;
use crate::ui::time::countdown;
use crate::ui::wrap;

/// Bytes of a text that a cell looks at.
const CELL: usize = 400;
/// Bytes of a text in the detail.
const DETAIL: usize = 64 << 10;

/// Fits the table, or the answers to a row, to the area.
pub(super) fn arrange(score: &mut EvaluationPage, area: Rect, spacing: Spacing) {
    let EvaluationPhase::Open(open) = &mut score.phase else { return };
    let area = below(spacing.body(area), 1);
    let area = below(area, held_lines(open, area).len() as u16);
    match open.sub {
        EvaluationView::Table => {
            let area = below(area, MATCHES + 1);
            let (columns, len) = (columns(area.width), open.order.len());
            open.view.fit(&columns, len, area);
        }
        EvaluationView::Detail(at) => {
            let area = below(area, 1);
            open.scroll.fit(detail_lines(open, at, area.width).len(), usize::from(area.height));
        }
        EvaluationView::Classes => {}
    }
}

/// Draws the page.
pub(super) fn render(score: &EvaluationPage, frame: &mut Frame, area: Rect, context: RenderContext) {
    if area.is_empty() {
        return;
    }
    let theme = context.theme;
    let title = score.facts.as_ref().map_or_else(
        || "Score".to_owned(),
        |facts| format!("Score · {} against {}", facts.tuned.line(), facts.base.line()),
    );
    let (right, style) = match &score.phase {
        EvaluationPhase::Open(open) => match open.refusal() {
            Some(why) => (format!("✕ not saved: {}", why.line()), theme.bad),
            None if !open.is_saved() => ("saving…".to_owned(), theme.muted),
            None if open.dataset.settings.begun => {
                (format!("{} · saved ✓", open.dataset.list.name.line()), theme.muted)
            }
            None => (open.dataset.list.name.line().into_owned(), theme.muted),
        },
        EvaluationPhase::Empty | EvaluationPhase::Loading { .. } => ("loading…".to_owned(), theme.muted),
        _ => (String::new(), theme.muted),
    };
    let (spacing, surface) = (context.session.spacing(), Surface::Ground);
    let pane = Pane { title: &title, note: "", right: &right, right_style: style, focus: true, surface };
    pane.render(area, frame.buffer_mut(), theme, spacing);
    let inner = spacing.body(area);
    frame.set_cursor_position((area.x, area.bottom().saturating_sub(1).min(inner.y)));
    match &score.phase {
        EvaluationPhase::Empty | EvaluationPhase::Loading { .. } => {}
        EvaluationPhase::Choose => {
            let words = "Choose rows that neither model was trained on (prompt and completion, or messages). Both models \
                 answer them, and the answers are compared with the expected ones. Nothing is sent until you confirm.";
            lines(frame, below(inner, 1), words, theme.muted);
        }
        EvaluationPhase::Fetching { name, whole } => {
            let moved = whole.moved();
            let of = moved.1.map(|total| format!(" of {}", bytes(total))).unwrap_or_default();
            lines(frame, inner, &format!("loading {}: {}{of}", name.line(), bytes(moved.0)), theme.text);
        }
        EvaluationPhase::Reading { name, .. } => lines(frame, inner, &format!("reading {}…", name.line()), theme.text),
        EvaluationPhase::Counting { name, held, .. } => {
            let words = format!("{}: counting the tokens of {} rows…", name.line(), count(held.rows.len() as u64));
            lines(frame, inner, &words, theme.text);
        }
        EvaluationPhase::Open(open) => opened(open, frame, inner, context),
    }
}

/// Draws the title of a part of the page into its first row.
fn heading(frame: &mut Frame, area: Rect, title: &str, right: &str, context: RenderContext) {
    let (theme, surface) = (context.theme, Surface::Ground);
    let pane = Pane { title, note: "", right, right_style: theme.muted, focus: false, surface };
    let row = Rect { height: area.height.min(1), ..area };
    pane.render(row, frame.buffer_mut(), theme, context.session.spacing().within());
}

fn lines(frame: &mut Frame, area: Rect, words: &str, style: Style) {
    let width = usize::from(area.width).saturating_sub(2).max(1);
    for (line, y) in wrap::lines(words, width).iter().zip(area.y..area.bottom()) {
        frame.buffer_mut().set_stringn(area.x + 1, y, line, width, style);
    }
}

fn opened(open: &OpenEvaluation, frame: &mut Frame, area: Rect, context: RenderContext) {
    let side = 1.min(area.width / 2);
    progress(open, frame, Rect { x: area.x + side, width: area.width - 2 * side, ..area }, context);
    let mut area = below(area, 1);
    for line in held_lines(open, area) {
        let width = usize::from(area.width);
        frame.buffer_mut().set_stringn(area.x, area.y, format!("┃ {line}"), width, context.theme.bad);
        area = below(area, 1);
    }
    if let EvaluationView::Detail(at) = open.sub {
        return detail(open, at, frame, area, context);
    }
    matches(open, frame, area, context);
    area = below(area, MATCHES);
    match open.sub {
        EvaluationView::Classes => classes(open, frame, area, context),
        _ => rows(open, frame, area, context),
    }
}

/// Returns why runs wait, in as many lines as the area has room for.
fn held_lines(open: &OpenEvaluation, area: Rect) -> Vec<String> {
    let mut all = Vec::new();
    for why in held(open) {
        if usize::from(area.height).saturating_sub(all.len()) > 4 {
            let lines = wrap::lines(&why, usize::from(area.width).saturating_sub(3).max(8)).into_iter().take(3);
            all.extend(lines.map(str::to_owned));
        }
    }
    all
}

/// Returns why runs wait.
fn held(open: &OpenEvaluation) -> Vec<String> {
    let why = |run: &super::run::ModelRun| match run.runner.state() {
        BatchState::Held { why, .. } => Some(why.line().into_owned()),
        _ => None,
    };
    let mut whys: Vec<String> = open.runs.iter().filter_map(why).collect();
    whys.dedup();
    whys
}

/// Draws the progress of the run.
fn progress(open: &OpenEvaluation, frame: &mut Frame, area: Rect, context: RenderContext) {
    if area.is_empty() {
        return;
    }
    let tally = open.tally();
    let mut words = String::new();
    let state = if open.runs.is_empty() {
        if tally.done == tally.total { State::Done("") } else { State::Paused }
    } else if open.runs.iter().all(|run| run.runner.state() == BatchState::Finished) {
        if tally.failed > 0 {
            words = format!("{} without an answer: R to retry", count(tally.failed));
        }
        State::Done(&words)
    } else if open.runs.iter().any(|run| matches!(run.runner.state(), BatchState::Held { until: None, .. })) {
        State::Failed("p to resume")
    } else if let Some(until) = open.runs.iter().find_map(|run| match run.runner.state() {
        BatchState::Held { until, .. } => until,
        _ => None,
    }) {
        words = format!("retry in {}", countdown(until, context.now));
        State::Retry(&words)
    } else if let Some(retry) = open.runs.iter().find_map(|run| run.runner.next_attempt()) {
        words = format!("retry in {} · {}", countdown(retry.at, context.now), retry.why.sentence.line());
        State::Retry(&words)
    } else if open.runs.iter().any(|run| run.runner.state() == BatchState::Paused) {
        State::Paused
    } else {
        State::Running
    };
    let running = matches!(state, State::Running | State::Retry(_));
    let (rate, left) = if running {
        (open.rate.per_second(context.now), open.rate.left(context.now, tally.left()))
    } else {
        (None, None)
    };
    let progress = Progress {
        done: tally.done,
        total: Some(tally.total),
        unit: Unit::Count("answers"),
        rate,
        left,
        state,
        elapsed: Duration::ZERO,
    };
    progress.render(area, frame.buffer_mut(), context.theme);
}

/// Returns the beginning of a text.
fn beginning(text: &str, most: usize) -> Untrusted {
    text[..text.floor_char_boundary(most)].into()
}

/// Returns a row's prompt on one line: the end of a text, or the last one of several messages.
fn asked(open: &OpenEvaluation, row: usize) -> Untrusted {
    let text = open.dataset.rows[row].text.raw();
    if open.dataset.settings.chat {
        let messages: Vec<serde_json::Value> = serde_json::from_str(text).unwrap_or_default();
        let last = messages.last().and_then(|message| message["content"].as_str()).unwrap_or_default();
        return beginning(last, CELL);
    }
    beginning(text, CELL)
}

/// Returns the columns of the table.
fn columns(width: u16) -> Vec<TableColumn> {
    let column = |title: &str, width, align| TableColumn { title: title.to_owned(), width, align };
    let share = |weight, least| Width::Share { weight, least };
    let mut columns = vec![column("line", Width::Fixed(5), Align::Right)];
    if width >= 60 {
        columns.push(column("prompt", share(3, 12), Align::Left));
    }
    columns.push(column("expected", share(2, 8), Align::Left));
    columns.push(column("tuned", share(2, 8), Align::Left));
    if width >= 60 {
        columns.push(column("base", share(2, 8), Align::Left));
    }
    columns.push(column("", Width::Fixed(6), Align::Left));
    columns
}

fn rows(open: &OpenEvaluation, frame: &mut Frame, area: Rect, context: RenderContext) {
    let theme = context.theme;
    let (shown, all) = (count(open.order.len() as u64), count(open.dataset.rows.len() as u64));
    let what = match open.filter {
        RowFilter::All => format!("{all} rows"),
        RowFilter::Changed => format!("{shown} of {all} rows: changed"),
        RowFilter::Wrong => format!("{shown} of {all} rows: tuned model wrong"),
        RowFilter::Failed => format!("{shown} of {all} rows: no answer"),
    };
    heading(frame, area, &what, "c filter", context);
    let area = below(area, 1);
    if open.order.is_empty() {
        return lines(frame, area, "No rows match. c changes the filter.", theme.muted);
    }
    let columns = columns(area.width);
    let dataset = &open.dataset;
    let failed = open.failures();
    let row = |place: usize| {
        let at = open.order[place] as usize;
        let said = |which: usize| match (dataset.answer(which, at), dataset.verdict(which, at)) {
            (Some(answer), Some(verdict)) => {
                let mark = if verdict.is_right() { "✓" } else { "✕" };
                let style = if verdict.is_right() { theme.good } else { theme.bad };
                TableCell::new(format!("{mark} {}", beginning(answer.text.raw(), CELL).line().trim()), style)
            }
            _ => match failed.iter().find(|(row, of, _)| (*row as usize, *of) == (at, which)) {
                Some((.., why)) => TableCell::new(format!("✕ {}", why.line()), theme.warn),
                None => TableCell::new("…", theme.faint),
            },
        };
        let change = match dataset.tuning_effect(at) {
            Some(TuningEffect::Won) => TableCell::new("better", theme.good),
            Some(TuningEffect::Lost) => TableCell::new("worse", theme.warn),
            None => TableCell::default(),
        };
        let cells = columns.iter().map(|column| match column.title.as_str() {
            "line" => TableCell::new(dataset.rows[at].name.line(), theme.muted),
            "prompt" => TableCell::new(asked(open, at).line(), Style::default()),
            "expected" => TableCell::new(beginning(dataset.wanted_answer(at).trim(), CELL).line(), Style::default()),
            "tuned" => said(0),
            "base" => said(1),
            _ => change.clone(),
        });
        TableRow { cells: cells.collect(), marked: false }
    };
    let table = Table { columns: &columns, sort: None, len: open.order.len(), row: &row, focus: true };
    if let Some(at) = table.render(open.view, area, frame.buffer_mut(), theme) {
        frame.set_cursor_position(at);
    }
}

/// Draws all of a row: prompt, wanted answer, what both models said.
fn detail(open: &OpenEvaluation, at: usize, frame: &mut Frame, area: Rect, context: RenderContext) {
    let Some(row) = open.order.get(at).map(|row| *row as usize) else { return };
    let title = format!("Line {}", open.dataset.rows[row].name.line());
    let right = format!("{} of {}", count(at as u64 + 1), count(open.order.len() as u64));
    heading(frame, area, &title, &right, context);
    let area = below(area, 1);
    let lines = detail_lines(open, at, area.width);
    for ((line, style), y) in lines.iter().skip(open.scroll.visible().start).zip(area.y..area.bottom()) {
        let width = usize::from(area.width).saturating_sub(2);
        frame.buffer_mut().set_stringn(area.x + 1, y, cut(line, width), width, style(context.theme));
    }
}

/// A part of a row: what it is, and its text.
struct RowPart<'a> {
    name: String,
    style: fn(&Theme) -> Style,
    text: &'a str,
}

/// Returns all of a row: the wanted answer, what both models said, the prompt.
fn row_parts(open: &OpenEvaluation, row: usize) -> Vec<RowPart<'_>> {
    let dataset = &open.dataset;
    let plain = |name: &str, text| RowPart { name: name.to_owned(), style: |theme| theme.muted, text };
    let mut all = vec![plain("expected", dataset.rows[row].label.as_ref().map_or("", |label| label.raw()))];
    for which in [0, 1] {
        let model = dataset.settings.model(which);
        let (Some(answer), Some(verdict)) = (dataset.answer(which, row), dataset.verdict(which, row)) else {
            all.push(plain(&format!("{} · {} · not answered", NAMES[which], model.line()), ""));
            continue;
        };
        let (words, style): (_, fn(&Theme) -> Style) = match verdict {
            AnswerVerdict::Exact => ("✓ identical", |theme| theme.good),
            AnswerVerdict::Right => ("✓ except for blanks", |theme| theme.good),
            AnswerVerdict::Wrong => ("✕", |theme| theme.bad),
        };
        let mark = if answer.estimated { "~" } else { "" };
        let name = format!(
            "{} · {} · {words} · {} · {mark}{} tok",
            NAMES[which],
            model.line(),
            answer.finish.line(),
            count(answer.completion_tokens),
        );
        all.push(RowPart { name, style, text: answer.text.raw() });
    }
    all.push(plain("prompt", dataset.rows[row].text.raw()));
    all
}

/// Returns all of a row in lines of so many columns.
fn detail_lines(open: &OpenEvaluation, at: usize, columns: u16) -> Vec<Styled> {
    let Some(row) = open.order.get(at).map(|row| *row as usize) else { return Vec::new() };
    let width = usize::from(columns).saturating_sub(4).max(8);
    let mut all: Vec<Styled> = Vec::new();
    for RowPart { name, style, text } in row_parts(open, row) {
        all.push((name, style));
        let text = beginning(text, DETAIL);
        let text = text.screen();
        for line in text.lines().flat_map(|line| wrap::lines(line, width)) {
            all.push((format!("  {line}"), |theme| theme.text));
        }
    }
    all
}

/// Returns the whole text of the row that is shown, else of the one under the cursor; `None`: no rows are shown.
pub(super) fn row_text(open: &OpenEvaluation) -> Option<Untrusted> {
    let at = match open.sub {
        EvaluationView::Table => open.view.cursor.selected,
        EvaluationView::Detail(at) => at,
        EvaluationView::Classes => return None,
    };
    let row = *open.order.get(at)? as usize;
    let title = format!("Line {}", open.dataset.rows[row].name.line());
    let parts = row_parts(open, row).into_iter().map(|part| format!("{}\n{}", part.name, part.text));
    Some(std::iter::once(title).chain(parts).collect::<Vec<_>>().join("\n\n").into())
}
