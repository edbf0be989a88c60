//! Makes the board of the bench from its texts and what is known of them.

use super::board::{Board, Cell, Stamp, column};
use super::state::State;
use crate::component::Session;

/// Scores that read alike have not moved.
const MOVED: f64 = 0.005;

impl State {
    /// Makes the board anew, if it is another. `one`: whether one column is shown and not all.
    pub(super) fn sync(&mut self, session: &Session, one: bool) {
        let judges = self.judges(session);
        let all = self.texts.len() * judges.len();
        self.column = self.column.min(all.saturating_sub(1));
        let by_score = self.shared.kept.by_score.unwrap_or(one);
        let stamp = Stamp {
            revision: self.revision,
            judges: judges.clone(),
            by_score,
            one: (one && by_score).then_some(self.column),
        };
        if self.board.stamp.as_ref() == Some(&stamp) {
            return;
        }
        let mut columns = Vec::with_capacity(all);
        for (at, text) in self.texts.all().iter().enumerate() {
            for judge in &judges {
                let mut checks = self.results.by(&text.key, judge).cloned();
                let check = checks.next();
                let again = check.as_ref().is_some_and(|check| self.results.is_fresh(check.id));
                let before = checks.next().filter(|_| again);
                drop(checks);
                columns.push(column((at, &text.row.text), judge.clone(), check, before));
            }
        }
        let mut board = Board { columns, ..Board::default() };
        board.fill();
        for column in &mut board.columns {
            let moved = |(cell, old): (&Cell, &Option<f64>)| match (cell.0, old) {
                (Some(now), Some(old)) => (now - old).abs() >= MOVED,
                (now, old) => now.is_some() != old.is_some(),
            };
            if !column.cells.iter().zip(&column.old).any(moved) {
                column.before = None;
                column.old.clear();
            }
        }
        board.order(by_score, self.shared.kept.families, self.differences, stamp.one);
        board.stamp = Some(stamp);
        self.board = board;
        if self.at.is_none() {
            self.at = self.board.key(0).cloned();
        }
    }
}
