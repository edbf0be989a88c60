//! The rows of the strip: alternatives of a token with their probabilities.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::chosen_alternative;
use super::token_name::row_name;
use crate::record::Token;
use crate::ui::pane::{Spacing, highlight};
use crate::ui::rule::cut;
use crate::ui::theme::Theme;
use crate::ui::{bar, wrap};

/// Columns of a bar at most.
const BAR: usize = 40;
/// Columns of a bar at most in a wide strip, and how wide that is at least.
const LONG_BAR: (usize, usize) = (72, 120);
/// Columns of a token's name at least and at most.
const NAME: (usize, usize) = (10, 24);
/// Columns of a probability.
const FIGURE: usize = 7;
/// What stands after the probability of the token that was chosen.
const CHOSEN: &str = "chosen";

/// A row: an alternative with its probability.
pub(super) struct Row<'a> {
    bytes: &'a [u8],
    probability: Option<f64>,
    is_chosen: bool,
}

/// Returns the share of the probability that all rows have together; `None`: nothing is known.
pub(super) fn share_covered(token: &Token) -> Option<f64> {
    let own = token.probability().filter(|probability| !probability.is_nan())?;
    let listed: f64 = token.top.iter().map(crate::record::Alternative::probability).filter(|p| !p.is_nan()).sum();
    let outside = if chosen_alternative(token).is_none() { own } else { 0.0 };
    (!token.top.is_empty()).then(|| (listed + outside).clamp(0.0, 1.0))
}

/// Returns the alternatives, followed by the token itself if it is none of them.
pub(super) fn rows(token: &Token) -> Vec<Row<'_>> {
    let chosen = chosen_alternative(token);
    let mut rows: Vec<Row> = (0..)
        .zip(&token.top)
        .map(|(at, other)| Row {
            bytes: &other.bytes,
            probability: Some(other.probability()),
            is_chosen: chosen == Some(at),
        })
        .collect();
    if chosen.is_none() {
        rows.push(Row { bytes: &token.bytes, probability: token.probability(), is_chosen: true });
    }
    rows
}

/// The columns of the parts of a row, the same for all rows of a token.
#[derive(Clone, Copy)]
pub(super) struct RowColumns {
    pub(super) indent: usize,
    names: usize,
    bar: usize,
}

impl RowColumns {
    /// Lays the parts out for these rows in so many columns.
    pub(super) fn of(rows: &[Row], width: usize, spacing: Spacing) -> Self {
        let indent = if spacing == Spacing::Roomy { 4 } else { 2 };
        let longest = rows.iter().map(|row| wrap::width(&row_name(row.bytes))).max().unwrap_or(0);
        let names = longest.clamp(NAME.0, NAME.1).min(width.saturating_sub(indent + FIGURE));
        // Blanks, the figure, and the word for what was chosen with a blank at each side.
        let most = if width < LONG_BAR.1 { BAR } else { LONG_BAR.0 };
        let bar = width.saturating_sub(indent + names + 4 + FIGURE + 8).min(most);
        Self { indent, names, bar: if bar < 6 { 0 } else { bar } }
    }
}

/// Draws an alternative; `cursor`: it is under the cursor.
pub(super) fn draw_row(row: &Row, line: Rect, columns: RowColumns, cursor: bool, buf: &mut Buffer, theme: &Theme) {
    if cursor {
        highlight(buf, line, theme, true);
    }
    let on = |style: Style| if cursor { theme.select.patch(style) } else { style };
    let (style, filled) = match (row.is_chosen, cursor) {
        (true, _) => (on(theme.text).add_modifier(Modifier::BOLD), on(theme.model)),
        (false, true) => (on(theme.text), on(theme.text)),
        (false, false) => (theme.muted, theme.muted),
    };
    let RowColumns { indent, names, bar } = columns;
    put(line, indent, &cut(&row_name(row.bytes), names), style, buf);
    let mut column = indent + names + 2;
    let Some(probability) = row.probability.filter(|probability| !probability.is_nan()) else {
        return put(line, column, "no probability", style, buf);
    };
    if bar > 0 {
        bar_at(line, column, bar, (probability, filled), buf, theme);
        column += bar + 2;
    }
    put(line, column - 1, &figure(probability), style, buf);
    if row.is_chosen {
        put(line, column + FIGURE + 1, CHOSEN, on(theme.faint), buf);
    }
}

/// Draws at the end of the last row how many more follow, where there is room for it beside what was chosen.
pub(super) fn draw_more(count: usize, line: Rect, columns: RowColumns, buf: &mut Buffer, theme: &Theme) {
    let words = format!("↓ {count} more");
    let RowColumns { indent, names, bar } = columns;
    let end = indent + names + 2 + bar + 2 + FIGURE + 1 + CHOSEN.len();
    // The last column stays empty.
    let column = usize::from(line.width).saturating_sub(wrap::width(&words) + 1);
    if count > 0 && column > end {
        put(line, column, &words, theme.faint, buf);
    }
}

/// Draws the row of all other tokens, which have this `share` of the probability; `more`: some rows have no room.
pub(super) fn draw_other(share: f64, more: bool, line: Rect, columns: RowColumns, buf: &mut Buffer, theme: &Theme) {
    let RowColumns { indent, names, bar } = columns;
    put(line, indent, &cut(if more { "other · ↑↓ more" } else { "other" }, names), theme.faint, buf);
    let mut column = indent + names + 2;
    if bar > 0 {
        bar_at(line, column, bar, (share, theme.faint), buf, theme);
        column += bar + 2;
    }
    put(line, column - 1, &figure(share), theme.faint, buf);
}

/// Returns a probability beside its bar, right-aligned: `0.41`, `<0.01`.
fn figure(probability: f64) -> String {
    let words = if (f64::MIN_POSITIVE..0.005).contains(&probability) {
        "<0.01".to_owned()
    } else {
        format!("{probability:.2}")
    };
    format!("{words:>5}")
}

/// Draws a bar of a share in a style into so many columns of a line.
fn bar_at(line: Rect, column: usize, columns: usize, (share, style): (f64, Style), buf: &mut Buffer, theme: &Theme) {
    let place = Rect { x: line.x + column as u16, width: columns as u16, ..line };
    bar::thin(share, place, buf, style, theme);
}

/// Writes words into a line from a column on.
pub(super) fn put(line: Rect, column: usize, words: &str, style: Style, buf: &mut Buffer) {
    let width = usize::from(line.width);
    if column < width {
        buf.set_stringn(line.x + column as u16, line.y, words, width - column, style);
    }
}
