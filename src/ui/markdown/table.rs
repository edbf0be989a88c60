//! Tables: cells as they come, and the rows with their columns in line.

use pulldown_cmark::Alignment;

use super::line::{Kind, Line, Role};
use crate::ui::wrap;

/// A table while it is read, and its rows when it is whole.
pub(super) struct Table {
    alignments: Vec<Alignment>,
    /// The first one is the head.
    pub(super) rows: Vec<Vec<Line>>,
}

impl Table {
    pub(super) fn new(alignments: Vec<Alignment>) -> Self {
        Self { alignments, rows: Vec::new() }
    }

    /// The rows with columns in line, each cell where its column wants it, and the width they need.
    pub(super) fn fit(&self) -> (usize, Vec<Line>) {
        let rows = &self.rows;
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|at| rows.iter().filter_map(|row| row.get(at)).map(|cell| wrap::width(&cell.text)).max().unwrap_or(0))
            .collect();
        let mut lines = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            let mut line = Line::default();
            for (at, cell) in row.iter().enumerate() {
                line.add(if at == 0 { "" } else { " │ " }, Role::of(Kind::Muted));
                let missing = widths[at].saturating_sub(wrap::width(&cell.text));
                let before = match self.alignments.get(at) {
                    Some(Alignment::Right) => missing,
                    Some(Alignment::Center) => missing / 2,
                    _ => 0,
                };
                line.text.push_str(&" ".repeat(before));
                let from = line.text.len();
                line.text.push_str(&cell.text);
                if number == 0 {
                    line.roles.push((from..line.text.len(), Role::of(Kind::Heading)));
                } else {
                    let roles = cell.roles.iter().map(|(range, role)| (range.start + from..range.end + from, *role));
                    line.roles.extend(roles);
                }
                line.text.push_str(&" ".repeat(missing - before));
            }
            lines.push(line);
            if number == 0 {
                let mut line = Line::default();
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                line.add(&rule.join("─┼─"), Role::of(Kind::Muted));
                lines.push(line);
            }
        }
        (widths.iter().sum::<usize>() + columns.saturating_sub(1) * 3, lines)
    }
}

#[cfg(test)]
mod tests {
    use super::super::build::blocks;

    #[test]
    fn cells_stand_where_their_column_wants_them() {
        let source = "| Case | Days | Refund | 日本 |\n|:---|---:|:---:|---|\n| late | **7** | no | x |\n| on time | 14 | yes, all | 語 |\n";
        let block = &blocks(source, 0)[0];
        let lines: Vec<&str> = block.lines(80).iter().map(|line| line.text.as_str()).collect();
        assert_eq!(
            lines,
            [
                "Case    │ Days │  Refund  │ 日本",
                "────────┼──────┼──────────┼─────",
                "late    │    7 │    no    │ x   ",
                "on time │   14 │ yes, all │ 語  ",
            ]
        );
        let strong = block.lines(80)[2].roles.iter().find(|(_, role)| role.strong).map(|(range, _)| range.clone());
        assert_eq!(strong.map(|range| &lines[2][range]), Some("7"), "its role goes with it");
    }
}
