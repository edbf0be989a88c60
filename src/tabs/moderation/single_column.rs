//! Draws one column at a time where there is no room for several: its text, long bars, and a list of all columns at the
//! bottom.

use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::agreement::{ModelAgreement, model_names};
use super::bench_texts::letter;
use super::language::{ENGLISH, is_local};
use super::result_table::ResultColumn;
use super::state::Moderate;
use super::styled_text::StyledText;
use crate::component::{RenderContext, draw_lines};
use crate::ui::bar::{BESIDE as BAR_BESIDE, Bar, number};
use crate::ui::list::draw_scroll_arrows;
use crate::ui::pane::{self, Spacing};
use crate::ui::rule::{cut, cut_middle};
use crate::ui::size_class::MEDIUM;
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

/// Draws the column under the cursor, and all columns in a strip below it.
pub(super) fn render(frame: &mut Frame, area: Rect, tab: &Moderate, context: RenderContext) {
    let theme = context.theme;
    let narrow = is_narrow(area);
    let Some((at, _)) = tab.text_and_model_under_cursor(context.session) else { return };
    render_title(frame, area, tab, (at, narrow), context);
    let blank_rows = u16::from(!narrow);
    let above = head(area, context.session.spacing()).min(area.height);
    let inside = Rect { y: area.y + above, height: area.height - above, ..area };
    let mut problem = tab.problem(context, area.width);
    let Some(column) = tab.bench.column_here() else { return };
    // Without a result, the sentence is shown in place of the cells.
    let instead = if column.check.is_none() { std::mem::take(&mut problem) } else { Vec::new() };
    let strip = strip(tab, usize::from(area.width), context);
    // The strip with its rule and the blank below it; what went wrong is above.
    let foot = strip.len() as u16 + if narrow { 0 } else { 2 } + problem.len() as u16;
    let foot = foot.min(inside.height / 2);
    let rows = tab.bench.table.rows.len().max(instead.len()).max(1) as u16;
    let taken = tab.render_writing(frame, inside, context);
    let taken = taken.unwrap_or_else(|| text(frame, inside, at, rows + 1 + 3 * blank_rows + foot, tab, context));
    let y = inside.y + taken + blank_rows;
    let bottom = inside.bottom().saturating_sub(foot);
    if y < bottom {
        verdict(frame, Rect { y, height: 1, ..area }, tab, (column, narrow), context);
    }
    let y = y + 1 + blank_rows;
    let body = Rect { y, height: bottom.saturating_sub(y), ..area };
    let cursor = cells(frame, body, tab, column, context);
    draw_lines(frame.buffer_mut(), body, &instead, theme);
    if tab.text_editor.is_none() && !tab.modals.is_open() {
        frame.set_cursor_position(cursor);
    }
    let mut below = problem;
    if !narrow {
        let rule = if theme.kind.has_surfaces() { String::new() } else { "─".repeat(usize::from(area.width)) };
        below.push((rule, theme.rule));
    }
    let place = Rect { y: bottom, height: foot, ..area };
    draw_lines(frame.buffer_mut(), place, &below, theme);
    let y = place.y + below.len() as u16;
    for (line, y) in strip.iter().zip(y..place.bottom()) {
        let mut x = area.x;
        for (words, style) in line {
            x = frame.buffer_mut().set_stringn(x, y, words, usize::from(area.right().saturating_sub(x)), *style).0;
        }
    }
}

/// Returns the rows of the title: a blank one below it where there is room.
pub(super) fn head(area: Rect, spacing: Spacing) -> u16 {
    if is_narrow(area) { 1 } else { spacing.head(area.height) }
}

fn is_narrow(area: Rect) -> bool {
    area.width < MEDIUM || area.height < 14
}

/// Draws which text and model the column is of, and the keys.
fn render_title(frame: &mut Frame, area: Rect, tab: &Moderate, (at, narrow): (usize, bool), context: RenderContext) {
    // The text's letter and the keys are beside it.
    let names = model_names(&tab.models(context.session), usize::from(area.width.saturating_sub(34)));
    let of = if names.len() > 1 { format!(" · {}", names[tab.bench.column % names.len()]) } else { String::new() };
    let title = format!("Text {} of {}{of}", letter(at), tab.texts.len());
    let keys = if narrow { "< >" } else { "< > switch · c compare" };
    let keys = if tab.bench.differences { format!("only differences · {keys}") } else { keys.to_owned() };
    tab.render_title(frame, area, &title, &keys, context);
}

/// Draws the column's verdict, and the threshold at its right.
fn verdict(
    frame: &mut Frame,
    row: Rect,
    tab: &Moderate,
    (column, narrow): (&ResultColumn, bool),
    context: RenderContext,
) {
    let Some(text) = tab.texts.get(column.text) else { return };
    let (mut verdict, style) = tab.verdict(column, &text.key, context);
    let width = usize::from(row.width.saturating_sub(2));
    let (x, _) = frame.buffer_mut().set_stringn(row.x + 1, row.y, cut(&verdict, width), width, style);
    if !narrow && column.check.is_some() && !column.unjudged && is_local(&column.model) {
        let said = format!(" · {ENGLISH}");
        frame.buffer_mut().set_stringn(x, row.y, &said, usize::from(row.right() - x), context.theme.muted);
        verdict.push_str(&said);
    }
    let words = format!("threshold {}{}", tab.threshold(), if narrow { "" } else { "  − +" });
    let end = row.right() - 1;
    let x = end.saturating_sub(wrap::width(&words) as u16);
    let room = usize::from(row.right().saturating_sub(x));
    if x > row.x + 2 + wrap::width(&verdict) as u16 && wrap::width(&words) <= room {
        frame.buffer_mut().set_stringn(x, row.y, words, room, context.theme.muted);
    }
}

/// Draws the text, over as many rows as `others` leave it. Returns the rows it took.
fn text(frame: &mut Frame, area: Rect, at: usize, others: u16, tab: &Moderate, context: RenderContext) -> u16 {
    let Some(text) = tab.texts.get(at) else { return 0 };
    let width = usize::from(area.width.saturating_sub(2));
    let name = text.row.name.line();
    let mut lines = tab.quote(text, width);
    if !name.is_empty()
        && let Some(first) = lines.first_mut()
        && wrap::width(first) + wrap::width(&name) + 3 <= width
        && area.width >= MEDIUM
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

/// Draws the categories with long bars. Returns where the terminal's cursor belongs.
fn cells(frame: &mut Frame, area: Rect, tab: &Moderate, column: &ResultColumn, context: RenderContext) -> Position {
    let theme = context.theme;
    let table = &tab.bench.table;
    let width = usize::from(area.width);
    let label = if area.width < MEDIUM { 16 } else { 22 };
    let gap = if area.width < MEDIUM { 1 } else { 2 };
    let moves = if column.old.is_empty() { 0 } else { 6 };
    let bar = BAR
        // The last column stays empty.
        .min(width.saturating_sub(1 + label + gap + BESIDE + moves + 1))
        .max(4);
    let height = usize::from(area.height);
    let mut cursor = Position::new(area.x, area.y);
    if column.check.is_none() {
        return cursor;
    }
    let here = table.row(tab.bench.at.as_ref());
    let top = (here + 1).saturating_sub(height).min(table.rows.len().saturating_sub(height));
    let profile = tab.file.shared.thresholds.profile();
    for ((at, row), y) in table.rows.iter().enumerate().skip(top).zip(area.y..area.bottom()) {
        let category = &table.categories[row.category];
        let selected = at == here && tab.bench.at.is_some();
        let style = if selected { theme.text.patch(theme.select) } else { theme.text };
        if selected {
            cursor = Position::new(area.x, y);
            // Bars keep their colours where a row is shown by reversing it.
            let width = if theme.kind.has_surfaces() { area.width } else { (1 + label) as u16 };
            pane::highlight(frame.buffer_mut(), Rect { x: area.x, y, width, height: 1 }, theme, true);
        }
        let mark = if tab.bench.marked.contains(&category.key) { "▣ " } else { "" };
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
    let shown = top..(top + height).min(table.rows.len());
    draw_scroll_arrows(frame.buffer_mut(), area, &shown, table.rows.len(), theme);
    cursor
}

/// Returns all columns in a few words each, over at most two rows, and a row that says how often models agree.
fn strip(tab: &Moderate, width: usize, context: RenderContext) -> Vec<Vec<StyledText>> {
    let theme = context.theme;
    let names = model_names(&tab.models(context.session), MODEL);
    let several = names.len() > 1;
    let entry = |(at, column): (usize, &ResultColumn)| {
        let text = tab.texts.get(column.text)?;
        let (mut words, style) = tab.brief(column, &text.key, context);
        if several && let Some(name) = names.get(at % names.len()) {
            words = format!("{words} ({})", cut_middle(name, MODEL));
        }
        Some((at, words, style))
    };
    let entries: Vec<_> = tab.bench.table.columns.iter().enumerate().filter_map(entry).collect();
    let most = if width < usize::from(MEDIUM) { 1 } else { 2 };
    let mut rows = in_rows(&entries, width);
    if rows.len() > most {
        rows = in_rows(&entries, width.saturating_sub(MORE));
    }
    // The row with the cursor is always visible.
    let here = rows.iter().position(|row| row.iter().any(|(at, ..)| *at == tab.bench.column)).unwrap_or(0);
    let first = (here + 1).saturating_sub(most);
    let shown = &rows[first..(first + most).min(rows.len())];
    let hidden = entries.len() - shown.iter().map(|row| row.len()).sum::<usize>();
    let mut lines: Vec<Vec<StyledText>> = shown.iter().map(|row| line(row, tab.bench.column, theme)).collect();
    if hidden > 0
        && let Some(last) = lines.last_mut()
    {
        last.push((format!("  +{hidden} more"), theme.muted));
    }
    if let Some(agreement) = ModelAgreement::in_table(&tab.bench.table) {
        lines.push(vec![(cut(&format!(" {}", agreement.sentence(width)), width), theme.muted)]);
    }
    lines
}

/// A column's place, its words and how they look.
type StripEntry = (usize, String, Style);

/// Parts entries into rows of a width; each takes a mark and, but for the first, a gap of two.
fn in_rows(entries: &[StripEntry], width: usize) -> Vec<&[StripEntry]> {
    let needed = |(_, words, _): &StripEntry| wrap::width(words) + 1;
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

fn line(row: &[StripEntry], column: usize, theme: &Theme) -> Vec<StyledText> {
    let words = |(nth, (at, words, style)): (usize, &StripEntry)| {
        let mark = if *at == column { "▌" } else { " " };
        let gap = if nth == 0 { "" } else { "  " };
        [(gap.to_owned(), theme.text), (mark.to_owned(), theme.accent), (words.clone(), *style)]
    };
    row.iter().enumerate().flat_map(words).collect()
}
