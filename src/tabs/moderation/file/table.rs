//! The columns of the table of texts, and what stands in a row.

use ratatui::style::Style;

use super::super::mask::masked;
use super::super::shared_settings::SharedSettings;
use super::super::sign::tint;
use super::label_errors::LabelError;
use super::open_file::OpenTextFile;
use crate::component::RenderContext;
use crate::ui::meter::count;
use crate::ui::size_class::{MEDIUM, WIDE};
use crate::ui::table::{Align, TableCell, TableColumn, TableRow, Width};

pub(super) const SCORE: &str = "score";
pub(super) const LABEL: &str = "label";
const HIGHEST: &str = "highest";
const TEXT: &str = "text";
const ERROR: &str = "error";
const FLAGS: &str = "⚑";
const ROW: &str = "row";

/// Returns the table's columns at a width.
pub(super) fn columns(open: &OpenTextFile, width: u16) -> Vec<TableColumn> {
    let column = |title: &str, width, align| TableColumn { title: title.to_owned(), width, align };
    let digits = count(open.dataset.len() as u64).len().max(3) as u16;
    let mut columns = vec![
        column(ROW, Width::Fixed(digits), Align::Right),
        column(TEXT, Width::Share { weight: 1, least: 10 }, Align::Left),
    ];
    if open.errors.is_some() {
        columns.push(column(ERROR, Width::Fixed(if width >= WIDE { 14 } else { 5 }), Align::Left));
    }
    if open.dataset.is_labelled() && width >= MEDIUM {
        columns.push(column(LABEL, Width::Fixed(if width >= WIDE { 16 } else { 10 }), Align::Left));
    }
    if width >= MEDIUM {
        columns.push(column(HIGHEST, Width::Fixed(if width >= WIDE { 24 } else { 14 }), Align::Left));
    }
    columns.push(column(SCORE, Width::Fixed(7), Align::Right));
    columns.push(column("", Width::Fixed(1), Align::Left));
    if width >= MEDIUM {
        columns.push(column(FLAGS, Width::Fixed(2), Align::Right));
    }
    columns
}

/// Returns one row of the table.
pub(super) fn row(
    open: &OpenTextFile,
    at: usize,
    columns: &[TableColumn],
    shared: &SharedSettings,
    context: RenderContext,
) -> TableRow {
    let (dataset, theme) = (&open.dataset, context.theme);
    let check = dataset.check(at);
    let top = dataset.results.top(dataset.text_of(at));
    let old = check.is_some_and(|check| check.at_ms < open.settings.since_ms);
    let place = usize::from(top.category);
    let wide = columns.iter().any(|column| column.title == ERROR && column.width == Width::Fixed(14));
    let cell = |column: &TableColumn| match column.title.as_str() {
        ROW => TableCell::new(count(at as u64 + 1), theme.muted),
        TEXT => {
            let text = dataset.excerpt(at);
            let blur = shared.view.mask_flagged && check.is_some_and(|check| check.flagged);
            TableCell::new(if blur { masked(&text) } else { text }, Style::default())
        }
        LABEL => dataset.rows[at]
            .label
            .as_ref()
            .map(|label| TableCell::name(label.line(), Style::default()))
            .unwrap_or_default(),
        ERROR => {
            let error = open.errors.as_deref().and_then(|errors| errors.get(at).copied().flatten());
            let name = if wide { LabelError::name } else { LabelError::short };
            TableCell::new(error.map_or("", name), theme.warn)
        }
        HIGHEST if check.is_none() => TableCell::default(),
        HIGHEST => {
            let name = dataset.results.categories().get(place).map(|category| category.name.line()).unwrap_or_default();
            TableCell::name(name, theme.muted)
        }
        SCORE if top.score.is_nan() => TableCell::new(if check.is_some() { "—" } else { "" }, theme.muted),
        SCORE if old => TableCell::new(format!("({:.2})", top.score), theme.muted),
        SCORE => TableCell::new(format!("{:.2}", top.score), tint(top.score, dataset.results.threshold(place), theme)),
        FLAGS if top.flags == 0 => TableCell::default(),
        FLAGS => TableCell::new(top.flags.to_string(), theme.muted),
        _ => TableCell::new(if check.is_some() { top.sign.glyph() } else { "" }, top.sign.style(theme)),
    };
    TableRow { cells: columns.iter().map(cell).collect(), marked: false }
}
