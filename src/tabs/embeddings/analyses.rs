//! What the work threads compute from the vectors: shortened vectors, the matrix, pairs, the nearest texts. One of each
//! is asked for at a time, and again if the vectors changed meanwhile.

use std::sync::Arc;

use super::pane_data::PaneData;
use super::vector_set::VectorSet;
use crate::api::call::Ticket;
use crate::component::{Cx, Notice};
use crate::record::VectorTable;
use crate::record::vectors::{Figures, MATRIX, Matrix, Pairs, VectorTask};
use crate::record::work::{Done, Work};
use crate::ui::heatmap::Scale;

/// Pairs that are named beside the matrix.
const PAIRS: usize = 100;
/// Texts that are named as nearest.
const NEAR: usize = 200;

/// One sum: whether it has to be made again, and the one under way (of which state of the texts).
#[derive(Debug, Default)]
pub(super) struct AnalysisTask {
    pub(super) dirty: bool,
    pub(super) asked: Option<(Ticket, u64)>,
}

impl AnalysisTask {
    pub(super) fn is_outdated(&self) -> bool {
        self.dirty && self.asked.is_none()
    }

    pub(super) fn ask(&mut self, sum: VectorTask, version: u64, cx: &mut Cx) {
        self.dirty = false;
        self.asked = Some((cx.work(Work::Vectors(sum)), version));
    }

    /// Takes an answer that belongs to it. Returns the revision of the texts that it is for; `None`: it belongs to
    /// another.
    pub(super) fn answer(&mut self, ticket: Ticket) -> Option<u64> {
        let (asked, version) = self.asked?;
        (asked == ticket).then(|| {
            self.asked = None;
            version
        })
    }
}

/// All of them, and what the short ones gave.
#[derive(Debug, Default)]
pub(super) struct Analyses {
    pub(super) cut: AnalysisTask,
    pub(super) matrix: AnalysisTask,
    pub(super) pairs: AnalysisTask,
    pub(super) near: AnalysisTask,
    /// The row of which the nearest are known, of a long list.
    pub(super) near_of: Option<usize>,
    pub(super) nearest: Vec<(u32, f32)>,
    /// Pairs above the threshold.
    pub(super) above: Option<Pairs>,
    /// Least and greatest cosine of two texts.
    pub(super) span: (f64, f64),
    /// The two texts with the greatest, and their cosine.
    pub(super) closest: Option<(usize, usize, f32)>,
    /// Counts changes of the matrix and of what its cells show.
    pub(super) version: u64,
}

impl Analyses {
    /// Starts the analyses again, for other vectors.
    pub(super) fn changed(&mut self, cut: bool) {
        self.cut.dirty = cut;
        self.matrix.dirty = true;
        self.pairs.dirty = true;
        self.near_of = None;
        self.version += 1;
    }

    /// Stops and forgets the analyses, as there are no vectors any more.
    pub(super) fn forget(&mut self, cx: &mut Cx) {
        for step in [&mut self.cut, &mut self.matrix, &mut self.pairs, &mut self.near] {
            if let Some((ticket, _)) = step.asked.take() {
                cx.cancel(ticket);
            }
        }
        let version = self.version + 1;
        *self = Self { version, ..Self::default() };
    }

    /// Returns whether something is summed up that is shown.
    pub(super) fn is_busy(&self) -> bool {
        [&self.cut, &self.matrix, &self.near].iter().any(|step| step.asked.is_some())
    }

    /// Pairs above another threshold.
    pub(super) fn other_threshold(&mut self) {
        self.pairs.dirty = true;
    }

    /// Asks for what is not known. Returns whether the vectors are as they are to be shown: not while they are cut.
    pub(super) fn request(&mut self, data: &PaneData, vectors: &VectorSet, cx: &mut Cx) -> bool {
        if let (Some(full), Some(dimensions)) = (&vectors.full, data.cut)
            && self.cut.is_outdated()
        {
            self.cut.ask(VectorTask::Cut { table: Arc::clone(full), dimensions }, vectors.version, cx);
        }
        if self.cut.dirty || self.cut.asked.is_some() {
            return false;
        }
        if let Some(table) = data.table.as_ref().filter(|table| table.present() > 0) {
            self.request_figures(table, data, vectors.version, cx);
        }
        true
    }

    /// Asks for the matrix and the pairs; of a long list, for the texts nearest to the one under the cursor.
    fn request_figures(&mut self, table: &Arc<VectorTable>, data: &PaneData, version: u64, cx: &mut Cx) {
        if table.rows() <= MATRIX {
            if self.matrix.is_outdated() {
                self.matrix.ask(VectorTask::Matrix(Arc::clone(table)), version, cx);
            }
            if self.pairs.is_outdated() {
                let sum = VectorTask::Pairs { table: Arc::clone(table), above: data.above, most: PAIRS };
                self.pairs.ask(sum, version, cx);
            }
            return;
        }
        let row = data.cursor.0;
        if self.near_of != Some(row)
            && self.near.asked.is_none()
            && let Some(vector) = table.row(row)
        {
            self.near_of = Some(row);
            let sum = VectorTask::Nearest { table: Arc::clone(table), to: vector.into(), most: NEAR + 1 };
            self.near.ask(sum, version, cx);
        }
    }

    /// Takes an answer of the work threads; `version` counts the changes of the vectors. Returns whether it is to one
    /// of the analyses.
    pub(super) fn take(&mut self, ticket: Ticket, done: &Done, version: u64, data: &mut PaneData, cx: &mut Cx) -> bool {
        if let Done::Moved { .. } = done {
            return false;
        }
        let steps = [&mut self.cut, &mut self.matrix, &mut self.pairs, &mut self.near];
        let Some(asked) = steps.into_iter().find_map(|step| step.answer(ticket)) else { return false };
        if let Done::Failed(why) = done {
            cx.notify(Notice::error(format!("the vectors could not be compared: {}", why.line())).about("sums"));
            return true;
        }
        // Of texts that have changed since, nothing of it is right.
        if asked != version {
            return true;
        }
        match done {
            // It may be cut otherwise by now, or not at all.
            Done::Figures(Figures::Cut(table)) if data.cut == Some(table.dimensions()) => {
                data.table = Some(Arc::clone(table));
            }
            Done::Figures(Figures::Matrix(matrix)) => {
                let (least, closest) = span(matrix);
                let most = closest.map_or(f64::NEG_INFINITY, |(.., most)| f64::from(most));
                (self.span, self.closest) = ((least, most), closest);
                self.version += 1;
                data.matrix = Some(Arc::clone(matrix));
            }
            Done::Figures(Figures::Pairs(pairs)) => self.above = Some(pairs.clone()),
            Done::Figures(Figures::Nearest(nearest)) => self.nearest.clone_from(nearest),
            _ => {}
        }
        true
    }

    /// Returns what is nearest to a text, nearest first, at most `most`.
    pub(super) fn nearest(&self, row: usize, most: usize, data: &PaneData) -> Vec<(usize, f32)> {
        nearest(data, row, most).unwrap_or_else(|| {
            let known = self.near_of == Some(row) && self.near.asked.is_none();
            let others = self.nearest.iter().filter(|(other, _)| known && *other as usize != row);
            others.take(most).map(|(other, cosine)| (*other as usize, *cosine)).collect()
        })
    }

    /// Returns what the colours of the matrix span: the cosines there are if `stretched`.
    pub(super) fn scale(&self, stretched: bool) -> Scale {
        let (least, most) = self.span;
        if stretched && least < most { Scale::Span(least, most) } else { Scale::Fixed }
    }
}

/// Returns the nearest by the matrix; `None`: there is none.
fn nearest(read: &PaneData, row: usize, most: usize) -> Option<Vec<(usize, f32)>> {
    let matrix = read.matrix.as_ref()?;
    let others = (0..matrix.rows).filter(|other| *other != row);
    let mut all: Vec<(usize, f32)> = others.filter_map(|other| Some((other, matrix.cosine(row, other)?))).collect();
    let by = |one: &(usize, f32), other: &(usize, f32)| other.1.total_cmp(&one.1).then(one.0.cmp(&other.0));
    if all.len() > most && most > 0 {
        all.select_nth_unstable_by(most - 1, by);
        all.truncate(most);
    }
    all.sort_unstable_by(by);
    Some(all)
}

/// Returns the least cosine of two different rows, and the two rows that have the greatest with it; of equal ones the
/// first.
fn span(matrix: &Matrix) -> (f64, Option<(usize, usize, f32)>) {
    let mut least = f32::INFINITY;
    let mut most: Option<(usize, usize, f32)> = None;
    for (row, cosines) in matrix.cosines.chunks(matrix.rows.max(1)).enumerate() {
        for (other, cosine) in
            cosines[..row.min(cosines.len())].iter().enumerate().filter(|(_, cosine)| !cosine.is_nan())
        {
            least = least.min(*cosine);
            if most.is_none_or(|(.., most)| *cosine > most) {
                most = Some((other, row, *cosine));
            }
        }
    }
    (f64::from(least), most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Matrix {
        let cosines = vec![1.0, 0.5, f32::NAN, 0.5, 1.0, 0.9, f32::NAN, 0.9, f32::NAN];
        Matrix { rows: 3, cosines, norms: vec![1.0; 3], order: vec![0, 1, 2] }
    }

    #[test]
    fn the_nearest_leave_out_the_text_itself_and_what_has_no_direction() {
        let read = PaneData { matrix: Some(Arc::new(matrix())), ..PaneData::default() };
        assert_eq!(nearest(&read, 1, 9), Some(vec![(2, 0.9), (0, 0.5)]));
        assert_eq!(nearest(&read, 1, 1), Some(vec![(2, 0.9)]));
        assert_eq!(nearest(&read, 0, 9), Some(vec![(1, 0.5)]));
        assert_eq!(nearest(&PaneData::default(), 0, 9), None);
    }

    #[test]
    fn the_span_is_of_two_different_texts() {
        let (least, closest) = span(&matrix());
        assert!((least - 0.5).abs() < 1e-6, "{least}");
        assert_eq!(closest, Some((1, 2, 0.9)));
    }
}
