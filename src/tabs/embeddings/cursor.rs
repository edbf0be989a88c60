//! Moves the cursor in the list and in the matrix.

use super::embedded_list::EmbeddedList;
use super::pane_data::Page;
use crate::component::{Cx, Notice};
use crate::record::vectors::MATRIX;
use crate::ui::heatmap::NUMBERS;
use crate::ui::meter;

impl EmbeddedList {
    /// Moves the cursor to a text, and to the text that it is compared with.
    pub(super) fn move_cursor(&mut self, row: usize, column: Option<usize>) {
        self.data.cursor = (row, column.unwrap_or(self.data.cursor.1));
        self.matrix.follow_cursor(&self.data);
    }

    /// Moves the cursor in the matrix, or in the list.
    pub(super) fn step(&mut self, page: Page, rows: isize, columns: isize) {
        let count = self.data.texts.len();
        if count == 0 {
            return;
        }
        if page == Page::Inputs || count > MATRIX {
            let last = count as isize - 1;
            let row = (self.data.cursor.0 as isize).saturating_add(rows).saturating_add(columns).clamp(0, last);
            return self.move_cursor(row as usize, None);
        }
        let heat = &mut self.matrix.heat;
        heat.move_by(rows, columns, count);
        let (row, column) = (heat.row, heat.column);
        self.data.cursor = (self.row_at(row), self.row_at(column));
    }

    /// Chooses the text that is shown beside the one under the cursor: above the matrix, its nearest. Returns whether
    /// there are two.
    pub(super) fn choose_pair(&mut self) -> bool {
        let (row, column) = self.data.cursor;
        let rows = self.data.texts.len();
        if rows < 2 || row >= rows {
            return false;
        }
        if rows > MATRIX && (row == column || column >= rows) {
            let nearest = self.nearest(row, 1).first().map(|(other, _)| *other);
            self.data.cursor.1 = nearest.unwrap_or((row + 1) % rows);
        }
        true
    }

    /// Orders the matrix by cluster, or as in the list.
    pub(super) fn toggle_order(&mut self, cx: &mut Cx) {
        if self.data.matrix.is_none() {
            return cx.notify(Notice::info("there is no matrix to order yet; ^R embeds the texts"));
        }
        self.matrix.ordered = !self.matrix.ordered;
        self.analyses.version += 1;
        self.matrix.follow_cursor(&self.data);
        // Of a large matrix a part shows, which is another now.
        if self.data.texts.len() > NUMBERS {
            let order = if self.matrix.ordered { "ordered by cluster" } else { "in list order" };
            let heat = &self.matrix.heat;
            let (row, column) = (heat.row as u64 + 1, heat.column as u64 + 1);
            let said = format!("{order} · row {}, column {}", meter::count(row), meter::count(column));
            cx.notify(Notice::ok(said).about("order"));
        }
    }
}
