//! Tables: their cells, and their lines at a width.

use std::ops::Range;

use pulldown_cmark::Alignment;

use super::line::{Kind, Line, Role, Shape};
use crate::ui::wrap;

/// The separator of two columns.
const BETWEEN: &str = " │ ";
/// Columns of [`BETWEEN`].
const GAP: usize = 3;
/// Minimum width of a column that has to wrap its cells …
const NARROWEST: usize = 8;
/// … and its longest word must fit, unless that is longer than this.
const WORD: usize = 12;

/// A table, independent of a width.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MarkdownTable {
    alignments: Vec<Alignment>,
    /// The first one is the header.
    pub(super) rows: Vec<Vec<Line>>,
}

/// A table in a block.
#[derive(Clone, Debug)]
pub(super) struct PlacedTable {
    table: MarkdownTable,
    /// Its first line in the block.
    pub(super) at: usize,
    /// Its number of lines: 0 until it is laid out.
    pub(super) count: usize,
    /// The text before its first line, and before the others.
    first: String,
    hang: String,
}

impl PlacedTable {
    /// Creates a table that begins at a line of its block, after what precedes that line.
    pub(super) fn new(table: MarkdownTable, at: usize, line: Line) -> Self {
        Self { table, at, count: 0, first: line.first, hang: line.hang }
    }

    pub(super) fn range(&self) -> Range<usize> {
        self.at..self.at + self.count
    }

    /// Returns whether both have the same cells after the same marks.
    pub(super) fn same(&self, other: &Self) -> bool {
        (&self.table, &self.first, &self.hang) == (&other.table, &other.first, &other.hang)
    }

    /// Returns the lines at a width, including marks.
    pub(super) fn lines(&self, width: usize) -> Vec<Line> {
        let mut lines = self.table.lines(width.saturating_sub(wrap::width(&self.hang)));
        for (nth, line) in lines.iter_mut().enumerate() {
            line.first.insert_str(0, if nth == 0 { &self.first } else { &self.hang });
            line.hang.insert_str(0, &self.hang);
        }
        lines
    }
}

impl MarkdownTable {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new() }
    }

    /// Returns the lines at a width: rows with aligned columns, cells wrapped if necessary; or each row as a block of
    /// its own if the columns would be too narrow to read.
    fn lines(&self, width: usize) -> Vec<Line> {
        match self.widths(width) {
            Some(widths) => self.grid(&widths),
            None => self.records(),
        }
    }

    /// Returns the width of each column. Columns that need less than an equal share keep what they need; the others
    /// share the rest.
    fn widths(&self, width: usize) -> Option<Vec<usize>> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let (mut natural, mut word) = (vec![0; columns], vec![0; columns]);
        for row in &self.rows {
            for (at, cell) in row.iter().enumerate() {
                natural[at] = wrap::width(&cell.text).max(natural[at]);
            }
        }
        let mut rest = width.saturating_sub(GAP * columns.saturating_sub(1));
        if natural.iter().sum::<usize>() <= rest {
            return Some(natural);
        }
        for row in &self.rows {
            for (at, cell) in row.iter().enumerate() {
                word[at] = cell.text.split(' ').map(wrap::width).max().unwrap_or(0).max(word[at]);
            }
        }
        let mut order: Vec<usize> = (0..columns).collect();
        order.sort_by_key(|at| natural[*at]);
        let mut widths = vec![0; columns];
        for (given, at) in order.into_iter().enumerate() {
            widths[at] = natural[at].min(rest / (columns - given));
            rest -= widths[at];
            if widths[at] < natural[at].min(word[at].clamp(NARROWEST, WORD)) {
                return None;
            }
        }
        Some(widths)
    }

    fn grid(&self, widths: &[usize]) -> Vec<Line> {
        let mut lines = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            let pieces: Vec<Vec<Range<usize>>> =
                row.iter().zip(widths).map(|(cell, width)| pieces(&cell.text, *width)).collect();
            let height = pieces.iter().map(Vec::len).max().unwrap_or(1);
            for part in 0..height {
                let mut line = Line::default();
                for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
                    line.add(if at == 0 { "" } else { BETWEEN }, Role::of(Kind::Muted));
                    let piece = pieces[at].get(part).cloned().unwrap_or_default();
                    let missing = width.saturating_sub(wrap::width(&cell.text[piece.clone()]));
                    let before = match self.alignments.get(at) {
                        Some(Alignment::Right) => missing,
                        Some(Alignment::Center) => missing / 2,
                        _ => 0,
                    };
                    line.text.push_str(&" ".repeat(before));
                    line.add_cell(cell, piece, number == 0);
                    line.text.push_str(&" ".repeat(missing - before));
                }
                lines.push(line);
            }
            if number == 0 {
                let mut line = Line::default();
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                line.add(&rule.join("─┼─"), Role::of(Kind::Muted));
                lines.push(line);
            }
        }
        lines
    }

    /// Returns each row as a block of `head: cell` lines, separated by rules.
    fn records(&self) -> Vec<Line> {
        let Some((head, rows)) = self.rows.split_first() else { return Vec::new() };
        let mut lines = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            if number > 0 {
                lines.push(Line { shape: Shape::Rule, ..Line::default() });
            }
            for (name, cell) in head.iter().zip(row) {
                let mut line = Line { hang: "  ".to_owned(), ..Line::default() };
                line.add_cell(name, 0..name.text.len(), true);
                line.add(if name.text.is_empty() { "" } else { ": " }, Role::of(Kind::Muted));
                line.add_cell(cell, 0..cell.text.len(), false);
                lines.push(line);
            }
        }
        if rows.is_empty() {
            lines.extend(head.iter().cloned());
        }
        lines
    }
}

/// Returns the rows of a cell's text at a width, without trailing spaces.
fn pieces(text: &str, width: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    wrap::rows(text, width, |range| pieces.push(range.start..range.start + text[range].trim_end_matches(' ').len()));
    pieces
}

impl Line {
    /// Appends a part of a cell; `heading`: one of the head.
    fn add_cell(&mut self, cell: &Self, part: Range<usize>, heading: bool) {
        let (text, roles) = (self.text.len(), self.roles.len());
        self.add_part(cell, part);
        if heading {
            self.roles.truncate(roles);
            self.roles.push((text..self.text.len(), Role::of(Kind::Heading)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::blocks;
    use super::*;

    fn lines(source: &str, width: usize) -> Vec<String> {
        let mut blocks = blocks(source, 0, false);
        blocks[0].fit(width);
        blocks[0].lines.iter().map(|line| line.first.clone() + &line.text).collect()
    }

    #[test]
    fn cells_stand_where_their_column_wants_them() {
        let source = "| Case | Days | Refund | 日本 |\n|:---|---:|:---:|---|\n| late | **7** | no | x |\n| on time | 14 | yes, all | 語 |\n";
        assert_eq!(
            lines(source, 80),
            [
                "Case    │ Days │  Refund  │ 日本",
                "────────┼──────┼──────────┼─────",
                "late    │    7 │    no    │ x   ",
                "on time │   14 │ yes, all │ 語  ",
            ]
        );
        let mut block = blocks(source, 0, false).remove(0);
        block.fit(80);
        let strong = block.lines[2].roles.iter().find(|(_, role)| role.strong).map(|(range, _)| range.clone());
        assert_eq!(strong.map(|range| &block.lines[2].text[range]), Some("7"), "its role goes with it");
    }

    #[test]
    fn long_cells_wrap_within_their_column_and_short_columns_keep_their_width() {
        let source = "| Key | What it does |\n|--|--|\n| a日 | one **two three** four |\n| b | x |\n";
        assert_eq!(
            lines(source, 20),
            [
                "Key │ What it does  ",
                "────┼───────────────",
                "a日 │ one two three ",
                "    │ four          ",
                "b   │ x             "
            ]
        );
        let mut block = blocks(source, 0, false).remove(0);
        for width in 1..40 {
            block.fit(width);
            let strong = |line: &Line| -> String {
                let ranges = line.roles.iter().filter(|(_, role)| role.strong);
                ranges.map(|(range, _)| line.text[range.clone()].to_owned() + " ").collect()
            };
            let said: String = block.lines.iter().map(strong).collect();
            assert_eq!(said.split_whitespace().collect::<Vec<_>>(), ["two", "three"], "at {width}");
        }
    }

    #[test]
    fn in_a_list_or_a_quote_it_is_a_table_behind_their_marks() {
        let table = "| a | b |\n  |---|---|\n  | one | two |\n";
        let source = format!("- first\n\n  {table}- {table}\n  after\n  ```\n  code\n  ```\n");
        let wanted = [
            "• first",
            "  ",
            "  a   │ b  ",
            "  ────┼────",
            "  one │ two",
            "• a   │ b  ",
            "  ────┼────",
            "  one │ two",
            "  ",
            "  after",
            "  ",
            "  ",
            "  │ code",
        ];
        assert_eq!(lines(&source, 80), wanted);
        assert_eq!(lines("> | a | b |\n> |---|---|\n> | 1 | 2 |\n", 80), ["▏ a │ b", "▏ ──┼──", "▏ 1 │ 2"]);
        let mut block = blocks(&source, 0, false).remove(0);
        let whole = block.clone();
        for width in [80, 6, 40, 1, 80] {
            block.fit(width);
            let code = &block.codes[0];
            let texts: Vec<&str> = block.lines[code.lines.clone()].iter().map(|line| line.text.as_str()).collect();
            assert_eq!((texts, code.lines.end), (vec!["", "code"], block.lines.len()), "at {width}");
            assert!(block.same(&whole) && whole.same(&block), "at {width}");
        }
    }

    #[test]
    fn in_a_list_too_a_table_without_room_is_a_block_for_each_row() {
        let source = "- x\n\n  | Name | Where it is |\n  |--|--|\n  | first | somewhere |\n  | second | elsewhere |\n";
        let wanted = [
            "• x",
            "  ",
            "  Name: first",
            "  Where it is: somewhere",
            "  ",
            "  Name: second",
            "  Where it is: elsewhere",
        ];
        assert_eq!(lines(source, 14), wanted);
    }

    #[test]
    fn a_table_without_room_for_its_columns_is_a_block_for_each_row() {
        let source = "| Name | Where it is | What it costs |\n|--|--|--|\n| first | somewhere | nothing |\n| second | elsewhere | much |\n";
        let all = lines(source, 24);
        assert_eq!(all[..4], ["Name: first", "Where it is: somewhere", "What it costs: nothing", ""]);
        assert_eq!(all[4..], ["Name: second", "Where it is: elsewhere", "What it costs: much"]);
    }
}
