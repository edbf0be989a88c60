//! How the matrix of similarities is shown: its cursor, the order of its rows, its colours.

use super::pane_data::PaneData;
use crate::ui::heatmap::HeatmapView;

/// How the matrix is shown.
#[derive(Debug, Default)]
pub(super) struct MatrixView {
    pub(super) heat: HeatmapView,
    /// Whether it is ordered by cluster.
    pub(super) ordered: bool,
    /// Whether the colours span from the least to the greatest cosine.
    pub(super) stretched: bool,
}

impl MatrixView {
    /// Returns the rows by cluster, where the matrix is shown so.
    fn order<'a>(&self, data: &'a PaneData) -> Option<&'a [u32]> {
        data.matrix.as_ref().filter(|_| self.ordered).map(|matrix| &*matrix.order)
    }

    /// Returns the text that stands at a place of the matrix.
    pub(super) fn row_at(&self, place: usize, data: &PaneData) -> usize {
        self.order(data).and_then(|order| order.get(place)).map_or(place, |row| *row as usize)
    }

    /// Returns whether the matrix is shown by cluster.
    pub(super) fn is_ordered(&self, data: &PaneData) -> bool {
        self.order(data).is_some()
    }

    /// Puts the matrix's cursor where the texts' cursor is.
    pub(super) fn follow_cursor(&mut self, data: &PaneData) {
        let place = |row: usize| {
            self.order(data).and_then(|order| order.iter().position(|other| *other as usize == row)).unwrap_or(row)
        };
        let (row, column) = data.cursor;
        (self.heat.row, self.heat.column) = (place(row), place(column));
    }
}
