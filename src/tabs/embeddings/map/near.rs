//! What is nearest to the chosen text: by the matrix where there is one, else as a sum of its own.

use std::sync::{Arc, Weak};

use super::super::flight::{Answer, Flight, Of};
use super::super::pane::Read;
use crate::api::call::Ticket;
use crate::component::Cx;
use crate::record::vectors::{Figures, Matrix, Sum};
use crate::record::work::Done;

/// How many are named.
const MOST: usize = 6;

/// The rows nearest to one.
#[derive(Debug, Default)]
pub(super) struct Near {
    flight: Flight,
    /// The row that was asked for, and what it was found in.
    row: usize,
    of: Option<Of>,
    matrix: Weak<Matrix>,
    found: Vec<(u32, f32)>,
}

impl Near {
    /// Brings it to a row of the vectors that are there now.
    pub(super) fn of(&mut self, row: usize, read: &Read, now: Option<&Of>, cx: &mut Cx) {
        if let Some(matrix) = &read.matrix {
            self.flight.stop(cx);
            self.by(row, matrix);
            return;
        }
        let (Some(of), Some(table)) = (now, &read.table) else {
            self.found.clear();
            return;
        };
        let settled = self.of.as_ref() == now || self.flight.of() == now || self.flight.failed_of(of);
        if self.row == row && settled {
            return;
        }
        (self.row, self.of) = (row, None);
        self.found.clear();
        self.flight.stop(cx);
        if let Some(vector) = table.row(row) {
            // One more, because it is nearest to itself.
            let sum = Sum::Nearest { table: table.clone(), to: Arc::from(vector), most: MOST + 1 };
            self.flight.ask(of.clone(), sum, cx);
        }
    }

    /// Stops what is under way.
    pub(super) fn stop(&mut self, cx: &mut Cx) {
        self.flight.stop(cx);
    }

    /// Takes an answer; whether it was its own.
    pub(super) fn worked(&mut self, ticket: Ticket, done: &Done, cx: &Cx) -> bool {
        match self.flight.take(ticket, done, cx) {
            Answer::Strange => return false,
            Answer::Figures(of, Figures::Nearest(found)) => {
                self.of = Some(of);
                self.found = found.iter().copied().filter(|(row, _)| *row as usize != self.row).take(MOST).collect();
            }
            Answer::Said | Answer::Figures(..) => {}
        }
        true
    }

    /// Nearest first; the cursor may have been moved elsewhere where there is a matrix.
    pub(super) fn rows(&mut self, read: &Read) -> &[(u32, f32)] {
        let row = read.cursor.0;
        match &read.matrix {
            Some(matrix) => self.by(row, matrix),
            None if self.row != row => return &[],
            None => {}
        }
        &self.found
    }

    fn by(&mut self, row: usize, matrix: &Arc<Matrix>) {
        let same = std::ptr::eq(self.matrix.as_ptr(), Arc::as_ptr(matrix));
        if same && self.row == row {
            return;
        }
        (self.row, self.matrix, self.of) = (row, Arc::downgrade(matrix), None);
        let others = (0..matrix.rows).filter(|other| *other != row);
        self.found = others.filter_map(|other| Some((other as u32, matrix.cosine(row, other)?))).collect();
        self.found.sort_by(|a, b| b.1.total_cmp(&a.1));
        self.found.truncate(MOST);
    }
}
