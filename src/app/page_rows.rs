//! The rows of a page of text, and how they are laid out: in two columns, in one, or one after another.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::iter;

use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr as _;

use super::notices;
use crate::component::{Hint, Notice};
use crate::ui::theme::Theme;
use crate::ui::{pane, wrap};

/// Columns from which on keys are in two columns.
pub(super) const TWO_COLUMNS: u16 = 94;
/// Columns between these two.
const GAP: usize = 3;
/// Columns between two keys that stand one after another.
const COMPACT_GAP: usize = 3;
/// Columns between the keys and what they do.
const KEY_GAP: usize = 2;
/// Columns of the keys at most: longer ones have a row of their own.
const KEY_COLUMNS: usize = 14;

/// A row of a page before it is wrapped.
#[derive(Debug)]
pub(super) enum Row {
    /// The heading of all that follows, with headings of its own.
    Part(String),
    /// A heading.
    Heading(String),
    /// A heading whose keys stand one after another, as many in a line as fit.
    Compact(String),
    /// A key and its action.
    Key(Hint),
    /// A notice with its time.
    Notice(String, Notice),
    /// Plain text.
    Text(String),
}

impl Row {
    /// Returns the text of the row.
    pub(super) fn text(&self) -> Cow<'_, str> {
        match self {
            Self::Part(text) | Self::Heading(text) | Self::Compact(text) | Self::Text(text) => text.into(),
            Self::Key(hint) => format!("{} {}", hint.key, hint.does).into(),
            Self::Notice(time, notice) => format!("{time} {}", notice.text.line()).into(),
        }
    }
}

/// Returns the lines of these rows at this many columns; the rows of a heading stay together.
pub(super) fn lay_out<'a>(rows: &[&'a Row], width: u16, theme: &Theme) -> Vec<Line<'a>> {
    let columns = if width < TWO_COLUMNS { 1 } else { 2 };
    let width = usize::from(width);
    let column_width = (width - GAP * (columns - 1)) / columns;
    let is_compact = |row: &&Row| matches!(row, Row::Compact(_));
    let blocks = rows.chunk_by(|_, next| !is_compact(next) && !matches!(next, Row::Part(_)));
    let lay_out_block = |block: &[&'a Row]| match block {
        [Row::Compact(_), ..] => one_after_another(block, width, theme),
        [Row::Part(_), rest @ ..] => {
            let head = wrap_rows(&block[..1], width, 0, theme);
            join_groups(vec![head, lay_out_groups(rest, (columns, column_width), theme)])
        }
        _ => lay_out_groups(block, (columns, column_width), theme),
    };
    join_groups(blocks.map(lay_out_block).collect())
}

/// Returns the lines of these headings and their rows in so many columns of this width.
fn lay_out_groups<'a>(rows: &[&'a Row], (columns, width): (usize, usize), theme: &Theme) -> Vec<Line<'a>> {
    // One group has the whole width.
    let headings = rows.iter().filter(|row| matches!(row, Row::Heading(_))).count();
    let (columns, width) = if headings < 2 { (1, columns * width + (columns - 1) * GAP) } else { (columns, width) };
    let keys = key_column(rows, width);
    let groups = rows.chunk_by(|_, next| !matches!(next, Row::Heading(_)));
    let groups: Vec<Vec<Line>> = groups.map(|group| wrap_rows(group, width, keys, theme)).collect();
    if columns == 1 {
        return join_groups(groups);
    }
    let total = groups.iter().map(|group| group.len() + 1).sum::<usize>();
    let (mut left, mut right, mut used) = (Vec::new(), Vec::new(), 0);
    for group in groups {
        let middle = used + group.len() / 2;
        used += group.len() + 1;
        // All groups after the first one at the right are there, too: the left column is read first.
        if right.is_empty() && (left.is_empty() || middle <= total / 2) { left.push(group) } else { right.push(group) }
    }
    let (left, mut right) = (join_groups(left), join_groups(right));
    let mut rows = Vec::new();
    right.resize(right.len().max(left.len()), Line::default());
    let rest = iter::repeat(Line::default());
    for (mut row, beside) in left.into_iter().chain(rest).zip(right) {
        row.spans.push(Span::raw(" ".repeat((width + GAP).saturating_sub(row.width()))));
        row.spans.extend(beside.spans);
        rows.push(row);
    }
    rows
}

/// Returns the lines of all groups, separated by blank ones.
fn join_groups(groups: Vec<Vec<Line<'_>>>) -> Vec<Line<'_>> {
    let mut all = Vec::new();
    for group in groups.into_iter().filter(|group| !group.is_empty()) {
        if !all.is_empty() {
            all.push(Line::default());
        }
        all.extend(group);
    }
    all
}

/// Returns a heading and its keys, as many in a line as fit.
fn one_after_another<'a>(rows: &[&'a Row], width: usize, theme: &Theme) -> Vec<Line<'a>> {
    let (heads, keys) = rows.split_at(1);
    let indent = margin(width);
    let mut lines = wrap_rows(heads, width, 0, theme);
    let mut line = Line::default();
    for hint in keys.iter().filter_map(|row| if let Row::Key(hint) = row { Some(hint) } else { None }) {
        let needed = hint.key.width() + 1 + hint.does.width();
        if line.width() > 0 && line.width() + COMPACT_GAP + needed > width {
            lines.push(std::mem::take(&mut line));
        }
        line.push_span(Span::raw(" ".repeat(if line.width() == 0 { indent } else { COMPACT_GAP })));
        line.push_span(Span::styled(hint.key.as_str(), theme.key()));
        // One that is longer than a line is continued below its words.
        let column = line.width() + 1;
        for (at, words) in wrap::lines(&hint.does, width.saturating_sub(column)).into_iter().enumerate() {
            if at > 0 {
                lines.push(std::mem::take(&mut line));
            }
            line.push_span(Span::raw(" ".repeat(column - line.width())));
            line.push_span(Span::styled(words.to_owned(), theme.text));
        }
    }
    lines.extend(Some(line).filter(|line| line.width() > 0));
    lines
}

/// Returns the columns before a key in a page of this width.
fn margin(width: usize) -> usize {
    if width < 40 { 1 } else { 2 }
}

/// Returns the columns for the keys with which these rows take the fewest lines: as many as the longest key has, unless
/// too little would be left for what the keys do.
fn key_column(rows: &[&Row], width: usize) -> usize {
    let hints = || rows.iter().filter_map(|row| if let Row::Key(hint) = row { Some(hint) } else { None });
    let mut widths: Vec<usize> = hints().map(|hint| hint.key.width()).filter(|width| *width <= KEY_COLUMNS).collect();
    widths.sort_unstable();
    widths.dedup();
    let lines = |column: usize| -> usize {
        let room = width.saturating_sub(margin(width) + column + KEY_GAP);
        // A key in a row of its own is harder to read than words that are continued.
        let of_hint = |hint: &Hint| wrap::lines(&hint.does, room).len() + 2 * usize::from(hint.key.width() > column);
        hints().map(of_hint).sum()
    };
    widths.into_iter().min_by_key(|column| (lines(*column), Reverse(*column))).unwrap_or(0)
}

/// Returns the lines of these rows at this many columns; `column`: columns of the keys.
fn wrap_rows<'a>(rows: &[&'a Row], width: usize, column: usize, theme: &Theme) -> Vec<Line<'a>> {
    let mut lines = Vec::new();
    for row in rows {
        let (front, words, style) = match row {
            Row::Part(head) => (Vec::new(), Cow::from(head), theme.text.add_modifier(Modifier::BOLD)),
            Row::Heading(head) | Row::Compact(head) => {
                let heading = pane::heading(head, theme);
                (Vec::new(), heading.content, heading.style)
            }
            Row::Key(hint) => {
                let margin = Span::raw(" ".repeat(margin(width)));
                let key = Span::styled(hint.key.as_str(), theme.key());
                let front = if let Some(short) = column.checked_sub(hint.key.width()) {
                    vec![margin, key, Span::raw(" ".repeat(short + KEY_GAP))]
                } else {
                    let indent = " ".repeat(margin.width() + column + KEY_GAP);
                    lines.push(Line::from(vec![margin, key]));
                    vec![Span::raw(indent)]
                };
                (front, Cow::from(&hint.does), theme.text)
            }
            Row::Notice(time, notice) => {
                let (mark, style) = notices::mark(notice.level, theme);
                let time = Span::styled(format!("{time} "), theme.muted);
                (vec![time, Span::styled(format!("{mark} "), style)], notice.text.line(), theme.text)
            }
            Row::Text(words) => (Vec::new(), Cow::from(words), theme.text),
        };
        let indent: usize = front.iter().map(Span::width).sum();
        let mut front = Some(front);
        for words in wrap::lines(&words, width.saturating_sub(indent)) {
            // Further lines stand under the words of the first one.
            let mut spans = front.take().unwrap_or_else(|| vec![Span::raw(" ".repeat(indent))]);
            spans.push(Span::styled(words.to_owned(), style));
            lines.push(Line::from(spans));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::theme::{Depth, Kind};

    fn page(hints: &[(&str, &str)]) -> Vec<String> {
        let rows: Vec<Row> = hints.iter().map(|(key, does)| Row::Key(Hint::new(*key, *does))).collect();
        let theme = Theme::of(Kind::Mono, Depth::None);
        lay_out(&rows.iter().collect::<Vec<_>>(), 36, &theme).iter().map(Line::to_string).collect()
    }

    #[test]
    fn the_column_of_keys_is_as_wide_as_the_longest_key_unless_what_they_do_would_take_more_lines() {
        assert_eq!(page(&[("j", "next message"), ("g home", "top")]), [" j       next message", " g home  top"]);
        let long = "what takes nearly all of a line";
        let rows = [("a", long), ("b", long), ("c", long), ("d", long), ("shift+tab", "back")];
        assert_eq!(page(&rows)[0], format!(" a  {long}"));
        assert_eq!(page(&rows)[4..], [" shift+tab", "    back"]);
    }
}
