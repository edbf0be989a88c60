//! Lays tokens out in rows, only as far as they were shown: the first rows of a long text are there at once,
//! and what was measured once is not measured again for another width.

use std::collections::HashMap;
use std::ops::Range;

use super::piece;
use crate::record::work::Tokens;

/// In a cell: its line ends after it.
const ENDS: u16 = 1 << 15;

/// The rows of a text of tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenRows {
    /// Columns of a row.
    width: usize,
    /// Whether each token has room for its id.
    ids: bool,
    /// Columns of the first tokens, and whether their line ends.
    cells: Vec<u16>,
    /// The cells of those ids that took more than a look at their bytes.
    known: HashMap<u32, u16>,
    /// The first token of each row so far.
    starts: Vec<usize>,
    /// The first token that has no place yet.
    next: usize,
    /// Columns used of the last row.
    used: usize,
    /// Whether the last row has ended.
    ended: bool,
}

/// Returns where token `at` stands in its text.
pub(super) fn range(tokens: &Tokens, at: usize) -> Range<usize> {
    let start = at.checked_sub(1).map_or(0, |before| tokens.ends[before]);
    start..tokens.ends[at]
}

/// Returns columns, and whether a line ends, in one number.
fn cell((columns, ends): (usize, bool)) -> u16 {
    columns.min(usize::from(ENDS - 1)) as u16 | if ends { ENDS } else { 0 }
}

/// Returns how many decimal digits a number has.
fn digits(number: u32) -> usize {
    number.checked_ilog10().unwrap_or(0) as usize + 1
}

impl TokenRows {
    /// Sets the form of the rows: anything but the one before begins again.
    pub(super) fn set(&mut self, width: usize, ids: bool) {
        if (self.width, self.ids) != (width, ids) {
            let (cells, known) = (std::mem::take(&mut self.cells), std::mem::take(&mut self.known));
            *self = Self { width, ids, cells, known, ..Self::default() };
        }
    }

    /// Returns how many columns a token has that has a place: no more than a row has.
    pub(super) fn columns(&self, tokens: &Tokens, at: usize) -> usize {
        let cell = usize::from(self.cells[at] & !ENDS);
        let cell = if self.ids { cell.max(digits(tokens.ids[at])) } else { cell };
        cell.min(self.width.max(1))
    }

    /// Returns whether the line of a token that has a place ends after it.
    pub(super) fn ends(&self, at: usize) -> bool {
        self.cells[at] & ENDS != 0
    }

    /// Gives places up to a token and to the end of its row.
    fn reach(&mut self, text: &[u8], tokens: &Tokens, token: usize, row: usize) {
        while self.next < tokens.ids.len() && (self.next <= token || self.starts.len() <= row) {
            let at = self.next;
            if at == self.cells.len() {
                let bytes = text.get(range(tokens, at)).unwrap_or_default();
                let measure = || cell(piece::measure(bytes));
                let plain = bytes.is_ascii();
                self.cells.push(if plain {
                    measure()
                } else {
                    *self.known.entry(tokens.ids[at]).or_insert_with(measure)
                });
            }
            let columns = self.columns(tokens, at);
            if at == 0 || self.ended || self.used + columns > self.width {
                self.starts.push(at);
                self.used = 0;
            }
            self.used += columns + 1;
            self.ended = self.ends(at);
            self.next += 1;
        }
    }

    /// Returns how many tokens have a place.
    #[cfg(test)]
    pub(super) fn placed(&self) -> usize {
        self.next
    }

    /// Returns the row of a token.
    pub(super) fn row(&mut self, text: &[u8], tokens: &Tokens, token: usize) -> usize {
        self.reach(text, tokens, token, 0);
        self.starts.partition_point(|start| *start <= token).saturating_sub(1)
    }

    /// Returns the tokens of a row; none: it is after the last.
    pub(super) fn tokens(&mut self, text: &[u8], tokens: &Tokens, row: usize) -> Range<usize> {
        self.reach(text, tokens, 0, row + 1);
        let Some(start) = self.starts.get(row) else { return 0..0 };
        *start..self.starts.get(row + 1).copied().unwrap_or(self.next)
    }

    /// Returns how many columns stand before a token in its row.
    pub(super) fn column(&self, tokens: &Tokens, row: Range<usize>, token: usize) -> usize {
        (row.start..token.min(row.end)).map(|at| self.columns(tokens, at) + 1).sum()
    }

    /// Returns the token of a row that holds a column, or its last.
    pub(super) fn at(&self, tokens: &Tokens, row: Range<usize>, column: usize) -> usize {
        let mut end = 0;
        let found = row.clone().find(|at| {
            end += self.columns(tokens, *at) + 1;
            column < end
        });
        found.unwrap_or(row.end.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a text whose tokens are these.
    fn text(pieces: &[&str]) -> (Vec<u8>, Tokens) {
        let ends = pieces.iter().scan(0, |end, piece| {
            *end += piece.len();
            Some(*end)
        });
        let ids = (0..pieces.len() as u32).map(|at| at * 1_000).collect();
        (pieces.concat().into_bytes(), Tokens { vocabulary: "", ids, ends: ends.collect() })
    }

    #[test]
    fn rows_break_where_they_are_full_and_where_lines_end() {
        let (bytes, tokens) = text(&["ab", " cd", "\n", "efghijklmnop", "q", "r"]);
        let mut rows = TokenRows::default();
        rows.set(8, false);
        let all: Vec<_> = (0..5).map(|row| rows.tokens(&bytes, &tokens, row)).collect();
        assert_eq!(all, [0..3, 3..4, 4..6, 0..0, 0..0]);
        assert_eq!(rows.columns(&tokens, 3), 8, "no wider than a row");
        rows.set(6, true);
        assert_eq!(rows.tokens(&bytes, &tokens, 0), 0..1, "room for the id 1000");
        assert_eq!(rows.row(&bytes, &tokens, 5), 5);
    }

    #[test]
    fn the_rows_are_the_same_however_they_were_come_by() {
        let pieces: Vec<String> =
            (0..500).map(|n| if n % 37 == 0 { "\n".into() } else { "x".repeat(n % 11 + 1) }).collect();
        let (bytes, tokens) = text(&pieces.iter().map(String::as_str).collect::<Vec<_>>());
        let mut whole = TokenRows::default();
        whole.set(20, false);
        let last = whole.row(&bytes, &tokens, 499);
        let mut step = TokenRows::default();
        step.set(9, true);
        step.row(&bytes, &tokens, 100);
        step.set(20, false);
        let mut next = 0;
        for row in 0..=last {
            let range = step.tokens(&bytes, &tokens, row);
            assert_eq!((range.start, &range), (next, &whole.tokens(&bytes, &tokens, row)), "row {row}");
            next = range.end;
        }
        assert_eq!(next, 500, "without gaps");
        for token in 0..500 {
            let row = whole.row(&bytes, &tokens, token);
            let range = whole.tokens(&bytes, &tokens, row);
            assert!(range.contains(&token));
            assert_eq!(whole.at(&tokens, range.clone(), whole.column(&tokens, range, token)), token);
        }
    }
}
