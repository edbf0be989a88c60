//! One column at a time, where there is no room for several: its text, long bars, all columns in a strip at the bottom.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::board::Column;
use super::grid::Words;
use super::language::{ENGLISH, is_local};
use super::state::State;
use super::texts::letter;
use super::view::{self, NARROW};
use crate::component::RenderContext;
use crate::ui::bar::{BESIDE as BAR_BESIDE, Bar, number};
use crate::ui::rule::{cut, cut_middle};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Cells of a bar at most.
const BAR: usize = 40;
/// Columns beside a bar: a blank, the number, a blank, the sign.
const BESIDE: usize = BAR_BESIDE as usize;
/// Columns of a model's name in the strip.
const MODEL: usize = 20;
/// Columns of `  +123 more`.
const MORE: usize = 11;

pub(super) fn render(frame: &mut Frame, area: Rect, state: &mut State, context: RenderContext) {
    let theme = context.theme;
    let narrow = area.width < NARROW || area.height < 14;
    let Some((at, _)) = state.place(context.session) else { return };
    state.in_view = state.column..state.column + 1;
    // Beside it stand the text's letter and the keys.
    let names = state.model_names(context.session, usize::from(area.width.saturating_sub(34)));
    let of = if names.len() > 1 { format!(" · {}", names[state.column % names.len()]) } else { String::new() };
    let name = format!("Text {} of {}{of}", letter(at), state.texts.len());
    let keys = if narrow { "< >" } else { "< > switch · c compare" };
    let keys = if state.differences { format!("only differences · {keys}") } else { keys.to_owned() };
    view::title(frame, area, state, &name, &keys, context);
    let air = u16::from(!narrow);
    let inside = Rect { y: area.y + 1, height: area.height - 1, ..area };
    let problem = view::problem(state, context, area.width);
    let strip = strip(state, usize::from(area.width), context);
    // The strip with its rule and the blank below it; what went wrong stands above.
    let foot = strip.len() as u16 + if narrow { 0 } else { 2 } + problem.len() as u16;
    let foot = foot.min(inside.height / 2);
    let rows = state.board.rows.len().max(1) as u16;
    let head = if state.writing.is_some() {
        view::editor(frame, inside, state, context)
    } else {
        text(frame, inside, at, rows + 1 + 3 * air + foot, state, context)
    };
    let mut y = inside.y + head + air;
    let bottom = inside.bottom().saturating_sub(foot);
    let Some(column) = state.board.columns.get(state.column) else { return };
    let Some(key) = state.texts.get(at).map(|text| text.key) else { return };
    let mut verdict = state.verdict(column, &key, context);
    if !narrow && column.check.is_some() && !column.unjudged && is_local(&column.judge) {
        verdict.0 = format!("{} · {ENGLISH}", verdict.0);
    }
    let width = usize::from(area.width.saturating_sub(2));
    if y < bottom {
        frame.buffer_mut().set_stringn(area.x + 1, y, cut(&verdict.0, width), width, verdict.1);
        let words = format!("threshold {}{}", state.threshold(), if narrow { "" } else { "  − +" });
        let x = if narrow { area.right().saturating_sub(wrap::width(&words) as u16) } else { area.x + 56 };
        let room = usize::from(area.right().saturating_sub(x));
        if x > area.x + 1 + wrap::width(&verdict.0) as u16 && wrap::width(&words) <= room {
            frame.buffer_mut().set_stringn(x, y, words, room, theme.muted);
        }
    }
    y += 1 + air;
    let body = Rect { y, height: bottom.saturating_sub(y), ..area };
    let cursor = cells(frame, body, state, column, context);
    if state.writing.is_none() && !state.has_dialog() {
        frame.set_cursor_position(cursor);
    }
    let mut below = problem;
    if !narrow {
        below.push(("─".repeat(400), theme.rule));
    }
    let place = Rect { y: bottom, height: foot, ..area };
    view::lines(frame, place, &below);
    let y = place.y + below.len() as u16;
    for (line, y) in strip.iter().zip(y..place.bottom()) {
        let mut x = area.x;
        for (words, style) in line {
            x = frame.buffer_mut().set_stringn(x, y, words, usize::from(area.right().saturating_sub(x)), *style).0;
        }
    }
}

/// The text, over as many rows as `others` leave it. How many it took.
fn text(frame: &mut Frame, area: Rect, at: usize, others: u16, state: &State, context: RenderContext) -> u16 {
    let Some(text) = state.texts.get(at) else { return 0 };
    let width = usize::from(area.width.saturating_sub(2));
    let name = text.row.name.line();
    let mut lines = state.quote(text, width);
    if !name.is_empty()
        && let Some(first) = lines.first_mut()
        && wrap::width(first) + wrap::width(&name) + 3 <= width
        && area.width >= NARROW
    {
        let gap = width - wrap::width(first) - wrap::width(&name);
        first.push_str(&" ".repeat(gap));
        first.push_str(&name);
    }
    let rows = (lines.len() as u16).min(area.height.saturating_sub(others).max(1));
    for (nth, (line, y)) in lines.iter().zip(area.y..area.y + rows).enumerate() {
        let more = nth + 1 == usize::from(rows) && lines.len() > usize::from(rows);
        let line = if more { cut(&format!("{line}…"), width) } else { line.clone() };
        frame.buffer_mut().set_stringn(area.x + 1, y, line, width, context.theme.text);
    }
    rows
}

/// The categories with long bars; where the terminal's cursor belongs.
fn cells(frame: &mut Frame, area: Rect, state: &State, column: &Column, context: RenderContext) -> Position {
    let theme = context.theme;
    let board = &state.board;
    let width = usize::from(area.width);
    let label = if area.width < NARROW { 16 } else { 22 };
    let gap = if area.width < NARROW { 1 } else { 2 };
    let moves = if column.old.is_empty() { 0 } else { 6 };
    let bar =
        BAR.min(width.saturating_sub(1 + label + gap + BESIDE + moves + usize::from(area.width >= NARROW))).max(4);
    let height = usize::from(area.height);
    let mut cursor = Position::new(area.x, area.y);
    if column.check.is_none() {
        return cursor;
    }
    let here = board.row(state.at.as_ref());
    let top = (here + 1).saturating_sub(height).min(board.rows.len().saturating_sub(height));
    let profile = state.shared.thresholds.profile();
    for ((at, row), y) in board.rows.iter().enumerate().skip(top).zip(area.y..area.bottom()) {
        let category = &board.categories[row.category];
        let selected = at == here && state.at.is_some();
        let style = if selected { theme.text.patch(theme.select) } else { theme.text };
        if selected {
            cursor = Position::new(area.x, y);
            let names = Rect { x: area.x, y, width: (1 + label) as u16, height: 1 };
            frame.buffer_mut().set_style(names, theme.select);
            frame.buffer_mut().set_stringn(area.x, y, "▌", 1, theme.accent.patch(theme.select));
        }
        let mark = if state.marked.contains(&category.key) { "▣ " } else { "" };
        let name = format!("{mark}{}", cut_middle(&row.label, label - wrap::width(mark)));
        frame.buffer_mut().set_stringn(area.x + 1, y, name, label, style);
        let (score, flag) = column.cells[row.category];
        let one = Bar { score, threshold: Some(profile.of(&category.key)), flagged: flag == Some(true) };
        let x = area.x + (1 + label + gap) as u16;
        let place = Rect { x, y, width: (bar + BESIDE) as u16, height: 1 };
        one.render(place.intersection(area), frame.buffer_mut(), theme);
        let old = column.old.get(row.category).copied().flatten();
        if let (Some(score), Some(old)) = (score, old)
            && number(score) != number(old)
        {
            let room = usize::from(area.right().saturating_sub(place.right()));
            frame.buffer_mut().set_stringn(place.right(), y, format!(" ←{}", number(old)), room, theme.accent);
        }
    }
    cursor
}

/// All columns in a few words each, over at most two rows, and a row that says how often models agree.
fn strip(state: &State, width: usize, context: RenderContext) -> Vec<Vec<Words>> {
    let theme = context.theme;
    let names = state.model_names(context.session, MODEL);
    let several = names.len() > 1;
    let entry = |(at, column): (usize, &Column)| {
        let text = state.texts.get(column.text)?;
        let (mut words, style) = state.brief(column, &text.key, context);
        if several && let Some(name) = names.get(at % names.len()) {
            words = format!("{words} ({})", cut_middle(name, MODEL));
        }
        Some((at, words, style))
    };
    let entries: Vec<_> = state.board.columns.iter().enumerate().filter_map(entry).collect();
    let most = if width < usize::from(NARROW) { 1 } else { 2 };
    let mut rows = in_rows(&entries, width);
    if rows.len() > most {
        rows = in_rows(&entries, width.saturating_sub(MORE));
    }
    // The row with the cursor is among those that show.
    let here = rows.iter().position(|row| row.iter().any(|(at, ..)| *at == state.column)).unwrap_or(0);
    let first = (here + 1).saturating_sub(most);
    let shown = &rows[first..(first + most).min(rows.len())];
    let hidden = entries.len() - shown.iter().map(|row| row.len()).sum::<usize>();
    let mut lines: Vec<Vec<Words>> = shown.iter().map(|row| line(row, state.column, theme)).collect();
    if hidden > 0
        && let Some(last) = lines.last_mut()
    {
        last.push((format!("  +{hidden} more"), theme.muted));
    }
    if let Some(agreement) = state.agreement() {
        lines.push(vec![(cut(&format!(" {}", agreement.sentence(width)), width), theme.muted)]);
    }
    lines
}

/// A column's place, its words and how they look.
type Entry = (usize, String, Style);

/// Parts entries into rows of a width; each takes a mark and, but for the first, a gap of two.
fn in_rows(entries: &[Entry], width: usize) -> Vec<&[Entry]> {
    let needed = |(_, words, _): &Entry| wrap::width(words) + 1;
    let (mut rows, mut from, mut used) = (Vec::new(), 0, 0);
    for (at, entry) in entries.iter().enumerate() {
        if at > from && used + 2 + needed(entry) > width {
            rows.push(&entries[from..at]);
            (from, used) = (at, 0);
        }
        used += needed(entry) + if at > from { 2 } else { 0 };
    }
    rows.push(&entries[from..]);
    rows
}

fn line(row: &[Entry], column: usize, theme: &Theme) -> Vec<Words> {
    let words = |(nth, (at, words, style)): (usize, &Entry)| {
        let mark = if *at == column { "▌" } else { " " };
        let gap = if nth == 0 { "" } else { "  " };
        [(gap.to_owned(), theme.text), (mark.to_owned(), theme.accent), (words.clone(), *style)]
    };
    row.iter().enumerate().flat_map(words).collect()
}
