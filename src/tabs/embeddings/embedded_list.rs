//! The open list: its texts, how it is stored, their vectors, and what is computed of them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::analyses::Analyses;
use super::embed_run::EmbedRun;
use super::estimate::SendEstimate;
use super::labels::TextLabels;
use super::list_storage::ListStorage;
use super::matrix_view::MatrixView;
use super::pane_data::{Page, PaneData, TextItem, VectorStatus};
use super::panes::Panes;
use super::vector_set::{VectorRequest, VectorSet, reordered};
use crate::component::{Cx, Pending};
use crate::record::vectors::MATRIX;
use crate::record::{TextKey, TextList, TextRow};
use crate::text::Untrusted;
use crate::ui::heatmap::HeatmapView;

/// How long the texts must be unchanged before they are counted and looked up.
const REST: Duration = Duration::from_millis(300);
/// How often the statuses of a long list are rebuilt.
const STATUSES: Duration = Duration::from_millis(500);

/// The open list and all that belongs to its texts.
#[derive(Debug, Default)]
pub(super) struct EmbeddedList {
    /// The texts, and what the panes read of them.
    pub(super) data: PaneData,
    /// How the list is stored, and what undo restores.
    pub(super) storage: ListStorage,
    /// Whether newlines are sent unchanged.
    pub(super) keep_newlines: bool,
    pub(super) vectors: VectorSet,
    pub(super) analyses: Analyses,
    pub(super) matrix: MatrixView,
    pub(super) panes: Panes,
    pub(super) estimate: SendEstimate,
    /// When the texts are counted and looked up.
    pub(super) look_up_due: Option<Instant>,
    pub(super) pending: Pending<VectorRequest>,
}

impl EmbeddedList {
    /// Shows a stored list; the vectors of the one before are let go.
    pub(super) fn show(&mut self, list: TextList, rows: Vec<TextRow>, cx: &mut Cx) {
        self.storage.open(list);
        self.data.cut = None;
        let texts = rows.into_iter().map(|row| {
            let sent = TextKey::of(&self.sent(&row.text));
            TextItem::new(row, sent)
        });
        let texts = texts.collect();
        self.replace(texts, cx);
        self.data.cursor = (0, 1.min(self.data.texts.len().saturating_sub(1)));
        self.matrix.heat = HeatmapView::default();
        self.matrix.follow_cursor(&self.data);
    }

    /// Shows an empty list that is not saved yet.
    pub(super) fn close(&mut self, cx: &mut Cx) {
        self.storage.close();
        self.replace(Vec::new(), cx);
    }

    /// Puts texts of another list in the place of these.
    fn replace(&mut self, texts: Vec<TextItem>, cx: &mut Cx) {
        self.clear_vectors(cx);
        // Panes hold what they were drawn from.
        self.panes = Panes::default();
        self.data.texts = Arc::new(texts);
        self.align();
    }

    /// Returns a text as it is sent.
    pub(super) fn sent(&self, text: &Untrusted) -> Untrusted {
        sent(text, self.sends_as_is())
    }

    /// Returns whether newlines stay.
    fn sends_as_is(&self) -> bool {
        self.keep_newlines || self.storage.is_imported()
    }

    /// Returns how many newlines of the texts become spaces.
    fn newlines(&self) -> usize {
        if self.sends_as_is() {
            return 0;
        }
        let of = |text: &TextItem| text.text.raw().bytes().filter(|byte| *byte == b'\n').count();
        self.data.texts.iter().map(of).sum()
    }

    /// Returns all texts as they are sent, with their tokens.
    pub(super) fn texts_to_send(&self) -> Vec<(Untrusted, Option<u32>)> {
        self.data.texts.iter().map(|text| (self.sent(&text.text), text.tokens)).collect()
    }

    /// Prepares again what is sent of each text.
    pub(super) fn update_sent_texts(&mut self) {
        let sent: Vec<TextKey> = self.data.texts.iter().map(|text| TextKey::of(&self.sent(&text.text))).collect();
        self.change_texts(|texts| {
            for (text, sent) in texts.iter_mut().zip(sent) {
                if text.sent != sent {
                    (text.sent, text.tokens) = (sent, None);
                }
            }
        });
    }

    /// Hands what there is now to the panes.
    pub(super) fn update_panes(&mut self) {
        self.panes.update(self.data.clone());
    }

    /// Changes the texts. The panes let go of them meanwhile: a list that is held elsewhere would be copied.
    pub(super) fn change_texts<T>(&mut self, change: impl FnOnce(&mut Vec<TextItem>) -> T) -> T {
        self.panes.update(PaneData::default());
        let changed = change(Arc::make_mut(&mut self.data.texts));
        self.update_panes();
        changed
    }

    /// Puts vectors and matrix into the order of texts that have changed, and plans to count and look up the texts.
    pub(super) fn texts_changed(&mut self, now: Instant) {
        self.storage.touch();
        self.look_up_due = Some(now + REST);
        self.align();
        let last = self.data.texts.len().saturating_sub(1);
        self.data.cursor = (self.data.cursor.0.min(last), self.data.cursor.1.min(last));
        self.matrix.follow_cursor(&self.data);
    }

    /// Returns what is nearest to a text, nearest first, at most `most`.
    pub(super) fn nearest(&self, row: usize, most: usize) -> Vec<(usize, f32)> {
        self.analyses.nearest(row, most, &self.data)
    }

    /// Returns the text that stands at a place of the matrix.
    pub(super) fn row_at(&self, place: usize) -> usize {
        self.matrix.row_at(place, &self.data)
    }

    /// Puts vectors and matrix into the order of the texts. Of a long list, or one that is another, nothing stays.
    pub(super) fn align(&mut self) {
        self.data.labels = TextLabels::new(&self.data.texts).into();
        let keys = self.data.texts.iter().map(|text| text.sent).collect();
        if let Some(from) = self.vectors.align(keys) {
            let matrix = self.data.matrix.take().filter(|_| self.vectors.full.is_some());
            self.data.matrix = matrix.map(|matrix| Arc::new(reordered(&matrix, &from)));
            self.vectors_changed();
        }
        self.vectors.statuses_outdated = true;
    }

    /// Takes over that the whole vectors are others: what is read of them, and what is computed from them.
    pub(super) fn vectors_changed(&mut self) {
        self.data.table = if self.data.cut.is_some() { None } else { self.vectors.full.clone() };
        self.analyses.changed(self.data.cut.is_some());
        self.vectors.note_faults();
    }

    /// Lets go of all vectors and of what is known of them.
    pub(super) fn clear_vectors(&mut self, cx: &mut Cx) {
        self.vectors.clear();
        (self.data.table, self.data.matrix) = (None, None);
        self.cancel_analyses(cx);
        self.vectors.statuses_outdated = true;
    }

    /// Cancels what is computed from vectors that go: there is one thread for it, and it holds them.
    pub(super) fn cancel_analyses(&mut self, cx: &mut Cx) {
        self.panes.cancel(cx);
        self.analyses.forget(cx);
    }

    /// Lets go of vectors that say nothing, or have another length than most; names their texts. A run asks for them
    /// again.
    pub(super) fn remove_faulty(&mut self) -> std::collections::HashSet<TextKey> {
        let faulty = self.vectors.remove_faulty();
        if !faulty.is_empty() && self.data.texts.len() <= MATRIX {
            self.vectors_changed();
        }
        faulty
    }

    /// Returns whether a run embeds these texts as they are shown.
    pub(super) fn is_run_of(&self, job: &EmbedRun) -> bool {
        job.is_list() && job.key == self.data.key
    }

    /// Has the statuses of the texts rebuilt: those of a long list only a few times a second, as a run has hundreds of
    /// answers.
    pub(super) fn plan_statuses(&mut self, now: Instant) {
        if self.data.texts.len() > MATRIX {
            self.vectors.statuses_due.get_or_insert(now + STATUSES);
        } else {
            self.vectors.statuses_outdated = true;
        }
    }

    /// Rebuilds the statuses of the texts and what is to be sent of them, where something has changed; while a run is
    /// under way, not before they are due.
    pub(super) fn refresh_statuses(&mut self, job: Option<&EmbedRun>, now: Instant) {
        let due = self.vectors.statuses_due.is_some_and(|due| due <= now || job.is_none());
        if !due && !self.vectors.statuses_outdated {
            return;
        }
        (self.vectors.statuses_due, self.vectors.statuses_outdated) = (None, false);
        let limit = crate::tokens::context(&self.data.key.model.line());
        let job = job.filter(|job| job.is_list() && job.is_sending());
        let of = |text: &TextItem| {
            let too_long = text.tokens.zip(limit).is_some_and(|(tokens, limit)| u64::from(tokens) > limit);
            match self.vectors.status(&text.sent) {
                VectorStatus::None if too_long => VectorStatus::TooLong,
                VectorStatus::None if job.is_some_and(|job| job.is_waiting_for(&text.sent)) => VectorStatus::Waiting,
                status => status,
            }
        };
        self.data.statuses = Arc::new(self.data.texts.iter().map(of).collect());
        let texts = self.data.texts.iter().enumerate();
        let failures = texts.filter_map(|(row, text)| Some((row, self.vectors.failures.get(&text.sent)?.clone())));
        self.data.failures = Arc::new(failures.collect());
        self.analyses.version += 1;
        self.estimate = SendEstimate::new(&self.data, &self.vectors, self.newlines());
    }

    /// Asks for what is computed from the vectors and is not known; `page` is the one that shows them.
    pub(super) fn compute(&mut self, page: Page, cx: &mut Cx) {
        self.update_panes();
        if self.data.texts.len() < 2 || !self.analyses.request(&self.data, &self.vectors, cx) {
            return;
        }
        // Without vectors too: the panes drop what they show of the vectors before.
        if let Some(pane) = self.panes.get_mut(page) {
            pane.refresh(cx);
        }
    }
}

/// Returns a text as it is sent: newlines become spaces, as the OpenAI documentation advises, unless it is sent `as_is`.
pub(super) fn sent(text: &Untrusted, as_is: bool) -> Untrusted {
    if as_is || !text.contains("\n") { text.clone() } else { without_line_ends(text.raw()).into() }
}

/// Returns a text with its line ends replaced by spaces.
fn without_line_ends(text: &str) -> String {
    text.replace("\r\n", " ").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::super::pane_test::data;
    use super::*;

    #[test]
    fn a_change_of_the_texts_copies_no_list_for_the_panes() {
        let mut list = EmbeddedList { data: data(&[("a", &[1.0]), ("b", &[1.0])]), ..EmbeddedList::default() };
        list.update_panes();
        let before = list.data.texts.as_ptr();
        list.change_texts(|texts| texts[0].tokens = Some(3));
        assert_eq!(list.data.texts.as_ptr(), before);
    }
}
