//! Draws the page of models.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use super::models_page::ModelsPage;
use super::models_row::ModelRow;
use crate::component::RenderContext;
use crate::component::money::per_million;
use crate::tokens::Price;
use crate::ui::meter::{count, short};
use crate::ui::overlay::{Words, boxed, content_area};
use crate::ui::rule::cut;
use crate::ui::table::{Align, Table, TableCell, TableColumn, TableRow, Width};
use crate::ui::theme::{Kind, Theme};
use crate::ui::wrap;

/// Columns of the box, where there are that many.
const WIDEST: u16 = 150;
/// Columns that details beside the list need, and rows that details below it need.
const BESIDE: u16 = 110;
const BELOW: u16 = 16;
/// Rows of the box that the details of a model seldom exceed.
const MOST_DETAILS: u16 = 20;
/// Columns before the ids.
const GUTTER: u16 = 3;
/// Widest id for which other columns are left out.
const LONGEST_ID: u16 = 40;
/// Columns of the labels in the details.
const LABEL: usize = 15;

/// Where the parts of the page are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Layout {
    size: (u16, u16),
    pub(super) list: Rect,
    /// Where the filter is typed; empty: it is not shown.
    filter: Rect,
    /// Where the page says why there is no list; empty: in place of the rows, or nowhere.
    note: Rect,
    /// Empty: there is no room beside or below the list.
    details: Rect,
}

impl Layout {
    /// Returns where the parts are over `area`, for so many models.
    pub(super) fn of(area: Rect, kind: Kind, (has_filter, has_note): (bool, bool), models: usize) -> Self {
        let most = area.height.saturating_sub(4).max(area.height.min(10));
        // Few models need no more rows than their details do.
        let height = (models as u16).saturating_add(6).max(MOST_DETAILS).min(most);
        let size = (WIDEST.min(area.width.saturating_sub(4)).max(area.width.min(40)), height);
        let inner = content_area(area, size, kind);
        let (mut list, mut details) = (inner, Rect::default());
        if inner.width >= BESIDE {
            list.width = inner.width * 13 / 20;
            details = Rect { x: list.right() + 2, width: inner.width - list.width - 2, ..inner };
        } else if inner.height >= BELOW {
            list.height = inner.height * 3 / 5;
            details = Rect { y: list.bottom() + 1, height: inner.height - list.height - 1, ..inner };
        }
        let mut filter = Rect::default();
        if has_filter && list.height > 2 {
            list.height -= 1;
            filter = Rect { y: list.bottom(), height: 1, ..list };
        }
        let mut note = Rect::default();
        if has_note && list.height > 2 {
            list.height -= 1;
            note = Rect { y: list.bottom(), height: 1, ..list };
        }
        Self { size, list, filter, note, details }
    }

    /// Returns whether there is room for list and details.
    pub(super) fn has_both(&self) -> bool {
        !self.details.is_empty()
    }
}

/// Returns the columns of the table. Where ids would be cut, others are left out, the least important first, and prices
/// before all others where every model is free: the details show everything.
pub(super) fn columns(page: &ModelsPage) -> Vec<TableColumn> {
    shown_columns(page).into_iter().map(|(_, column)| column).collect()
}

/// Returns the columns of the table, each with its index among all columns.
fn shown_columns(page: &ModelsPage) -> Vec<(usize, TableColumn)> {
    let column = |title: &str, width, align| TableColumn { title: title.to_owned(), width, align };
    let room = page.layout.list.width.saturating_sub(GUTTER);
    let widest = page.list.items().iter().map(|row| wrap::width(&row.name()) + 2 * usize::from(row.favourite)).max();
    let id = (widest.unwrap_or(0) as u16).clamp(16, LONGEST_ID).min(room.max(1));
    let all = [
        (id, column("model", Width::Share { weight: 3, least: id }, Align::Left)),
        (7, column("context", Width::Fixed(7), Align::Right)),
        (6, column("in", Width::Fixed(6), Align::Right)),
        (6, column("out", Width::Fixed(6), Align::Right)),
        (7, column("owner", Width::Share { weight: 1, least: 7 }, Align::Left)),
        (8, column("created", Width::Fixed(8), Align::Right)),
    ];
    let is_free = page.list.items().iter().all(|row| row.price == Some(Price::FREE));
    let order: &[usize] = if is_free { &[1, 5, 4, 2, 3] } else { &[1, 2, 3, 5, 4] };
    let mut used = id;
    let mut kept = vec![0];
    for at in order {
        used += all[*at].0 + 2;
        if used > room {
            break;
        }
        kept.push(*at);
    }
    // The price of the prompt alone would be misread.
    if !kept.contains(&3) {
        kept.retain(|at| *at != 2);
    }
    all.into_iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(at, (_, column))| (at, column)).collect()
}

/// Draws the page.
pub(super) fn render(page: &ModelsPage, frame: &mut Frame, area: Rect, context: RenderContext) {
    let theme = context.theme;
    let layout = page.layout;
    let (shown, hidden) = (page.list.len(), page.list.items().iter().filter(|row| row.hidden).count());
    let mut right = match page.list.items().len() {
        0 => String::new(),
        1 => "1 model".to_owned(),
        all if all == shown => format!("{} models", count(all as u64)),
        all => format!("{} of {}", count(shown as u64), count(all as u64)),
    };
    if hidden > 0 {
        right = format!("{right} · {} hidden", count(hidden as u64));
    }
    let title = format!("Models of {}", context.session.profile_name.line());
    let has_prices = page.list.items().iter().any(|row| row.price.is_some_and(|price| price != Price::FREE));
    let more = if has_prices { "prices in $ per million tokens" } else { "" };
    boxed(frame, area, layout.size, &Words { title: &title, right: &right, more, ..Words::default() }, theme);
    if page.shows_details && !layout.has_both() {
        return draw_details(page, frame, theme);
    }
    draw_table(page, frame, layout.list, theme);
    if !layout.note.is_empty() {
        let words = cut(&format!("✕ {}", page.failure.line()), usize::from(layout.note.width));
        frame.render_widget(Span::styled(words, theme.bad), layout.note);
    }
    if !layout.filter.is_empty() {
        page.filter.render(frame, layout.filter, "", theme);
    }
    draw_details(page, frame, theme);
}

/// Draws the list, or why there is none.
fn draw_table(page: &ModelsPage, frame: &mut Frame, area: Rect, theme: &Theme) {
    if page.list.is_empty() {
        let words = match (page.failure.is_empty(), page.list.items().is_empty()) {
            (false, true) => format!("✕ {}", page.failure.line()),
            (true, true) => "The server's models are being fetched.".to_owned(),
            _ => "no matching models · esc shows all".to_owned(),
        };
        let style = if page.failure.is_empty() { theme.muted } else { theme.bad };
        for (line, y) in wrap::lines(&words, usize::from(area.width)).into_iter().zip(area.y..area.bottom()) {
            frame.render_widget(Span::styled(line, style), Rect { y, height: 1, ..area });
        }
        return;
    }
    let (places, columns): (Vec<_>, Vec<_>) = shown_columns(page).into_iter().unzip();
    let row = |at: usize| page.list.row(at).map(|row| cells(row, &places, theme)).unwrap_or_default();
    let focus = !page.filter.is_typing();
    let table = Table { columns: &columns, sort: None, len: page.list.len(), row: &row, focus };
    if let Some(cursor) = table.render(page.list.view, area, frame.buffer_mut(), theme) {
        frame.set_cursor_position(cursor);
    }
}

/// Returns the cells of a row for these columns.
fn cells(row: &ModelRow, places: &[usize], theme: &Theme) -> TableRow {
    let name = if row.favourite { format!("★ {}", row.name()) } else { row.name() };
    let style = if row.hidden || !row.suits { theme.muted } else { Style::default() };
    let mut name = TableCell::name(name, style);
    if row.hidden {
        " hidden".clone_into(&mut name.note);
    }
    let dollars = |nano: Option<i64>| match row.price {
        None => "—".to_owned(),
        Some(Price::FREE) => "free".to_owned(),
        Some(_) => nano.map_or_else(|| "—".to_owned(), per_million),
    };
    // A price that is only listed is not counted: it is fainter.
    let look = if row.price.is_some() && row.price_source.is_none() { theme.muted } else { Style::default() };
    let price = |nano| TableCell::new(dollars(nano), look);
    let context = row.context.map_or_else(|| "—".to_owned(), |tokens| short(tokens).replace(".0", ""));
    // The details show the day.
    let month = row.created.split_once(' ').map_or("", |(_, month)| month);
    let cells = [
        name,
        context.into(),
        price(row.price.map(|price| price.input)),
        price(row.price.and_then(|price| price.output)),
        TableCell::new(row.owner.clone(), theme.muted),
        TableCell::new(month, theme.muted),
    ];
    let shown = cells.into_iter().enumerate().filter(|(at, _)| places.contains(at));
    TableRow { cells: shown.map(|(_, cell)| cell).collect(), marked: false }
}

/// Returns the area of the details; empty: they are not shown.
fn detail_area(page: &ModelsPage) -> Rect {
    match page.layout.has_both() {
        true => page.layout.details,
        false if page.shows_details => page.layout.list,
        false => Rect::default(),
    }
}

/// Returns how many rows the details can be scrolled by.
pub(super) fn detail_overflow(page: &ModelsPage) -> usize {
    let area = detail_area(page);
    let rows = page.list.selected_item().map_or(0, |row| fitted_details(row, area).len());
    rows.saturating_sub(usize::from(area.height))
}

/// Draws all that is known of the model under the cursor.
fn draw_details(page: &ModelsPage, frame: &mut Frame, theme: &Theme) {
    let area = detail_area(page);
    let Some(row) = page.list.selected_item().filter(|_| !area.is_empty()) else { return };
    let lines = fitted_details(row, area);
    let is_cut = page.top + usize::from(area.height) < lines.len();
    for ((label, words), y) in lines.into_iter().skip(page.top).zip(area.y..area.bottom()) {
        let style = if label.is_empty() && y == area.y && page.top == 0 { theme.accent } else { theme.text };
        let line = Line::from(vec![Span::styled(label, theme.muted), Span::styled(words, style)]);
        frame.render_widget(line, Rect { y, height: 1, ..area });
    }
    if is_cut {
        let more = "↓ J";
        let x = area.right().saturating_sub(3);
        frame.buffer_mut().set_stringn(x, area.bottom() - 1, more, 3, theme.faint);
    }
}

/// Returns the rows of the details in an area, with columns left for the mark that there are more.
fn fitted_details(row: &ModelRow, area: Rect) -> Vec<(String, String)> {
    let lines = detail_lines(row, usize::from(area.width));
    if lines.len() <= usize::from(area.height) {
        lines
    } else {
        detail_lines(row, usize::from(area.width).saturating_sub(4))
    }
}

/// Returns the rows of the details: labels, padded, and words.
fn detail_lines(row: &ModelRow, width: usize) -> Vec<(String, String)> {
    let width = width.max(1);
    let name = row.name();
    let mut lines: Vec<_> =
        wrap::lines(&name, width).into_iter().map(|line| (String::new(), line.to_owned())).collect();
    // A label that would take half of the width stands above its words.
    let beside = if width >= 5 * LABEL / 2 { LABEL } else { 0 };
    for (label, words) in &row.facts {
        if beside == 0 {
            lines.push(((*label).to_owned(), String::new()));
        }
        for (nth, part) in wrap::lines(words, width - beside).into_iter().enumerate() {
            let label = if nth == 0 && beside > 0 { label } else { "" };
            lines.push((format!("{label:beside$}"), part.to_owned()));
        }
    }
    lines
}
