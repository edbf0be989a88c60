//! Has the work threads compute from the vectors: shortened vectors, the matrix, pairs, the nearest texts. One of each
//! is asked for at a time, and again if the vectors changed meanwhile.

use std::sync::Arc;

use super::pane_data::{Page, PaneData, TextItem};
use super::state::State;
use crate::api::call::Ticket;
use crate::component::{Cx, Notice};
use crate::record::VectorTable;
use crate::record::vectors::{Figures, MATRIX, Matrix, VectorTask};
use crate::record::work::Done;
use crate::ui::heatmap::Scale;

/// Pairs that are named beside the matrix.
const PAIRS: usize = 100;
/// Texts that are named as nearest.
const NEAR: usize = 200;

impl State {
    /// Asks for what has to be made again, and sends what waits to be sent.
    pub(super) fn advance(&mut self, cx: &mut Cx) {
        self.advance_run(cx);
        self.put_question();
        self.compute(cx);
        self.note_activity(cx);
    }

    /// Hands what there is now to the panes.
    pub(super) fn update_panes(&mut self) {
        let focus = (!self.modals.is_open()).then_some(self.view.page);
        self.panes.update(PaneData { focus, ..self.data.clone() });
    }

    /// Changes the texts. The panes let go of them meanwhile: a list that is held elsewhere would be copied.
    pub(super) fn change_texts<T>(&mut self, change: impl FnOnce(&mut Vec<TextItem>) -> T) -> T {
        self.panes.update(PaneData::default());
        let changed = change(Arc::make_mut(&mut self.data.texts));
        self.update_panes();
        changed
    }

    /// Asks for what is computed from the vectors and is not known.
    fn compute(&mut self, cx: &mut Cx) {
        self.update_panes();
        if self.data.texts.len() < 2 {
            return;
        }
        if let (Some(full), Some(dimensions)) = (&self.vectors.full, self.data.cut)
            && self.analyses.cut.is_outdated()
        {
            self.analyses.cut.ask(VectorTask::Cut { table: Arc::clone(full), dimensions }, self.vectors.version, cx);
        }
        if !self.analyses.cut.dirty && self.analyses.cut.asked.is_none() {
            if let Some(table) = self.data.table.clone().filter(|table| table.present() > 0) {
                self.ask_sums(&table, cx);
            }
            // Without vectors too: the panes drop what they show of the vectors before.
            self.refresh_panes(cx);
        }
    }

    fn ask_sums(&mut self, table: &Arc<VectorTable>, cx: &mut Cx) {
        if table.rows() <= MATRIX {
            if self.analyses.matrix.is_outdated() {
                self.analyses.matrix.ask(VectorTask::Matrix(Arc::clone(table)), self.vectors.version, cx);
            }
            if self.analyses.pairs.is_outdated() {
                let sum = VectorTask::Pairs { table: Arc::clone(table), above: self.data.above, most: PAIRS };
                self.analyses.pairs.ask(sum, self.vectors.version, cx);
            }
            return;
        }
        let row = self.data.cursor.0;
        if self.analyses.near_of != Some(row)
            && self.analyses.near.asked.is_none()
            && let Some(vector) = table.row(row)
        {
            self.analyses.near_of = Some(row);
            let sum = VectorTask::Nearest { table: Arc::clone(table), to: vector.into(), most: NEAR + 1 };
            self.analyses.near.ask(sum, self.vectors.version, cx);
        }
    }

    /// Panes that show ask for what they compute themselves.
    fn refresh_panes(&mut self, cx: &mut Cx) {
        let beside = self.shows_map() && matches!(self.view.page, Page::Inputs | Page::Matrix);
        if let Some(pane) = self.panes.get_mut(if beside { Page::Map } else { self.view.page }) {
            pane.refresh(cx);
        }
    }

    /// Takes an answer of the work threads. Returns whether it is to a computation of ours.
    pub(super) fn handle_analysis(&mut self, ticket: Ticket, done: &Done, cx: &mut Cx) -> bool {
        if let Done::Moved { .. } = done {
            return false;
        }
        let steps =
            [&mut self.analyses.cut, &mut self.analyses.matrix, &mut self.analyses.pairs, &mut self.analyses.near];
        let Some(version) = steps.into_iter().find_map(|step| step.answer(ticket)) else { return false };
        if let Done::Failed(why) = done {
            cx.notify(Notice::error(format!("the vectors could not be compared: {}", why.line())).about("sums"));
            return true;
        }
        // Of texts that have changed since, nothing of it is right.
        if version != self.vectors.version {
            return true;
        }
        match done {
            // It may be cut otherwise by now, or not at all.
            Done::Figures(Figures::Cut(table)) if self.data.cut == Some(table.dimensions()) => {
                self.data.table = Some(Arc::clone(table));
            }
            Done::Figures(Figures::Matrix(matrix)) => {
                let (least, closest) = span(matrix);
                let most = closest.map_or(f64::NEG_INFINITY, |(.., most)| f64::from(most));
                (self.analyses.span, self.analyses.closest) = ((least, most), closest);
                self.analyses.version += 1;
                self.data.matrix = Some(Arc::clone(matrix));
                self.place_heat();
            }
            Done::Figures(Figures::Pairs(pairs)) => self.analyses.above = Some(pairs.clone()),
            Done::Figures(Figures::Nearest(nearest)) => self.analyses.nearest.clone_from(nearest),
            _ => {}
        }
        true
    }

    /// Returns what is nearest to a text, nearest first, at most `most`.
    pub(super) fn nearest(&self, row: usize, most: usize) -> Vec<(usize, f32)> {
        nearest(&self.data, row, most).unwrap_or_else(|| {
            let known = self.analyses.near_of == Some(row) && self.analyses.near.asked.is_none();
            let others = self.analyses.nearest.iter().filter(|(other, _)| known && *other as usize != row);
            others.take(most).map(|(other, cosine)| (*other as usize, *cosine)).collect()
        })
    }

    /// Returns the rows by cluster, where the matrix is shown so.
    fn cluster_order(&self) -> Option<&[u32]> {
        self.data.matrix.as_ref().filter(|_| self.view.ordered).map(|matrix| &*matrix.order)
    }

    /// Returns the text that stands at a place of the matrix.
    pub(super) fn row_at(&self, place: usize) -> usize {
        self.cluster_order().and_then(|order| order.get(place)).map_or(place, |row| *row as usize)
    }

    /// Returns whether the matrix is shown by cluster.
    pub(super) fn is_ordered(&self) -> bool {
        self.cluster_order().is_some()
    }

    /// Puts the matrix's cursor where the texts' cursor is.
    pub(super) fn place_heat(&mut self) {
        let place = |row: usize| {
            self.cluster_order().and_then(|order| order.iter().position(|other| *other as usize == row)).unwrap_or(row)
        };
        let (row, column) = self.data.cursor;
        (self.view.heat.row, self.view.heat.column) = (place(row), place(column));
    }

    /// Returns what the colours span.
    pub(super) fn scale(&self) -> Scale {
        let (least, most) = self.analyses.span;
        if self.view.stretched && least < most { Scale::Span(least, most) } else { Scale::Fixed }
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
    use super::super::pane_test::data;
    use super::*;

    fn matrix() -> Matrix {
        let cosines = vec![1.0, 0.5, f32::NAN, 0.5, 1.0, 0.9, f32::NAN, 0.9, f32::NAN];
        Matrix { rows: 3, cosines, norms: vec![1.0; 3], order: vec![0, 1, 2] }
    }

    #[test]
    fn a_change_of_the_texts_copies_no_list_for_the_panes() {
        let mut state = State { data: data(&[("a", &[1.0]), ("b", &[1.0])]), ..State::default() };
        state.update_panes();
        let before = state.data.texts.as_ptr();
        state.change_texts(|texts| texts[0].tokens = Some(3));
        assert_eq!(state.data.texts.as_ptr(), before);
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
