//! What is nearest to the chosen text: by the matrix where there is one, else as a sum of its own.

use std::sync::{Arc, Weak};

use super::super::background::{BackgroundJob, JobReply, VectorsVersion};
use super::super::pane_data::PaneData;
use crate::api::call::Ticket;
use crate::component::{Cx, Response};
use crate::record::vectors::{Figures, Matrix, VectorTask};

/// How many are named.
const MOST: usize = 6;

/// The rows nearest to one.
#[derive(Debug, Default)]
pub(super) struct NearestTexts {
    job: BackgroundJob,
    /// The row that was asked for, and what it was found in.
    row: usize,
    of: Option<VectorsVersion>,
    matrix: Weak<Matrix>,
    found: Vec<(u32, f32)>,
}

impl NearestTexts {
    /// Brings it to the cursor's row of the vectors that are there now.
    pub(super) fn refresh(&mut self, data: &PaneData, now: Option<&VectorsVersion>, cx: &mut Cx) {
        let row = data.cursor.0;
        if let Some(matrix) = &data.matrix {
            self.job.stop(cx);
            self.by(row, matrix);
            return;
        }
        let (Some(of), Some(table)) = (now, &data.table) else {
            self.found.clear();
            return;
        };
        let settled = self.of.as_ref() == now || self.job.of() == now || self.job.failed_of(of);
        if self.row == row && settled {
            return;
        }
        (self.row, self.of) = (row, None);
        self.found.clear();
        self.job.stop(cx);
        if let Some(vector) = table.row(row) {
            // One more, because it is nearest to itself.
            let sum = VectorTask::Nearest { table: table.clone(), to: Arc::from(vector), most: MOST + 1 };
            self.job.ask(of.clone(), sum, cx);
        }
    }

    /// Stops what is under way.
    pub(super) fn cancel(&mut self, cx: &mut Cx) {
        self.job.stop(cx);
    }

    /// Takes a reply. Returns whether it was its own.
    pub(super) fn reply(&mut self, ticket: Ticket, response: &mut Response, cx: &Cx) -> bool {
        match self.job.take(ticket, response, cx) {
            JobReply::NotOwn => return false,
            JobReply::Figures(of, Figures::Nearest(found)) => {
                self.of = Some(of);
                self.found = found.into_iter().filter(|(row, _)| *row as usize != self.row).take(MOST).collect();
            }
            JobReply::Progress | JobReply::Figures(..) => {}
        }
        true
    }

    /// Returns the rows nearest to the cursor's, nearest first; none while they are not known.
    pub(super) fn rows(&self, data: &PaneData) -> &[(u32, f32)] {
        if self.row == data.cursor.0 { &self.found } else { &[] }
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
