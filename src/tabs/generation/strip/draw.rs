//! The strip's picture.

use std::fmt::Write as _;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

use super::{Shown, Strip, drawn};
use crate::record::Token;
use crate::tabs::generation::score::{share, signed, summary};
use crate::text::Untrusted;
use crate::ui::meter;
use crate::ui::rule::{Rule, cut};
use crate::ui::theme::Theme;
use crate::ui::wrap;

/// Columns of a bar at most.
const BAR: usize = 40;
/// Columns of a token's name at least and at most.
const NAME: (usize, usize) = (10, 24);
/// Columns of a probability.
const FIGURE: usize = 7;

/// A token's bytes made visible, on one line and safe to show: line ends as `␊`, tabs as `⇥`, what is no whole character
/// as `⟨e6 97⟩`. Blanks stay as they are: it wants quotes around it.
pub fn name(bytes: &[u8]) -> String {
    let mut name = String::new();
    for chunk in bytes.utf8_chunks() {
        name.push_str(&Untrusted::from(chunk.valid().replace('\t', "⇥")).line());
        if !chunk.invalid().is_empty() {
            let hex: Vec<String> = chunk.invalid().iter().map(|byte| format!("{byte:02x}")).collect();
            let _ = write!(name, "⟨{}⟩", hex.join(" "));
        }
    }
    name
}

/// A row: name, probability, whether it was drawn.
struct Row<'a> {
    bytes: &'a [u8],
    probability: Option<f64>,
    drawn: bool,
}

impl Strip {
    /// Draws the strip into `area`, whatever its height: with less of it there are fewer alternatives.
    pub fn render(&self, area: Rect, buf: &mut Buffer, shown: &Shown, theme: &Theme) {
        if area.is_empty() {
            return;
        }
        let width = usize::from(area.width);
        let body = Rect { y: area.y + 1, height: area.height - 1, ..area };
        let put = |buf: &mut Buffer, y: u16, text: &str, style| {
            buf.set_stringn(body.x + 2, y, cut(text, width.saturating_sub(3)), width.saturating_sub(2), style);
        };
        let Some(token) = self.token(shown.tokens) else {
            Rule { title: "Tokens", right: "", right_style: theme.muted, focus: shown.focus }.render(area, buf, theme);
            for (line, y) in
                wrap::lines(shown.empty, width.saturating_sub(4).max(1)).into_iter().zip(body.y..body.bottom())
            {
                put(buf, y, line, theme.muted);
            }
            return;
        };
        self.title(token, area, buf, shown, theme);
        let rows = rows(token);
        let below = match body.height {
            0..5 => 0,
            5 => 1,
            _ => 2,
        };
        let room = usize::from(body.height - below);
        // The row under the cursor is always there.
        let choice = self.choice.min(rows.len() - 1);
        let first = (choice + 1).saturating_sub(room);
        let columns = columns(&rows, width);
        for (nth, y) in (first..rows.len()).take(room).zip(body.y..) {
            let line = Rect { y, height: 1, ..body };
            row(&rows[nth], line, columns, nth == choice && shown.focus, buf, theme);
        }
        if below > 0 {
            put(buf, body.bottom() - below, &covered(token, rows.len() > room), theme.muted);
        }
        if below > 1 {
            let sums = summary(&shown.prompt, &shown.completion, width.saturating_sub(3));
            put(buf, body.bottom() - 1, &sums, theme.muted);
        }
    }

    /// The rule over the strip: which token, and its figures.
    fn title(&self, token: &Token, area: Rect, buf: &mut Buffer, shown: &Shown, theme: &Theme) {
        let (at, all) = (self.at.min(shown.tokens.len() - 1) + 1, shown.tokens.len());
        let (at, all) = (meter::count(at as u64), meter::count(all as u64));
        let narrow = area.width < 100;
        let place = if narrow { format!("{at}/{all}") } else { format!("{at} of {all}") };
        let title = format!("Token {place} · \"{}\"", name(&token.bytes));
        let right = match (token.probability(), token.logprob) {
            (Some(p), Some(logprob)) if !p.is_nan() && !narrow => {
                format!("p {} · logprob {}", share(p), signed(logprob, 2))
            }
            (Some(p), _) if !p.is_nan() => format!("p {}", share(p)),
            _ => "no figure".to_owned(),
        };
        Rule { title: &title, right: &right, right_style: theme.text, focus: shown.focus }.render(area, buf, theme);
    }
}

/// The alternatives, and behind them the token itself, where it is none of them.
fn rows(token: &Token) -> Vec<Row<'_>> {
    let drawn = drawn(token);
    let mut rows: Vec<Row> = (0..)
        .zip(&token.top)
        .map(|(at, other)| Row {
            bytes: &other.bytes,
            probability: Some(other.probability()),
            drawn: drawn == Some(at),
        })
        .collect();
    if drawn.is_none() {
        rows.push(Row { bytes: &token.bytes, probability: token.probability(), drawn: true });
    }
    rows
}

/// Columns of the name and of the bar, the same for all rows of a token.
fn columns(rows: &[Row], width: usize) -> (usize, usize) {
    let longest = rows.iter().map(|row| wrap::width(&name(row.bytes)) + 2).max().unwrap_or(0);
    let names = longest.clamp(NAME.0, NAME.1).min(width.saturating_sub(2 + FIGURE));
    // Blanks, the figure, and the word for what was drawn.
    let bar = width.saturating_sub(2 + names + 2 + FIGURE + 8).min(BAR);
    (names, if bar < 6 { 0 } else { bar })
}

fn row(row: &Row, line: Rect, (names, bar): (usize, usize), cursor: bool, buf: &mut Buffer, theme: &Theme) {
    let width = usize::from(line.width);
    let mut style = if cursor { theme.text.patch(theme.select) } else { theme.text };
    if cursor {
        buf.set_style(line, theme.select);
        buf.set_stringn(line.x, line.y, "▌", width, theme.accent.patch(theme.select));
    }
    if row.drawn {
        style = style.add_modifier(Modifier::BOLD);
    }
    let mut put = |column: usize, text: &str, style| {
        if column < width {
            buf.set_stringn(line.x + column as u16, line.y, text, width - column, style);
        }
    };
    put(2, &cut(&format!("'{}'", name(row.bytes)), names), style);
    let mut column = 2 + names + 2;
    let Some(probability) = row.probability.filter(|probability| !probability.is_nan()) else {
        return put(column, "no probability was told", if cursor { style } else { theme.muted });
    };
    if bar > 0 {
        put(column, &meter::bar(probability, bar).replace('░', "·"), style);
        column += bar + 2;
    }
    put(column, &share(probability), style);
    if row.drawn {
        put(column + FIGURE + 1, "drawn", style);
    }
}

/// How much of the probability the alternatives have, or why nothing is known.
fn covered(token: &Token, more: bool) -> String {
    let Some(own) = token.probability().filter(|probability| !probability.is_nan()) else {
        return "No probability: nothing stands before the first token of a text to judge it by.".to_owned();
    };
    if token.top.is_empty() {
        return "Only the token's own probability was asked for: 0 alternatives.".to_owned();
    }
    let listed: f64 = token.top.iter().map(crate::record::Alternative::probability).filter(|p| !p.is_nan()).sum();
    let outside = if drawn(token).is_none() { own } else { 0.0 };
    let covered = (listed + outside).clamp(0.0, 1.0);
    let more = if more { "↑↓ more · " } else { "" };
    format!("{more}covered {covered:.2} of the probability, {:.2} elsewhere", 1.0 - covered)
}
